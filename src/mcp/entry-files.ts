/** Finds the files that an interpreter reads first for a script (S-18). */
import { baseName, joinPath, parentPath } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { isRecord } from '../texts/is-record.ts';
import { parseJson } from '../texts/parse-json.ts';
import { directoriesAbove } from './programs.ts';

type Options = { cwd: string; endings: readonly string[]; world: World };

/** Absolute paths: the script and, for Node, the manifest that decides what kind of module it is. */
export async function entryOf(script: string, { cwd, endings, world }: Options): Promise<string[]> {
  const named = joinPath(cwd, script);
  const entry = (await fileAt(named, endings, world)) ?? (await startOf(named, endings, world));
  // Also paths that cannot be checked: they may exist when the disk works again.
  const candidates = [named, ...endings.map((ending) => `${named}${ending}`)];
  const found = entry === undefined ? candidates : [named, entry];
  if (!endings.includes('.js')) return found;
  const real = await world.gate.realPath(entry ?? named);
  const manifest = real.ok ? await manifestAbove(parentPath(real.realPath), world) : undefined;
  return [...found, ...(await manifestsIn(named, world)), ...(manifest === undefined ? [] : [manifest])];
}

async function kindAt(path: string, { gate }: World): Promise<string | undefined> {
  const real = await gate.realPath(path);
  const stat = real.ok ? await gate.stat(real.realPath) : undefined;
  return stat?.ok ? stat.kind : undefined;
}

async function fileAt(path: string, endings: readonly string[], world: World): Promise<string | undefined> {
  for (const place of [path, ...endings.map((ending) => `${path}${ending}`)])
    if ((await kindAt(place, world)) === 'file') return place;
  return undefined;
}

/** The first file of a directory: what its manifest names, or the default. */
async function startOf(directory: string, endings: readonly string[], world: World): Promise<string | undefined> {
  if ((await kindAt(directory, world)) !== 'directory') return undefined;
  if (endings.length === 0) return fileAt(joinPath(directory, '__main__.py'), [], world);
  const { main } = (await readManifest(joinPath(directory, 'package.json'), world)) ?? {};
  const named = typeof main === 'string' ? joinPath(directory, main) : undefined;
  const fromMain =
    named && ((await fileAt(named, endings, world)) ?? (await fileAt(joinPath(named, 'index'), endings, world)));
  return fromMain ?? fileAt(joinPath(directory, 'index'), endings, world);
}

async function manifestsIn(directory: string, world: World): Promise<string[]> {
  const path = joinPath(directory, 'package.json');
  return (await kindAt(path, world)) === 'file' ? [path] : [];
}

/** The manifest that decides about a module, searched upwards as far as directories are granted. */
async function manifestAbove(directory: string, world: World): Promise<string | undefined> {
  for (const each of directoriesAbove(directory)) {
    if (!isInRoots(each, world.reach.roots)) return undefined;
    const [path] = await manifestsIn(each, world);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The fields of `package.json` that decide what a module is for Node, and what runs for runners. */
const fieldsThatCount = {
  node: ['name', 'main', 'type', 'exports', 'imports'],
  runner: ['name', 'main', 'type', 'exports', 'imports', 'bin', 'directories', 'scripts', 'config', 'workspaces'],
} as const;

export async function readManifest(path: string, { gate, reach }: World): Promise<Record<string, unknown> | undefined> {
  const read = await gate.readSettings(path, { ...reach, followSymlinks: true, maxBytes: 1024 * 1024 });
  if (!read.ok || read.snapshot.truncated) return undefined;
  const value = parseJson(read.snapshot.text ?? '');
  return isRecord(value) ? value : undefined;
}

/** The fields of a `package.json` that decide what runs, as text. Undefined if it cannot be read. */
export async function fieldsOf(
  path: string,
  who: keyof typeof fieldsThatCount,
  world: World,
): Promise<string | undefined> {
  const manifest = await readManifest(path, world);
  return manifest && JSON.stringify(fieldsThatCount[who].map((field) => manifest[field] ?? null));
}

/** Whether a file without an extension begins like a program. */
export async function isProgram(place: string, { gate, reach }: World): Promise<boolean> {
  if (baseName(place).includes('.')) return false;
  const read = await gate.readSettings(place, { ...reach, followSymlinks: true, maxBytes: 4 });
  return !read.ok || /^(?:#!|\u007fELF)/u.test(read.snapshot.text ?? '\u007fELF');
}
