/** What one run of `resolve` carries along while it looks at the disk. */

import type { createTimeAllowances } from '../pace/time-allowance.ts';
import { fixedLimits, type Limits } from '../settings.ts';
import { limitWarnings, type Warning } from '../warnings.ts';
import type { ContentReach } from './content-policy.ts';
import type { Gate } from './gate.ts';
import type { Trace } from './trace.ts';

/** Gives a path below the mounted directory the name that it has there; any other stays as it is. */
export type Placing = (absolutePath: string) => Promise<string>;

/**
 * `entriesLeft` and `deadline` (monotonic milliseconds) bound the whole run; `leftOut` counts what they cost, by limit;
 * `isLate` tells whether the deadline has passed.
 */
export type World = {
  mountedDirectory: string;
  homeDirectory: string;
  gate: Gate;
  reach: ContentReach;
  placing: Placing;
  limits: Limits;
  /** The daemon's own setting; a request may name another. */
  clientContextPath: string;
  entriesLeft: number;
  /** By directory on the way to an owner: what is there; `reached` when neither it nor one above it ends the way. */
  onTheWay: Map<string, ReturnType<Gate['stat']> | 'reached'>;
  isLate(): boolean;
  allowances: ReturnType<typeof createTimeAllowances>;
  leftOut: { entries: number; depth: number; walkMs: number; owners: number; includes: number; excludes: number };
  /** Present when somebody asked why: every decision is written down. */
  trace?: Trace;
};

export const includeFilesPointer = '/clientContext/includeFiles';

/**
 * What the limits of a request left out (CC-06). A warning points to `includeFiles` where nothing was left out
 * `beforePatterns` were searched.
 */
export function warningsOfLimits(world: World, beforePatterns: World['leftOut'] = world.leftOut): Warning[] {
  const { leftOut, limits } = world;
  const { entries, depth, walkMs, owners, includes, excludes } = leftOut;
  const folders = (count: number): string => `${count} ${count === 1 ? 'folder was' : 'folders were'} left out.`;
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
      message: `Folders are searched ${limits.depth} levels deep; ${depth} deeper ${depth === 1 ? 'folder was' : 'folders were'} left out.`,
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
