/**
 * Finds files below a directory, level by level, within the limits of the run (CC-01, CC-04, CC-06, S-38, S-45, S-46).
 */
import type { TimeAllowance } from '../pace/time-allowance.ts';
import { createPause, type Pause } from '../pace/turns.ts';
import type { PathKind } from '../ports/ports.ts';
import type { Warning } from '../warnings.ts';
import type { DirectorySnapshot } from './gate.ts';
import { baseName, pathBelow } from './paths.ts';
import { liesInRoots, placesInRoots } from './reach.ts';
import type { World } from './world.ts';

/** A file that may be read, or something that is left out, with the reason. */
export type FoundEntry = {
  path: string;
  /** Why it cannot be a candidate, as in `excluded` of the answer. */
  refusal?: 'symlink' | 'not_regular_file' | 'unreadable' | 'undecodable_name' | 'outside_roots';
  /** Only if links are followed. */
  linkIs?: 'nowhere';
  isDirectory?: true;
};

/** No context is there, and both can be larger than everything else. Who lists all files of a tree skips them. */
export const skippedDirectories: readonly string[] = ['.git', 'node_modules'];

export type Walk = {
  /** Whether the start directory exists at all. */
  present: boolean;
  found: FoundEntry[];
  /** Everything that was listed. Two runs are compared by its identity. */
  evidence: unknown[];
  /** The directories that were listed. If the start does not exist, it is here without entries. */
  listed: { path: string; entries: DirectorySnapshot['entries'] }[];
};

/** `realPath`: only if links are followed. */
type Level = { path: string; realPath: string | undefined };
type Choice = { enter(directory: string): boolean; accept(path: string): boolean; allowance?: TimeAllowance };
/** One level of a walk. `walk` collects what is found, `next` the directories to enter. */
type LevelUnderWay = {
  walk: Walk;
  visited: Set<string>;
  next: Level[];
  depth: number;
  world: World;
  choose: Choice;
  pause: Pause;
};

/**
 * Walks below `start`, an absolute directory. `enter` decides which directories are entered, `accept` which files are
 * reported. The walk ends when `allowance` is used up. The order is by level, then by path.
 */
export async function walkTree(start: string, world: World, choose: Choice): Promise<Walk> {
  const walk: Walk = { present: true, found: [], evidence: [], listed: [] };
  // Real paths that were found, only if links are followed. They prevent loops and report each real file once.
  const visited = new Set<string>();
  const { roots, followSymlinks } = world.reach;
  const pause = createPause();
  if (world.isLate()) {
    world.leftOut.walkMs += 1;
    return walk;
  }
  const realStart = await world.gate.realPath(start);
  if (realStart.ok && !followSymlinks && !placesInRoots(start, roots).includes(realStart.realPath)) {
    // A cached listing does not show that a link has replaced a directory on the way.
    return unfollowed(start, world);
  }
  const isResolved = realStart.ok && followSymlinks;
  let level: Level[] = [{ path: start, realPath: isResolved ? realStart.realPath : undefined }];
  if (isResolved) visited.add(realStart.realPath);
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: Level[] = [];
    const underWay = { walk, visited, next, depth, world, choose, pause };
    for (let at = 0; at < level.length; at += parallelListings) {
      if (world.isLate()) {
        world.leftOut.walkMs += level.length - at;
        return walk;
      }
      const batch = level.slice(at, at + parallelListings);
      const listings = await Promise.all(batch.map(({ path }) => world.gate.list(path, world.reach)));
      for (const [index, listing] of listings.entries()) {
        const directory = batch[index] as Level;
        if (!listing.ok) noteUnlisted(directory.path, listing.code, { walk, start });
        else if (!(await takeEntries(listing.snapshot, directory, underWay))) return walk;
      }
      // Nothing of further directories would be taken, and a warning already says that entries are left out.
      if (world.entriesLeft <= 0 && world.leftOut.entries > 0) return walk;
    }
    level = next;
  }
  return walk;
}

const parallelListings = 64;

/** The walk of a directory behind a link that is not followed. */
export function unfollowed(start: string, { reach }: World): Walk {
  const refusal = reach.followSymlinks ? 'outside_roots' : 'symlink';
  return {
    present: true,
    found: [{ path: start, refusal, isDirectory: true }],
    evidence: [`${start}:${refusal}`],
    listed: [],
  };
}

