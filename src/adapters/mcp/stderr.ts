/** The end of a server's stderr, without what the server got confidentially (S-26, S-30). */

import { fixedLimits } from '../../settings.ts';
import type { KnownSecrets } from '../../texts/mask.ts';
import { shortText } from './link.ts';

type StderrRing = { add(chunk: Buffer): void; text(): string };

/**
 * Stores `longest` more bytes than it returns, so that a secret across the beginning is still complete. Copies what
 * arrives into one buffer, so that a flood leaves no garbage to collect.
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
      // The rest of a cut character at the beginning would become longer.
      const kept = Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
        .toString('utf8')
        .replace(/^\ufffd{1,3}/u, '');
      // Removes the rest of a secret at the beginning first: masked secrets make the text shorter than the limit.
      return lastBytes(Buffer.from(scrub(kept)).subarray(longest).toString('utf8'));
    },
  };
}

function lastBytes(text: string): string {
  return Buffer.from(text).subarray(-fixedLimits.mcpMessages.stderrBytes).toString('utf8');
}

/** Node.js ends with its version after an error, and with the rest of the error before that. */
function lastLine(said: string): string {
  const lines = said.trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  if (!last.startsWith('Node.js v')) return last;
  return lines.findLast((line) => line.split(/[\s:]/u, 1)[0]?.endsWith('Error')) ?? last;
}

/** `detail`, with the last line that a server wrote, if it wrote one. */
export function withLastWords(detail: string, said: string): string {
  const words = shortText(lastLine(said));
  return words === '' ? detail : `${detail} Its last output: ${words}`;
}
