/** What is looked up on disk besides what the engine decides. Nothing is opened. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isInRoots, liesInRoots } from '../../access/reach.ts';
import { ContextdError } from '../../errors.ts';
import type { FileKind, FileRefusal, Files, Root } from '../../ports/ports.ts';

/** Paths are absolute and normalised. */
export type Looks = Readonly<{
  home: string;
  /** Whether there are places that may not be looked at; nothing can be said about what lies there. */
  isConfined: boolean;
  /** Whether a path names such a place. Links are another question. */
  isOutside(path: string): boolean;
  /** Where it really lies; undefined where nothing is, or where it may not be looked at. */
  realPath(path: string): Promise<string | undefined>;
  isFolder(path: string): Promise<boolean>;
  /** Whether a link lies there, wherever it leads. */
  isLink(path: string): Promise<boolean>;
}>;

/** Those of a process that the tool has started: it sees what the tool sees. */
export function createOwnLooks(home: string): Looks {
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
    isFolder: async (path) => isThat(() => statSync(path).isDirectory()),
    isLink: async (path) => isThat(() => lstatSync(path).isSymbolicLink()),
  };
}

/**
 * Those of the daemon, for whoever has a token: of what lies outside of `roots` not even whether it is there. They throw
 * `unavailable` if the disk fails.
 */
export function createConfinedLooks(files: Files, roots: readonly Root[]): Looks {
  const realPath = async (path: string): Promise<string | undefined> => {
    if (!isInRoots(path, roots)) return undefined;
    const real = told(path, await files.realPath(path));
    return real.ok && liesInRoots(real.realPath, roots) ? real.realPath : undefined;
  };
  const kindOf = async (path: string): Promise<FileKind | undefined> => {
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

/** Throws `unavailable` if the disk did not tell. */
function told<Answer extends { ok: true }>(path: string, answer: Answer | FileRefusal): Answer | FileRefusal {
  if (!answer.ok && answer.code === 'io_error')
    throw new ContextdError('unavailable', `The disk of ${path} fails or does not answer.`);
  return answer;
}

/** False where nothing is, or where it cannot be looked at. */
function isThat(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}
