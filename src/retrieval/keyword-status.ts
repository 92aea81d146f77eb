/** Whether a search by words looked at all files of the workspace, and if not, at which it did not, and why. */
import type { SemanticStatus } from '../context/resolve-result.ts';
import { beforeLast } from '../texts/after-last.ts';
import { compareText } from '../texts/compare-text.ts';
import { shortenList } from '../texts/shorten.ts';
import type { Warning } from '../warnings.ts';

const listedFolders = 10;

/**
 * `looked`: how many of the files, from the beginning, were searched. `ended`: the limit of one search that was
 * reached. `uncompared`: that files were not compared, as a sentence. `isPackage`: whether a directory is in a copy of
 * another package, which is named as a whole.
 */
export function statusOf(
  names: readonly string[],
  search: {
    looked: number;
    ended: string | undefined;
    uncompared: string | undefined;
    isPackage(directory: string): boolean;
  },
  limits: readonly Warning[],
): SemanticStatus {
  const { looked, ended, uncompared, isPackage } = search;
  const left = names.slice(looked);
  if (left.length === 0) {
    // What is not listed is not searched.
    const detail = limits.find(({ code }) => code.startsWith('limit_'))?.message ?? uncompared;
    return detail === undefined
      ? { status: 'ready', engine: 'keyword' }
      : { status: 'degraded', engine: 'keyword', detail };
  }
  const outermostOf = (folder: string): string =>
    isPackage(folderOf(folder)) ? outermostOf(folderOf(folder)) : folder;
  const folders = [...new Set([...new Set(left.map(folderOf))].map(outermostOf))].sort(compareText);
  const outermost: string[] = [];
  for (const folder of folders) {
    const last = outermost.at(-1);
    if (last === undefined || last === '' || !folder.startsWith(`${last}/`)) outermost.push(folder);
  }
  const places = outermost.map((folder) => folder || '.');
  const listed = shortenList(places, listedFolders, (left) => ` and ${left} more folders`);
  const [count, all] = [left.length, names.length].map((number) => number.toLocaleString('en-US'));
  const why = ended === undefined ? '' : ` One search ${ended}, and starts near the active document.`;
  const detail = `${count} of ${all} files were not searched, in ${listed}.${why}`;
  return { status: 'degraded', engine: 'keyword', detail };
}

/** Undefined if all files were compared. `files`: how many were not, because those before had too many characters. */
export function sayUncompared(files: number, of: number, maxCharacters: number): string | undefined {
  if (files === 0) return undefined;
  const most = maxCharacters.toLocaleString('en-US');
  return `${files} of the best ${of} files with words of the query were not compared with it. One search compares at most ${most} characters.`;
}

function folderOf(path: string): string {
  return beforeLast(path, '/');
}
