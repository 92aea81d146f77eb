/**
 * `FileWriter` on the real disk (AP-09; S-34 … S-48). Opens the directory first, without following links. On Linux,
 * everything then happens relative to the opened directory, so replacing it by a link has no effect. Elsewhere the path
 * is resolved again, which leaves a small gap.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readlink, realpath, rename, unlink } from 'node:fs/promises';
import { baseName, parentPath } from '../../access/paths.ts';
import { isKernelPlace, misplacedCode, placesInRoots } from '../../access/reach.ts';
import type { FileWriter, Root, WriteRefusal } from '../../ports/ports.ts';
import { isByKernel } from './by-kernel.ts';
import { toRefusal } from './refusals.ts';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const byKernel = isByKernel();

const writeRefusals: Record<string, WriteRefusal['code']> = {
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EROFS: 'read_only',
  // Another writer was first.
  EEXIST: 'changed',
  ENOTDIR: 'not_directory',
};

class Refusal extends Error {
  readonly code: WriteRefusal['code'];

  constructor(code: WriteRefusal['code']) {
    super(code);
    this.code = code;
  }
}

export function createNodeFileWriter(): FileWriter {
  return {
    replace: (absolutePath, bytes, options) =>
      changePlaces(absolutePath, options, async (directory, base) => {
        const temporary = `${base}/.contextd-${randomBytes(9).toString('base64url')}.tmp`;
        try {
          const { mode } = await directory.stat();
          const target = `${base}/${baseName(absolutePath)}`;
          await writeBeside(temporary, target, { ...options, bytes, newMode: mode & 0o664 });
        } finally {
          await unlink(temporary).catch(() => undefined);
        }
      }),
    remove: (absolutePath, options) =>
      changePlaces(absolutePath, options, async (_directory, base) => {
        const target = `${base}/${baseName(absolutePath)}`;
        const present = await readPresent(target, options.maxBytes);
        if (!options.isExpected(present?.bytes)) throw new Refusal('changed');
        await unlink(target);
      }),
  };
}

type Options = Parameters<FileWriter['replace']>[2];
type Change = (directory: FileHandle, base: string) => Promise<void>;

/** Tries a change at each name of the path inside a root, until one exists. */
async function changePlaces(
  absolutePath: string,
  options: Options,
  change: Change,
): Promise<{ ok: true } | WriteRefusal> {
  let refusal: WriteRefusal = { ok: false, code: 'outside_roots' };
  for (const place of placesInRoots(absolutePath, options.roots)) {
    try {
      await changeAt(place, options, change);
      return { ok: true };
    } catch (error) {
      refusal = refusalOf(error);
      if (refusal.code !== 'not_found') return refusal;
    }
  }
  return refusal;
}

async function changeAt(place: string, options: Options, change: Change): Promise<void> {
  const parent = parentPath(place);
  if (isKernelPlace(place, options.roots)) throw new Refusal('pseudo_file');
  const directory = await openDirectory(parent, options);
  try {
    await change(directory, await locate(directory, parent, options.roots));
    await directory.sync();
  } finally {
    await directory.close().catch(() => undefined);
  }
}

async function openDirectory(path: string, { roots, makesDirectory }: Options): Promise<FileHandle> {
  const asIs = () => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    return await asIs();
  } catch (error) {
    if (makesDirectory !== true || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const parent = parentPath(path);
  const above = await open(parent, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const target = `${await locate(above, parent, roots)}/${baseName(path)}`;
    const { mode } = await above.stat();
    await mkdir(target, 0o700);
    const made = await open(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    // As for a new file: everyone who may read the project may read what is written into it.
    await made.chmod(mode & 0o775).finally(() => made.close());
    await above.sync();
  } finally {
    await above.close().catch(() => undefined);
  }
  return asIs();
}

/** A path that names exactly the opened directory. */
async function locate(directory: FileHandle, parent: string, roots: readonly Root[]): Promise<string> {
  const opened = `/proc/self/fd/${directory.fd}`;
  const real = byKernel ? await readlink(opened) : await realpath(parent);
  if (real !== parent) throw new Refusal(misplacedCode(real, { roots, followSymlinks: false }));
  return byKernel ? opened : parent;
}

async function writeBeside(
  temporary: string,
  target: string,
  { bytes, maxBytes, isExpected, newMode }: Options & { bytes: Uint8Array; newMode: number },
): Promise<void> {
  const fresh = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  let isNew: boolean;
  try {
    await fresh.writeFile(bytes);
    const present = await readPresent(target, maxBytes);
    // The daemon's umask would limit the file to its user. But everyone who may read the project may read what is
    // written into it.
    await fresh.chmod(present === undefined ? newMode : present.mode & 0o777);
    await fresh.sync();
    if (!isExpected(present?.bytes)) throw new Refusal('changed');
    isNew = present === undefined;
  } finally {
    await fresh.close();
  }
  // Unlike `rename`, `link` fails if a file has appeared since.
  if (isNew) await link(temporary, target);
  else await rename(temporary, target);
}

async function readPresent(target: string, maxBytes: number): Promise<{ bytes: Buffer; mode: number } | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Refusal('not_regular_file');
    const buffer = Buffer.alloc(Math.min(stats.size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, bytesRead), mode: stats.mode };
  } finally {
    await handle.close();
  }
}

function refusalOf(error: unknown): WriteRefusal {
  if (error instanceof Refusal) return { ok: false, code: error.code };
  const known = writeRefusals[(error as NodeJS.ErrnoException).code ?? ''];
  return known === undefined ? toRefusal(error) : { ok: false, code: known };
}
