// Long because what chokidar does not notice is mended with the state of the same watch.
/** Watches directories by chokidar, which is loaded when the first directory is watched. */
import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import type { FSWatcher } from 'chokidar';
import { baseName, isInside, joinPath, parentPath } from '../../access/paths.ts';
import type { Watch, Watcher, WatchOptions } from '../../ports/ports.ts';

/** `pollMs`: how often directories are looked at that cannot be watched, or do not exist. `load` is a seam for tests. */
export type ChokidarOptions = { pollMs?: number; load?: () => Promise<Pick<typeof import('chokidar'), 'FSWatcher'>> };

/** The time stamps of file systems lag behind the clock by up to one tick of the kernel, mostly 4 ms, at worst 10. */
const clockLagMs = 20;
/** The kernel's queue holds 16,384 events. When it overflows, libuv does not say so; half of it in one turn is near enough. */
const burstLimit = 8_192;

export function createChokidarWatcher({
  pollMs = 2_000,
  load = () => import('chokidar'),
}: ChokidarOptions = {}): Watcher {
  return { watch: (options) => startWatch(options, { pollMs, load }) };
}

function startWatch(options: WatchOptions, { pollMs, load }: Required<ChokidarOptions>): Watch {
  const { decide, onChange, onTrouble, maxDirectories } = options;
  const added = new Set<string>();
  /** Those of the added directories that are not reached from another one, and those that were reached too late. */
  const roots = new Map<string, { watcher: FSWatcher; inode: number }>();
  /** What is awaited here: chokidar would watch what lies above it. */
  const missing = new Set<string>();
  const directories = new Set<string>();
  /** The change time of each reported entry when it was last looked at: the same time is the same change. */
  const changeTimes = new Map<string, number>();
  const checking = new Map<string, 'once' | 'again'>();
  const watchers = new Set<FSWatcher>();
  let polling = false;
  let closed = false;
  let restarting = false;
  let full = false;
  let burst = 0;

  const kindOf = (stats: Stats): 'file' | 'directory' => (stats.isDirectory() ? 'directory' : 'file');

  const ignored = (path: string, stats?: Stats): boolean => {
    if (!added.has(path) && decide(path, stats && kindOf(stats)) === 'ignore') return true;
    if (!stats?.isDirectory() || directories.has(path)) return false;
    if (directories.size < maxDirectories) {
      directories.add(path);
      return false;
    }
    if (!full) onTrouble('too_many_directories');
    full = true;
    return true;
  };

  /** Watches existing directories. What is found at first is reported when it changed at `sinceMs` or later. */
  async function open(paths: readonly string[], sinceMs: number): Promise<void> {
    const { FSWatcher } = await load();
    const inodes = await Promise.all(paths.map(inodeOfDirectory));
    const existing = paths.filter((_path, index) => inodes[index] !== undefined);
    if (closed || existing.length === 0) return;
    const watcher: FSWatcher = new FSWatcher({
      backend: polling ? 'polling' : 'native',
      pollingInterval: pollMs,
      pollingBinaryInterval: pollMs,
      followSymlinks: false,
      atomic: false,
      ignorePermissionErrors: true,
      alwaysStat: true,
      ignored,
    });
    watchers.add(watcher);
    for (const [index, path] of paths.entries()) {
      const inode = inodes[index];
      if (inode !== undefined) roots.set(path, { watcher, inode });
    }
    let isReady = false;
    const met = (path: string, stats: Stats | undefined): void => {
      const isDirectory = stats?.isDirectory() === true;
      const decision = decide(path, stats && kindOf(stats));
      const isKnown = changeTimes.get(path) === stats?.ctimeMs;
      changeTimes.set(path, stats?.ctimeMs ?? 0);
      if (isKnown || (!isReady && (stats?.ctimeMs ?? 0) < sinceMs)) return;
      if (decision === 'report') onChange({ path, change: 'added' });
      else if (decision === 'pass' && !isReady && isDirectory) onChange({ path, change: 'changed', passed: true });
    };
    const alive = <Args extends unknown[]>(handle: (...args: Args) => void) => {
      return (...args: Args): void => {
        if (!closed && watchers.has(watcher)) handle(...args);
      };
    };
    watcher
      .on('add', alive(met))
      .on('addDir', alive(met))
      .on(
        'change',
        alive((path: string, stats?: Stats) => changed(path, stats)),
      )
      .on('unlink', alive(gone))
      .on(
        'unlinkDir',
        alive((path: string) => {
          gone(path);
          if (roots.get(path)?.watcher === watcher) lose(path);
        }),
      )
      // A file that is rewritten with the size and the time stamp it had is no change to chokidar.
      .on(
        'raw',
        alive((event: string, name: unknown, details: unknown) => {
          countBurst();
          if (typeof name !== 'string') return;
          const { watchedPath } = details as { watchedPath: string };
          if (event === 'change') check(joinPath(watchedPath, name));
          else if (name === baseName(watchedPath)) checkForLink(watchedPath);
        }),
      )
      .on(
        'error',
        alive((error: unknown) => failed(error)),
      )
      .on('ready', () => {
        isReady = true;
      });
    watcher.add(existing);
    await new Promise<void>((resolve) => watcher.once('ready', resolve).once('error', () => resolve()));
  }

  function gone(path: string): void {
    directories.delete(path);
    if (changeTimes.delete(path) && decide(path, undefined) === 'report') onChange({ path, change: 'removed' });
  }

  /** A root is not there any more, or is another directory or a link now. Below others it is found again from them. */
  function lose(path: string): void {
    roots.get(path)?.watcher.unwatch(path);
    roots.delete(path);
    for (const known of [...changeTimes.keys()]) if (isInside(path, known)) gone(known);
    if (!isReached(path, added)) missing.add(path);
  }

  function changed(path: string, stats: Stats | undefined): void {
    if (stats === undefined || stats.isDirectory() || changeTimes.get(path) === stats.ctimeMs) return;
    changeTimes.set(path, stats.ctimeMs);
    if (decide(path, 'file') === 'report') onChange({ path, change: 'changed' });
  }

  function check(path: string): void {
    if (!changeTimes.has(path)) return;
    const isUnderWay = checking.has(path);
    checking.set(path, isUnderWay ? 'again' : 'once');
    if (isUnderWay) return;
    lstat(path)
      .then((stats) => {
        if (!closed && changeTimes.has(path)) changed(path, stats);
      })
      .catch(() => undefined)
      .finally(() => {
        const again = checking.get(path) === 'again';
        checking.delete(path);
        if (again) check(path);
      });
  }

  /** Where a link takes the place of a directory at once, chokidar goes on with what lies behind the link. */
  function checkForLink(path: string): void {
    lstat(path).then(
      (stats) => {
        if (stats.isSymbolicLink()) restart('overflow');
      },
      () => undefined,
    );
  }

  function countBurst(): void {
    if (burst === 0)
      setImmediate(() => {
        burst = 0;
      });
    burst += 1;
    if (burst === burstLimit && !polling) restart('overflow');
  }

  /** Whatever the system refuses, polling still works. */
  function failed(error: unknown): void {
    const { code } = error as NodeJS.ErrnoException;
    if (polling || code === 'ENOENT' || code === 'ENOTDIR') return;
    polling = true;
    restart('polling');
  }

  /** Begins again with everything that was added, and says so once it is watched. */
  async function restart(trouble: 'polling' | 'overflow'): Promise<void> {
    if (restarting || closed) return;
    restarting = true;
    const old = [...watchers];
    watchers.clear();
    await Promise.all(old.map((watcher) => watcher.close()));
    roots.clear();
    missing.clear();
    directories.clear();
    changeTimes.clear();
    full = false;
    await openTopmost(added, Number.POSITIVE_INFINITY);
    restarting = false;
    if (!closed) onTrouble(trouble);
  }

  async function openTopmost(paths: ReadonlySet<string>, sinceMs: number): Promise<void> {
    const topmost = [...paths].filter((path) => !isReached(path, paths));
    await open(topmost, sinceMs);
    for (const path of topmost) if (!roots.has(path) && !isReached(path, added)) missing.add(path);
  }

  /** What no event tells of: that a root was renamed, and that one appeared. */
  async function lookAgain(): Promise<void> {
    for (const [path, { inode }] of roots) {
      if ((await inodeOfDirectory(path)) !== inode && roots.get(path)?.inode === inode && !closed) lose(path);
    }
    for (const path of missing) {
      if ((await inodeOfDirectory(path)) === undefined || closed || !missing.delete(path)) continue;
      await open([path], 0);
    }
  }
  let looking = false;
  const timer = setInterval(() => {
    if (looking || restarting) return;
    looking = true;
    lookAgain().finally(() => {
      looking = false;
    });
  }, pollMs);
  timer.unref();

  return {
    add(paths, sinceMs) {
      const fresh = paths.filter((path) => !added.has(path));
      for (const path of fresh) added.add(path);
      if (fresh.length > 0) void openTopmost(new Set(fresh), sinceMs - clockLagMs);
    },
    get directories() {
      return directories.size;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await Promise.all([...watchers].map((watcher) => watcher.close()));
      watchers.clear();
    },
  };
}

/** Whether another of the directories contains the path. */
function isReached(path: string, directories: ReadonlySet<string>): boolean {
  for (let above = parentPath(path); above !== '/'; above = parentPath(above)) if (directories.has(above)) return true;
  return path !== '/' && directories.has('/');
}

/** Undefined for what is no directory, or is reached through a link. */
async function inodeOfDirectory(path: string): Promise<number | undefined> {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() && (await realpath(path)) === path ? stats.ino : undefined;
  } catch {
    return undefined;
  }
}
