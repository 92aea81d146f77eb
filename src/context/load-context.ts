/**
 * Reads the disk for one request: context directories, configurations, included files, and the content of every file
 * that its path does not exclude (CC-06, CC-15, CC-16).
 */

import type { FileSnapshot } from '../access/gate.ts';
import { isInRoots, liesInRoots } from '../access/reach.ts';
import { leadsOutside } from '../access/real-place.ts';
import { type World, warningsOfLimits } from '../access/world.ts';
import { type ContextdError, refuseField } from '../errors.ts';
import { sameItems } from '../pace/same-items.ts';
import { createPause } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Candidate, namesOneFile } from './candidate.ts';
import { type ContextDirectory, levelsBelow } from './directories.ts';
import { exclusionWarnings, prepareExclusion } from './exclusion.ts';
import { readOwnFrontMatterOr } from './front-matter.ts';
import { followImports, type Imports } from './imports.ts';
import { type LoadedDirectory, unsupportedWarning } from './load-directory.ts';
import {
  type LoadedConfig,
  type MergedConfig,
  type MergedServers,
  mergeConfigs,
  mergeServers,
  withFormatsOf,
} from './merge.ts';
import { missingFiles } from './missing-files.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import { decideByPaths, type Sensitivity, withoutExcluded } from './path-rules.ts';
import { createContentReader } from './read-contents.ts';
import type { OmittedPath } from './resolve-result.ts';
import { findFiles, planDirectories } from './sources/ask-sources.ts';
import type { Searched, SharedWalks } from './sources/included.ts';
import type { SharedListings } from './sources/rule-places.ts';
import type { PlannedDirectory, WorkPlace } from './sources/source.ts';

/** What one AI working directory sees. `ruledOut`: files that are excluded by their paths alone, with the reasons. */
export type Chain = Readonly<{
  workingDirectory: string;
  filesInPlay: readonly string[];
  directories: readonly LoadedDirectory[];
  configs: readonly LoadedConfig[];
  serverLists: readonly LoadedConfig[];
  merged: MergedConfig;
  servers: MergedServers;
  candidates: readonly Candidate[];
  ruledOut: ReadonlyMap<string, Reason>;
  warnings: readonly Warning[];
  /** Where patterns were searched. */
  searched: readonly Searched[];
  /** Identity of everything but contents that was seen. */
  evidence: readonly unknown[];
}>;

export type LoadedContext = Readonly<{
  /** Candidates from directories and configurations. */
  found: readonly Chain[];
  /** The same candidates and the files that they import. */
  chains: readonly Chain[];
  imports: Imports;
  /** By path: the content, or the reason there is none. */
  contents: ReadonlyMap<string, FileSnapshot | Reason>;
  /** Files in play that do not exist. They count all the same (CC-22). */
  missing: readonly OmittedPath[];
  warnings: readonly Warning[];
  /** Identity of everything that was seen. Equal evidence gives an equal answer. */
  evidence: readonly unknown[];
}>;

