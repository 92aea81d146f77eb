/** Loads the policies on the way to a path and asks them: the gate's side of AP-03 … AP-06. */

import type { ContentPolicy, PolicyDecision } from '../access/content-policy.ts';
import type { DirectorySnapshot, FileSnapshot, Gate } from '../access/gate.ts';
import { directoriesDown, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isPolicyFile, policyFileNames } from '../access/policy-file-names.ts';
import { isInRoots, placesInRoots } from '../access/reach.ts';
import { wayAbove } from '../access/repositories.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import { turnToParse } from '../pace/turns.ts';
import type { Clock, Root } from '../ports/ports.ts';
import type { Warning } from '../warnings.ts';
import { decideByPolicies } from './decide.ts';
import { exempt, gone, noContent, outside, undecided } from './fixed-decisions.ts';
import { type LoadedPolicy, takePolicy } from './load-policy.ts';

export type Policies = Readonly<{
  /**
   * The policies as one run sees them: every directory is looked at once, when first asked, and then again in the next run.
   * `mountedDirectory` is absolute and normalised, and changes nothing but that no global context in it is exempt.
   * `allowance` bounds the run (CC-06). `instead` stands for what a directory really holds.
   */
  openRun(options: {
    mountedDirectory: string;
    roots: readonly Root[];
    followSymlinks: boolean;
    allowance: TimeAllowance;
    instead?: { directory: string; policies: readonly LoadedPolicy[] };
  }): ContentPolicy;
}>;

type Nearest = Promise<readonly LoadedPolicy[]> | readonly LoadedPolicy[];
/** A granted root by one of its names, and where it really lies. */
type Base = { name: string; real: string };
/** By directory: the policies of those that were asked about just now, and of those that are there with all above them. */
type Known = {
  /** The directories above, and the root. */
  way: Promise<readonly string[]>;
  justAsked: Map<string, Promise<readonly LoadedPolicy[]>>;
  reached: Map<string, readonly LoadedPolicy[]>;
};

/** As for contents in the gate: until then a change may not show in the signature. */
const settleMs = 2_000;

/**
 * `globalDirectories`: the user's own global context, which no policy of a workspace is about (AP-06). `policyBytes`: a
 * larger policy is not read, which blocks.
 */
