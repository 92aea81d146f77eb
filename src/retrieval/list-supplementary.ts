/** Lists the files of the user's list, with the files in its folders (SU-01), without reading them. */
import type { FileExclusion } from '../context/file-exclusion.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import type { Part } from './fetch.ts';
import type { Retrieval } from './retrieve.ts';
import type { Origin } from './retrieve-result.ts';

/** A file that could be sent with a prompt. It has not been read. */
export type Candidate = { origin: Origin; path: string; part?: Part };
export type LeaveOut = (origin: Origin, path: string, reason: Reason) => void;

export const overLimit: Reason = { code: 'limit_reached', detail: 'the answer has reached its max size' };

export async function listSupplementary(
  run: Retrieval,
  { exclude, leaveOut }: { exclude: FileExclusion; leaveOut: LeaveOut },
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const { kind, path } of run.supplementary.items) {
    if (kind !== 'folder') {
      candidates.push({ origin: 'supplementary', path });
      continue;
    }
    const expanded =
      candidates.length < fixedLimits.retrieval.files ? await run.expandFolder(path, exclude) : overLimit;
    if ('code' in expanded) leaveOut('supplementary', path, expanded);
    else {
      for (const each of expanded.paths) candidates.push({ origin: 'supplementary', path: each });
      const { excluded } = expanded;
      if (excluded) {
        const number = `${expanded.truncated ? 'at least ' : ''}${excluded.files}`;
        const detail = `${number} ${excluded.files === 1 ? 'file' : 'files'} of the folder: ${excluded.reason.detail}`;
        leaveOut('supplementary', path, { ...excluded.reason, detail });
      }
      const detail = `only ${expanded.paths.length} files of the folder are taken`;
      if (expanded.truncated) leaveOut('supplementary', path, { code: 'limit_reached', detail });
    }
  }
  return candidates;
}
