/** The end of what a server wrote to stderr, without what it was given in confidence (S-26, S-30). */

import { fixedLimits } from '../../settings.ts';
import type { KnownSecrets } from '../../texts/mask.ts';

type StderrRing = { add(chunk: Buffer): void; text(): string };

/**
 * `longest` more bytes are kept than are told, so that a secret which lies across the beginning is still whole. What comes
 * is copied to where it stays: a flood leaves nothing behind to be collected.
 */
export function createStderrRing({ scrub, longest }: KnownSecrets): StderrRing {
  const size = fixedLimits.mcpMessages.stderrBytes + longest;
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
  return Buffer.from(text).subarray(-fixedLimits.mcpMessages.stderrBytes).toString('utf8');
}
