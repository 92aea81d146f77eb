/** Where imports lead (FM-07). Nothing outside the granted roots is looked at, and no link is followed on the way. */

import { directoriesDown, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isInRoots, liesInRoots, placesInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { FileRefusal, PathKind } from '../ports/ports.ts';
import { expandHome, fixedLimits } from '../settings.ts';
import type { Candidate } from './candidate.ts';
import type { ImportSyntax } from './formats/imports.ts';
import type { Searched } from './sources/included.ts';

/** What is at a path: nothing, a readable file, or something that is left out. */
export type Target = 'not_found' | 'file' | NonNullable<Candidate['refusal']>;

export type ImportTargets = Readonly<{
  /** The path that an import means, under the name of the mounted directory. */
  pathOf(written: string, by: { path: string; from: ImportSyntax['from'] }): string;
  /** Looks at each path once. Undefined if the limit of paths is reached. */
  look(path: string): Promise<Target | undefined>;
  evidence(): string[];
  /** Directories where these paths are or would appear. */
  searchedFor(paths: Iterable<string>): Searched[];
}>;

type Look = { target: Target; endsAt: string };

const maxLooks = fixedLimits.imports.ofRequest;

export function createImportTargets(world: World): ImportTargets {
  const { gate, reach, mountedDirectory, homeDirectory } = world;
  const { roots } = reach;
  const [realMounted = mountedDirectory] = placesInRoots(mountedDirectory, roots);
  const looks = new Map<string, Promise<Look>>();
  const known = new Map<string, Look>();

  const stat = onceForEach((path: string) => gate.stat(path));
  const topOf = (path: string): string => {
    const tops = roots.flatMap((root) => [root.path, root.realPath]).filter((top) => isInside(top, path));
    return tops.reduce((one, other) => (other.length > one.length ? other : one));
  };
  /** Each directory on the way must be inside the roots before contextd looks into it. */
  const lookFollowing = async (path: string): Promise<Look> => {
    let realPath = path;
    for (const each of directoriesDown(topOf(path), path)) {
      const real = await gate.realPath(each);
      if (!real.ok) return { target: targetOf(real.code), endsAt: each };
      if (!liesInRoots(real.realPath, roots)) return { target: 'outside_roots', endsAt: each };
      realPath = real.realPath;
    }
    const found = await stat(realPath);
    return { target: targetOf(found.ok ? found.kind : found.code), endsAt: path };
  };
  const lookDown = async (path: string): Promise<Look> => {
    for (const each of directoriesDown(topOf(path), path)) {
      const found = await stat(each);
      if (!found.ok) return { target: targetOf(found.code), endsAt: each };
      if (each === path || found.kind === 'symlink') return { target: targetOf(found.kind), endsAt: each };
      if (found.kind !== 'directory') return { target: 'not_found', endsAt: each };
    }
    return { target: 'not_regular_file', endsAt: path };
  };
  const lookAt = async (path: string): Promise<Look> => {
    const look: Look = !isInRoots(path, roots)
      ? { target: 'outside_roots', endsAt: path }
      : await (reach.followSymlinks ? lookFollowing(path) : lookDown(path));
    known.set(path, look);
    return look;
  };

  return {
    pathOf(written, { path, from }) {
      const base = from === 'file' ? parentPath(path) : mountedDirectory;
      const target = joinPath(base, expandHome(written, homeDirectory));
      if (isInside(mountedDirectory, target)) return target;
      const inMounted = placesInRoots(target, roots).find((place) => isInside(realMounted, place));
      return inMounted === undefined ? target : joinPath(mountedDirectory, relativePath(realMounted, inMounted));
    },
    async look(path) {
      const before = looks.get(path);
      if (before === undefined && (looks.size >= maxLooks || world.isLate())) return undefined;
      const look = before ?? lookAt(path);
      looks.set(path, look);
      return (await look).target;
    },
    evidence: () => [...known].map(([path, { target }]) => `import ${path}:${target}`),
    searchedFor(paths) {
      const ends = [...paths].flatMap((path) => known.get(path)?.endsAt ?? []);
      const inRoots = ends.filter((path) => isInRoots(path, roots));
      return [...Map.groupBy(new Set(inRoots), parentPath)].map(([directory, there]) => {
        const wanted = new Set(there);
        return { directory, key: `imports ${there.join()}`, decides: (path) => wanted.has(path) };
      });
    },
  };
}

/** Kinds of files and refusals, in the words of `excluded` of the answer. */
function targetOf(found: PathKind | FileRefusal['code']): Target {
  const known: Partial<Record<typeof found, Target>> = {
    file: 'file',
    directory: 'not_regular_file',
    other: 'not_regular_file',
    symlink: 'symlink',
    not_found: 'not_found',
    not_directory: 'not_found',
    outside_roots: 'outside_roots',
  };
  return known[found] ?? 'unreadable';
}
