/** What hooks look up on disk themselves, in addition to asking the engine. No file is opened. */
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isInRoots, liesInRoots } from '../../access/reach.ts';
import { ContextdError } from '../../errors.ts';
import type { FileRefusal, Files, PathKind, Root } from '../../ports/ports.ts';
import { isDirectory } from '../state/paths-on-disk.ts';

/** Paths are absolute and normalised. */
export type HookDisk = Readonly<{
  home: string;
  /** Whether some paths may not be looked at. Nothing is known about these. */
  isConfined: boolean;
  /** Whether a path may not be looked at. Does not resolve links. */
  isOutside(path: string): boolean;
  /** The path with links resolved, or `undefined` if it does not exist or may not be looked at. */
  realPath(path: string): Promise<string | undefined>;
  isFolder(path: string): Promise<boolean>;
  /** Whether the path is a link, even a dangling one. */
  isLink(path: string): Promise<boolean>;
}>;

/** For a process that the tool started: it may look at everything that the tool can. */
export function createOwnDisk(home: string): HookDisk {
  const realPath = (path: string): string | undefined => {
    try {
      return realpathSync.native(path);
    } catch {
      return undefined;
    }
  };
  return {
    home,
    isConfined: false,
    isOutside: () => false,
    realPath: async (path) => realPath(path),
    isFolder: async (path) => isDirectory(path),
    isLink: async (path) => isLink(path),
  };
}

/**
 * For the daemon, whose answers go to anyone with a token: they do not even tell whether a path outside of `roots`
 * exists. Throws `unavailable` if the disk fails.
 */
export function createConfinedDisk(files: Files, roots: readonly Root[]): HookDisk {
  const realPath = async (path: string): Promise<string | undefined> => {
    if (!isInRoots(path, roots)) return undefined;
    const real = told(path, await files.realPath(path));
    return real.ok && liesInRoots(real.realPath, roots) ? real.realPath : undefined;
  };
  const kindOf = async (path: string): Promise<PathKind | undefined> => {
    const stat = told(path, await files.stat(path));
    return stat.ok ? stat.kind : undefined;
  };
  return {
    home: files.homeDirectory(),
    isConfined: true,
    isOutside: (path) => !isInRoots(path, roots),
    realPath,
    async isFolder(path) {
      const real = await realPath(path);
      return real !== undefined && (await kindOf(real)) === 'directory';
    },
    async isLink(path) {
      const directory = await realPath(dirname(path));
      return directory !== undefined && (await kindOf(join(directory, basename(path)))) === 'symlink';
    },
  };
}

/** Throws `unavailable` if the disk failed. */
function told<Answer extends { ok: true }>(path: string, answer: Answer | FileRefusal): Answer | FileRefusal {
  if (!answer.ok && answer.code === 'io_error')
    throw new ContextdError('unavailable', `The disk of ${path} fails or does not answer.`);
  return answer;
}

/** False if it does not exist, or cannot be looked at. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
