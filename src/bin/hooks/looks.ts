/** What is looked up on disk besides what the engine decides. Nothing is opened. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isInRoots, liesInRoots } from '../../access/reach.ts';
import { ContextdError } from '../../errors.ts';
import type { Files, Root } from '../../ports/ports.ts';

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
 * Those of the daemon, for whoever has a token: of what lies outside of `roots` not even whether it is there. `realPath`
 * throws `unavailable` if the disk fails.
 */
export function createConfinedLooks(files: Files, roots: readonly Root[]): Looks {
  const realPath = async (path: string): Promise<string | undefined> => {
    if (!isInRoots(path, roots)) return undefined;
    const real = await files.realPath(path);
    if (!real.ok && real.code === 'io_error')
      throw new ContextdError('unavailable', `The disk of ${path} fails or does not answer.`);
    return real.ok && liesInRoots(real.realPath, roots) ? real.realPath : undefined;
  };
  return {
    home: files.homeDirectory(),
    isConfined: true,
    isOutside: (path) => !isInRoots(path, roots),
    realPath,
    async isFolder(path) {
      const real = await realPath(path);
      const stat = real === undefined ? undefined : await files.stat(real);
      return stat?.ok === true && stat.kind === 'directory';
    },
    async isLink(path) {
      const directory = await realPath(dirname(path));
      const stat = directory === undefined ? undefined : await files.stat(join(directory, basename(path)));
      return stat?.ok === true && stat.kind === 'symlink';
    },
  };
}

/** False where nothing is, or where it cannot be looked at. */
function isThat(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    return false;
  }
}
