/** Loads the policies that apply to a path and asks them, for the gate (AP-03 … AP-06). */

import type { ContentPolicy, PolicyDecision } from '../access/content-policy.ts';
import type { DirectorySnapshot } from '../access/gate.ts';
import { isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import { isInRoots, placesInRoots } from '../access/reach.ts';
import { realPathOf } from '../access/real-place.ts';
import type { Base } from '../ignore/ignore-files.ts';
import type { Root } from '../ports/ports.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Reason, Warning } from '../warnings.ts';
import { decideByPolicies } from './decide.ts';
import { exempt, gone, noContent, outside, undecided } from './fixed-decisions.ts';
import { type LoadedPolicy, secondPolicyWarning } from './load-policy.ts';
import {
  createPolicySearch,
  createSharedPolicies,
  nearestPolicies,
  type PolicyPorts,
  type RunOptions,
  type SharedPolicies,
} from './nearest-policies.ts';

export type Policies = Readonly<{
  /**
   * Opens the policies for one run. A run looks at each directory once, when first asked. `mountedDirectory` is
   * absolute and normalised; a global context inside it is not exempt. `allowance` limits the run (CC-06). `instead`
   * replaces the policies of one directory.
   */
  openRun(options: RunOptions): ContentPolicy;
}>;

export function createPolicies(options: PolicyPorts): Policies {
  const shared = createSharedPolicies(options);
  return Object.freeze({ openRun: (run) => openRun(shared, run) } satisfies Policies);
}

/** The state of one run: what it found, and which policies it used. */
function createRun(shared: SharedPolicies, options: RunOptions) {
  const search = createPolicySearch(shared, options);
  return {
    ...search,
    ignored: shared.ignoreFiles.openRun({ ...options, listings: search.listings }),
    globals: options.roots.filter((root) => shared.globalPlaces.includes(root.path)),
    /** The deepest first. */
    bases: basesOf(options.roots),
    /** Policies that decided about something. Only these are evidence. */
    used: new Set<LoadedPolicy>(),
    realMounted: undefined as Promise<string | undefined> | undefined,
  };
}
type Run = ReturnType<typeof createRun>;

function openRun(shared: SharedPolicies, options: RunOptions): ContentPolicy {
  const run = createRun(shared, options);

  return Object.freeze({
    decide: (path, given) => decide(run, path, given),
    decideByPolicy: (path) => decideByPolicy(run, path),
    decideSearch: (path) => decideSearch(run, path),
    async searchEvidence(directory) {
      const base = placeOf(run, directory)?.base;
      return base === undefined ? [] : run.ignored.searchFilesOf(directory, base);
    },
    notice: (listing: DirectorySnapshot) => void run.listings.set(listing.path, listing),
    warnings: () => [
      ...policyWarnings(sortByPath(run.used)),
      ...run.ignored.warnings(),
      ...(run.allowance.isOver() ? [outOfTime] : []),
    ],
    evidence: () => [
      ...sortByPath(run.used).flatMap(({ path, evidence }) => [path, evidence]),
      ...run.ignored.evidence(),
    ],
  });
}

/** `toRead`: as in `ContentPolicy.decide`. */
type Asking = { toRead?: boolean };

/** What a policy blocks stays blocked. Ignore files can block more of the rest. */
async function decide(run: Run, path: string, asking: Asking = {}): Promise<PolicyDecision> {
  // Most paths are neither, and wait for nothing.
  const placed = isPolicyFile(path) || isInRoots(path, run.globals) ? await decideFixed(run, path) : placeOf(run, path);
  if (placed === undefined) return outside;
  if ('allowed' in placed) return placed;
  // Its listings save the policies a look of their own.
  const seeking = run.ignored.wayTo(placed.directory, placed.base);
  const way = seeking instanceof Promise ? await seeking : seeking;
  const decision = await askPolicies(run, placed, asking);
  if (!decision.allowed) return decision;
  const ignoring = run.ignored.decide(path, { way, top: placed.base, asking });
  const found = ignoring && (await ignoring);
  if (found === 'gone') return gone;
  if (found === 'late') return undecided;
  return found ?? decision;
}

/** The decision of policies alone. */
async function decideByPolicy(run: Run, path: string): Promise<PolicyDecision> {
  const placed = await decideFixed(run, path);
  if (placed === undefined) return outside;
  return 'allowed' in placed ? placed : askPolicies(run, placed, {});
}

/** Why a search skips a file that may be read. */
async function decideSearch(run: Run, path: string): Promise<Reason | undefined> {
  const placed = placeOf(run, path);
  if (placed === undefined) return undefined;
  const { base: top, directory } = placed;
  const way = await run.ignored.wayTo(directory, top);
  const found = await run.ignored.decide(path, { way, top, asking: { ofSearch: true } });
  if (found === 'late') return undecided.reason;
  return typeof found === 'object' ? found.reason : undefined;
}

/** The decision for paths that no policy covers, or else the place of the path. */
async function decideFixed(run: Run, path: string): Promise<PolicyDecision | Placed | undefined> {
  if (isPolicyFile(path)) return noContent;
  if (isInRoots(path, run.globals) && (await isExempt(run, path))) return exempt;
  return placeOf(run, path);
}

/**
 * Mounting a directory that contains a global context is not a way around policies: this global context is not exempt,
 * by any name.
 */
async function isExempt(run: Run, path: string): Promise<boolean> {
  if (isInside(run.mountedDirectory, path)) return false;
  run.realMounted ??= realPathOf(run.mountedDirectory, run.gate.realPath);
  const mounted = (await run.realMounted) ?? run.mountedDirectory;
  return ![path, ...placesInRoots(path, run.roots)].some(
    (name) => isInside(run.mountedDirectory, name) || isInside(mounted, name),
  );
}

/** A path, the root that contains it, its real path, and the directory whose policies apply. */
type Placed = { path: string; base: Base; real: string; directory: string };

/**
 * The root that contains a path, and the real path if no link is on the way. If several roots contain it, the topmost
 * one with the same real path.
 */
function placeOf(run: Run, path: string): Placed | undefined {
  const around = run.bases.filter(({ name }) => isInside(name, path));
  const [deepest] = around;
  if (deepest === undefined) return undefined;
  const realBy = ({ name, real }: Base): string => (name === real ? path : joinPath(real, relativePath(name, path)));
  const real = realBy(deepest);
  const base = around.findLast((each) => realBy(each) === real) ?? deepest;
  return { path, base, real, directory: path === base.name ? path : parentPath(path) };
}

/** The decision of the policies nearest to a path. */
async function askPolicies(
  run: Run,
  { path, base, real, directory }: Placed,
  { toRead }: Asking,
): Promise<PolicyDecision> {
  const nearestNow = nearestPolicies(run, directory, base);
  const found = nearestNow instanceof Promise ? await nearestNow : nearestNow;
  // Whether the directory exists now: another decision may have seen it appear while this one waited.
  const own = run.nearestOf.get(base)?.reached.get(directory);
  const policies = own ?? found;
  const judge = (): PolicyDecision => {
    const [first] = policies;
    // A policy above the root uses the real name of the path.
    const name = first === undefined || isInside(first.directory, path) ? path : real;
    const decision = decideByPolicies(name, policies, run.defaultPolicy);
    return toRead && decision.allowed && own === undefined ? gone : decision;
  };
  if (policies.length === 0) return judge();
  for (const policy of policies) run.used.add(policy);
  const pause = run.allowance.pause();
  if (pause) await pause;
  if (run.allowance.isOver()) return undecided;
  return run.allowance.spend(judge);
}

/** The roots by each of their names, deepest first. */
function basesOf(roots: readonly Root[]): Base[] {
  return roots
    .flatMap(({ path, realPath }) => [...new Set([path, realPath])].map((name) => ({ name, real: realPath })))
    .sort((a, b) => b.name.length - a.name.length);
}

const outOfTime: Warning = {
  code: 'limit_policy_time',
  message:
    'Reading policies and ignore files, and comparing files with them, took too long. Files that were not decided by then are blocked.',
};

/** Problems of single policies, and of two in one directory. `policies` are sorted by path (AP-04, AP-05). */
export function policyWarnings(policies: readonly LoadedPolicy[]): Warning[] {
  const directories = new Set<string>();
  return policies.flatMap(({ path, directory, warnings }) => {
    const isSecond = directories.has(directory);
    directories.add(directory);
    return isSecond ? [...warnings, secondPolicyWarning(path)] : warnings;
  });
}

function sortByPath(policies: Iterable<LoadedPolicy>): LoadedPolicy[] {
  return [...policies].sort((a, b) => compareText(a.path, b.path));
}