export function createPolicies(options: {
  gate: Pick<Gate, 'stat' | 'realPath' | 'readPolicy'>;
  clock: Pick<Clock, 'now'>;
  defaultPolicy: 'allow' | 'block';
  policyBytes: number;
  globalDirectories?: readonly string[];
}): Policies {
  const { gate, clock, defaultPolicy, policyBytes, globalDirectories = [] } = options;
  const taken = new WeakMap<FileSnapshot, LoadedPolicy>();
  const holding = new WeakMap<DirectorySnapshot, boolean>();
  /** Some file systems find a name in any case. */
  const mayHoldPolicy = (listing: DirectorySnapshot): boolean => {
    const known =
      holding.get(listing) ??
      (listing.truncated || listing.entries.some(({ name }) => isPolicyFile(name.toLowerCase())));
    holding.set(listing, known);
    return known;
  };
  /** Signatures of directories without a policy. */
  const without = createBoundedCache<string>({ maxWeight: 20_000, maxEntries: 20_000 });

  return Object.freeze({
    openRun({ mountedDirectory, roots, followSymlinks, allowance, instead }) {
      const globals = roots.filter((root) => globalDirectories.includes(root.path));
      /** The deepest first. */
      const bases = roots
        .flatMap(({ path, realPath }): Base[] =>
          [...new Set([path, realPath])].map((name) => ({ name, real: realPath })),
        )
        .sort((a, b) => b.name.length - a.name.length);
      const listings = new Map<string, DirectorySnapshot>();
      const inDirectory = new Map<string, Promise<readonly LoadedPolicy[] | undefined>>();
      const nearestOf = new Map<Base, Known>();
      /** Those that decided about something: what is beside the point is no evidence. */
      const asked = new Set<LoadedPolicy>();
      let realMounted: Promise<string> | undefined;

      const load = async (path: string, realDirectory: string): Promise<LoadedPolicy[]> => {
        const place = `${realDirectory === '/' ? '' : realDirectory}/${path.slice(path.lastIndexOf('/') + 1)}`;
        const stat = await gate.stat(place);
        if (!stat.ok && stat.code === 'not_found') return [];
        // A policy that is itself a link is never followed: who writes links need not be who writes policies.
        const read = stat.ok ? await gate.readPolicy(place, { roots, maxBytes: policyBytes }) : stat;
        const known = read.ok ? taken.get(read.snapshot) : undefined;
        if (known?.path === path) return [known];
        if (read.ok) await turnToParse(read.snapshot.text);
        const isTooLate = allowance.isOver();
        const policy = allowance.spend(() => takePolicy(path, isTooLate ? tooLate : read, policyBytes));
        if (read.ok && !isTooLate) taken.set(read.snapshot, policy);
        return [policy];
      };

      /** Undefined where nothing is. */
      const look = async (directory: string): Promise<readonly LoadedPolicy[] | undefined> => {
        const listing = listings.get(directory);
        if (listing !== undefined && !mayHoldPolicy(listing)) return [];
        const stat = await gate.stat(directory);
        if (stat.ok && without.get(directory) === stat.signature) return [];
        if (!stat.ok && stat.code === 'not_found') return undefined;
        const real = followSymlinks ? await gate.realPath(directory) : undefined;
        if (real?.ok === false && real.code === 'not_found') return undefined;
        const paths = policyFileNames.map((name) => (directory === '/' ? `/${name}` : `${directory}/${name}`));
        const found = await Promise.all(paths.map((path) => load(path, real?.ok ? real.realPath : directory)));
        const policies = found.flat();
        if (policies.length === 0) {
          // It may have been moved away before its policies were looked for.
          const after = await gate.stat(directory);
          if (!after.ok && after.code === 'not_found') return undefined;
          // The signature of a link says nothing about the directory behind it.
          const isSettled = stat.ok && stat.kind === 'directory' && clock.now() - stat.changedAtMs > settleMs;
          if (isSettled) without.set(directory, stat.signature, 1);
        }
        return policies;
      };

      const policiesIn = (directory: string): Promise<readonly LoadedPolicy[] | undefined> => {
        if (directory === instead?.directory) return Promise.resolve(instead.policies);
        const known = inDirectory.get(directory) ?? look(directory);
        inDirectory.set(directory, known);
        // What is not there may come, with policies below it that this run has not seen.
        void known.then((policies) => policies === undefined && inDirectory.delete(directory));
        return known;
      };

      /** Those of `directory`, or else of the nearest one above it that has some, up to the top of the way. */
      const nearest = (directory: string, base: Base): Nearest => {
        const known = nearestOf.get(base) ?? { way: wayTo(base), justAsked: new Map(), reached: new Map() };
        nearestOf.set(base, known);
        return known.reached.get(directory) ?? known.justAsked.get(directory) ?? seek(directory, base, known);
      };
      const wayTo = async ({ name, real }: Base) => [...(await wayAbove(real, roots, gate.stat)), name];
      const seek = (directory: string, { name }: Base, known: Known): Nearest => {
        const { justAsked } = known;
        const found = seekFromTop(directory, name, known);
        justAsked.set(directory, found);
        // In another turn of the event loop, what was not there may be, with its policies.
        void found.then(() => setImmediate(() => justAsked.delete(directory)));
        return found;
      };
      /** From the top down: below what is not there, which can be thousands of directories, there is no policy. */
      const seekFromTop = async (directory: string, top: string, { way, reached }: Known) => {
        const above = directory === top ? undefined : reached.get(parentPath(directory));
        let policies = above ?? [];
        for (const each of above === undefined ? await way : []) {
          const own = await policiesIn(each);
          if (own === undefined) return [];
          if (own.length > 0) policies = own;
        }
        if (above === undefined) reached.set(top, policies);
        for (const each of above === undefined ? directoriesDown(top, directory) : [directory]) {
          const own = await policiesIn(each);
          if (own === undefined) break;
          if (own.length > 0) policies = own;
          reached.set(each, policies);
        }
        return policies;
      };

      /** The root below which a path is sought, and where it lies when no link leads to it; the root by the name furthest up. */
      const place = (path: string): { base: Base; real: string } | undefined => {
        const around = bases.filter(({ name }) => isInside(name, path));
        const [deepest] = around;
        if (deepest === undefined) return undefined;
        const realBy = ({ name, real }: Base): string =>
          name === real ? path : joinPath(real, relativePath(name, path));
        const real = realBy(deepest);
        return { base: around.findLast((base) => realBy(base) === real) ?? deepest, real };
      };
      /** The global context of somebody who mounts the directory that holds it is no exemption, by whatever name. */
      const isExempt = async (path: string): Promise<boolean> => {
        if (isInside(mountedDirectory, path)) return false;
        realMounted ??= gate.realPath(mountedDirectory).then((real) => (real.ok ? real.realPath : mountedDirectory));
        const mounted = await realMounted;
        return ![path, ...placesInRoots(path, roots)].some(
          (name) => isInside(mountedDirectory, name) || isInside(mounted, name),
        );
      };

      return Object.freeze({
        async decide(path: string, { toRead } = { toRead: false }): Promise<PolicyDecision> {
          if (isPolicyFile(path)) return noContent;
          if (isInRoots(path, globals) && (await isExempt(path))) return exempt;
          const placed = place(path);
          if (placed === undefined) return outside;
          const { base, real } = placed;
          const directory = path === base.name ? path : parentPath(path);
          const nearestNow = nearest(directory, base);
          const found = nearestNow instanceof Promise ? await nearestNow : nearestNow;
          // Whether it is there now: another decision may have seen it come while this one waited.
          const own = nearestOf.get(base)?.reached.get(directory);
          const policies = own ?? found;
          const judge = (): PolicyDecision => {
            const [first] = policies;
            // One above the root knows it by its real name only.
            const name = first === undefined || isInside(first.directory, path) ? path : real;
            const decision = decideByPolicies(name, policies, defaultPolicy);
            return toRead && decision.allowed && own === undefined ? gone : decision;
          };
          if (policies.length === 0) return judge();
          for (const policy of policies) asked.add(policy);
          const pause = allowance.pause();
          if (pause) await pause;
          if (allowance.isOver()) return undecided;
          return allowance.spend(judge);
        },
        notice: (listing: DirectorySnapshot) => void listings.set(listing.path, listing),
        warnings: () => [...policyWarnings(sortByPath(asked)), ...(allowance.isOver() ? [outOfTime] : [])],
        evidence: () => sortByPath(asked).flatMap(({ path, evidence }) => [path, evidence]),
      });
    },
  } satisfies Policies);
}

const outOfTime: Warning = {
  code: 'limit_policy_time',
  message: 'Reading policies and comparing files with them took too long; what was undecided by then is blocked.',
};

const tooLate = { ok: false, code: 'reading all policies takes too long' } as const;

/** What is wrong with policies, which are sorted by path, one by one and together (AP-04, AP-05). */
export function policyWarnings(policies: readonly LoadedPolicy[]): Warning[] {
  const directories = new Set<string>();
  return policies.flatMap(({ path, directory, warnings }) => {
    const isSecond = directories.has(directory);
    directories.add(directory);
    if (!isSecond) return warnings;
    const message = `There is a ${policyFileNames[0]} here too, and a file must pass both. Join them in one.`;
    return [...warnings, { code: 'policy_twice', message, path, line: 1, column: 1 }];
  });
}

function sortByPath(policies: Iterable<LoadedPolicy>): LoadedPolicy[] {
  return [...policies].sort((a, b) => (a.path < b.path ? -1 : 1));
}
