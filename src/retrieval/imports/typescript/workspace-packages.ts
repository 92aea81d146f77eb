/** Finds the packages of a workspace by name (npm and Yarn `workspaces`, `pnpm-workspace.yaml`, `lerna.json`). */

import { directoriesBetween, joinPath, relativePath } from '../../../access/paths.ts';
import { compileGlob, type Glob } from '../../../globs/globs.ts';
import { createPause, type Pause } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import { isRecord } from '../../../texts/is-record.ts';
import type { Lookup } from '../import.ts';
import { oncePerDirectory } from '../places.ts';
import { readYamlKey } from '../yaml-key.ts';
import { parsePackageManifest } from './package-manifest.ts';

const limits = fixedLimits.projects.workspaces;

/** The directories of packages by name, for a file in `directory`, from all workspaces on the way down to it. */
export async function findWorkspacePackages(directory: string, lookup: Lookup): Promise<ReadonlyMap<string, string>> {
  const roots = directoriesBetween(lookup.mountedDirectory, directory);
  const [first, ...others] = (await Promise.all(roots.map((root) => packagesBelow(root, lookup)))).filter(
    (packages) => packages.size > 0,
  );
  if (first === undefined || others.length === 0) return first ?? new Map();
  return new Map([first, ...others].toReversed().flatMap((packages) => [...packages]));
}

const packagesBelow = oncePerDirectory(async (root, lookup): Promise<ReadonlyMap<string, string>> => {
  const packages = new Map<string, string>();
  const patterns = await workspacePatterns(root, lookup);
  if (patterns.length === 0) return packages;
  const directories = await findPackageDirectories(root, { patterns, manifest: 'package.json' }, lookup);
  const manifests = directories.map((found) => lookup.derive(joinPath(found, 'package.json'), parsePackageManifest));
  for (const [index, manifest] of (await Promise.all(manifests)).entries())
    if (manifest?.name !== undefined && !packages.has(manifest.name))
      packages.set(manifest.name, directories[index] as string);
  return packages;
});

async function workspacePatterns(root: string, lookup: Lookup): Promise<readonly string[]> {
  const fromPnpm = await lookup.derive(joinPath(root, 'pnpm-workspace.yaml'), readYaml);
  const fromNpm = await lookup.derive(joinPath(root, 'package.json'), parsePackageManifest);
  const fromLerna = await lookup.derive(joinPath(root, 'lerna.json'), readJson);
  return [...(fromPnpm ?? []), ...(fromNpm?.workspaces ?? []), ...(fromLerna ?? [])];
}

const readYaml = (text: string): string[] => packagesOf({ packages: readYamlKey(text, 'packages') });

const readJson = (text: string): string[] => packagesOf(JSON.parse(text));

function packagesOf(value: unknown): string[] {
  const packages = isRecord(value) ? value.packages : undefined;
  return Array.isArray(packages) ? packages.filter((each) => typeof each === 'string') : [];
}

/** Directories below which no packages of a workspace are, by the file that a package has. */
const withoutPackages: Readonly<Record<string, ReadonlySet<string>>> = {
  'package.json': new Set(['node_modules']),
  'pubspec.yaml': new Set('android assets build ios lib linux macos node_modules test web windows'.split(' ')),
};

/** Directories with a `manifest` that the patterns name. A pattern with a leading `!` excludes. */
export async function findPackageDirectories(
  root: string,
  { patterns, manifest: fileName }: { patterns: readonly string[]; manifest: 'package.json' | 'pubspec.yaml' },
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
      if (withoutPackages[fileName]?.has(name) || name.startsWith('.')) continue;
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
