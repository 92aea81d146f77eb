/** Makes the answer from what was read: states, order, budget, digest (CC-14 … CC-35). */

import { hash } from 'node:crypto';
import { stepOf } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { type TokenCounts, tokensEstimated } from '../budget/token-counts.ts';
import { type Reason, uniqueWarnings, type Warning } from '../warnings.ts';
import { chooseBeyondLimits, chooseOmitted, inOrderOfGoing, warningOfCost } from './budget.ts';
import type { ContextFile } from './context-file.ts';
import { decideStates } from './decide-states.ts';
import type { Duplicate } from './duplicates.ts';
import { formatNames } from './formats/format-names.ts';
import { broughtBy, decideImported, type ShownTrigger, triggersOf } from './import-states.ts';
import { createIsLeftOut, type IsLeftOut } from './left-out-names.ts';
import type { LoadedContext } from './load-context.ts';
import { findNamed } from './mentions.ts';
import { type LoadedConfig, showClientContext, showMcpServers } from './merge.ts';
import type { NormalizedRequest, RequestPlace } from './normalize-request.ts';
import { offerFiles } from './offer-files.ts';
import type { ParsedFiles } from './parsed-file.ts';
import { collectReadable, giveNames, type ReadableFile } from './readable.ts';
import { findRelevant, type RankRelevant } from './relevance.ts';
import type { ResolveResult } from './resolve-result.ts';
import { showConfigSources, showExcluded, showFile, shownTrigger } from './show-files.ts';
import type { TriggerDecision } from './triggers.ts';

/**
 * `result` has no bodies. `bodies` has the body of each file of the result by path, or the part that is delivered.
 * `isNarrowed`: some formats of other tools were not looked for.
 */
export type Composition = Readonly<{
  result: ResolveResult;
  bodies: ReadonlyMap<string, string>;
  /** The paths of the files of the result, in the order in which they are dropped if they do not fit (CC-35). */
  going: readonly string[];
  isNarrowed: boolean;
  isLeftOut: IsLeftOut;
  /** Duplicates, by path. */
  duplicates: ReadonlyMap<string, Duplicate>;
  /** The configurations that were merged, weakest first. */
  configs: readonly LoadedConfig[];
}>;

type Context = { parsedFiles: ParsedFiles; tokenCounts: TokenCounts; world: World; rankRelevant: RankRelevant };

/** The answer to a request, and its bodies. A `trace` records the steps to every verdict. */
export async function assembleResult(
  loaded: LoadedContext,
  request: NormalizedRequest,
  context: Context,
): Promise<Composition> {
  const { parsedFiles, world } = context;
  const readable = await collectReadable(loaded, parsedFiles, world);
  const { excluded, duplicates } = readable;
  const ofNames = giveNames(readable.ordered, world);
  const isLeftOut = createIsLeftOut(excluded, loaded, { place: world, parsedFiles });
  const asked = findAsked(readable.ordered, request, { place: world, isLeftOut });
  const verdicts = await decideFiles(loaded, request, { ...context, asked, duplicates });
  const { shown, bodies, isEstimated } = await showFiles(loaded, request, { ...context, asked, verdicts });
  const bytesOf = ({ path }: ContextFile): number => Buffer.byteLength(bodies.get(path) ?? '');
  const going = inOrderOfGoing(shown);
  const limited = keepWithinLimits(going, request, { world, bytesOf });
  const files = shown.map(({ file }) => file);
  const active = files.filter((file) => file.state === 'active');
  const merged = [...new Set(loaded.chains.map((chain) => chain.merged))];
  const warnings = [
    ...[...loaded.warnings, ...readable.warnings, ...ofNames],
    ...asked.ordered.flatMap(({ parsed }) => parsed.warnings),
    ...[...verdicts.warnings, ...asked.warnings],
    ...(isEstimated ? [tokensEstimated] : []),
    ...[...limited.warnings, ...warningOfCost(files)],
  ];
  const result: ResolveResult = Object.freeze({
    mountedDirectory: request.mountedDirectory,
    workingDirectories: loaded.chains.map((chain) => chain.workingDirectory),
    files,
    excluded: showExcluded(excluded, loaded, world),
    config: {
      clientContext: showClientContext(merged),
      mcpServers: showMcpServers(loaded.chains.map(({ servers }) => servers)),
    },
    configSources: showConfigSources(loaded),
    omitted: [...request.omitted, ...loaded.missing],
    warnings: uniqueWarnings(warnings),
    usage: {
      files: active.length,
      bytes: active.reduce((sum, file) => sum + bytesOf(file), 0),
      tokens: active.reduce((sum, file) => sum + file.tokens, 0),
      omitted: limited.omitted,
    },
    semantic: verdicts.semantic,
    digest: digestOf(files),
  });
  const isNarrowed = [request, ...merged].some(({ formats = formatNames }) => formats.length < formatNames.length);
  const configs = [...new Set(loaded.chains.flatMap((chain) => chain.configs))];
  const paths = going.map(({ file }) => file.path);
  return Object.freeze({ result, bodies, going: paths, isNarrowed, isLeftOut, duplicates, configs });
}

