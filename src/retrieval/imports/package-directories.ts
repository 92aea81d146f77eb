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
  let looked = 0;
  const visit = async (directory: string, depth: number): Promise<string[]> => {
    looked += 1;
    if (looked > limits.directories) return [];
    const names = await lookup.namesIn(directory);
    await pause();
    const relative = relativePath(root, directory);
    const manifest = relative === '.' ? fileName : `${relative}/${fileName}`;
    const isNamed = (isOut: boolean): boolean =>
      globs.some((each) => each.isOut === isOut && each.glob.matches(manifest));
    const found = names.includes(fileName) && isNamed(false) && !isNamed(true) ? [directory] : [];
    if (depth >= limits.depth) return found;
    const below: Promise<string[]>[] = [];
    const enter = async (path: string): Promise<string[]> =>
      (await lookup.kindOf(path)) === 'directory' ? visit(path, depth + 1) : [];
    for (const name of names) {
      if (outside.has(name) || name.startsWith('.')) continue;
      await pause();
      const child = relative === '.' ? name : `${relative}/${name}`;
      if (globs.some(({ isOut, glob }) => !isOut && glob.mayMatchBelow(child)))
        below.push(enter(joinPath(directory, name)));
    }
    return [...found, ...(await Promise.all(below)).flat()];
  };
  return (await visit(root, 0)).slice(0, limits.packages);
}

type PackagePattern = { isOut: boolean; glob: Glob };

/** Pauses between patterns: each compiles quickly, but a repository may have many. */
async function compilePatterns(
  { patterns, fileName }: { patterns: readonly string[]; fileName: string },
  pause: Pause,
): Promise<PackagePattern[]> {
  const globs: PackagePattern[] = [];
  for (const written of patterns) {
    await pause();
    const isOut = written.startsWith('!');
    const named = written.slice(isOut ? 1 : 0);
    let pattern = named.startsWith('./') ? named.slice(2) : named;
    while (pattern.length <= longestPattern && pattern.endsWith('/')) pattern = pattern.slice(0, -1);
    // The pattern must match the directory itself, not files below it. The matcher would take a plain name for both.
    const compiled = compileGlob(`${pattern}/${fileName}`);
    if ('glob' in compiled) globs.push({ isOut, glob: compiled.glob });
  }
  return globs;
}

/** Longer patterns cannot be compiled, even without their final slashes. */
const longestPattern = 4_096;
