/** Reads the files that are sent with a prompt, until the answer is full (RT-04). */
import type { FileSnapshot } from '../access/gate.ts';
import { leavingWarnings } from '../context/leaving-text.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { FetchedItem } from './assemble.ts';
import { itemOf, type Part } from './fetch.ts';
import type { Retrieval } from './retrieve.ts';
import type { Origin } from './retrieve-result.ts';
import type { SourceAccess } from './source-access.ts';

/** A file that could be sent with a prompt. It has not been read. */
export type Candidate = { origin: Origin; path: string; part?: Part | undefined };
export type LeaveOut = (origin: Origin, path: string, reason: Reason) => void;

export const overLimit: Reason = { code: 'limit_reached', detail: 'the answer has reached its max size' };

const parallelReads = 32;

/** Reads the wanted files, each once, until the answer is full. `about`: warnings about the files, by path. */
export function createDelivery(
  { mountedDirectory, world, isOver }: Retrieval,
  { read, leaveOut, without }: { read: SourceAccess['read']; leaveOut: LeaveOut; without: string | undefined },
) {
  const fetched: FetchedItem[] = [];
  const about = new Map<string, readonly Warning[]>();
  const seen = new Set(without === undefined ? [] : [without]);
  let bytesLeft = world.limits.answerBytes;
  const take = (content: FileSnapshot, { origin, path, part }: Candidate): Reason | undefined => {
    const item = itemOf(content, { origin, mountedDirectory, part });
    bytesLeft -= Buffer.byteLength(item.content);
    if (bytesLeft < 0) return overLimit;
    fetched.push(item);
    const said = leavingWarnings(content, part);
    if (said.length > 0) about.set(path, said);
    return undefined;
  };
  const fetchAll = async (wanted: readonly Candidate[]): Promise<void> => {
    const first = wanted.filter(({ path }) => seen.size < seen.add(path).size);
    for (let at = 0; at < first.length; at += parallelReads) {
      const batch = first.slice(at, at + parallelReads);
      const isFull = fetched.length >= fixedLimits.retrieval.files || bytesLeft <= 0 || isOver();
      const contents = await Promise.all(batch.map(({ path }) => (isFull ? overLimit : read(path))));
      for (const [index, candidate] of batch.entries()) {
        const content = contents[index] as FileSnapshot | Reason;
        const reason = 'code' in content ? content : take(content, candidate);
        if (reason) leaveOut(candidate.origin, candidate.path, reason);
      }
    }
  };
  return { fetched, about, seen, fetchAll };
}
