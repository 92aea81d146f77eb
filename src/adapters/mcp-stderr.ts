/** What a server was given in confidence, and the end of what it wrote to stderr without it (S-26, S-30). */

const ringBytes = 64 * 1024;
/** Shorter values are words like "true", whose removal hides nothing and spoils the text. */
const shortestSecret = 6;

export type Secrets = {
  /** A text without any of them. */
  scrub(text: string): string;
  /** The length of the longest, in bytes. */
  longest: number;
};

/** Of a value of several words, each counts: of `Bearer <token>` a server repeats only the token. */
export function createSecrets(values: Iterable<string>): Secrets {
  const words = [...values].flatMap((value) => [value, ...value.split(/\s+/u)]);
  const known = [...new Set(words)]
    .filter(({ length }) => length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return {
    scrub: (text) => known.reduce((left, secret) => left.replaceAll(secret, '***'), text),
    longest: Math.max(0, ...known.map((secret) => Buffer.byteLength(secret))),
  };
}

export type StderrRing = { add(chunk: Buffer): void; text(): string };

/** `longest` more bytes are kept than are told, so that a secret which lies across the beginning is still whole. */
export function createStderrRing({ scrub, longest: spare }: Secrets): StderrRing {
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
      const scrubbed = scrub(kept);
      return Buffer.from(scrubbed).subarray(-ringBytes).toString('utf8');
    },
  };
}
