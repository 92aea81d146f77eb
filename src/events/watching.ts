/**
 * Watches what listeners are interested in: the context of mounted directories that were resolved or explained of late
 * (SY-03, S-55). Nothing is watched while nobody listens, and no answer depends on it (CC-36).
 */

import { isPolicyFile } from '../access/policy-file-names.ts';
import { liesInRoots } from '../access/reach.ts';
import { wayAbove } from '../access/repositories.ts';
import type { NormalizedRequest } from '../context/normalize-request.ts';
import type { Clock, Files, Logger, Root, Watch, Watcher, WatchTrouble } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { createChangeWindow } from './change-window.ts';
import type { ContextChanged, ResyncReason } from './event.ts';
import { type Asked, createWatchedPlaces, type Source, type WatchedPlaces } from './watched-places.ts';

/** `degraded`: why changes may be told late or not at all. */
export type WatchingStatus = { directories: number; degraded?: 'polling' | 'too_many_directories' };

export type Watching = Readonly<{
  /**
   * Remembers that a request, which began at `askedAtMs`, was answered, and of which directories besides those on the way.
   * Costs next to nothing while nobody listens.
   */
  remember(answered: Answered, askedAtMs: number): void;
  start(): void;
  stop(): void;
  /** Begins again where something is watched, because other roots are granted now. */
  restart(): void;
  status(): WatchingStatus;
}>;

/** `sources` belong to each working directory in turn; `kind` keeps apart what is asked about one place in several ways. */
export type Answered = Pick<NormalizedRequest, 'mountedDirectory' | 'clientContextPath' | 'globalContextPath'> & {
  workingDirectories: readonly { path: string; sources?: readonly Source[] }[];
  kind?: string;
};

/** When something was last asked or watched, by the wall clock and by the monotonic one. */
type Remembered = { asked: Asked; askedAtMs: number; elapsedMs: number };

/** With more directories that no present answer is made of, the watch begins again without them. */
const maxStale = 256;
/** All who listen then ask again, so that it must be seldom. */
const staleMs = 60_000;
/** What was asked about longer ago is of no interest to a new listener. */
const recentMs = 60 * 60 * 1000;
/** What happened so shortly before the end may not have arrived yet; the next listener is told. */
const underWayMs = 1_000;

