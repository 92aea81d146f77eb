/** The operations on policies (AP-07, AP-09). */

import type { ContentPolicy } from '../access/content-policy.ts';
import { leadsOutside } from '../access/real-place.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { placePath } from '../context/normalize-request.ts';
import { placeInside } from '../context/placing.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { createTurnsByKey } from '../pace/turns-by-key.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { FileWriter } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { decidePath } from './decide-path.ts';
import { listPolicies, showPolicy } from './list-policies.ts';
import type { LoadedPolicy } from './load-policy.ts';
import type { Policies } from './policies.ts';
import { exceptionGlobOf } from './policy-file.ts';
import type {
  PathDecision,
  PolicyCheckRequest,
  PolicyCheckResult,
  PolicyDocument,
  PolicyList,
  PolicyPreview,
  PolicyPreviewRequest,
  PolicyRemoval,
  PolicyWriteRequest,
} from './policy-requests.ts';
import { policiesInstead, previewPolicy } from './preview-policy.ts';
import { checkPolicyText } from './usable-text.ts';
import { treeLimits } from './worlds.ts';
import { removePolicy, writePolicy } from './write-policy.ts';

/** All throw like `resolve` for a mounted directory that cannot be read. */
export type PolicyVerbs = Readonly<{
  /** What the policies say about files. Throws `limit_exceeded` if deciding takes too long. */
  check(request: PolicyCheckRequest): Promise<PolicyCheckResult>;
  /** All policies of a tree. */
  list(mountedDirectory: string): Promise<PolicyList>;
  /**
   * Writes a policy, if the caller has seen its present version. Throws `invalid_request`, `version_mismatch`,
   * `not_found`, `path_outside_roots`, `storage_full`, `unavailable`, and `conflict` if the place is not a regular file
   * or counts as sensitive.
   */
  put(request: PolicyWriteRequest, expected: ExpectedVersion): Promise<{ policy: PolicyDocument; created: boolean }>;
  /** What a policy would allow that is not written yet. */
  preview(request: PolicyPreviewRequest): Promise<PolicyPreview>;
  /** Removes the policy of a directory, if the caller has seen its present version. Throws as `put` does. */
  remove(request: PolicyRemoval, expected: ExpectedVersion): Promise<void>;
}>;

/** Max decisions at the same time. */
const parallelDecisions = 64;
const defaultSample = 100;

