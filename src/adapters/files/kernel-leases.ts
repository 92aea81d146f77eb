/**
 * Leases by inotify. The kernel queues an event before a change returns to the process that makes it. So when all events
 * of the queue were delivered, each change that returned before is known. Each place is watched that was seen, and each
 * directory above it: a watch of a directory tells of entries that come, go or are replaced, a watch of a file also of
 * writes through another hard link. Some changes have no event, for example writes through a memory map. So a lease
 * ends after a second.
 */
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import { baseName, directoriesBetween, joinPath, parentPath } from '../../access/paths.ts';
import type { Files, Leases, SeenPaths } from '../../ports/ports.ts';
import {
  countKernelEvent,
  kernelEventsDelivered,
  kernelEventsUncountedAtMs,
  kernelWatchEnded,
  onKernelBurst,
} from './kernel-queue.ts';

const termMs = 1_000;
/** What could not be watched is not tried again for so long. */
const refusedMs = 10_000;
/** Max looks of one lease: to begin it takes up to 15 ms, in one turn. */
const maxLooks = 512;
/** Max watched places. Other programs of the user share the watches of the system, at least 8,192. */
const maxWatched = 1_000;
/** Max places, including those where nothing is. */
const maxPlaces = 8_192;
/** So many events in one turn count as a full queue, far below its size. */
const burstEvents = 1_024;
const queueSizeFile = '/proc/sys/fs/inotify/max_queued_events';

/**
 * `isSeen`: more was seen of it than that it is on the way, so each entry that comes or goes counts. `identity`: of what
 * is watched; undefined if nothing was there.
 */
type Place = { uses: number; isSeen: boolean; isDirectory: boolean; identity?: string; watcher?: FSWatcher };
type Lease = { paths: string[]; begunAtMs: number; checkedAtMs: number; usedAtMs: number };
type State = ReturnType<typeof createState>;

const createState = () => ({
  places: new Map<string, Place>(),
  leases: new Map<object, Lease>(),
  /** When looks were last checked without a lease, or until when no lease on them is taken. */
  checks: new WeakMap<object, number>(),
  /** When the last change of a watched place was told. A lease is valid if all was looked at later. */
  changedAtMs: Number.NEGATIVE_INFINITY,
  watched: 0,
  refusedAtMs: Number.NEGATIVE_INFINITY,
});

/** Leases that nobody asks for so long end: `unusedMs`. Undefined where the kernel has no such queue. */
export function createKernelLeases({ statSoon }: Pick<Files, 'statSoon'>, unusedMs = 5_000): Leases | undefined {
  if (queueSize() < 4 * burstEvents) return undefined;
  const state = createState();
  const endBursts = onKernelBurst(burstEvents, () => endAll(state));
  let sweep: NodeJS.Timeout | undefined;
  const sweepLater = (): void => {
    sweep ??= setTimeout(() => {
      sweep = undefined;
      endUnused(state, unusedMs);
      if (state.leases.size > 0) sweepLater();
    }, unusedMs).unref();
  };
  return {
    async hold(looks) {
      const lease = state.leases.get(looks);
      if (lease === undefined) return false;
      await kernelEventsDelivered();
      const nowMs = performance.now();
      const lastAtMs = Math.max(state.changedAtMs, kernelEventsUncountedAtMs());
      const isValid = lease.checkedAtMs > lastAtMs && nowMs - lease.checkedAtMs < termMs;
      if (isValid) lease.usedAtMs = nowMs;
      return isValid;
    },
    take(looks, seen, sinceMs) {
      const lease = state.leases.get(looks) ?? begin({ state, statSoon, startMs: performance.now() }, looks, seen);
      if (lease === undefined) return undefined;
      sweepLater();
      return () => {
        lease.usedAtMs = sinceMs;
        // What was looked at before it was watched may have changed in between.
        if (sinceMs > lease.begunAtMs) lease.checkedAtMs = sinceMs;
      };
    },
    close() {
      clearTimeout(sweep);
      endBursts();
      endAll(state);
    },
  };
}

type Taking = Pick<Files, 'statSoon'> & { state: State; startMs: number };

