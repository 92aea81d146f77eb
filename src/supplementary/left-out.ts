/** What the limits of the file index left out, and the warnings about it. */
import type { FileIndexLimits } from '../settings.ts';
import { limitWarnings, type Warning } from '../warnings.ts';

/** What each limit left out. `entries`: folders not listed completely; `unreadable`: folders not listed at all. */
export type LeftOut = FileIndexLimits & { entries: number; unreadable: number };

export function warningsOf(
  { files, folders, depth, lookMs, entries, unreadable }: LeftOut,
  limits: FileIndexLimits,
): Warning[] {
  const onlyFiles = `At most ${limits.files} files are searched; at least ${files} more were left out.`;
  const onlyFolders = `At most ${limits.folders} folders are searched; at least ${folders} more were left out.`;
  const onlyLevels = `Folders are searched ${limits.depth} levels deep; ${depth} deeper ones were left out.`;
  const stops = `The search for files stops after ${limits.lookMs} ms; at least ${lookMs} folders were left out. The next search continues from there.`;
  const manyEntries = `${entries} folders have too many entries; the rest of each was left out.`;
  const notRead = `${unreadable} folders could not be read and are left out.`;
  return limitWarnings([
    { code: 'limit_files', leftOut: files, message: onlyFiles },
    { code: 'limit_folders', leftOut: folders, message: onlyFolders },
    { code: 'limit_depth', leftOut: depth, message: onlyLevels },
    { code: 'limit_walk_time', leftOut: lookMs, message: stops },
    { code: 'limit_entries', leftOut: entries, message: manyEntries },
    { code: 'unreadable', leftOut: unreadable, message: notRead },
  ]);
}
