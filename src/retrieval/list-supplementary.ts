/** Lists the files of the user's list, with the files in its folders (SU-01), without reading them. */
import type { FileExclusion } from '../context/file-exclusion.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import { type Candidate, type LeaveOut, overLimit } from './delivery.ts';
import type { ExpandedFolder } from './folder-files.ts';
import type { Retrieval } from './retrieve.ts';

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
    const isFull = candidates.length >= fixedLimits.retrieval.files;
    const expanded = isFull ? overLimit : await run.expandFolder(path, exclude);
    if ('code' in expanded) {
      leaveOut('supplementary', path, expanded);
      continue;
    }
    for (const each of expanded.paths) candidates.push({ origin: 'supplementary', path: each });
    for (const reason of whyNotAll(expanded)) leaveOut('supplementary', path, reason);
  }
  return candidates;
}

/** Why files of a folder are left out. */
function whyNotAll({ paths, truncated, excluded }: ExpandedFolder): Reason[] {
  const reasons: Reason[] = [];
  if (excluded) {
    const { files, reason } = excluded;
    const number = `${truncated ? 'at least ' : ''}${files} ${files === 1 ? 'file' : 'files'}`;
    reasons.push({ ...reason, detail: `${number} of the folder: ${reason.detail}` });
  }
  if (truncated) reasons.push({ code: 'limit_reached', detail: `only ${paths.length} files of the folder are taken` });
  return reasons;
}
