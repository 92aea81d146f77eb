/** Writes the files of a plan to the user's directory. Follows no links out of it, and loses no present files. */
import { hash } from 'node:crypto';
import { constants, lstatSync, mkdirSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { createNodeFileWriter } from '../../adapters/files/node-file-writer.ts';
import type { PlannedFile } from '../../context/convert/convert-request.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** `new`: can be written. `same`: exists. `differs`: needs `force`. `refused`: never written, because of `why`. */
type FileState = 'new' | 'same' | 'differs' | 'refused';
/** The real path of the directory of the plan, and the place of a file in it. */
type Place = { root: string; target: string };
type WrittenFile = PlannedFile & { state: FileState; why?: string; written: boolean };

/** More than the largest file of a plan. A longer present file certainly differs. */
const maxBytes = 32 * 1024 * 1024;

/** `write`: whether anything is written; `force`: whether files that differ are replaced. */
export async function writePlan(
  files: readonly PlannedFile[],
  { mountedDirectory, write, force }: { mountedDirectory: string; write: boolean; force: boolean },
): Promise<WrittenFile[]> {
  const root = await realpath(mountedDirectory);
  const written: WrittenFile[] = [];
  for (const file of files) {
    const place = { root, target: joinPath(root, file.path) };
    const { state, why } = await look(file, place);
    const isDue = write && (state === 'new' || (state === 'differs' && force && why === undefined));
    const refusal = isDue ? await put(file, place, force) : undefined;
    written.push({
      ...file,
      ...(refusal === undefined ? { state, ...(why !== undefined && { why }) } : { state: 'refused', why: refusal }),
      written: isDue && refusal === undefined,
    });
  }
  return written;
}

async function look(file: PlannedFile, { root, target }: Place): Promise<{ state: FileState; why?: string }> {
  if (!isInside(root, target) || target === root) return { state: 'refused', why: 'it lies outside the directory' };
  for (const directory of directoriesOf({ root, target })) {
    const kind = kindOf(directory);
    if (kind === undefined) return { state: 'new' };
    if (kind !== 'directory') return { state: 'refused', why: `${relativePath(root, directory)} is ${kind}` };
  }
  const kind = kindOf(target);
  if (kind === undefined) return { state: 'new' };
  if (kind !== 'a file') return { state: 'refused', why: `it is ${kind}` };
  const present = await read(target);
  if (present === undefined) return { state: 'refused', why: 'it cannot be read' };
  if (present.equals(Buffer.from(file.content))) return { state: 'same' };
  const isOther = file.replaces !== undefined && !hasHash(present, file.replaces);
  return { state: 'differs', ...(isOther && { why: 'it changed in the meantime' }) };
}

/** Creates missing directories one by one. Returns why it could not be written, or `undefined`. */
async function put(file: PlannedFile, { root, target }: Place, force: boolean): Promise<string | undefined> {
  try {
    for (const directory of directoriesOf({ root, target })) if (kindOf(directory) === undefined) mkdirSync(directory);
  } catch (error) {
    return `its directory cannot be made (${(error as NodeJS.ErrnoException).code})`;
  }
  const isExpected = (present: Uint8Array | undefined): boolean => {
    if (present === undefined) return true;
    return force && (file.replaces === undefined || hasHash(present, file.replaces));
  };
  const roots = [{ path: root, realPath: root }];
  const result = await createNodeFileWriter().replace(target, Buffer.from(file.content), {
    roots,
    maxBytes,
    isExpected,
  });
  return result.ok ? undefined : `it could not be written (${result.code})`;
}

function directoriesOf({ root, target }: Place): string[] {
  const directories: string[] = [];
  for (let above = parentPath(target); above !== root; above = parentPath(above)) directories.unshift(above);
  return directories;
}

function kindOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return 'a link';
  if (stats.isDirectory()) return 'directory';
  return stats.isFile() ? 'a file' : 'not a regular file';
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(Math.min((await handle.stat()).size, maxBytes));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

function hasHash(bytes: Uint8Array, sha256: string): boolean {
  return hash('sha256', bytes) === sha256;
}
