/** What one run of `resolve` carries along while it looks at the disk. */

import type { createTimeAllowances } from '../pace/time-allowance.ts';
import type { Limits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { ContentReach } from './content-policy.ts';
import type { Gate } from './gate.ts';
import type { Trace } from './trace.ts';

/** Directories on the way whose context counts: the mounted one and the nearest. A path can have thousands. */
export const maxOwners = 32;

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
 * CC-06: one warning for each limit that was hit, with its value and what it cost. It points to `includeFiles` where
 * nothing was left out `beforePatterns` were searched.
 */
export function limitWarnings(world: World, beforePatterns: World['leftOut'] = world.leftOut): Warning[] {
  const { leftOut, limits } = world;
  const warnings: Warning[] = [];
  const say = (code: string, count: number, message: string, before = count): void => {
    if (count > 0) warnings.push({ code, message, ...(before === 0 ? { pointer: includeFilesPointer } : {}) });
  };
  say(
    'limit_entries',
    leftOut.entries,
    `Only ${limits.entries} directory entries are looked at per request; at least ${leftOut.entries} more were left out.`,
    beforePatterns.entries,
  );
  say(
    'limit_depth',
    leftOut.depth,
    `Folders are searched ${limits.depth} levels deep; ${leftOut.depth} deeper ${leftOut.depth === 1 ? 'folder was' : 'folders were'} left out.`,
  );
  say(
    'limit_walk_time',
    leftOut.walkMs,
    `Searching stops after ${limits.walkMs} ms; ${leftOut.walkMs} ${leftOut.walkMs === 1 ? 'folder was' : 'folders were'} left out.`,
    beforePatterns.walkMs,
  );
  say(
    'limit_ancestors',
    leftOut.owners,
    `Context is sought in the ${maxOwners} directories nearest to where work happens; ${leftOut.owners} above were left out.`,
  );
  say(
    'limit_match_time',
    leftOut.includes,
    `Patterns of includeFiles are matched for ${limits.includeMatchMs} ms; files that would have been found later are left out.`,
  );
  say(
    'limit_match_time',
    leftOut.excludes,
    `Patterns of excludeFiles are matched for ${limits.excludeMatchMs} ms; ${leftOut.excludes} files about which they had not decided by then are left out.`,
  );
  return warnings;
}
