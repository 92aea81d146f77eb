/**
 * Where `npx` searches before it downloads a package, as `libnpmexec` does: the programs of the project's own manifest,
 * `node_modules/.bin`, and every installed package, whatever the name of its directory. The project's `.npmrc` can name
 * another shell, options of Node, or another cache.
 */

import { baseName, joinPath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { fixedLimits } from '../settings.ts';
import { isRecord } from '../texts/is-record.ts';
import { readManifest } from './entry-files.ts';
import { directoriesAbove, withoutVersion } from './programs.ts';

/** npm starts programs with these. They are also searched in `node_modules/.bin` first. */
const helpers = ['node', 'sh'];

/** Why the programs that `npx` runs for these names may be in the project. Undefined if they are not. */
export async function objectionToNpx(names: readonly string[], cwd: string, world: World): Promise<string | undefined> {
  const wanted = new Set(names.flatMap((name) => [name, withoutVersion(name), baseName(withoutVersion(name))]));
  const left = { packages: fixedLimits.mcpApprovals.packages };
  for (const directory of directoriesAbove(cwd)) {
    if (!isInRoots(directory, world.reach.roots)) continue;
    if (await exists(joinPath(directory, '.npmrc'), world)) return 'npx reads the file .npmrc, which can name programs';
    const path = joinPath(directory, 'package.json');
    if (await exists(path, world)) {
      const manifest = await readManifest(path, world);
      if (manifest === undefined || offers(manifest, wanted)) return 'npx finds the program in package.json';
    }
    const modules = joinPath(directory, 'node_modules');
    for (const program of [...wanted, ...helpers])
      if (await exists(joinPath(modules, `.bin/${program}`), world)) return 'npx finds a program in node_modules';
    const found = await holds(modules, { wanted, world, left, depth: 0 });
    if (found !== undefined) return found;
  }
  return undefined;
}

async function exists(path: string, { gate }: World): Promise<boolean> {
  const stat = await gate.stat(path);
  return stat.ok || (stat.code !== 'not_found' && stat.code !== 'outside_roots');
}

/** Whether a package has a program with one of these names. */
function offers({ name, bin, directories }: Record<string, unknown>, wanted: ReadonlySet<string>): boolean {
  if (isRecord(directories) && 'bin' in directories) return true;
  if (typeof bin === 'string') return typeof name !== 'string' || wanted.has(name) || wanted.has(baseName(name));
  return isRecord(bin) && Object.keys(bin).some((key) => wanted.has(baseName(key)));
}

type Search = { wanted: ReadonlySet<string>; world: World; left: { packages: number }; depth: number };

/** Searches installed packages, by directory name and by the name in their manifest. */
async function holds(modules: string, search: Search): Promise<string | undefined> {
  const { wanted, world, left, depth } = search;
  const tooMany = 'too many packages are installed to find out which one npx takes';
  const listed = await world.gate.list(modules, { ...world.reach, followSymlinks: true });
  if (!listed.ok) return listed.code === 'not_found' ? undefined : 'npx finds a node_modules that cannot be read';
  const { entries, truncated } = listed.snapshot;
  if (truncated || depth > 16) return tooMany;
  for (const { name } of entries) {
    if (name.startsWith('.')) continue;
    if (world.isLate() || left.packages-- <= 0) return tooMany;
    const directory = joinPath(modules, name);
    const isScope = name.startsWith('@') && !baseName(modules).startsWith('@');
    const folder = baseName(modules).startsWith('@') ? `${baseName(modules)}/${name}` : name;
    if (!isScope && wanted.has(folder)) return 'npx finds the package in node_modules';
    const manifest = isScope ? undefined : await readManifest(joinPath(directory, 'package.json'), world);
    if (typeof manifest?.name === 'string' && wanted.has(manifest.name)) return 'npx finds the package in node_modules';
    const inside = isScope ? directory : joinPath(directory, 'node_modules');
    const found = (await exists(inside, world)) ? await holds(inside, { ...search, depth: depth + 1 }) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
