/** The gate, the granted roots and the policies that all verbs share, and the world of each run. */

import type { EndingFiles } from '../access/ending-files.ts';
import { createGate, type Gate, type Unsaved } from '../access/gate.ts';
import { createHomePlaces } from '../access/home-places.ts';
import type { LookRecorder } from '../access/looks.ts';
import { isInside, joinPath, normalizePath, relativePath } from '../access/paths.ts';
import { liesInRoots, placesInRoots } from '../access/reach.ts';
import { createRootPlaces } from '../access/root-places.ts';
import { createRootVerbs, type RootVerbs } from '../access/roots.ts';
import type { Trace } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { chooseFormats, homePathsOf } from '../context/formats/choose-formats.ts';
import { createPlacing } from '../context/placing.ts';
import { globalContextDirectory } from '../context/sources/global.ts';
import { createIgnoreFiles } from '../ignore/ignore-files.ts';
import { createTimeAllowances } from '../pace/time-allowance.ts';
import type { Clock, Root } from '../ports/ports.ts';
import type { RootStore } from '../ports/store/store.ts';
import type { EngineSettings, Limits } from '../settings.ts';
import { createPolicies, type Policies } from './policies.ts';

/**
 * `unsaved`: texts that replace files on disk. `recorder`: records the questions to the disk. `roots`: the places of
 * granted roots, if they were located just now.
 */
export type WorldOptions = {
  trace?: Trace | undefined;
  within?: Limits;
  unsaved?: Unsaved | undefined;
  recorder?: LookRecorder | undefined;
  roots?: readonly Root[];
};

export type Worlds = Readonly<{
  gate: Gate;
  roots: RootVerbs;
  policies: Policies;
  /**
   * The context of one run. `mountedDirectory` is absolute and normalised. Does not check whether it may be read.
   * Throws `unavailable` if its disk does not answer.
   */
  createWorld(mountedDirectory: string, options?: WorldOptions): Promise<World>;
}>;

/**
 * `grantedRoots`, absolute, are granted until the process ends. `deniedDirectories`, absolute, are never read (S-08).
 */
export function createWorlds(options: {
  files: EndingFiles;
  clock: Clock;
  rootStore: RootStore;
  settings: EngineSettings;
  grantedRoots: readonly string[];
  deniedDirectories?: readonly string[];
}): Worlds {
  const { files, clock, rootStore, settings, grantedRoots, deniedDirectories = [] } = options;
  const { limits, followSymlinks, clientContextPath, defaultPolicy } = settings;
  const homeDirectory = files.homeDirectory();
  const globalDirectories = globalDirectoriesOf(settings, homeDirectory);
  const saved = createGate({
    files,
    clock,
    maxEntries: limits.entries,
    clientContextPath,
    deniedDirectories,
    maskSecrets: settings.maskSecrets,
  });
  const homePaths = homePathsOf(chooseFormats(settings.formats));
  const roots = createRootVerbs({
    files,
    store: rootStore,
    clock,
    startRoots: grantedRoots,
    globalDirectories,
    homePlaces: createHomePlaces({ files, clock, paths: homePaths }),
  });
  const policies = createPolicies({
    gate: saved,
    clock,
    defaultPolicy,
    ignoreFiles: createIgnoreFiles({ gate: saved, ignoreFiles: settings.ignoreFiles, homeDirectory }),
    globalPlaces: [...globalDirectories, ...homePaths.map((path) => joinPath(homeDirectory, path))],
    policyBytes: limits.configBytes,
  });
  const homeNames = namesBelowHome(homeDirectory, files);
  return Object.freeze({
    gate: saved,
    roots,
    policies,
    async createWorld(
      mountedDirectory: string,
      { trace, within = limits, unsaved, recorder, ...given }: WorldOptions = {},
    ) {
      const onDisk = recorder === undefined ? saved : saved.recorded(recorder);
      const gate = unsaved === undefined || unsaved.texts.size === 0 ? onDisk : onDisk.withUnsaved(unsaved.texts);
      // First, because a disk that is asleep does not tell where its roots lie.
      const real = await gate.realPath(mountedDirectory);
      const located = await homeNames(given.roots ?? (await roots.locate()));
      const reach = { roots: withMounted(mountedDirectory, real, located), followSymlinks };
      const deadline = clock.elapsed() + within.walkMs;
      const allowances = createTimeAllowances(clock, within);
      const run = policies.openRun({
        ...reach,
        mountedDirectory,
        gate: unsaved?.decides === false ? onDisk : gate,
        allowance: allowances.policies,
      });
      return {
        mountedDirectory,
        homeDirectory,
        gate,
        reach: { ...reach, policies: run },
        placing: createPlacing(mountedDirectory, { realPath: gate.realPath, locateRoots: async () => reach.roots }),
        limits: within,
        clientContextPath,
        entriesLeft: within.entries,
        onTheWay: new Map(),
        isLate: () => clock.elapsed() > deadline,
        allowances,
        leftOut: { entries: 0, depth: 0, walkMs: 0, owners: 0, includes: 0, excludes: 0 },
        trace,
      };
    },
  });
}

/**
 * Only a directory below the base is the user's global context. A client context path that leads out of the base grants
 * nothing (S-35).
 */
function globalDirectoriesOf(
  { globalContextPath, clientContextPath }: EngineSettings,
  homeDirectory: string,
): string[] {
  const base = normalizePath(globalContextPath ?? homeDirectory);
  const { path } = globalContextDirectory(base, clientContextPath);
  return isInside(base, path) ? [path] : [];
}

/**
 * If the home directory is a link, roots below it have another name, which `~` gives them (CC-03, AN-03). The link is
 * looked at until it is found, and not again.
 */
function namesBelowHome(home: string, files: EndingFiles): (roots: readonly Root[]) => Promise<readonly Root[]> {
  const { inTime } = createRootPlaces(files);
  let real: string | undefined;
  return async (roots) => {
    if (real === undefined) {
      const found = await inTime(home, files.realPath);
      if (found?.ok) real = found.realPath;
    }
    const place = real ?? home;
    if (place === home) return roots;
    const known = new Set(roots.map(({ path }) => path));
    const named = roots
      .filter(({ realPath }) => isInside(place, realPath))
      .map(({ realPath }): Root => ({ path: joinPath(home, relativePath(place, realPath)), realPath }));
    return [...roots, ...named.filter(({ path }) => !known.has(path))];
  };
}

/**
 * If the mounted directory is reached through a link and is really inside a granted root, it is a root by that name
 * too: the user chose this link. Links below it are not followed because of this (S-37).
 */
function withMounted(
  mountedDirectory: string,
  real: Awaited<ReturnType<Gate['realPath']>>,
  roots: readonly Root[],
): readonly Root[] {
  if (!real.ok || !liesInRoots(real.realPath, roots)) return roots;
  const { realPath } = real;
  return placesInRoots(mountedDirectory, roots).includes(realPath)
    ? roots
    : [...roots, { path: mountedDirectory, realPath }];
}

/** The limits of verbs that read a whole tree. They may take longer than a request, because no model waits for them. */
export function treeLimits(limits: Limits): Limits {
  const { entries, depth, walkMs, contextFiles, policyMs } = limits;
  const more = { walkMs: 5 * walkMs, policyMs: 5 * policyMs, contextFiles: 5 * contextFiles };
  return { ...limits, entries: 4 * entries, depth: 4 * depth, ...more };
}
