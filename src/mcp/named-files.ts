/** Which files of the workspace a command line names, and what is in them (S-18, S-22). Nothing is run to find out. */
import type { World } from '../context/world.ts';
import { joinPath } from '../paths.ts';
import type { FileRefusal } from '../ports.ts';
import { isInRoots, liesInRoots } from '../reach.ts';
import { placesOfRunners } from './project-runners.ts';

/** `path` is where it really lies; `sha256` is that of its content, or why there is none. */
export type NamedFile = { path: string; sha256: string };

/** A file that is larger cannot be vouched for, and no more names are looked at. */
export const namedFileBounds = { bytes: 64 * 1024 * 1024, names: 256, files: 256 } as const;

export type NamedFiles = { files: NamedFile[] } | { problem: string };

/**
 * Files in granted roots that texts of a command line name, relative to `cwd` or absolute; alone, behind `=`, or among
 * others as in `sh -c`. Of a directory, what an interpreter would run there; of a runner of projects, what it reads first.
 */
export async function hashNamedFiles(texts: readonly string[], cwd: string, world: World): Promise<NamedFiles> {
  const names = new Set(texts.flatMap(namesIn));
  if (names.size > namedFileBounds.names) return { problem: 'Its arguments name too many files.' };
  const found = new Map<string, string>();
  const { roots } = world.reach;
  const named = [...names].flatMap((name) => placesOf(name).map((path) => joinPath(cwd, path)));
  const around = placesOfRunners([...names], cwd).filter((path) => isInRoots(path, roots));
  for (const path of new Set([...named, ...around])) {
    if (world.isLate()) return { problem: 'Finding out what its arguments name takes too long.' };
    const problem = await take(path, { found, world, mayBeDirectory: true });
    if (problem !== undefined) return { problem };
  }
  if (found.size > namedFileBounds.files) return { problem: 'Its arguments name too many files.' };
  const files = [...found].map(([path, sha256]) => ({ path, sha256 })).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files };
}

function namesIn(text: string): string[] {
  const parts = text.split(/[\s'"`;|&()<>=,:]+/u);
  const quoted = [...text.matchAll(/'([^']*)'|"([^"]*)"/gu)].map(([, single, double]) => single ?? double ?? '');
  const plain = [text, text.slice(text.indexOf('=') + 1), ...parts, ...quoted];
  return plain.filter((name) => name !== '' && name.length <= 4096 && !name.includes('\0'));
}

/** What interpreters add to a name that is no file by itself. */
const endings = ['.js', '.cjs', '.mjs', '.json', '.node', '.ts', '.tsx', '.jsx', '.py'];

/** What a name can lead to: a file of this name, one that an interpreter finds by it, and a module of Python. */
function placesOf(name: string): string[] {
  const url = /^file:\/\/(?<path>\/.*)$/u.exec(name)?.groups?.path;
  const path = url === undefined ? name : decodeUrl(url);
  const places = [path, ...endings.map((ending) => `${path}${ending}`)];
  if (/^\w[\w.]*$/u.test(path)) {
    const packages = path.split('.').slice(0, 16);
    for (let length = 1; length <= packages.length; length += 1) {
      const module = packages.slice(0, length).join('/');
      // The packages around a module are run before it.
      places.push(module, `${module}.py`);
    }
  }
  return places;
}

function decodeUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

type Taking = { found: Map<string, string>; world: World; mayBeDirectory?: boolean };

/** Returns what is wrong, if anything is. */
async function take(path: string, { found, world, mayBeDirectory }: Taking): Promise<string | undefined> {
  const { gate, reach } = world;
  const real = await gate.realPath(path);
  // Nothing tells whether there is a file, which will run when the disk works again.
  const unknown = `${path} cannot be looked at, and so not be vouched for.`;
  if (!real.ok) return isUnknown(real.code) && isInRoots(path, reach.roots) ? unknown : undefined;
  if (!liesInRoots(real.realPath, reach.roots)) return undefined;
  const { realPath } = real;
  if (found.has(realPath)) return undefined;
  const stat = await gate.stat(realPath);
  if (!stat.ok) return isUnknown(stat.code) ? unknown : undefined;
  if (stat.kind === 'directory') {
    if (mayBeDirectory !== true) return undefined;
    for (const name of await startsOf(realPath, world)) {
      const problem = await take(joinPath(realPath, name), { found, world });
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const hashed = await gate.hash(realPath, { ...reach, followSymlinks: false, maxBytes: namedFileBounds.bytes });
  if (hashed.ok && hashed.truncated) return `${realPath} is too large to vouch for (64 MiB at most).`;
  found.set(realPath, hashed.ok ? hashed.sha256 : hashed.code);
  return undefined;
}

function isUnknown(code: FileRefusal['code']): boolean {
  return code === 'io_error' || code === 'unreadable';
}

/** What runs when an interpreter, or something that fetches packages, is given a directory. */
async function startsOf(directory: string, { gate, reach }: World): Promise<string[]> {
  const starts = ['package.json', 'pyproject.toml', '__main__.py', '__init__.py'];
  starts.push(...['js', 'json', 'node', 'ts', 'tsx', 'mjs', 'cjs'].map((ending) => `index.${ending}`));
  const manifest = await gate.readSettings(joinPath(directory, 'package.json'), { ...reach, maxBytes: 1024 * 1024 });
  if (!manifest.ok) return starts;
  try {
    const { main, bin } = JSON.parse(manifest.snapshot.text ?? '') as { main?: unknown; bin?: unknown };
    if (typeof main === 'string') starts.push(...placesOf(main), `${main}/index.js`);
    const programs = typeof bin === 'object' && bin !== null ? Object.values(bin).slice(0, 64) : [bin];
    starts.push(...programs.filter((program) => typeof program === 'string'));
  } catch {
    // Node would not run it either.
  }
  return starts;
}
