/** What one run of a verb uses to read the disk: gate, roots, policies and limits, and what the limits left out. */

import type { createTimeAllowances } from '../pace/time-allowance.ts';
import { fixedLimits, type Limits } from '../settings.ts';
import { limitWarnings, type Warning } from '../warnings.ts';
import type { ContentReach } from './content-policy.ts';
import type { Gate } from './gate.ts';
import type { Trace } from './trace.ts';

/** Gives a path below the mounted directory the name that it has there. Other paths stay unchanged. */
export type Placing = (absolutePath: string) => Promise<string>;

export type World = {
  mountedDirectory: string;
  homeDirectory: string;
  gate: Gate;
  reach: ContentReach;
  placing: Placing;
  limits: Limits;
  /** The setting of the daemon. A request can name another one. */
  clientContextPath: string;
  /** How many more directory entries the run may read. */
  entriesLeft: number;
  /**
   * For each directory on the way to an owner: its `stat`, or `reached` if neither it nor one above it ends the way.
   */
  onTheWay: Map<string, ReturnType<Gate['stat']> | 'reached'>;
  /** Whether the deadline of the run has passed. */
  isLate(): boolean;
  allowances: ReturnType<typeof createTimeAllowances>;
  /** What was left out, by limit. */
  leftOut: { entries: number; depth: number; walkMs: number; owners: number; includes: number; excludes: number };
  /** Present if the caller asked why. It records every decision. */
  trace?: Trace;
};

export const includeFilesPointer = '/clientContext/includeFiles';

/**
 * Warnings for what the limits of a request left out (CC-06). A warning points to `includeFiles` if nothing was left
 * out before patterns were searched; `beforePatterns` has the counts of that time.
 */
export function warningsOfLimits(world: World, beforePatterns: World['leftOut'] = world.leftOut): Warning[] {
  const { leftOut, limits } = world;
  const { entries, depth, walkMs, owners, includes, excludes } = leftOut;
  const folders = (count: number, which = ''): string =>
    `${count} ${which}${count === 1 ? 'folder was' : 'folders were'} left out.`;
  const pointer = (before: number) => (before === 0 ? { pointer: includeFilesPointer } : {});
  return limitWarnings([
    {
      code: 'limit_entries',
      leftOut: entries,
      message: `At most ${limits.entries} directory entries are read per request; at least ${entries} more were left out.`,
      ...pointer(beforePatterns.entries),
    },
    {
      code: 'limit_depth',
      leftOut: depth,
      message: `Folders are searched ${limits.depth} levels deep; ${folders(depth, 'deeper ')}`,
    },
    {
      code: 'limit_walk_time',
      leftOut: walkMs,
      message: `Searching stops after ${limits.walkMs} ms; ${folders(walkMs)}`,
      ...pointer(beforePatterns.walkMs),
    },
    {
      code: 'limit_ancestors',
      leftOut: owners,
      message: `Context is searched in the ${fixedLimits.context.owners} directories nearest to the working directory; ${owners} above them were left out.`,
    },
    {
      code: 'limit_match_time',
      leftOut: includes,
      message: `Matching of includeFiles, and of patterns in settings of other tools, stops after ${limits.includeMatchMs} ms; files that were not found by then are left out.`,
    },
    {
      code: 'limit_match_time',
      leftOut: excludes,
      message: `Matching of excludeFiles stops after ${limits.excludeMatchMs} ms; ${excludes} files that were not decided by then are left out.`,
    },
  ]);
}
