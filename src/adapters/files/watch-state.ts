/** What is known of watched directories and their entries, and which of their changes are reported. */
import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import type { FSWatcher } from 'chokidar';
import { isInside, parentPath } from '../../access/paths.ts';
import type { WatchOptions } from '../../ports/ports.ts';
import { kernelWatchEnded } from './kernel-queue.ts';

/** `pollMs`: how often to check directories that do not exist or cannot be watched. `load`: replaced in tests. */
export type ChokidarOptions = { pollMs?: number; load?: () => Promise<Pick<typeof import('chokidar'), 'FSWatcher'>> };

/** The state of one watch. */
export function createWatchState(options: WatchOptions, settings: Required<ChokidarOptions>) {
  return {
    ...options,
    ...settings,
    added: new Set<string>(),
    /** Added directories that no other added directory contains, and directories that appeared later. */
    roots: new Map<string, { watcher: FSWatcher; inode: number }>(),
    /** Directories that do not exist yet. They are polled, because chokidar would watch the directories above them. */
    missing: new Set<string>(),
    directories: new Set<string>(),
    /** The change time of each reported entry at the last check. The same time means the same change. */
    changeTimes: new Map<string, number>(),
    checking: new Map<string, 'once' | 'again'>(),
    watchers: new Set<FSWatcher>(),
    polling: false,
    closed: false,
    restarting: false,
    full: false,
  };
}
export type WatchState = ReturnType<typeof createWatchState>;

/** Whether chokidar passes over a path. Counts the directories that it watches. */
export function ignored(watch: WatchState, path: string, stats?: Stats): boolean {
  if (!watch.added.has(path) && watch.decide(path, stats && kindOf(stats)) === 'ignore') return true;
  if (!stats?.isDirectory() || watch.directories.has(path)) return false;
  if (watch.directories.size < watch.maxDirectories) {
    watch.directories.add(path);
    return false;
  }
  if (!watch.full) watch.onTrouble('too_many_directories');
  watch.full = true;
  return true;
}

/** An entry that is there: found at the beginning of a watch, before it `isReady`, or new. */
export function found(
  watch: WatchState,
  { path, stats }: { path: string; stats: Stats | undefined },
  { isReady, sinceMs }: { isReady: boolean; sinceMs: number },
): void {
  const isDirectory = stats?.isDirectory() === true;
  const decision = watch.decide(path, stats && kindOf(stats));
  const isKnown = watch.changeTimes.get(path) === stats?.ctimeMs;
  watch.changeTimes.set(path, stats?.ctimeMs ?? 0);
  if (isKnown || (!isReady && (stats?.ctimeMs ?? 0) < sinceMs)) return;
  const isNew = isReady || (stats?.birthtimeMs ?? 0) >= sinceMs;
  if (decision === 'report') watch.onChange({ path, change: isNew ? 'added' : 'changed' });
  else if (decision === 'pass' && !isReady && isDirectory) watch.onChange({ path, change: 'changed', passed: true });
}

export function gone(watch: WatchState, path: string): void {
  if (watch.directories.delete(path)) kernelWatchEnded();
  if (watch.changeTimes.delete(path) && watch.decide(path, undefined) === 'report')
    watch.onChange({ path, change: 'removed' });
}

/**
 * A root is gone, or is now another directory or a link. If another added directory contains it, that one finds it
 * again.
 */
export function lose(watch: WatchState, path: string): void {
  watch.roots.get(path)?.watcher.unwatch(path);
  watch.roots.delete(path);
  for (const known of [...watch.changeTimes.keys()]) if (isInside(path, known)) gone(watch, known);
  if (!isReached(path, watch.added)) watch.missing.add(path);
}

export function changed(watch: WatchState, path: string, stats: Stats | undefined): void {
  if (stats === undefined || stats.isDirectory() || watch.changeTimes.get(path) === stats.ctimeMs) return;
  watch.changeTimes.set(path, stats.ctimeMs);
  if (watch.decide(path, 'file') === 'report') watch.onChange({ path, change: 'changed' });
}

/** Looks whether an entry has changed. Calls during a look lead to one more look. */
export function check(watch: WatchState, path: string): void {
  if (!watch.changeTimes.has(path)) return;
  const isUnderWay = watch.checking.has(path);
  watch.checking.set(path, isUnderWay ? 'again' : 'once');
  if (isUnderWay) return;
  lstat(path)
    .then((stats) => {
      if (!watch.closed && watch.changeTimes.has(path)) changed(watch, path, stats);
    })
    .catch(() => undefined)
    .finally(() => {
      const again = watch.checking.get(path) === 'again';
      watch.checking.delete(path);
      if (again) check(watch, path);
    });
}

/** Whether another of the directories contains the path. */
export function isReached(path: string, directories: ReadonlySet<string>): boolean {
  for (let above = parentPath(path); above !== '/'; above = parentPath(above)) if (directories.has(above)) return true;
  return path !== '/' && directories.has('/');
}

function kindOf(stats: Stats): 'file' | 'directory' {
  return stats.isDirectory() ? 'directory' : 'file';
}
