/** Compares everything below directories whose programs cannot be followed, so that any change shows (S-18, S-22). */

import { baseName, isInside, joinPath, parentPath } from '../access/paths.ts';
import { liesInRoots } from '../access/reach.ts';
import type { World } from '../access/world.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { fixedLimits } from '../settings.ts';

/** `path` → hash of its content, or the kind of entry. Undefined if there is too much to compare. */
type DirectoryContent = ReadonlyMap<string, string> | undefined;

/** How long a result may be used again, if it does not start anything. */
const keptMs = 2_000;

export type DirectoryContents = Readonly<{
  /** `fresh`: does not use an earlier result. */
  of(directories: readonly string[], options: { world: World; fresh: boolean }): Promise<DirectoryContent>;
}>;

export function createDirectoryContents(elapsed: () => number): DirectoryContents {
  const kept = createBoundedCache<{ atMs: number; content: Promise<DirectoryContent> }>({
    maxWeight: 64,
    maxEntries: 64,
  });
  return {
    of(directories, { world, fresh }) {
      const key = JSON.stringify([directories, world.reach.roots.map(({ realPath }) => realPath)]);
      const known = kept.get(key);
      if (!fresh && known !== undefined && elapsed() - known.atMs < keptMs) return known.content;
      const deadline = elapsed() + fixedLimits.mcpApprovals.entriesMs;
      const content = readContent(directories, world, () => deadline - elapsed());
      kept.set(key, { atMs: elapsed(), content }, 1);
      return content;
    },
  };
}

async function readContent(
  directories: readonly string[],
  { gate, reach }: World,
  leftMs: () => number,
): Promise<DirectoryContent> {
  const content = new Map<string, string>();
  const waiting = [...directories];
  const seen = new Set(waiting);
  /** The target of a link counts too, if it is in a granted root. */
  const follow = async (link: string): Promise<string> => {
    const real = await gate.realPath(link);
    if (!real.ok) return real.code;
    const { realPath } = real;
    if (liesInRoots(realPath, reach.roots) && !directories.some((each) => isInside(each, realPath))) {
      const stat = await gate.stat(realPath);
      if (stat.ok && stat.kind === 'directory' && !seen.has(realPath)) waiting.push(realPath);
      if (stat.ok && stat.kind === 'file') content.set(realPath, await hash(realPath));
      seen.add(realPath);
    }
    return realPath;
  };
  const hash = async (path: string): Promise<string> => {
    const maxMs = Math.max(1, leftMs());
    const hashed = await gate.hash(path, { ...reach, followSymlinks: false, maxMs });
    return hashed.ok ? hashed.sha256 : hashed.code;
  };
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const listed = await gate.list(directory, { ...reach, followSymlinks: false });
    if (!listed.ok) {
      content.set(directory, listed.code);
      continue;
    }
    if (listed.snapshot.truncated) return undefined;
    for (const { name, kind, undecodable } of listed.snapshot.entries) {
      const path = joinPath(directory, name);
      if (isBookkeeping(path)) continue;
      if (undecodable === true || content.size + seen.size > fixedLimits.mcpApprovals.entries || leftMs() < 0)
        return undefined;
      if (kind === 'directory' && !seen.has(path)) waiting.push(path);
      if (kind === 'directory') seen.add(path);
      else if (kind === 'symlink') content.set(path, await follow(path));
      else if (kind === 'file') content.set(path, await hash(path));
      else content.set(path, kind);
      if (content.get(path) === 'too_slow') return undefined;
    }
  }
  return content;
}

/** Git changes these with every command. Its settings and hooks can name programs, so they count. */
const bookkeeping =
  /^(?:objects|refs|logs|modules|worktrees|lfs|index(?:\.lock)?|HEAD|packed-refs|[A-Z]+_(?:HEAD|MSG|MODE|EDITMSG)|gc\.(?:log|pid)|shallow)$/u;

function isBookkeeping(path: string): boolean {
  return baseName(parentPath(path)) === '.git' && bookkeeping.test(baseName(path));
}
