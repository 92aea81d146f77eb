/** What each AI working directory of a request sees, before any content is read (CC-06, CC-15, CC-16). */

import type { World } from '../access/world.ts';
import { sameItems } from '../pace/same-items.ts';
import type { Pause } from '../pace/turns.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type Candidate, namesOneFile } from './candidate.ts';
import type { ContextDirectory } from './directories.ts';
import { exclusionWarnings, prepareExclusion } from './exclusion.ts';
import { readOwnFrontMatterOr } from './front-matter.ts';
import { type LoadedDirectory, unsupportedWarning } from './load-directory.ts';
import {
  type LoadedConfig,
  type MergedConfig,
  type MergedServers,
  mergeConfigs,
  mergeServers,
  withFormatsOf,
} from './merge.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import { decideByPaths, type Sensitivity, withoutExcluded } from './path-rules.ts';
import { findFiles, planDirectories } from './sources/ask-sources.ts';
import type { Searched } from './sources/included.ts';
import type { FindPlace, PlannedDirectory, WorkPlace } from './sources/source.ts';

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

/** What all working directories of a request share. */
type Finding = Readonly<{ world: World; sensitivity: Sensitivity; pause: Pause }>;

/** Finds the candidates of each working directory. `directoriesOf`: the context directories of each. */
export async function findChains(
  request: NormalizedRequest,
  directoriesOf: readonly (readonly LoadedDirectory[])[],
  { before, ...finding }: Finding & { before: readonly Chain[] | undefined },
): Promise<Chain[]> {
  const shared: Pick<FindPlace, 'walks' | 'listings'> = { walks: new Map(), listings: new Map() };
  const chains: Chain[] = [];
  for (const [index, { path: workingDirectory, filesInPlay }] of request.workingDirectories.entries()) {
    await finding.pause();
    const directories = directoriesOf[index] as readonly LoadedDirectory[];
    const written = directories.flatMap(({ configs }) => configs);
    const configs = request.instead ? withFormatsOf(written, request.instead) : written;
    // Neighbouring working directories mostly have the same configurations.
    const last = chains.at(-1);
    const merged = last && sameItems(last.configs, configs) ? last.merged : mergeConfigs(configs);
    const where = { ...request, workingDirectory, filesInPlay };
    const found = await findFiles({ where, merged, ...shared }, finding.world);
    const evidence = [...directories.flatMap((directory) => directory.evidence), ...found.evidence];
    const known = before?.[index];
    const isKnown = known !== undefined && sameItems(known.evidence, evidence);
    const seen = { workingDirectory, filesInPlay, directories, configs, merged, evidence };
    chains.push(isKnown ? known : await decideChain(seen, found, { ...finding, last }));
  }
  return chains;
}

type Seen = Pick<Chain, 'workingDirectory' | 'filesInPlay' | 'directories' | 'configs' | 'merged' | 'evidence'>;

/** Decides about the candidates by their paths. `last`: the chain of the working directory before this one. */
async function decideChain(
  seen: Seen,
  { candidates: found, warnings: ofSources, searched, serverLists }: Awaited<ReturnType<typeof findFiles>>,
  { last, ...finding }: Finding & { last: Chain | undefined },
): Promise<Chain> {
  const { workingDirectory, directories, configs, merged } = seen;
  const { world, pause } = finding;
  const { excludes } = world.allowances;
  const unique = uniqueCandidates([...directories.flatMap((directory) => directory.candidates), ...found]);
  if (merged !== last?.merged) await prepareExclusion(merged, world, pause);
  const place = { ...finding, workingDirectory };
  const candidates = unique.map((candidate) => withoutExcluded(candidate, merged, place));
  const ruledOut = await decideByPaths(candidates, merged, place);
  const warnings = [
    ...directories.flatMap((directory) => [...directory.warnings, ...unsupportedWarning(directory, ruledOut)]),
    ...(excludes.isOver() ? [] : excludes.spend(() => exclusionWarnings(merged))),
    ...ofSources,
  ];
  const servers = serversOf({ configs, merged, serverLists }, last);
  return { ...seen, serverLists, servers, candidates, ruledOut, warnings, searched };
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

/** The context directories of each working directory. Those that several have are loaded once. */
export async function loadChains(
  { workingDirectories, ...request }: NormalizedRequest,
  { world, pause }: Pick<Finding, 'world' | 'pause'>,
): Promise<LoadedDirectory[][]> {
  const load = createLoadOnce(world);
  const loaded: LoadedDirectory[][] = [];
  for (const { path } of workingDirectories) {
    loaded.push(await loadChain({ ...request, workingDirectory: path }, load));
    await pause();
  }
  return loaded;
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
