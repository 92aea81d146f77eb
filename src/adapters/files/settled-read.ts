/** Reads an opened file whole, as it was at one moment (S-48). */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileStat } from '../../ports/ports.ts';
import type { OpenFile } from './open-file.ts';
import { Refused } from './refusals.ts';
import { toFileStat } from './stat-path.ts';

/** A file that changed more recently may be in the middle of a write that its change time does not show. */
const settledMs = 100;
const readsUntilSettled = 6;
/** Between two reads of such a file: writers need up to half of it from one call to the next. */
const betweenReadsMs = 1;
/** Bytes that are hashed at once. So many are read in a thread, so that other work has its turn after each piece. */
const hashedAtOnceBytes = 512 * 1024;

/** The first `limit` bytes of a file. `guess` is `st_size`, which is right only if no more bytes come. */
export async function readBytes(file: OpenFile, guess: number, limit: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(guess + 1, limit));
  let length = 0;
  for (;;) {
    const bytes = await file.read(buffer.subarray(length), length);
    length += bytes;
    if (bytes === 0 || length === guess || length === limit) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(length * 2 + 1, limit));
    buffer.copy(larger);
    buffer = larger;
  }
}

/** The SHA-256 of the whole file, read in pieces. Undefined if `deadline` (monotonic milliseconds) passes. */
export async function hashBytes(file: OpenFile, deadline: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(hashedAtOnceBytes);
  for (let position = 0; ; ) {
    const bytes = await file.read(buffer, position);
    if (bytes === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytes));
    position += bytes;
    if (performance.now() > deadline) return undefined;
  }
}

/**
 * The result of `take` for the file as it was at the moment of `stat` (S-48). It is valid if nothing changed during
 * `take` and the last change is old enough, or if two results in a row, with `stat` between them, are the same.
 */
export async function takeSettled<Taken>(
  first: FileStat,
  statAgain: OpenFile['stat'],
  { take, isSame }: { take(before: FileStat): Promise<Taken>; isSame(one: Taken, other: Taken): boolean },
): Promise<{ taken: Taken; stat: FileStat }> {
  let before = first;
  let previous: Taken | undefined;
  for (let reads = 0; reads < readsUntilSettled; reads += 1) {
    const taken = await take(before);
    if (previous !== undefined && isSame(previous, taken)) return { taken, stat: before };
    const after = toFileStat(await statAgain());
    const quiet = after.signature === before.signature && Date.now() - before.changedAtMs > settledMs;
    if (quiet) return { taken, stat: before };
    previous = taken;
    before = after;
    // The last two reads follow each other at once, for a file that is written all the time.
    if (reads < readsUntilSettled - 2) await delay(betweenReadsMs);
  }
  throw new Refused('io_error');
}
