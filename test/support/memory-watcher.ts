import { isInside } from '../../src/access/paths.ts';
import type { SeenChange, Watch, Watcher, WatchOptions, WatchTrouble } from '../../src/ports/ports.ts';

/** A `Watcher` that sees what a test tells it. */
export type MemoryWatcher = Watcher & {
  /** Each `add` so far of the watches that are open. */
  added: { directories: readonly string[]; sinceMs: number }[];
  /** Watches that are open. */
  open: number;
  /** Tells every watch that an added directory contains the path, and that lets it in, of a change. */
  change(path: string, change?: SeenChange['change'], kind?: 'file' | 'directory'): void;
  trouble(trouble: WatchTrouble): void;
};

export function createMemoryWatcher(): MemoryWatcher {
  const watches = new Map<Watch, WatchOptions & { directories: Set<string> }>();
  const watcher: MemoryWatcher = {
    added: [],
    get open() {
      return watches.size;
    },
    watch(options) {
      const directories = new Set<string>();
      const watch: Watch = {
        add(paths, sinceMs) {
          watcher.added.push({ directories: paths, sinceMs });
          for (const path of paths) directories.add(path);
          if (directories.size > options.maxDirectories) options.onTrouble('too_many_directories');
        },
        get directories() {
          return Math.min(directories.size, options.maxDirectories);
        },
        async close() {
          watches.delete(watch);
          if (watches.size === 0) watcher.added = [];
        },
      };
      watches.set(watch, { ...options, directories });
      return watch;
    },
    change(path, change = 'changed', kind = 'file') {
      for (const { directories, decide, onChange } of watches.values())
        if ([...directories].some((directory) => isInside(directory, path)) && decide(path, kind) === 'report')
          onChange({ path, change });
    },
    trouble(trouble) {
      for (const { onTrouble } of watches.values()) onTrouble(trouble);
    },
  };
  return watcher;
}
