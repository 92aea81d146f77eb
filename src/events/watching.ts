/**
 * Watches the context of mounted directories that were recently resolved or explained (SY-03, S-55). Watches nothing
 * while there are no listeners. No answer depends on a watch (CC-36).
 */

import { liesInRoots } from '../access/reach.ts';
import { realPathOf } from '../access/real-place.ts';
import { wayAbove } from '../access/repositories.ts';
import type { NormalizedRequest } from '../context/normalize-request.ts';
import type { Clock, Files, Logger, Root, Watch, Watcher, WatchTrouble } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { createChangeWindow } from './change-window.ts';
import type { ContextChanged, ResyncReason } from './event.ts';
import {
  type Asked,
  createWatchedPlaces,
  directoryDecidedBy,
  type Source,
  type WatchedPlaces,
} from './watched-places.ts';

/** `degraded`: why changes may be reported late or not at all. */
export type WatchingStatus = { directories: number; degraded?: 'polling' | 'too_many_directories' };

export type Watching = Readonly<{
  /**
   * Remembers a request that began at `askedAtMs`, and the directories that its answer depends on. This is cheap while
   * there are no listeners.
   */
  remember(answered: Answered, askedAtMs: number): void;
  start(): void;
  stop(): void;
  /** Restarts a running watch, because the granted roots changed. */
  restart(): void;
  status(): WatchingStatus;
}>;

/**
 * `sources`: of the working directory; default: the earlier ones. `kind`: distinguishes different requests about one
 * place.
 */
export type Answered = Pick<NormalizedRequest, 'mountedDirectory' | 'clientContextPath' | 'globalContextPath'> & {
  workingDirectories: readonly { path: string; sources?: readonly Source[] }[];
  kind?: string;
};

/** When a request was last made or watched, by the wall clock and by the monotonic clock. */
type Remembered = { asked: Asked; askedAtMs: number; elapsedMs: number };

/** With more watched directories that no current answer depends on, the watch is restarted without them. */
const maxStale = 256;
/** The minimum time between such restarts, because all listeners then ask again. */
const staleMs = 60_000;
/** Older requests do not interest a new listener. */
const recentMs = 60 * 60 * 1000;
/** Changes so shortly before the end may not have arrived yet. The next listener gets them. */
const underWayMs = 1_000;

type WatchingOptions = {
  watcher: Watcher | undefined;
  files: Files;
  clock: Clock;
  logger: Logger;
  depth: number;
  locateRoots(): Promise<Root[]>;
  publish(type: 'context-changed' | 'policy-changed', data: ContextChanged): void;
  resync(reason: ResyncReason): void;
};

/** The remembered requests, and what is watched for them. */
function createWatchingState(options: WatchingOptions) {
  const { publish, depth } = options;
  return {
    ...options,
    /** The least recent first. */
    asked: new Map<string, Remembered>(),
    contextWindow: createChangeWindow((data) => publish('context-changed', data)),
    policyWindow: createChangeWindow((data) => publish('policy-changed', data)),
    watch: undefined as Watch | undefined,
    places: createWatchedPlaces({ depth }),
    watched: new Map<string, readonly Source[]>(),
    /** Watched directories that no current answer depends on. */
    stale: new Set<string>(),
    droppedAtMs: Number.NEGATIVE_INFINITY,
    degraded: undefined as WatchingStatus['degraded'],
  };
}
type WatchingState = ReturnType<typeof createWatchingState>;

export function createWatching(options: WatchingOptions): Watching {
  const watching = createWatchingState(options);

  return Object.freeze({
    remember({ mountedDirectory, workingDirectories, clientContextPath, globalContextPath, kind = '' }, askedAtMs) {
      for (const { path: workingDirectory, sources: given } of workingDirectories) {
        const key = `${mountedDirectory}\n${workingDirectory}\n${clientContextPath}\n${globalContextPath}\n${kind}`;
        const sources = given ?? watching.asked.get(key)?.asked.sources ?? [];
        const each = { mountedDirectory, workingDirectory, clientContextPath, globalContextPath, sources };
        const entry = { asked: each, askedAtMs, elapsedMs: watching.clock.elapsed() };
        watching.asked.delete(key);
        watching.asked.set(key, entry);
        include(watching, key, entry);
      }
      for (const oldest of watching.asked.keys()) {
        if (watching.asked.size <= fixedLimits.events.watchedQuestions) break;
        watching.asked.delete(oldest);
        for (const { directory } of watching.watched.get(oldest) ?? []) watching.stale.add(directory);
        if (watching.watched.delete(oldest)) watching.stale.add(oldest);
      }
      if (watching.stale.size <= maxStale || watching.clock.elapsed() - watching.droppedAtMs < staleMs) return;
      watching.droppedAtMs = watching.clock.elapsed();
      beginAgain(watching, 'overflow');
    },
    start: () => start(watching),
    stop: () => stop(watching),
    restart: () => beginAgain(watching, 'roots_changed'),
    status: () => ({
      directories: watching.watch?.directories ?? 0,
      degraded: watching.degraded,
    }),
  } satisfies Watching);
}