export function createWatching(options: {
  watcher: Watcher | undefined;
  files: Files;
  clock: Clock;
  logger: Logger;
  depth: number;
  locateRoots(): Promise<Root[]>;
  publish(type: 'context-changed' | 'policy-changed', data: ContextChanged): void;
  resync(reason: ResyncReason): void;
}): Watching {
  const { watcher, files, clock, logger, depth, locateRoots } = options;
  /** What was asked or watched longest ago comes first. */
  const asked = new Map<string, Remembered>();
  const contextWindow = createChangeWindow((data) => options.publish('context-changed', data));
  const policyWindow = createChangeWindow((data) => options.publish('policy-changed', data));
  const windows = [contextWindow, policyWindow];
  let watch: Watch | undefined;
  let places: WatchedPlaces = createWatchedPlaces({ depth });
  let watched = new Map<string, readonly Source[]>();
  /** Directories that are watched, and that no present answer is made of. */
  let stale = new Set<string>();
  let droppedAtMs = Number.NEGATIVE_INFINITY;
  let degraded: WatchingStatus['degraded'];

  const notice = (trouble: WatchTrouble): void => {
    if (trouble !== 'overflow') degraded = trouble;
    logger.warn({ trouble }, 'changes of context may be told late or not at all');
    options.resync(trouble);
  };

  function start(): void {
    if (watcher === undefined || watch !== undefined) return;
    const current = createWatchedPlaces({ depth });
    places = current;
    watched = new Map();
    stale = new Set();
    degraded = undefined;
    watch = watcher.watch({
      maxDirectories: fixedLimits.events.watchedDirectories,
      decide: current.decide,
      onTrouble: notice,
      onChange({ path, change, passed }) {
        if (current !== places) return;
        const names = current.namesOf(path);
        const window = isPolicyFile(path) ? policyWindow : contextWindow;
        for (const named of names) window.add([named.mountedDirectory], { path: named.path, change });
        if (passed) logger.debug({ path }, 'changed before it was watched');
      },
    });
    for (const [key, each] of asked) if (clock.elapsed() - each.elapsedMs <= recentMs) include(key, each, watch);
  }

  function include(key: string, each: Remembered, into: Watch): void {
    const { sources } = each.asked;
    const before = watched.get(key);
    if (before && isSame(before, sources)) return;
    watched.set(key, sources);
    for (const { directory } of before ?? []) stale.add(directory);
    for (const { directory } of sources) stale.delete(directory);
    const current = places;
    addTo(current, each.asked).then(
      (directories) => {
        if (current === places && into === watch) into.add(directories, sinceOf(each));
      },
      (error: unknown) => logger.warn({ err: error }, 'a directory cannot be watched'),
    );
  }

  /** Files are dated by the wall clock: where it was set back meanwhile, by what it says now (S-82). */
  function sinceOf({ askedAtMs, elapsedMs }: Remembered): number {
    return Math.min(askedAtMs, clock.now() - (clock.elapsed() - elapsedMs));
  }

  async function addTo(current: WatchedPlaces, each: Asked): Promise<string[]> {
    const roots = await locateRoots();
    return current.add(each, {
      async realPathOf(path) {
        const real = await files.realPath(path);
        const place = real.ok ? real.realPath : path;
        return liesInRoots(place, roots) ? place : undefined;
      },
      directoriesAbove: (realPath) => wayAbove(realPath, roots, files.stat),
    });
  }

  function stop(): void {
    for (const window of windows) window.flush();
    for (const key of watched.keys()) {
      const each = asked.get(key);
      const elapsedMs = clock.elapsed() - underWayMs;
      if (each && elapsedMs > each.elapsedMs) Object.assign(each, { askedAtMs: clock.now() - underWayMs, elapsedMs });
    }
    watched = new Map();
    const closing = watch?.close();
    watch = undefined;
    degraded = undefined;
    closing?.catch((error: unknown) => logger.warn({ err: error }, 'a watch could not be closed'));
  }

  function beginAgain(reason: ResyncReason): void {
    if (watch === undefined) return;
    for (const window of windows) window.clear();
    stop();
    start();
    options.resync(reason);
  }

  return Object.freeze({
    remember({ mountedDirectory, workingDirectories, clientContextPath, globalContextPath, kind = '' }, askedAtMs) {
      for (const { path: workingDirectory, sources: given } of workingDirectories) {
        const key = `${mountedDirectory}\n${workingDirectory}\n${clientContextPath}\n${globalContextPath}\n${kind}`;
        const sources = given ?? asked.get(key)?.asked.sources ?? [];
        const each = { mountedDirectory, workingDirectory, clientContextPath, globalContextPath, sources };
        const entry = { asked: each, askedAtMs, elapsedMs: clock.elapsed() };
        asked.delete(key);
        asked.set(key, entry);
        if (watch !== undefined) include(key, entry, watch);
      }
      for (const oldest of asked.keys()) {
        if (asked.size <= fixedLimits.events.watchedQuestions) break;
        asked.delete(oldest);
        for (const { directory } of watched.get(oldest) ?? []) stale.add(directory);
        if (watched.delete(oldest)) stale.add(oldest);
      }
      if (stale.size <= maxStale || clock.elapsed() - droppedAtMs < staleMs) return;
      droppedAtMs = clock.elapsed();
      beginAgain('overflow');
    },
    start,
    stop,
    restart: () => beginAgain('roots_changed'),
    status: () => ({ directories: watch?.directories ?? 0, degraded }),
  } satisfies Watching);
}

function isSame(before: readonly Source[], after: readonly Source[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((source, index) => {
    const { directory, key, decides } = after[index] as Source;
    return source.directory === directory && source.key === key && source.decides === decides;
  });
}