/** A lease that is not valid yet, if these looks are checked often, and all that was seen can be watched. */
function begin({ state, statSoon, startMs }: Taking, looks: object, { stat, realPath }: SeenPaths): Lease | undefined {
  if (stat.length + realPath.length > maxLooks) return undefined;
  const before = state.checks.get(looks) ?? Number.NEGATIVE_INFINITY;
  if (before > startMs) return undefined;
  state.checks.set(looks, startMs);
  if (before <= Math.max(startMs - termMs, state.changedAtMs)) return undefined;
  if (startMs - state.refusedAtMs < refusedMs) return undefined;
  const lease: Lease = { paths: [], begunAtMs: 0, checkedAtMs: Number.NEGATIVE_INFINITY, usedAtMs: startMs };
  const seen = new Set(stat);
  const passed = new Set([...stat, ...realPath].flatMap((path) => directoriesBetween('/', parentPath(path))));
  for (const path of realPath) passed.add(path);
  for (const path of passed.union(seen)) {
    const uses = { isSeen: seen.has(path), isPassed: passed.has(path), there: statSoon(path) };
    const held = holdPlace(state, path, uses);
    if (held === 'held') {
      lease.paths.push(path);
      continue;
    }
    if (held === 'full') state.refusedAtMs = startMs;
    if (held === 'unwatchable') state.checks.set(looks, startMs + refusedMs);
    if (held === 'replaced') endAll(state);
    release(state, lease);
    return undefined;
  }
  state.leases.set(looks, lease);
  lease.begunAtMs = performance.now();
  return lease;
}

type Held = 'held' | 'full' | 'unwatchable' | 'replaced';
type Use = { isSeen: boolean; isPassed: boolean; there: ReturnType<Files['statSoon']> };

/**
 * Watches a place, if something is there. `unwatchable`: on a network file system, where a link is on the way, or where
 * the user may not read. `full`: no more watches. `replaced`: something else is watched than what is there, for example
 * because a mount covers it.
 */
function holdPlace(state: State, path: string, { isSeen, isPassed, there }: Use): Held {
  if (there instanceof Promise) return 'unwatchable';
  if (!there.ok && there.code !== 'not_found') return 'unwatchable';
  if (there.ok && there.kind === 'symlink' && isPassed) return 'unwatchable';
  const known = state.places.get(path);
  const identity = there.ok ? there.identity : undefined;
  if (known && known.identity !== identity) return 'replaced';
  if (known) {
    known.uses += 1;
    known.isSeen ||= isSeen;
    return 'held';
  }
  if (state.places.size >= maxPlaces || state.watched >= maxWatched) return 'full';
  const isWatched = there.ok && (there.kind === 'file' || there.kind === 'directory');
  try {
    const watcher = isWatched ? watchPlace(state, path) : undefined;
    const isDirectory = there.ok && there.kind === 'directory';
    state.places.set(path, { uses: 1, isSeen, isDirectory, identity, watcher });
    return 'held';
  } catch (error) {
    return ['ENOSPC', 'EMFILE'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'full' : 'unwatchable';
  }
}

function watchPlace(state: State, path: string): FSWatcher {
  const watcher = watch(path, { persistent: false }, (type, name) => told(state, path, { type, name }));
  watcher.on('error', () => endAll(state));
  state.watched += 1;
  return watcher;
}

/** An event of a watched place itself, which is told with its own name, or of an entry of a directory. */
function told(state: State, path: string, { type, name }: { type: string; name: string | null }): void {
  countKernelEvent();
  const place = state.places.get(path);
  const isOfEntry = place?.isDirectory === true && name !== null && name !== baseName(path);
  // The time of a directory changes with an entry that comes or goes.
  const isSeen = !isOfEntry || state.places.has(joinPath(path, name)) || (type === 'rename' && place.isSeen);
  if (!isSeen) return;
  state.changedAtMs = performance.now();
  // A watch stays with what was there before.
  if (type === 'rename') endAll(state);
}

function endAll(state: State): void {
  for (const { watcher } of state.places.values()) watcher?.close();
  state.places.clear();
  state.leases.clear();
  state.watched = 0;
  kernelWatchEnded();
}

function endUnused(state: State, unusedMs: number): void {
  const nowMs = performance.now();
  for (const [looks, lease] of state.leases) {
    if (nowMs - lease.usedAtMs < unusedMs) continue;
    state.leases.delete(looks);
    release(state, lease);
  }
}

function release(state: State, { paths }: Lease): void {
  for (const path of paths) {
    const place = state.places.get(path);
    if (place === undefined) continue;
    place.uses -= 1;
    if (place.uses > 0) continue;
    state.places.delete(path);
    if (place.watcher === undefined) continue;
    place.watcher.close();
    state.watched -= 1;
    kernelWatchEnded();
  }
}

function queueSize(): number {
  if (process.platform !== 'linux') return 0;
  try {
    return Number(readFileSync(queueSizeFile, 'utf8'));
  } catch {
    return 0;
  }
}
