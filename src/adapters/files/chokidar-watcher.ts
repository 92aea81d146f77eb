/** Watches directories with chokidar, which is loaded when the first directory is watched. */
import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import type { FSWatcher } from 'chokidar';
import { baseName, joinPath } from '../../access/paths.ts';
import type { Watch, Watcher, WatchOptions } from '../../ports/ports.ts';
import { countKernelEvent, kernelWatchEnded, onKernelBurst } from './kernel-queue.ts';
import {
  type ChokidarOptions,
  changed,
  check,
  createWatchState,
  found,
  gone,
  ignored,
  isReached,
  lose,
  type WatchState,
} from './watch-state.ts';

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
  listen(watch, watcher, sinceMs);
  watcher.add(existing);
  await new Promise<void>((resolve) => watcher.once('ready', resolve).once('error', () => resolve()));
}

function listen(watch: WatchState, watcher: FSWatcher, sinceMs: number): void {
  let isReady = false;
  const alive = <Args extends unknown[]>(handle: (...args: Args) => void) => {
    return (...args: Args): void => {
      if (!watch.closed && watch.watchers.has(watcher)) handle(...args);
    };
  };
  const met = alive((path: string, stats?: Stats) => found(watch, { path, stats }, { isReady, sinceMs }));
  watcher
    .on('add', met)
    .on('addDir', met)
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

/** Undefined for anything but a directory, and for a directory that is reached through a link. */
async function inodeOfDirectory(path: string): Promise<number | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() && (await realpath(path)) === path ? stats.ino : undefined;
  } catch {
    return undefined;
  }
}
