/** Which entries of a directory are in the index of files. */
import { pathBelow } from '../access/paths.ts';
import { decideSensitive } from '../access/sensitive.ts';
import { decideIgnored, type IgnoreRules } from '../ignore/ignore-rules.ts';
import type { Pause } from '../pace/turns.ts';
import type { DirectoryEntry } from '../ports/ports.ts';

/** Of version control, installed packages, and caches. */
const skippedFolders = new Set(
  `.git .hg .svn .jj node_modules bower_components __pycache__ .venv .tox .mypy_cache .pytest_cache .ruff_cache .gradle
  .terraform .next .nuxt .turbo .parcel-cache`.split(/\s+/u),
);
/** `names`: absolute, the requested one first. `rules`: of git. `decideSearch`: why a file is kept from search. */
type Place = {
  directory: string;
  names: readonly [string, ...string[]];
  rules: IgnoreRules | undefined;
  decideSearch: ((path: string) => Promise<unknown>) | undefined;
  pause: Pause;
  isLate(): boolean;
};

/** The entries of a directory that are in the index, or `undefined` if there is no time left. */
export async function chooseEntries(
  entries: readonly DirectoryEntry[],
  place: Place,
): Promise<{ files: string[]; folders: string[] } | undefined> {
  const { directory, names, rules, decideSearch, pause, isLate } = place;
  const files: string[] = [];
  const folders: string[] = [];
  for (const { name, kind, undecodable } of entries) {
    const turn = pause();
    if (turn) await turn;
    if (turn && isLate()) return undefined;
    if (undecodable || (kind !== 'file' && kind !== 'directory')) continue;
    const isDirectory = kind === 'directory';
    if (isDirectory && skippedFolders.has(name)) continue;
    const below = isDirectory ? `${name}/x` : name;
    if (names.some((each) => decideSensitive(pathBelow(each, below)))) continue;
    const relative = directory === '' ? name : `${directory}/${name}`;
    const steps = rules && decideIgnored(relative, isDirectory, rules);
    let step = steps?.next();
    for (; steps && !step?.done; step = steps.next()) {
      const turn = pause();
      if (turn) await turn;
      if (turn && isLate()) return undefined;
    }
    if (step?.value) continue;
    if (!isDirectory && (await decideSearch?.(pathBelow(names[0], name))) !== undefined) continue;
    (isDirectory ? folders : files).push(relative);
  }
  return { files, folders };
}
