/** The end of what a server wrote to stderr, without the secrets it was given (S-26, S-30). */

const ringBytes = 64 * 1024;
/** Shorter values are words like "true", whose removal hides nothing and spoils the text. */
const shortestSecret = 6;

export type StderrRing = { add(chunk: Buffer): void; text(): string };

export function createStderrRing(secrets: Iterable<string>): StderrRing {
  const known = [...new Set(secrets)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  // So much more is kept that a secret which lies across the beginning is still whole.
  const spare = Math.max(0, ...known.map((secret) => Buffer.byteLength(secret)));
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      chunks.push(Buffer.from(chunk));
      size += chunk.length;
      if (size < 2 * (ringBytes + spare)) return;
      chunks = [Buffer.concat(chunks).subarray(-(ringBytes + spare))];
      size = ringBytes + spare;
    },
    text() {
      const kept = Buffer.concat(chunks)
        .subarray(-(ringBytes + spare))
        .toString('utf8');
      const scrubbed = known.reduce((text, secret) => text.replaceAll(secret, '***'), kept);
      return Buffer.from(scrubbed).subarray(-ringBytes).toString('utf8');
    },
  };
}
