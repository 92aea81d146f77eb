/** Which policies apply to a path: those of the nearest directory above it that has any (AP-03). */

import type { DirectorySnapshot, FileSnapshot, Gate } from '../access/gate.ts';
import { baseName, directoriesDown, joinPath, parentPath, pathBelow } from '../access/paths.ts';
import { isPolicyFile, policyFileNames } from '../access/policy-file-names.ts';
import { wayAbove } from '../access/repositories.ts';
import { isSettled } from '../access/settled.ts';
import type { Base, IgnoreFiles, IgnoreGate } from '../ignore/ignore-files.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import { turnToParse } from '../pace/turns.ts';
import type { Clock, ReachOptions } from '../ports/ports.ts';
import { type LoadedPolicy, takePolicy } from './load-policy.ts';

/**
 * `globalPlaces`: the user's own global context, which policies of workspaces do not cover (AP-06). `policyBytes`: a
 * larger policy is not read, which blocks.
 */
export type PolicyPorts = {
  gate: Pick<Gate, 'stat' | 'realPath' | 'readPolicy'>;
  clock: Pick<Clock, 'now'>;
  defaultPolicy: 'allow' | 'block';
  policyBytes: number;
  ignoreFiles: IgnoreFiles;
  globalPlaces?: readonly string[];
};

/** What is remembered about policies between runs. */
export function createSharedPolicies(options: PolicyPorts) {
  return {
    ...options,
    globalPlaces: options.globalPlaces ?? [],
    taken: new WeakMap<FileSnapshot, LoadedPolicy>(),
    /** Signatures of directories without a policy. */
    without: createBoundedCache<string>({ maxWeight: 20_000, maxEntries: 20_000 }),
  };
}
export type SharedPolicies = ReturnType<typeof createSharedPolicies>;

export type RunOptions = ReachOptions & {
  mountedDirectory: string;
  allowance: TimeAllowance;
  /** The gate of a run that uses unsaved texts. */
  gate?: PolicyPorts['gate'] & IgnoreGate;
  instead?: { directory: string; policies: readonly LoadedPolicy[] };
};

/** What one run has seen of policies. */
export function createPolicySearch(shared: SharedPolicies, options: RunOptions) {
  return {
    ...shared,
    ...options,
    listings: new Map<string, DirectorySnapshot>(),
    inDirectory: new Map<string, Promise<readonly LoadedPolicy[] | undefined>>(),
    nearestOf: new Map<Base, Known>(),
  };
}
type Search = ReturnType<typeof createPolicySearch>;

type Nearest = Promise<readonly LoadedPolicy[]> | readonly LoadedPolicy[];

/** The policies of `directory`, or of the nearest directory above it that has any, up to the top of the way. */
export function nearestPolicies(search: Search, directory: string, base: Base): Nearest {
  const known = search.nearestOf.get(base) ?? knownBelow(base, search);
  search.nearestOf.set(base, known);
  return known.reached.get(directory) ?? known.justAsked.get(directory) ?? seek(search, directory, known);
}

/**
 * Policies by directory: of the directories that were just asked about, and of those that exist with all directories
 * above them.
 */
type Known = {
  /** The name of the root. */
  top: string;
  /** The directories above the root that can have policies, and the root. */
  way: Promise<readonly string[]>;
  justAsked: Map<string, Promise<readonly LoadedPolicy[]>>;
  reached: Map<string, readonly LoadedPolicy[]>;
};

function knownBelow({ name, real }: Base, search: Search): Known {
  const above = wayAbove(real, search.roots, search.gate.stat);
  const way = above.then((directories) => [...directories, name]);
  return { top: name, way, justAsked: new Map(), reached: new Map() };
}

/** Searches once for all that ask in this turn of the event loop. */
function seek(search: Search, directory: string, known: Known): Nearest {
  const { justAsked } = known;
  const found = seekFromTop(search, directory, known);
  justAsked.set(directory, found);
  // In the next turn of the event loop the directory may exist, with policies.
  void found.then(() => setImmediate(() => justAsked.delete(directory)));
  return found;
}

