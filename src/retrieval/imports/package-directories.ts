/** Finds the directories of packages that a workspace names by patterns (npm, Yarn, pnpm, Lerna, pub, melos). */
import { joinPath, relativePath } from '../../access/paths.ts';
import { compileGlob, type Glob } from '../../globs/globs.ts';
import { createPause, type Pause } from '../../pace/turns.ts';
import { fixedLimits } from '../../settings.ts';
import type { Lookup } from './import.ts';

const limits = fixedLimits.projects.workspaces;

/** `manifest`: the file that each package has. `outside`: names of directories below which no package is. */
type PackagesOfWorkspace = Readonly<{
  patterns: readonly string[];
  manifest: string;
  outside: ReadonlySet<string>;
}>;

/** Directories with a `manifest` that the patterns name. A pattern with a leading `!` excludes. */
export async function findPackageDirectories(
  root: string,
  { patterns, manifest: fileName, outside }: PackagesOfWorkspace,
  lookup: Lookup,
): Promise<string[]> {
  const pause = createPause();
  const globs = await compilePatterns({ patterns: patterns.slice(0, limits.patterns), fileName }, pause);
  const isPackage = (manifest: string): boolean =>
    globs.named.some((glob) => glob.matches(manifest)) && !globs.excluded.some((glob) => glob.matches(manifest));
  const mayHoldPackages = (path: string): boolean => globs.named.some((glob) => glob.mayMatchBelow(path));
  let looked = 0;
  const visit = async (directory: string, depth: number): Promise<string[]> => {
    looked += 1;
    if (looked > limits.directories) return [];
    const names = await lookup.namesIn(directory);
    await pause();
    const relative = relativePath(root, directory);
    const beginning = relative === '.' ? '' : `${relative}/`;
    const found = names.includes(fileName) && isPackage(`${beginning}${fileName}`) ? [directory] : [];
    if (depth >= limits.depth) return found;
    const below: Promise<string[]>[] = [];
    for (const name of names) {
      if (outside.has(name) || name.startsWith('.')) continue;
      await pause();
      if (mayHoldPackages(`${beginning}${name}`)) below.push(enter(joinPath(directory, name), depth + 1));
    }
    return [...found, ...(await Promise.all(below)).flat()];
  };
  const enter = async (path: string, depth: number): Promise<string[]> =>
    (await lookup.kindOf(path)) === 'directory' ? visit(path, depth) : [];
  return (await visit(root, 0)).slice(0, limits.packages);
}

/** Pauses between patterns: each compiles quickly, but a repository may have many. */
async function compilePatterns(
  { patterns, fileName }: { patterns: readonly string[]; fileName: string },
  pause: Pause,
): Promise<{ named: readonly Glob[]; excluded: readonly Glob[] }> {
  const named: Glob[] = [];
  const excluded: Glob[] = [];
  for (const written of patterns) {
    await pause();
    const isExcluded = written.startsWith('!');
    const given = written.slice(isExcluded ? 1 : 0);
    let pattern = given.startsWith('./') ? given.slice(2) : given;
    while (pattern.length <= longestPattern && pattern.endsWith('/')) pattern = pattern.slice(0, -1);
    // The pattern must match the directory itself, not files below it. The matcher would take a plain name for both.
    const compiled = compileGlob(`${pattern}/${fileName}`);
    if ('glob' in compiled) (isExcluded ? excluded : named).push(compiled.glob);
  }
  return { named, excluded };
}

/** Longer patterns cannot be compiled, even without their final slashes. */
const longestPattern = 4_096;