/** Returns false if the allowance is used up before all entries of the directory are checked. */
async function takeEntries(
  snapshot: DirectorySnapshot,
  { path: directory, realPath: realDirectory }: Level,
  level: LevelUnderWay,
): Promise<boolean> {
  const { walk, world, choose, pause } = level;
  walk.evidence.push(snapshot);
  walk.listed.push(snapshot);
  world.reach.policies.notice(snapshot);
  if (snapshot.truncated) world.leftOut.entries += 1;
  const leftOutBefore = world.leftOut.entries;
  for (const entry of snapshot.entries) {
    if (world.entriesLeft <= 0) {
      world.leftOut.entries += 1;
      continue;
    }
    if (choose.allowance?.isOver()) {
      world.leftOut.includes += 1;
      return false;
    }
    world.entriesLeft -= 1;
    const turn = choose.allowance?.pause() ?? pause();
    if (turn) await turn;
    const path = pathBelow(directory, entry.name);
    const realPath = realDirectory === undefined ? undefined : pathBelow(realDirectory, entry.name);
    if (entry.undecodable) {
      if (choose.accept(path)) walk.found.push({ path, refusal: 'undecodable_name' });
    } else if (entry.kind === 'symlink') await meetLink(path, level);
    else meet({ path, realPath }, entry.kind, level);
  }
  // The same listing has another meaning if less of it could be checked.
  const unseen = world.leftOut.entries - leftOutBefore;
  if (unseen > 0) walk.evidence.push(`${directory}:${unseen} entries left out`);
  return true;
}

async function meetLink(path: string, level: LevelUnderWay): Promise<void> {
  const { walk, world, choose } = level;
  // Emacs puts a link that leads nowhere beside each file that is edited.
  if (baseName(path).startsWith('.#') && (await leadsNowhere(path, world))) {
    walk.evidence.push(`${path}:nowhere`);
    return;
  }
  if (!world.reach.followSymlinks) {
    if (choose.accept(path)) walk.found.push({ path, refusal: 'symlink' });
    return;
  }
  const target = await followLink(path, world);
  if ('refusal' in target) {
    walk.evidence.push(`${path}:${target.refusal}`);
    if (choose.accept(path)) walk.found.push({ path, ...target });
    return;
  }
  // A link on the way to the target can change without a change of any listing.
  walk.evidence.push(`${path}:${target.realPath}`);
  meet({ path, realPath: target.realPath }, target.kind, level);
}

function meet(place: Level, kind: PathKind, level: LevelUnderWay): void {
  const { walk, visited, next, depth, world, choose } = level;
  const { path, realPath } = place;
  if (realPath !== undefined) {
    if (visited.has(realPath)) return;
    visited.add(realPath);
  }
  if (kind === 'directory') {
    if (!choose.enter(path)) return;
    if (depth >= world.limits.depth) world.leftOut.depth += 1;
    else next.push(place);
  } else if (choose.accept(path)) {
    walk.found.push(kind === 'file' ? { path } : { path, refusal: 'not_regular_file' });
  }
}

function noteUnlisted(directory: string, code: string, { walk, start }: { walk: Walk; start: string }): void {
  walk.evidence.push(`${directory}:${code}`);
  if (directory === start && code === 'not_found') {
    walk.present = false;
    walk.listed.push({ path: start, entries: [] });
  } else walk.found.push({ path: directory, refusal: directoryRefusal(code), isDirectory: true });
}

/** Warnings about folders that could not be listed. */
export function unlistedWarnings({ found }: Walk): Warning[] {
  const paths = found.filter(({ refusal, isDirectory }) => isDirectory && refusal === 'unreadable');
  if (paths.length === 0) return [];
  const message =
    paths.length === 1
      ? '1 folder could not be read and is left out.'
      : `${paths.length} folders could not be read and are left out.`;
  return [{ code: 'unreadable', message, path: (paths[0] as FoundEntry).path }];
}

function directoryRefusal(code: string): NonNullable<FoundEntry['refusal']> {
  if (code === 'symlink' || code === 'outside_roots') return code;
  return ['not_directory', 'not_regular_file', 'pseudo_file'].includes(code) ? 'not_regular_file' : 'unreadable';
}

async function leadsNowhere(path: string, { gate }: World): Promise<boolean> {
  const real = await gate.realPath(path);
  return !real.ok && real.code === 'not_found';
}

const leadsToNothing = { refusal: 'symlink', linkIs: 'nowhere' } as const;

async function followLink(
  path: string,
  world: World,
): Promise<{ kind: PathKind; realPath: string } | { refusal: 'outside_roots' } | typeof leadsToNothing> {
  const real = await world.gate.realPath(path);
  if (!real.ok) return leadsToNothing;
  if (!liesInRoots(real.realPath, world.reach.roots)) return { refusal: 'outside_roots' };
  const stat = await world.gate.stat(real.realPath);
  return stat.ok ? { kind: stat.kind, realPath: real.realPath } : leadsToNothing;
}