/** The files of an answer, and those of them that the request names. */
type Asked = {
  ordered: readonly ReadableFile[];
  mentioned: ReadonlySet<ReadableFile>;
  expanded: ReadonlySet<ReadableFile>;
  warnings: readonly Warning[];
};

/** A file that only belongs to another one is in the answer only if it is mentioned. */
function findAsked(
  all: readonly ReadableFile[],
  { mentions, expand = [] }: NormalizedRequest,
  by: { place: RequestPlace; isLeftOut: IsLeftOut },
): Asked {
  const mentioned = findNamed(mentions, all, { ...by, field: 'mentions' });
  const ordered = all.filter((file) => file.candidate.partOf === undefined || mentioned.files.has(file));
  const isAll = expand === 'all';
  const expanded = findNamed(isAll ? [] : expand, ordered, { ...by, field: 'expand' });
  return {
    ordered,
    mentioned: mentioned.files,
    expanded: isAll ? new Set(ordered) : expanded.files,
    warnings: [...mentioned.warnings, ...expanded.warnings],
  };
}

/** `decided`: the state of each file. `triggers`: when each file applies, with its imports considered. Both by path. */
type Verdicts = {
  decided: ReadonlyMap<string, TriggerDecision>;
  triggers: ReadonlyMap<string, ShownTrigger>;
  semantic: ResolveResult['semantic'];
  warnings: readonly Warning[];
};

async function decideFiles(
  loaded: LoadedContext,
  request: NormalizedRequest,
  context: Context & { asked: Asked; duplicates: ReadonlyMap<string, Duplicate> },
): Promise<Verdicts> {
  const { world, rankRelevant, asked, duplicates } = context;
  const { ordered, mentioned, expanded } = asked;
  const { imports } = loaded;
  const relevance = await findRelevant(ordered, request, { mentioned, expanded, rankRelevant });
  const decided = await decideStates(loaded, ordered, { request, world, relevance, mentioned });
  const brought = broughtBy(ordered, imports, duplicates);
  decideImported(decided, ordered, { brought, imports, place: world, trace: world.trace });
  const triggers = triggersOf(ordered, brought, (file) => shownTrigger(file, world));
  const isLate = [...decided.values()].some(({ reason }) => reason.code === 'limit_reached');
  const message = `Matching of globs stops after ${world.limits.globMatchMs} ms; files that were not decided by then are not active.`;
  return {
    decided,
    triggers,
    semantic: relevance?.semantic,
    warnings: isLate ? [{ code: 'limit_match_time', message }] : [],
  };
}

