/** Finds the crates around a Rust file, by their manifests. */
import { isInside, joinPath, parentPath, relativePath } from '../../../access/paths.ts';
import { fixedLimits } from '../../../settings.ts';
import type { Lookup } from '../import.ts';
import { directoriesAbove, firstFile, namedDirectories } from '../places.ts';
import { bracketed, quotedIn } from '../plain-reading.ts';

const limits = fixedLimits.projects.rust;

/** A package with a library: its directory, and the first file of the library. */
type Crate = { directory: string; library: string };

export type CratesAround = {
  /** First files of the crates that the file may belong to, most likely first. */
  roots: readonly string[];
  /** True for files that are crates themselves, such as those in `tests/`. */
  isRoot(path: string): boolean;
  /** Libraries, by their name in code. */
  byName: ReadonlyMap<string, Crate>;
};

type Manifest = {
  name?: string;
  library?: { name?: string; path?: string };
  binaries: string[];
  /** Local dependencies: name and directory. */
  paths: { name: string; path: string }[];
  /** Paths of the crates of a workspace. */
  members?: string[];
};

export async function cratesAround(path: string, lookup: Lookup): Promise<CratesAround> {
  const byName = new Map<string, Crate>();
  const roots: string[] = [];
  let own: string | undefined;
  let isRoot = (_path: string): boolean => false;
  const add = async (directory: string, alias?: string): Promise<void> => {
    const manifest = await manifestIn(directory, lookup);
    const library =
      manifest && (await firstFile([joinPath(directory, manifest.library?.path ?? 'src/lib.rs')], lookup));
    const name = alias ?? manifest?.library?.name ?? manifest?.name;
    if (library === undefined || name === undefined || byName.size >= limits.crates) return;
    byName.set(name.replaceAll('-', '_'), { directory, library });
  };
  for (const directory of directoriesAbove(path, lookup)) {
    const manifest = await manifestIn(directory, lookup);
    if (manifest === undefined) continue;
    if (own === undefined && manifest.name !== undefined) {
      own = directory;
      roots.push(...(await rootsFor(path, { directory, manifest, lookup })));
      isRoot = (each) => isCrateByItself(directory, each);
      await add(directory);
    }
    const members = await namedDirectories(manifest.members ?? [], directory, lookup);
    for (const member of members.slice(0, limits.crates)) await add(member);
    // The name of a local dependency in this manifest may differ from the dependency's own name.
    for (const dependency of manifest.paths.slice(0, limits.crates))
      await add(joinPath(directory, dependency.path), dependency.name);
    if (manifest.members) break;
  }
  return { roots, isRoot, byName };
}

/**
 * The root whose directory is deepest around the file comes first; of several in one directory, the library first. The
 * file itself need not exist yet.
 */
async function rootsFor(
  path: string,
  { directory, manifest, lookup }: { directory: string; manifest: Manifest; lookup: Lookup },
): Promise<string[]> {
  if (isCrateByItself(directory, path)) return [path];
  const named = [manifest.library?.path ?? 'src/lib.rs', 'src/main.rs', ...manifest.binaries];
  const around = [...new Set(named.map((each) => joinPath(directory, each)))];
  const own = `${parentPath(path)}/main.rs`;
  // Files that tests, examples and binaries share belong to each of them.
  for (const folder of ['src/bin', 'tests', 'examples', 'benches'].map((each) => joinPath(directory, each)))
    for (const name of isInside(folder, path) ? await lookup.namesIn(folder) : [])
      if (name.endsWith('.rs')) around.push(`${folder}/${name}`);
  const found: string[] = [];
  for (const root of [...around.slice(0, limits.roots), own])
    if (!found.includes(root) && (root === path || (await lookup.kindOf(root)) === 'file')) found.push(root);
  const depth = (root: string): number => (isInside(parentPath(root), path) ? parentPath(root).length : 0);
  return found.sort((a, b) => depth(b) - depth(a));
}

/** Binaries, tests, examples and benchmarks that Cargo finds by itself. */
function isCrateByItself(directory: string, path: string): boolean {
  return /^(?:src\/bin|tests|examples|benches)\/(?:[^/]+\.rs|[^/]+\/main\.rs)$|^build\.rs$/u.test(
    relativePath(directory, path),
  );
}

function manifestIn(directory: string, lookup: Lookup): Promise<Manifest | undefined> {
  return lookup.derive(`${directory}/Cargo.toml`, parseManifest);
}

const targets = new Set(['lib', 'bin', 'test', 'example', 'bench']);

/** Reads the few keys that matter. It is not a full TOML parser. */
function parseManifest(text: string): Manifest {
  const manifest: Manifest = { binaries: [], paths: [] };
  let section = '';
  let isDependencies = false;
  let dependency: string | undefined;
  let isRead = false;
  for (const written of text.split('\n')) {
    const line = written.trim();
    const header = /^\[{1,2}([^[\]]{1,200})\]/u.exec(line);
    if (header) {
      section = header[1]?.replaceAll('"', '').trim() ?? '';
      isDependencies = /(?:^|\.)(?:dev-|build-)?dependencies$/u.test(section);
      dependency = /(?:^|\.)(?:dev-|build-)?dependencies\.([\w-]+)$/u.exec(section)?.[1];
      isRead = isDependencies || dependency !== undefined || section === 'package' || targets.has(section);
      if (section === 'workspace') manifest.members = [];
      continue;
    }
    const equals = line.indexOf('=');
    if (equals < 1 || !isRead) continue;
    const key = /^["']?([\w.-]+)["']?$/u.exec(line.slice(0, equals).trim())?.[1] ?? '';
    const value = key === '' ? '' : line.slice(equals + 1).trim();
    const string = /^["']([^"']*)["']/u.exec(value)?.[1];
    if (section === 'package' && key === 'name' && string) manifest.name = string;
    if (section === 'lib' && (key === 'name' || key === 'path') && string)
      manifest.library = { ...manifest.library, [key]: string };
    if (section !== 'lib' && targets.has(section) && key === 'path' && string) manifest.binaries.push(string);
    const path = isDependencies ? /\bpath\s*=\s*["']([^"']+)["']/u.exec(value)?.[1] : undefined;
    if (path !== undefined) manifest.paths.push({ name: key, path });
    if (dependency !== undefined && key === 'path' && string) manifest.paths.push({ name: dependency, path: string });
  }
  const members = quotedIn(bracketed(text, /^[ \t]*members\s*=\s*\[/gmu, ']').slice(0, 1));
  return manifest.members ? { ...manifest, members: members.slice(0, limits.crates) } : manifest;
}
