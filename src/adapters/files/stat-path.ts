/** What a path is, and where it leads. Each look exists twice: synchronous (`now`), and in another thread (`later`). */
import { type BigIntStats, type Dirent, lstat, lstatSync, realpath, realpathSync } from 'node:fs';
import type { FileRefusal, FileStat, Files, PathKind } from '../../ports/ports.ts';
import { answerOf } from './open-file.ts';
import { toRefusal } from './refusals.ts';

const bigint = { bigint: true } as const;

export function kindOf(entry: BigIntStats | Dirent<string | Buffer>): PathKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

export function toFileStat(stats: BigIntStats): FileStat {
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = stats;
  const identity = `${dev}:${ino}`;
  const signature = `${identity}:${size}:${mtimeNs}:${ctimeNs}:${mode}`;
  const changedAtMs = Number(mtimeNs > ctimeNs ? stats.mtimeMs : stats.ctimeMs);
  return { ok: true, kind: kindOf(stats), size: Number(size), signature, changedAtMs, identity };
}

export function statLater(absolutePath: string): Promise<FileStat | FileRefusal> {
  return answerOf<BigIntStats>((done) => lstat(absolutePath, bigint, done)).then(toFileStat, toRefusal);
}

const orNothing = { bigint: true, throwIfNoEntry: false } as const;
const missing: FileRefusal = Object.freeze({ ok: false, code: 'not_found' });

export function statNow(absolutePath: string): FileStat | FileRefusal {
  try {
    const stats = lstatSync(absolutePath, orNothing);
    if (stats === undefined) return missing;
    const before = lastStats.get(absolutePath);
    if (before !== undefined && isSame(before.stats, stats)) return before.stat;
    const stat = toFileStat(stats);
    if (lastStats.size >= maxLastStats && performance.now() - clearedAtMs > clearEveryMs) {
      lastStats.clear();
      clearedAtMs = performance.now();
    }
    if (before !== undefined || lastStats.size < maxLastStats) lastStats.set(absolutePath, { stats, stat });
    return stat;
  } catch (error) {
    return toRefusal(error);
  }
}

/**
 * The last result for each path: comparing numbers is cheaper than writing the same signature again. A search of a
 * large repository looks at more paths than fit, and must not replace the contents again and again.
 */
const lastStats = new Map<string, { stats: BigIntStats; stat: FileStat }>();
const maxLastStats = 8_192;
const clearEveryMs = 60_000;
let clearedAtMs = 0;

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.mode === other.mode
  );
}

export function resolveLinks(absolutePath: string): Promise<string> {
  return answerOf((done) => realpath.native(absolutePath, done));
}

type RealPath = Awaited<ReturnType<Files['realPath']>>;

export function realPathLater(absolutePath: string): Promise<RealPath> {
  return resolveLinks(absolutePath).then((realPath) => ({ ok: true, realPath }), toRefusal);
}

/** Checks first whether the path exists. An error would cost more than this look. */
export function realPathNow(absolutePath: string): RealPath {
  const there = statNow(absolutePath);
  if (!there.ok && there.code === 'not_found') return there;
  try {
    return { ok: true, realPath: realpathSync.native(absolutePath) };
  } catch (error) {
    return toRefusal(error);
  }
}
