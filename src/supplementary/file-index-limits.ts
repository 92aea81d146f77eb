/** How much of a workspace is indexed (CC-06). */
import type { Warning } from '../warnings.ts';

/** Upper bounds of what is indexed of one workspace; what lies beyond is left out and said. */
export type FileIndexLimits = { files: number; folders: number; depth: number; lookMs: number };

export const defaultFileIndexLimits: FileIndexLimits = { files: 150_000, folders: 20_000, depth: 64, lookMs: 1_500 };

/** What each limit left out; `entries` counts folders that were not listed whole, `unreadable` those not listed at all. */
export type LeftOut = FileIndexLimits & { entries: number; unreadable: number };

/** One warning for each limit that was hit, with its value and what it cost, and one for what could not be read. */
export function limitWarnings(leftOut: LeftOut, limits: FileIndexLimits): Warning[] {
  const warnings: Warning[] = [];
  const say = (code: string, count: number, message: string): void => {
    if (count > 0) warnings.push({ code, message });
  };
  const { files, folders, depth, lookMs, entries, unreadable } = leftOut;
  const manyEntries = `${entries} folders have more entries than are listed; the rest was left out.`;
  say('limit_files', files, `At most ${limits.files} files are searched; at least ${files} more were left out.`);
  say(
    'limit_folders',
    folders,
    `At most ${limits.folders} folders are searched; at least ${folders} more were left out.`,
  );
  say('limit_depth', depth, `Folders are searched ${limits.depth} levels deep; ${depth} deeper ones were left out.`);
  say(
    'limit_walk_time',
    lookMs,
    `Looking for files stops after ${limits.lookMs} ms; at least ${lookMs} folders were left out. The next search goes on from there.`,
  );
  say('limit_entries', entries, manyEntries);
  say('unreadable', unreadable, `${unreadable} folders could not be read and are left out.`);
  return warnings;
}
