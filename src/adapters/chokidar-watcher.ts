/** Watches directories by chokidar, which is loaded when the first directory is watched. */
import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import type { FSWatcher } from 'chokidar';
import { isInside, joinPath } from '../paths.ts';
import type { Watch, Watcher, WatchOptions } from '../ports.ts';

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
    if (closed || paths.length === 0) return;
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
    const gone = (path: string): void => {
      directories.delete(path);
      if (changeTimes.delete(path) && decide(path, undefined) === 'report') onChange({ path, change: 'removed' });
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
          // A directory that was added is awaited here: chokidar would watch what lies above it.
          if (!added.has(path) || [...added].some((other) => other !== path && isInside(other, path))) return;
          watcher.unwatch(path);
          missing.add(path);
        }),
      )
      // A file that is rewritten with the size and the time stamp it had is no change to chokidar.
      .on(
        'raw',
        alive((event: string, name: unknown, details: unknown) => {
          countBurst();
          if (event === 'change' && typeof name === 'string')
            check(joinPath((details as { watchedPath: string }).watchedPath, name));
        }),
      )
      .on(
        'error',
        alive((error: unknown) => failed(error)),
      )
      .on('ready', () => {
        isReady = true;
      });
    watcher.add([...paths]);
    await new Promise<void>((resolve) => watcher.once('ready', resolve).once('error', () => resolve()));
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
    if (restarting) return;
    restarting = true;
    const old = [...watchers];
    watchers.clear();
    await Promise.all(old.map((watcher) => watcher.close()));
    directories.clear();
    changeTimes.clear();
    full = false;
    await open(
      [...added].filter((path) => !missing.has(path)),
      Number.POSITIVE_INFINITY,
    );
    restarting = false;
    if (!closed) onTrouble(trouble);
  }

  async function addExisting(paths: readonly string[], sinceMs: number): Promise<void> {
    const real = await Promise.all(paths.map(isRealDirectory));
    const existing = paths.filter((_path, index) => real[index]);
    for (const path of paths) if (!existing.includes(path)) missing.add(path);
    await open(existing, sinceMs);
  }

  const lookAgain = async (): Promise<void> => {
    for (const path of missing) {
      if (!(await isRealDirectory(path)) || closed || !missing.delete(path)) continue;
      await open([path], 0);
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking || missing.size === 0) return;
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
      if (fresh.length > 0) void addExisting(fresh, sinceMs - clockLagMs);
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

async function isRealDirectory(path: string): Promise<boolean> {
  try {
    return (await realpath(path)) === path && (await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}
