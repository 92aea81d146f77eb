/** The packages that a workspace consists of, by name (npm and Yarn `workspaces`, `pnpm-workspace.yaml`, `lerna.json`). */
import { parse } from 'yaml';
import { compileGlob } from '../../globs.ts';
import { directoriesBetween, joinPath, relativePath } from '../../paths.ts';
import type { Lookup } from './import.ts';
import { isRecord, parsePackageManifest } from './package-manifest.ts';

const maxDirectories = 4_000;
const maxPackages = 1_000;
const maxDepth = 6;

/** Directories of packages by name, for a file in `directory`: of every workspace on the way down to it. */
export async function findWorkspacePackages(directory: string, lookup: Lookup): Promise<ReadonlyMap<string, string>> {
  const packages = new Map<string, string>();
  for (const root of directoriesBetween(lookup.mountedDirectory, directory)) {
    const patterns = await workspacePatterns(root, lookup);
    if (patterns.length === 0) continue;
    for (const found of await findDirectories(root, patterns, lookup)) {
      if (packages.size >= maxPackages) break;
      const name = (await lookup.derive(joinPath(found, 'package.json'), parsePackageManifest))?.name;
      if (name !== undefined && !packages.has(name)) packages.set(name, found);
    }
  }
  return packages;
}

async function workspacePatterns(root: string, lookup: Lookup): Promise<readonly string[]> {
  const fromPnpm = await lookup.derive(joinPath(root, 'pnpm-workspace.yaml'), (text) => packagesOf(parse(text)));
  const fromNpm = await lookup.derive(joinPath(root, 'package.json'), parsePackageManifest);
  const fromLerna = await lookup.derive(joinPath(root, 'lerna.json'), (text) => packagesOf(JSON.parse(text)));
  return [...(fromPnpm ?? []), ...(fromNpm?.workspaces ?? []), ...(fromLerna ?? [])];
}

function packagesOf(value: unknown): string[] {
  const packages = isRecord(value) ? value.packages : undefined;
  return Array.isArray(packages) ? packages.filter((each) => typeof each === 'string') : [];
}

/** Directories with a `package.json` that the patterns name; a leading `!` takes out. */
async function findDirectories(root: string, patterns: readonly string[], lookup: Lookup): Promise<string[]> {
  const globs = patterns.slice(0, 128).flatMap((written) => {
    const isOut = written.startsWith('!');
    const pattern = (isOut ? written.slice(1) : written).replace(/^\.\//u, '').replace(/\/+$/u, '');
    // Whether a directory is named, not what lies below it: the matcher takes plain text for both.
    const compiled = compileGlob(`${pattern}/package.json`);
    return 'glob' in compiled ? [{ isOut, glob: compiled.glob }] : [];
  });
  const found: string[] = [];
  let looked = 0;
  const visit = async (directory: string, depth: number): Promise<void> => {
    looked += 1;
    if (looked > maxDirectories) return;
    const names = await lookup.namesIn(directory);
    const below = relativePath(root, directory);
    const manifest = below === '.' ? 'package.json' : `${below}/package.json`;
    const isNamed = (isOut: boolean): boolean =>
      globs.some((each) => each.isOut === isOut && each.glob.matches(manifest));
    if (names.includes('package.json') && isNamed(false) && !isNamed(true)) found.push(directory);
    if (depth >= maxDepth) return;
    for (const name of names) {
      if (name === 'node_modules' || name.startsWith('.')) continue;
      const child = below === '.' ? name : `${below}/${name}`;
      if (!globs.some(({ isOut, glob }) => !isOut && glob.mayMatchBelow(child))) continue;
      const path = joinPath(directory, name);
      if ((await lookup.kindOf(path)) === 'directory') await visit(path, depth + 1);
    }
  };
  await visit(root, 0);
  return found;
}
