// Long, because the corrections of what chokidar misses share the state of the same watch.
/** Watches directories with chokidar, which is loaded when the first directory is watched. */
import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import type { FSWatcher } from 'chokidar';
import { baseName, isInside, joinPath, parentPath } from '../../access/paths.ts';
import type { Watch, Watcher, WatchOptions } from '../../ports/ports.ts';
import { countKernelEvent, kernelWatchEnded, onKernelBurst } from './kernel-queue.ts';

/** `pollMs`: how often to check directories that do not exist or cannot be watched. `load`: replaced in tests. */
export type ChokidarOptions = { pollMs?: number; load?: () => Promise<Pick<typeof import('chokidar'), 'FSWatcher'>> };

/** Time stamps of file systems are behind the clock by up to one tick of the kernel, usually 4 ms, at most 10 ms. */
const clockLagMs = 20;
/** The kernel's queue holds 16,384 events. Half of that in one turn counts as an overflow. */
const burstLimit = 8_192;

export function createChokidarWatcher({
  pollMs = 2_000,
  load = () => import('chokidar'),
}: ChokidarOptions = {}): Watcher {
  return { watch: (options) => startWatch(options, { pollMs, load }) };
}

/** The state of one watch. */
function createWatchState(options: WatchOptions, settings: Required<ChokidarOptions>) {
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
type WatchState = ReturnType<typeof createWatchState>;

function startWatch(options: WatchOptions, settings: Required<ChokidarOptions>): Watch {
  const watch = createWatchState(options, settings);

  let looking = false;
  const timer = setInterval(() => {
    if (looking || watch.restarting) return;
    looking = true;
    lookAgain(watch).finally(() => {
      looking = false;
    });
  }, watch.pollMs);
  timer.unref();
  const endBursts = onKernelBurst(burstLimit, () => {
    if (!watch.polling && watch.watchers.size > 0) void restart(watch, 'overflow');
  });

  return {
    add(paths, sinceMs) {
      const fresh = paths.filter((path) => !watch.added.has(path));
      for (const path of fresh) watch.added.add(path);
      if (fresh.length > 0) void openTopmost(watch, new Set(fresh), sinceMs - clockLagMs);
    },
    get directories() {
      return watch.directories.size;
    },
    async close() {
      watch.closed = true;
      clearInterval(timer);
      endBursts();
      kernelWatchEnded();
      await Promise.all([...watch.watchers].map((watcher) => watcher.close()));
      watch.watchers.clear();
    },
  };
}

function ignored(watch: WatchState, path: string, stats?: Stats): boolean {
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

/** Watches existing directories. Entries found at the beginning are reported if they changed at `sinceMs` or later. */
async function open(watch: WatchState, paths: readonly string[], sinceMs: number): Promise<void> {
  const { FSWatcher } = await watch.load();
  const inodes = await Promise.all(paths.map(inodeOfDirectory));
  const existing = paths.filter((_path, index) => inodes[index] !== undefined);
  if (watch.closed || existing.length === 0) return;
  const watcher: FSWatcher = new FSWatcher({
    backend: watch.polling ? 'polling' : 'native',
    pollingInterval: watch.pollMs,
    pollingBinaryInterval: watch.pollMs,
    followSymlinks: false,
    atomic: false,
    ignorePermissionErrors: true,
    alwaysStat: true,
    ignored: (path, stats) => ignored(watch, path, stats),
  });
  watch.watchers.add(watcher);
  for (const [index, path] of paths.entries()) {
    const inode = inodes[index];
    if (inode !== undefined) watch.roots.set(path, { watcher, inode });
  }
  let isReady = false;
  const met = (path: string, stats: Stats | undefined): void => {
    const isDirectory = stats?.isDirectory() === true;
    const decision = watch.decide(path, stats && kindOf(stats));
    const isKnown = watch.changeTimes.get(path) === stats?.ctimeMs;
    watch.changeTimes.set(path, stats?.ctimeMs ?? 0);
    if (isKnown || (!isReady && (stats?.ctimeMs ?? 0) < sinceMs)) return;
    const isNew = isReady || (stats?.birthtimeMs ?? 0) >= sinceMs;
    if (decision === 'report') watch.onChange({ path, change: isNew ? 'added' : 'changed' });
    else if (decision === 'pass' && !isReady && isDirectory) watch.onChange({ path, change: 'changed', passed: true });
  };
  const alive = <Args extends unknown[]>(handle: (...args: Args) => void) => {
    return (...args: Args): void => {
      if (!watch.closed && watch.watchers.has(watcher)) handle(...args);
    };
  };
  watcher
    .on('add', alive(met))
    .on('addDir', alive(met))
    .on(
      'change',
      alive((path: string, stats?: Stats) => changed(watch, path, stats)),
    )
    .on(
      'unlink',
      alive((path) => gone(watch, path)),
    )
    .on(
      'unlinkDir',
      alive((path: string) => {
        gone(watch, path);
        if (watch.roots.get(path)?.watcher === watcher) lose(watch, path);
      }),
    )
    .on('raw', () => {
      if (!watch.polling) countKernelEvent();
    })
    // Chokidar does not notice a file that is rewritten with the same size and time stamp.
    .on(
      'raw',
      alive((event: string, name: unknown, details: unknown) => {
        if (typeof name !== 'string') return;
        const { watchedPath } = details as { watchedPath: string };
        if (event === 'change') check(watch, joinPath(watchedPath, name));
        else if (name === baseName(watchedPath)) checkForLink(watch, watchedPath);
      }),
    )
    .on(
      'error',
      alive((error: unknown) => failed(watch, error)),
    )
    .on('ready', () => {
      isReady = true;
    });
  watcher.add(existing);
  await new Promise<void>((resolve) => watcher.once('ready', resolve).once('error', () => resolve()));
}

function gone(watch: WatchState, path: string): void {
  if (watch.directories.delete(path)) kernelWatchEnded();
  if (watch.changeTimes.delete(path) && watch.decide(path, undefined) === 'report')
    watch.onChange({ path, change: 'removed' });
}

/**
 * A root is gone, or is now another directory or a link. If another added directory contains it, that one finds it
 * again.
 */
function lose(watch: WatchState, path: string): void {
  watch.roots.get(path)?.watcher.unwatch(path);
  watch.roots.delete(path);
  for (const known of [...watch.changeTimes.keys()]) if (isInside(path, known)) gone(watch, known);
  if (!isReached(path, watch.added)) watch.missing.add(path);
}

function changed(watch: WatchState, path: string, stats: Stats | undefined): void {
  if (stats === undefined || stats.isDirectory() || watch.changeTimes.get(path) === stats.ctimeMs) return;
  watch.changeTimes.set(path, stats.ctimeMs);
  if (watch.decide(path, 'file') === 'report') watch.onChange({ path, change: 'changed' });
}

function check(watch: WatchState, path: string): void {
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

/** If a link replaces a directory at once, chokidar goes on with the target of the link. */
function checkForLink(watch: WatchState, path: string): void {
  lstat(path).then(
    (stats) => {
      if (stats.isSymbolicLink()) restart(watch, 'overflow');
    },
    () => undefined,
  );
}

/** Whatever the system refuses, polling still works. */
function failed(watch: WatchState, error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (watch.polling || code === 'ENOENT' || code === 'ENOTDIR') return;
  watch.polling = true;
  restart(watch, 'polling');
}

/** Starts again with everything that was added, and reports the trouble when it is watched. */
async function restart(watch: WatchState, trouble: 'polling' | 'overflow'): Promise<void> {
  if (watch.restarting || watch.closed) return;
  watch.restarting = true;
  const old = [...watch.watchers];
  watch.watchers.clear();
  kernelWatchEnded();
  await Promise.all(old.map((watcher) => watcher.close()));
  watch.roots.clear();
  watch.missing.clear();
  watch.directories.clear();
  watch.changeTimes.clear();
  watch.full = false;
  await openTopmost(watch, watch.added, Number.POSITIVE_INFINITY);
  watch.restarting = false;
  if (!watch.closed) watch.onTrouble(trouble);
}

async function openTopmost(watch: WatchState, paths: ReadonlySet<string>, sinceMs: number): Promise<void> {
  const topmost = [...paths].filter((path) => !isReached(path, paths));
  await open(watch, topmost, sinceMs);
  for (const path of topmost) if (!watch.roots.has(path) && !isReached(path, watch.added)) watch.missing.add(path);
}

/** Finds changes without an event: a root that was renamed, and one that appeared. */
async function lookAgain(watch: WatchState): Promise<void> {
  for (const [path, { inode }] of watch.roots) {
    if ((await inodeOfDirectory(path)) !== inode && watch.roots.get(path)?.inode === inode && !watch.closed)
      lose(watch, path);
  }
  for (const path of watch.missing) {
    if ((await inodeOfDirectory(path)) === undefined || watch.closed || !watch.missing.delete(path)) continue;
    await open(watch, [path], 0);
  }
}

/** Whether another of the directories contains the path. */
function isReached(path: string, directories: ReadonlySet<string>): boolean {
  for (let above = parentPath(path); above !== '/'; above = parentPath(above)) if (directories.has(above)) return true;
  return path !== '/' && directories.has('/');
}

/** Undefined for anything but a directory, and for a directory that is reached through a link. */
async function inodeOfDirectory(path: string): Promise<number | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() && (await realpath(path)) === path ? stats.ino : undefined;
  } catch {
    return undefined;
  }
}

function kindOf(stats: Stats): 'file' | 'directory' {
  return stats.isDirectory() ? 'directory' : 'file';
}
