/**
 * Finds the repository of a working tree, and its last commit. `.git` can be a file that names any place, so it is
 * followed only to a repository that names this working tree too, and that holds its objects itself. Follows no link,
 * and reads nothing of the repository's configuration but the line in which a submodule names its working tree.
 */
import { constants } from 'node:fs';
import { lstat, open, opendir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { PathKind } from '../../ports/ports.ts';
import type { ComparisonRefusal } from '../../ports/working-tree.ts';

/** All paths are real paths. `commit` is hexadecimal. */
export type Repository = Readonly<{
  ok: true;
  workingTree: string;
  objects: string;
  index: string;
  /** The file with the ignore patterns of this clone. Undefined if it is not a regular file of the repository. */
  exclude: string | undefined;
  commit: string;
}>;

const packedRefsBytes = 16 * 1024 * 1024;
const smallBytes = 64 * 1024;
/** Max refs that name another ref. */
const maxHops = 5;
/** git packs objects long before there are so many files of them. */
const maxObjectFiles = 100_000;

const refuse = (code: ComparisonRefusal['code']): ComparisonRefusal => ({ ok: false, code });

/** `directory` is a real path. */
export async function findRepository(directory: string): Promise<Repository | ComparisonRefusal> {
  const workingTree = await topOf(directory);
  if (workingTree === undefined) return refuse('no_repository');
  const places = await placesOf(workingTree);
  if (places === undefined) return refuse('untrusted');
  const { gitDirectory, common } = places;
  // Another user can make a `.git` in a directory above, such as /tmp, and say in it what was committed.
  const owners = [process.getuid?.(), await ownerOf(directory)];
  if (!owners.includes(await ownerOf(gitDirectory))) return refuse('untrusted');
  if ((await kindOf(join(common, 'reftable'))) !== undefined) return refuse('unsupported');
  const commit = await lastCommit(gitDirectory, common);
  if (commit === undefined) return refuse('no_commit');
  const index = join(gitDirectory, 'index');
  if (![undefined, 'file'].includes(await kindOf(index))) return refuse('untrusted');
  const objects = join(common, 'objects');
  if (!(await holdsObjects(objects))) return refuse('untrusted');
  const exclude = join(common, 'info/exclude');
  const isOwn = (await realPathOf(exclude)) === exclude && (await kindOf(exclude)) === 'file';
  return { ok: true, workingTree, index, commit, objects, exclude: isOwn ? exclude : undefined };
}

/**
 * Whether all objects are in this directory itself. A link, or a list of other directories, could lead to the objects
 * of a repository that is not granted: then its contents would be delivered to whoever knows the hash of a commit.
 */
async function holdsObjects(objects: string): Promise<boolean> {
  if ((await kindOf(objects)) !== 'directory') return false;
  if ((await kindOf(join(objects, 'info/alternates'))) !== undefined) return false;
  let files = 0;
  try {
    for await (const entry of await opendir(objects, { recursive: true, bufferSize: 256 })) {
      files += 1;
      if (files > maxObjectFiles || !(entry.isFile() || entry.isDirectory())) return false;
    }
  } catch {
    return false;
  }
  return true;
}

async function topOf(directory: string): Promise<string | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    if ((await kindOf(join(at, '.git'))) !== undefined) return at;
    if (at === dirname(at)) return undefined;
  }
}

type Places = { gitDirectory: string; common: string };

async function placesOf(workingTree: string): Promise<Places | undefined> {
  const dotGit = join(workingTree, '.git');
  const kind = await kindOf(dotGit);
  if (kind === 'directory') {
    // Only worktrees have this file, and their `.git` is not a directory.
    const isWhole = (await kindOf(join(dotGit, 'commondir'))) === undefined;
    return isWhole ? { gitDirectory: dotGit, common: dotGit } : undefined;
  }
  const named = kind === 'file' ? /^gitdir: ([^\r\n]{1,4096})/u.exec((await readSmall(dotGit)) ?? '')?.[1] : undefined;
  const gitDirectory = named === undefined ? undefined : await realPathOf(resolve(workingTree, named));
  if (gitDirectory === undefined) return undefined;
  return (await worktreeAt(gitDirectory, dotGit)) ?? (await submoduleAt(gitDirectory, workingTree));
}

/** `<repository>/.git/worktrees/<name>`. Its `gitdir` names the `.git` of its working tree. */
async function worktreeAt(gitDirectory: string, dotGit: string): Promise<Places | undefined> {
  const back = await readSmall(join(gitDirectory, 'gitdir'));
  if (back === undefined || (await realPathOf(resolve(gitDirectory, back.trim()))) !== dotGit) return undefined;
  const named = await readSmall(join(gitDirectory, 'commondir'));
  const common = named === undefined ? undefined : await realPathOf(resolve(gitDirectory, named.trim()));
  return common === dirname(dirname(gitDirectory)) ? { gitDirectory, common } : undefined;
}

/** `<repository>/.git/modules/<name>`. Its configuration names its working tree. */
async function submoduleAt(gitDirectory: string, workingTree: string): Promise<Places | undefined> {
  for (const line of (await readSmall(join(gitDirectory, 'config')))?.split('\n') ?? []) {
    const [name = '', value = ''] = line.split('=', 2);
    if (name.trim() !== 'worktree') continue;
    const isThis = (await realPathOf(resolve(gitDirectory, value.trim()))) === workingTree;
    return isThis ? { gitDirectory, common: gitDirectory } : undefined;
  }
  return undefined;
}

async function lastCommit(gitDirectory: string, common: string): Promise<string | undefined> {
  let said = await readSmall(join(gitDirectory, 'HEAD'));
  for (let hop = 0; hop < maxHops && said !== undefined; hop += 1) {
    const ref = /^ref: (refs\/[^\0\r\n]{1,1024})/u.exec(said)?.[1];
    if (ref === undefined) return commitIn(said);
    if (ref.split('/').includes('..')) return undefined;
    said = (await readBelow(common, ref)) ?? (await packedRef(common, ref));
  }
  return undefined;
}

function commitIn(text: string): string | undefined {
  return /^(?:[0-9a-f]{64}|[0-9a-f]{40})(?=\s|$)/u.exec(text)?.[0];
}

/** Reads a ref file, unless a link leads to it. */
async function readBelow(common: string, ref: string): Promise<string | undefined> {
  const path = join(common, ref);
  return (await realPathOf(path)) === path ? readSmall(path) : undefined;
}

async function packedRef(common: string, ref: string): Promise<string | undefined> {
  const text = (await read(join(common, 'packed-refs'), packedRefsBytes)) ?? '';
  const at = text.indexOf(` ${ref}\n`);
  return at < 0 ? undefined : text.slice(text.lastIndexOf('\n', at) + 1, at);
}

async function kindOf(path: string): Promise<PathKind | undefined> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) return 'symlink';
  return stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'other';
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await lstat(path).catch(() => undefined))?.uid;
}

async function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

const readSmall = (path: string): Promise<string | undefined> => read(path, smallBytes);

/** The beginning of a regular file. Undefined for anything else, including a link. */
async function read(path: string, maxBytes: number): Promise<string | undefined> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return undefined;
    const buffer = Buffer.alloc(Math.min(stat.size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}