type PolicyVerbsParts = {
  policies: Policies;
  fileWriter: FileWriter | undefined;
  remember(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
};

/**
 * Without a `fileWriter` nothing can be written. `remember` gets the directories that were read, so that changes of
 * their policies are reported.
 */
export function createPolicyVerbs(core: EngineCore, { policies, fileWriter, remember }: PolicyVerbsParts): PolicyVerbs {
  const inTurn = createTurnsByKey();

  const open = (asWritten: string) => core.openWorkspace(asWritten, { within: treeLimits(core.settings.limits) });
  const openRun = (
    mountedDirectory: string,
    world: World,
    instead?: { directory: string; policies: readonly LoadedPolicy[] },
  ): ContentPolicy =>
    policies.openRun({
      ...world.reach,
      mountedDirectory,
      allowance: world.allowances.policies,
      instead,
    });
  const openToWrite = async (asWritten: string, asked: string | undefined) => {
    if (fileWriter === undefined) throw new ContextdError('unavailable', 'Policies cannot be written here.');
    const { mountedDirectory, world } = await open(asWritten);
    const directory = await directoryOf(asked, world);
    return { mountedDirectory, world, directory, writer: fileWriter };
  };
  const checkWanted = (wanted: { text: string } | { exclude?: readonly string[] | undefined }): void => {
    if ('text' in wanted) checkPolicyText(wanted.text, core.settings.limits.configBytes);
    else checkPatterns(wanted.exclude ?? []);
  };
  const tell = (mountedDirectory: string, path: string, change: 'added' | 'changed' | 'removed'): void =>
    core.publish('policy-changed', { mountedDirectories: [mountedDirectory], changes: [{ path, change }] });

  return Object.freeze({
    async check({ mountedDirectory: asWritten, paths }) {
      const { mountedDirectory, world } = await open(asWritten);
      const run = openRun(mountedDirectory, world);
      const decisions = await decidePaths(paths, run, world);
      return { decisions, warnings: run.warnings() };
    },

    async list(asWritten) {
      const askedAtMs = core.clock.now();
      const { mountedDirectory, world } = await open(asWritten);
      const { policies: found, warnings } = await listPolicies(mountedDirectory, world);
      const directories = new Set([mountedDirectory, ...found.map(({ directory }) => directory)]);
      remember(mountedDirectory, [...directories].slice(0, fixedLimits.policies.watchedDirectories), askedAtMs);
      return { mountedDirectory, policies: found, warnings: [...warnings, ...warningsOfLimits(world)] };
    },

    async put({ mountedDirectory: asWritten, directory: asked, ...wanted }, expected) {
      checkWanted(wanted);
      const { mountedDirectory, world, directory, writer } = await openToWrite(asWritten, asked);
      const { written, created } = await inTurn(directory, () =>
        writePolicy(directory, wanted, { expected, world, fileWriter: writer }),
      );
      const { path } = written;
      // The file is not read again: somebody may have changed it since, or the disk may fail.
      const { document } = showPolicy(path, { ok: true, snapshot: written }, world.limits.configBytes);
      tell(mountedDirectory, path, created ? 'added' : 'changed');
      return { policy: document, created };
    },

    async remove({ mountedDirectory: asWritten, directory: asked, name }, expected) {
      const { mountedDirectory, world, directory, writer } = await openToWrite(asWritten, asked);
      const path = await inTurn(directory, () =>
        removePolicy({ directory, name }, { expected, world, fileWriter: writer }),
      );
      tell(mountedDirectory, path, 'removed');
    },

    async preview({ mountedDirectory: asWritten, directory: asked, limit = defaultSample, ...wanted }) {
      checkWanted(wanted);
      const { mountedDirectory, world } = await open(asWritten);
      const directory = await directoryOf(asked, world);
      const instead = await policiesInstead(directory, wanted, world);
      const saved = openRun(mountedDirectory, world);
      const run = instead === undefined ? saved : openRun(mountedDirectory, world, { directory, policies: instead });
      const preview = await previewPolicy(directory, { run, saved }, { world, limit });
      const warnings = [...run.warnings(), ...unknownTo(run, saved)];
      return { ...preview, warnings: [...preview.warnings, ...warnings, ...warningsOfLimits(world)] };
    },
  } satisfies PolicyVerbs);
}

/** The directory of a policy. Throws as `checkDirectory` does. */
async function directoryOf(asked: string | undefined, world: World): Promise<string> {
  const directory = asked === undefined ? world.mountedDirectory : await placeInside(asked, '/directory', world);
  await checkDirectory(directory, world);
  return directory;
}

/** Throws `limit_exceeded` if it takes too long. */
async function decidePaths(paths: readonly string[], run: ContentPolicy, world: World): Promise<PathDecision[]> {
  const absolute: string[] = [];
  for (const [index, path] of paths.entries())
    absolute.push(await world.placing(placePath(path, `/paths/${index}`, world)));
  const decisions: PathDecision[] = [];
  for (let at = 0; at < absolute.length; at += parallelDecisions) {
    if (world.isLate()) throw new ContextdError('limit_exceeded', 'Deciding takes too long; ask about fewer files.');
    const batch = absolute.slice(at, at + parallelDecisions);
    decisions.push(...(await Promise.all(batch.map((path) => decidePath(path, run, world)))));
  }
  return decisions;
}

/** Warnings about present policies that could not be read: without them the reported changes are a guess. */
function unknownTo(run: ContentPolicy, saved: ContentPolicy): Warning[] {
  const told = run.warnings();
  return saved
    .warnings()
    .filter(({ code, path }) => code === 'policy_not_read' && !told.some((each) => each.path === path));
}

/** Throws `invalid_request` for a pattern that cannot be used. */
function checkPatterns(exclude: readonly string[]): void {
  const errors = exclude.flatMap((pattern, index) => {
    const compiled = exceptionGlobOf(pattern);
    if ('glob' in compiled) return [];
    return [{ pointer: `/exclude/${index}`, message: `The pattern cannot be used: ${compiled.problem.message}.` }];
  });
  if (errors.length > 0) throw new ContextdError('invalid_request', 'A pattern cannot be used.', errors);
}

/** Throws `not_found`, `unavailable` if the disk fails, and `path_outside_roots` if a link leads elsewhere. */
async function checkDirectory(directory: string, world: World): Promise<void> {
  const pointer = '/directory';
  const listed = await world.gate.list(directory, world.reach);
  if (listed.ok) return;
  if (listed.code === 'io_error')
    throw refuseField('unavailable', pointer, 'The directory cannot be read: the disk fails or does not answer.');
  const isLed = listed.code === 'outside_roots' || listed.code === 'symlink';
  if (isLed || (await leadsOutside(directory, world.reach.roots, world.gate)))
    throw refuseField(
      'path_outside_roots',
      pointer,
      'The path leads through a link to a directory that may not be used.',
    );
  throw refuseField('not_found', pointer, 'There is no such directory.');
}
