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

/**
 * `longest` more bytes are kept than are told, so that a secret which lies across the beginning is still whole. What comes
 * is copied to where it stays: a flood leaves nothing behind to be collected.
 */
export function createStderrRing({ scrub, longest }: Secrets): StderrRing {
  const size = ringBytes + longest;
  let ring: Buffer | undefined;
  let end = 0;
  let isFull = false;
  return {
    add(chunk) {
      ring ??= Buffer.alloc(size);
      const last = chunk.subarray(-size);
      const untilEdge = Math.min(last.length, size - end);
      last.copy(ring, end, 0, untilEdge);
      last.copy(ring, 0, untilEdge);
      isFull ||= end + last.length >= size;
      end = (end + last.length) % size;
    },
    text() {
      if (ring === undefined) return '';
      if (!isFull) return lastBytes(scrub(ring.toString('utf8', 0, end)));
      // What is left of a character at the beginning would be longer than it was.
      const kept = Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
        .toString('utf8')
        .replace(/^\ufffd{1,3}/u, '');
      // What is left of a secret at the beginning goes first: hidden ones make the rest shorter than what may be told.
      return lastBytes(Buffer.from(scrub(kept)).subarray(longest).toString('utf8'));
    },
  };
}

function lastBytes(text: string): string {
  return Buffer.from(text).subarray(-ringBytes).toString('utf8');
}