function notice(watching: WatchingState, trouble: WatchTrouble): void {
  if (trouble !== 'overflow') watching.degraded = trouble;
  watching.logger.warn({ trouble }, 'changes of context may be reported late or not at all');
  watching.resync(trouble);
}

function start(watching: WatchingState): void {
  if (watching.watcher === undefined || watching.watch !== undefined) return;
  const current = createWatchedPlaces({ depth: watching.depth });
  watching.places = current;
  watching.watched = new Map();
  watching.stale = new Set();
  watching.degraded = undefined;
  watching.watch = watching.watcher.watch({
    maxDirectories: fixedLimits.events.watchedDirectories,
    decide: current.decide,
    onTrouble: (trouble) => notice(watching, trouble),
    onChange({ path, change, passed }) {
      if (current !== watching.places) return;
      const names = current.namesOf(path);
      const window = directoryDecidedBy(path) === undefined ? watching.contextWindow : watching.policyWindow;
      for (const named of names) window.add([named.mountedDirectory], { path: named.path, change });
      if (passed) watching.logger.debug({ path }, 'changed before it was watched');
    },
  });
  for (const [key, each] of watching.asked)
    if (watching.clock.elapsed() - each.elapsedMs <= recentMs) include(watching, key, each);
}

function include(watching: WatchingState, key: string, each: Remembered): void {
  const { watch } = watching;
  if (watch === undefined) return;
  const { sources } = each.asked;
  const before = watching.watched.get(key);
  if (before && isSame(before, sources)) return;
  watching.watched.set(key, sources);
  for (const { directory } of before ?? []) watching.stale.add(directory);
  for (const { directory } of sources) watching.stale.delete(directory);
  const current = watching.places;
  addTo(watching, current, each.asked).then(
    (directories) => {
      if (current === watching.places && watch === watching.watch) watch.add(directories, sinceOf(watching, each));
    },
    (error: unknown) => watching.logger.warn({ err: error }, 'a directory cannot be watched'),
  );
}

/**
 * File times come from the wall clock. If it was set back meanwhile, the time is computed from its present value
 * (S-82).
 */
function sinceOf(watching: WatchingState, { askedAtMs, elapsedMs }: Remembered): number {
  return Math.min(askedAtMs, watching.clock.now() - (watching.clock.elapsed() - elapsedMs));
}

async function addTo(watching: WatchingState, current: WatchedPlaces, each: Asked): Promise<string[]> {
  const roots = await watching.locateRoots();
  const { realPath } = watching.files;
  return current.add(each, {
    realPathAnywhere: (path) => realPathOf(path, realPath),
    async realPathOf(path) {
      const place = (await realPathOf(path, realPath)) ?? path;
      return liesInRoots(place, roots) ? place : undefined;
    },
    directoriesAbove: (realPath) => wayAbove(realPath, roots, watching.files.stat),
  });
}

function stop(watching: WatchingState): void {
  for (const window of [watching.contextWindow, watching.policyWindow]) window.flush();
  for (const key of watching.watched.keys()) {
    const each = watching.asked.get(key);
    const elapsedMs = watching.clock.elapsed() - underWayMs;
    if (each && elapsedMs > each.elapsedMs)
      Object.assign(each, { askedAtMs: watching.clock.now() - underWayMs, elapsedMs });
  }
  watching.watched = new Map();
  const closing = watching.watch?.close();
  watching.watch = undefined;
  watching.degraded = undefined;
  closing?.catch((error: unknown) => watching.logger.warn({ err: error }, 'a watch could not be closed'));
}

function beginAgain(watching: WatchingState, reason: ResyncReason): void {
  if (watching.watch === undefined) return;
  for (const window of [watching.contextWindow, watching.policyWindow]) window.clear();
  stop(watching);
  start(watching);
  watching.resync(reason);
}

function isSame(before: readonly Source[], after: readonly Source[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((source, index) => {
    const { directory, key, decides } = after[index] as Source;
    return source.directory === directory && source.key === key && source.decides === decides;
  });
}