/** The files as the answer shows them, before a limit drops some. `bodies`: by path, as they are delivered. */
async function showFiles(
  { imports }: LoadedContext,
  request: NormalizedRequest,
  context: Context & { asked: Asked; verdicts: Verdicts },
) {
  const { tokenCounts, world, asked, verdicts } = context;
  const { ordered, mentioned } = asked;
  const { decided, triggers } = verdicts;
  const { tokens, estimated } = await countFiles(ordered, request, { tokenCounts, world, decided });
  const shown = ordered.map((file) => ({
    file: showFile(file, decided.get(file.candidate.path) as TriggerDecision, {
      place: world,
      tokens: tokens.get(file) ?? 0,
      trigger: triggers.get(file.candidate.path) as ShownTrigger,
      imports,
    }),
    depth: file.candidate.directory.depth,
    isMentioned: mentioned.has(file),
  }));
  const bodies = new Map(ordered.map(({ candidate, parsed }) => [candidate.path, parsed.source.body]));
  const isGuessed = await offerFiles(
    shown.map(({ file }) => ({ file, part: decided.get(file.path)?.part })),
    { tokenCounts, encoding: request.encoding, bodies, trace: world.trace },
  );
  return { shown, bodies, isEstimated: estimated || isGuessed };
}

/** Counts the tokens of the files that show them. */
async function countFiles(
  ordered: readonly ReadableFile[],
  { maxTokens, countsActiveOnly, encoding }: NormalizedRequest,
  context: { tokenCounts: TokenCounts; world: World; decided: ReadonlyMap<string, TriggerDecision> },
): Promise<{ tokens: ReadonlyMap<ReadableFile, number>; estimated: boolean }> {
  const { tokenCounts, world, decided } = context;
  // Steps tell of tokens only where a budget decides, and the first count of a process takes longer than all the rest.
  if (world.trace !== undefined && maxTokens === undefined) return { tokens: new Map(), estimated: false };
  const isAsked = ({ candidate }: ReadableFile) => !countsActiveOnly || decided.get(candidate.path)?.state === 'active';
  const asked = ordered.filter(isAsked);
  const texts = asked.map(({ snapshot: { sha256 }, parsed: { source } }) => {
    // A body is the end of its file.
    return { key: `${sha256}:${source.body.length}`, text: source.body };
  });
  const { counts, estimated } = await tokenCounts.count(texts, encoding);
  return { tokens: new Map(asked.map((file, index) => [file, counts[index] ?? 0])), estimated };
}

/** Drops active files that do not fit into the answer, then those that do not fit into the budget. */
function keepWithinLimits(
  going: ReturnType<typeof inOrderOfGoing>,
  { maxTokens }: NormalizedRequest,
  { world, bytesOf }: { world: World; bytesOf: (file: ContextFile) => number },
): { omitted: ResolveResult['usage']['omitted']; warnings: readonly Warning[] } {
  const letGo = (file: ContextFile, reason: Reason, rule: 'size' | 'budget'): void => {
    Object.assign(file, { state: 'available', reason });
    world.trace?.step(file.path, stepOf(rule, reason));
  };
  const beyond = chooseBeyondLimits(going, world.limits, bytesOf);
  for (const { file, reason } of beyond.letGo) letGo(file, reason, 'size');
  const omitted = chooseOmitted(going, maxTokens).map(({ file, reason }) => {
    letGo(file, reason, 'budget');
    return { path: file.path, tokens: file.tokens, reason };
  });
  return { omitted, warnings: beyond.warnings };
}

/** What a model would see: the active files, and the descriptions of `agent` files that it could ask for. */
export function digestOf(files: readonly ContextFile[]): string {
  const seen = files
    .filter((file) => file.state === 'active' || file.trigger === 'agent')
    .map((file) => [
      file.state,
      file.type,
      file.name,
      file.description,
      file.instructions ?? '',
      file.sha256,
      file.truncated,
      ...(file.supportingFiles ?? []),
      ...(file.part === undefined ? [] : [file.part, file.reason.detail]),
    ]);
  return hash('sha256', JSON.stringify(seen));
}