/**
 * Searches from the top down. Below a directory that does not exist there is no policy, and it may be one of thousands.
 */
async function seekFromTop(search: Search, directory: string, { top, way, reached }: Known) {
  const above = directory === top ? undefined : reached.get(parentPath(directory));
  let policies = above ?? [];
  for (const each of above === undefined ? await way : []) {
    const own = await policiesIn(search, each);
    if (own === undefined) return [];
    if (own.length > 0) policies = own;
  }
  if (above === undefined) reached.set(top, policies);
  for (const each of above === undefined ? directoriesDown(top, directory) : [directory]) {
    const own = await policiesIn(search, each);
    if (own === undefined) break;
    if (own.length > 0) policies = own;
    reached.set(each, policies);
  }
  return policies;
}

/** The policies in one directory. Undefined if the directory does not exist. */
function policiesIn(search: Search, directory: string): Promise<readonly LoadedPolicy[] | undefined> {
  if (directory === search.instead?.directory) return Promise.resolve(search.instead.policies);
  const known = search.inDirectory.get(directory) ?? look(search, directory);
  search.inDirectory.set(directory, known);
  // A directory that does not exist now may appear later, with policies below it that this run has not seen.
  void known.then((policies) => policies === undefined && search.inDirectory.delete(directory));
  return known;
}

async function look(search: Search, directory: string): Promise<readonly LoadedPolicy[] | undefined> {
  const listing = search.listings.get(directory);
  if (listing !== undefined && !mayHoldPolicy(listing)) return [];
  const stat = await search.gate.stat(directory);
  if (stat.ok && search.without.get(directory) === stat.signature) return [];
  if (!stat.ok && stat.code === 'not_found') return undefined;
  const real = search.followSymlinks ? await search.gate.realPath(directory) : undefined;
  if (real?.ok === false && real.code === 'not_found') return undefined;
  const paths = policyFileNames.map((name) => pathBelow(directory, name));
  const found = await Promise.all(paths.map((path) => load(search, path, real?.ok ? real.realPath : directory)));
  const policies = found.flat();
  if (policies.length === 0) {
    // It may have been moved away before its policies were searched.
    const after = await search.gate.stat(directory);
    if (!after.ok && after.code === 'not_found') return undefined;
    // The signature of a link says nothing about the directory behind it.
    if (stat.ok && stat.kind === 'directory' && isSettled(stat, search.clock))
      search.without.set(directory, stat.signature, 1);
  }
  return policies;
}

/** The comparison ignores case, because some file systems do. */
const mayHoldPolicy = onceForEach(
  ({ truncated, entries }: DirectorySnapshot) =>
    truncated || entries.some(({ name }) => isPolicyFile(name.toLowerCase())),
  new WeakMap(),
);

/** The policy in a file of a directory, if there is one. */
async function load(search: Search, path: string, realDirectory: string): Promise<LoadedPolicy[]> {
  const place = joinPath(realDirectory, baseName(path));
  const stat = await search.gate.stat(place);
  if (!stat.ok && stat.code === 'not_found') return [];
  // A policy file that is a link is never followed: a person who can write links may not be allowed to write policies.
  const read = stat.ok
    ? await search.gate.readPolicy(place, { roots: search.roots, maxBytes: search.policyBytes })
    : stat;
  const known = read.ok ? search.taken.get(read.snapshot) : undefined;
  if (known?.path === path) return [known];
  if (read.ok) await turnToParse(read.snapshot.text);
  const isTooLate = search.allowance.isOver();
  const policy = search.allowance.spend(() => takePolicy(path, isTooLate ? tooLate : read, search.policyBytes));
  if (read.ok && !isTooLate) search.taken.set(read.snapshot, policy);
  return [policy];
}

const tooLate = { ok: false, code: 'reading all policies takes too long' } as const;
