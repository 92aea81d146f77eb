/** Joins many changes into few events (S-55). */

import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import type { ContextChange, ContextChanged } from './event.ts';

type ChangeWindow = {
  add(mountedDirectories: Iterable<string>, change: ContextChange): void;
  /** Publishes the collected changes now. */
  flush(): void;
  /** Forgets the collected changes. */
  clear(): void;
};

const windowMs = 50;

/** Collects changes for 50 ms from the first one, then publishes them as one. */
export function createChangeWindow(publish: (data: ContextChanged) => void): ChangeWindow {
  const mounted = new Set<string>();
  const changes = new Map<string, ContextChange['change']>();
  let truncated: true | undefined;
  let timer: NodeJS.Timeout | undefined;

  const clear = (): void => {
    clearTimeout(timer);
    timer = undefined;
    mounted.clear();
    changes.clear();
    truncated = undefined;
  };
  const flush = (): void => {
    const data: ContextChanged = {
      mountedDirectories: [...mounted].sort(),
      changes: [...changes].sort(([a], [b]) => compareText(a, b)).map(([path, change]) => ({ path, change })),
      truncated,
    };
    clear();
    if (data.changes.length > 0) publish(data);
  };

  return {
    add(mountedDirectories, { path, change }) {
      for (const directory of mountedDirectories) mounted.add(directory);
      const before = changes.get(path);
      if (before !== undefined || changes.size < fixedLimits.events.changes) changes.set(path, bothOf(before, change));
      else truncated = true;
      timer ??= setTimeout(flush, windowMs);
    },
    flush,
    clear,
  };
}

function bothOf(before: ContextChange['change'] | undefined, after: ContextChange['change']): ContextChange['change'] {
  if (before === 'removed' && after === 'added') return 'changed';
  return before === 'added' && after === 'changed' ? 'added' : after;
}