/** `before`: the result of the same request the last time. Decisions are reused if the request sees the same again. */
export async function loadContext(
  request: NormalizedRequest,
  world: World,
  before?: LoadedContext,
): Promise<LoadedContext> {
  const { mountedDirectory } = request;
  await checkMountedDirectory(mountedDirectory, world);
  const load = createLoadOnce(world);
  const found: Chain[] = [];
  const pause = createPause();
  const { excludes } = world.allowances;
  const sensitivity: Sensitivity = new Map();
  for (const { path } of request.workingDirectories)
    world.leftOut.owners = Math.max(
      world.leftOut.owners,
      levelsBelow(mountedDirectory, path) + 1 - fixedLimits.context.owners,
    );
  // All context directories before any pattern is searched, so that no pattern uses up what one of them needs.
  const directoriesOf: (readonly LoadedDirectory[])[] = [];
  for (const { path } of request.workingDirectories) {
    directoriesOf.push(await loadChain({ ...request, workingDirectory: path }, load));
    await pause();
  }
  const beforePatterns = { ...world.leftOut };
  const shared: { walks: SharedWalks; listings: SharedListings } = { walks: new Map(), listings: new Map() };
  for (const [index, { path: workingDirectory, filesInPlay }] of request.workingDirectories.entries()) {
    await pause();
    const directories = directoriesOf[index] as readonly LoadedDirectory[];
    const written = directories.flatMap((directory) => directory.configs);
    const configs = request.instead ? withFormatsOf(written, request.instead) : written;
    // Neighbouring working directories mostly have the same configurations.
    const last = found.at(-1);
    const merged = last && sameItems(last.configs, configs) ? last.merged : mergeConfigs(configs);
    const included = await findFiles(
      { where: { ...request, workingDirectory, filesInPlay }, merged, ...shared },
      world,
    );
    const evidence = [...directories.flatMap((directory) => directory.evidence), ...included.evidence];
    const known = before?.found[index];
    if (known && sameItems(known.evidence, evidence)) {
      found.push(known);
      continue;
    }
    const unique = uniqueCandidates([
      ...directories.flatMap((directory) => directory.candidates),
      ...included.candidates,
    ]);
    if (merged !== last?.merged) await prepareExclusion(merged, world, pause);
    const place = { workingDirectory, world, sensitivity, pause };
    const candidates = unique.map((candidate) => withoutExcluded(candidate, merged, place));
    const ruledOut = await decideByPaths(candidates, merged, place);
    const warnings = [
      ...directories.flatMap((directory) => [...directory.warnings, ...unsupportedWarning(directory, ruledOut)]),
      ...(excludes.isOver() ? [] : excludes.spend(() => exclusionWarnings(merged))),
      ...included.warnings,
    ];
    const { searched, serverLists } = included;
    const servers = serversOf({ configs, merged, serverLists }, last);
    const seen = { directories, configs, serverLists, merged, servers, candidates, ruledOut };
    found.push({ workingDirectory, filesInPlay, ...seen, warnings, searched, evidence });
  }
  const warnings = found.flatMap((chain) => chain.warnings);
  const reader = createContentReader(world);
  await reader.read(found);
  const { chains, imports, ...followed } = await followImports(found, { world, reader, sensitivity });
  const { contents } = reader;
  warnings.push(...reader.warnings(), ...followed.warnings);
  const { policies } = world.reach;
  warnings.push(...policies.warnings());
  const missing = await missingFiles(request, world);
  const evidence = [...found.flatMap((chain) => chain.evidence), ...followed.evidence, ...policies.evidence()];
  evidence.push(...missing.map(({ path }) => path));
  for (const [path, content] of contents) evidence.push('sha256' in content ? content : `${path}:${content.code}`);
  warnings.push(...warningsOfLimits(world, beforePatterns));
  const isSame = before !== undefined && sameItems(before.evidence, evidence);
  return { found, chains: isSame ? before.chains : chains, imports, contents, missing, warnings, evidence };
}

/** Takes the merged configuration of a chain with the same configurations, or merges again. */
function serversOf(
  { configs, merged, serverLists }: Pick<Chain, 'configs' | 'merged' | 'serverLists'>,
  last: Chain | undefined,
): MergedServers {
  const values = (lists: readonly LoadedConfig[]) => lists.map(({ value }) => value);
  const isSame = merged === last?.merged && sameItems(values(last.serverLists), values(serverLists));
  return isSame ? last.servers : mergeServers(configs, serverLists);
}

/** Throws `path_outside_roots`, `not_found`, `unavailable` or `invalid_request` for a directory that cannot be used. */
export async function checkMountedDirectory(mountedDirectory: string, world: World): Promise<void> {
  const pointer = '/mountedDirectory';
  const outside = (): ContextdError => {
    const message =
      'The mounted directory lies outside the granted roots. Grant it with "contextd roots grant <dir>", POST /v1/roots, or --grant-root.';
    return refuseField('path_outside_roots', pointer, message);
  };
  /** Both have one message, so that it does not tell whether something exists outside. */
  const ledOutside = (): ContextdError => {
    const message = `A link on the way to the mounted directory leads outside the granted roots, or to nothing: ${mountedDirectory}. Grant the directory that it leads to with "contextd roots grant <dir>", POST /v1/roots, or --grant-root.`;
    return refuseField('path_outside_roots', pointer, message);
  };
  const { roots } = world.reach;
  const missing = (code: string): ContextdError => {
    // It may exist.
    if (code === 'io_error')
      return refuseField(
        'unavailable',
        pointer,
        `The mounted directory cannot be read: the disk fails or does not answer at ${mountedDirectory}.`,
      );
    const message =
      code === 'unreadable'
        ? `The mounted directory cannot be reached (permissions): ${mountedDirectory}`
        : `The mounted directory does not exist: ${mountedDirectory}`;
    return refuseField('not_found', pointer, message);
  };
  const real = await world.gate.realPath(mountedDirectory);
  // The disk of a link does not tell whether it leads into a root.
  if (!real.ok && real.code === 'io_error') throw missing(real.code);
  if (!isInRoots(mountedDirectory, roots)) throw outside();
  if (!real.ok) throw (await leadsOutside(mountedDirectory, roots, world.gate)) ? ledOutside() : missing(real.code);
  if (!liesInRoots(real.realPath, roots)) throw ledOutside();
  const stat = await world.gate.stat(real.realPath);
  if (!stat.ok) throw missing(stat.code);
  if (stat.kind !== 'directory')
    throw refuseField('invalid_request', pointer, `The mounted directory is not a directory: ${mountedDirectory}`);
}

/** Loads a directory by the function of its source, or returns what was loaded before. */
type LoadOnce = (directory: ContextDirectory, by: PlannedDirectory['load']) => Promise<LoadedDirectory>;

function createLoadOnce(world: World): LoadOnce {
  const loaded = new Map<string, Promise<LoadedDirectory>>();
  return (directory, by) => {
    const key = `${directory.scope}:${directory.path}:${directory.owner}`;
    const known = loaded.get(key) ?? by(directory, world);
    loaded.set(key, known);
    return known;
  };
}

/** The context directories that apply for an AI working directory, weakest first. */
export async function loadChain(place: WorkPlace, load: LoadOnce): Promise<LoadedDirectory[]> {
  const planned = planDirectories(place);
  // One after the other, so that a limit always affects the same: the user's own first, then from the nearest up.
  const isGlobal = ({ directory }: PlannedDirectory): boolean => directory.scope === 'global';
  const inOrder = [...planned.filter(isGlobal), ...planned.filter((each) => !isGlobal(each)).toReversed()];
  const loaded = new Map<PlannedDirectory, LoadedDirectory[]>();
  for (const each of inOrder) {
    const found = await load(each.directory, each.load);
    const isMissed = !found.present && each.otherwise !== undefined;
    loaded.set(each, isMissed ? [found, await load(each.otherwise as ContextDirectory, each.load)] : [found]);
  }
  return planned.flatMap((each) => loaded.get(each) ?? []);
}

/**
 * A file that is in a context directory and also included by a pattern belongs to the context directory. A file at a
 * place of another tool belongs to that tool. If a configuration names such a file itself, our front matter counts in
 * it.
 */
function uniqueCandidates(candidates: readonly Candidate[]): Candidate[] {
  const unique = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = unique.get(candidate.path);
    if (known === undefined) unique.set(candidate.path, candidate);
    else if (known.source === 'format' && isIncludedByName(candidate))
      unique.set(candidate.path, { ...known, read: readOwnFrontMatterOr(known.read, candidate.includedBy?.given) });
  }
  return [...unique.values()];
}

function isIncludedByName({ source, isForeign, includedBy }: Candidate): boolean {
  return source === 'include' && !isForeign && namesOneFile(includedBy?.pattern ?? '*');
}
