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
import type { NormalizedRequest } from './normalize-request.ts';
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

/** The answer to a request, and its bodies. A `trace` records the steps to every verdict. */
export async function assembleResult(
  loaded: LoadedContext,
  request: NormalizedRequest,
  context: { parsedFiles: ParsedFiles; tokenCounts: TokenCounts; world: World; rankRelevant: RankRelevant },
): Promise<Composition> {
  const { parsedFiles, world } = context;
  const warnings: Warning[] = [...loaded.warnings];
  const { ordered: all, excluded, duplicates, warnings: late } = await collectReadable(loaded, parsedFiles, world);
  warnings.push(...late);
  warnings.push(...giveNames(all, world));
  const isLeftOut = createIsLeftOut(excluded, loaded, { place: world, parsedFiles });
  const mentioned = findNamed(request.mentions, all, { place: world, field: 'mentions', isLeftOut });
  const ordered = all.filter((file) => file.candidate.partOf === undefined || mentioned.files.has(file));
  const { expand = [] } = request;
  const expanded = findNamed(expand === 'all' ? [] : expand, ordered, { place: world, field: 'expand', isLeftOut });
  for (const { parsed } of ordered) warnings.push(...parsed.warnings);

  const named = { mentioned: mentioned.files, expanded: expand === 'all' ? new Set(ordered) : expanded.files };
  const relevance = await findRelevant(ordered, request, { ...named, rankRelevant: context.rankRelevant });
  const decided = await decideStates(loaded, ordered, { request, world, relevance, mentioned: mentioned.files });
  const { imports } = loaded;
  const brought = broughtBy(ordered, imports, duplicates);
  decideImported(decided, ordered, { brought, imports, place: world, trace: world.trace });
  const triggers = triggersOf(ordered, brought, (file) => shownTrigger(file, world));
  if ([...decided.values()].some(({ reason }) => reason.code === 'limit_reached'))
    warnings.push({ code: 'limit_match_time', message: globsTookTooLong(world) });
  warnings.push(...mentioned.warnings, ...expanded.warnings);

  const { tokens, estimated } = await countFiles(ordered, request, { ...context, decided });
  const shown = ordered.map((file) => ({
    file: showFile(file, decided.get(file.candidate.path) as TriggerDecision, {
      place: world,
      tokens: tokens.get(file) ?? 0,
      trigger: triggers.get(file.candidate.path) as ShownTrigger,
      imports,
    }),
    depth: file.candidate.directory.depth,
    isMentioned: mentioned.files.has(file),
  }));
  const bodies = new Map(ordered.map(({ candidate, parsed }) => [candidate.path, parsed.source.body]));
  const isGuessed = await offerFiles(
    shown.map(({ file }) => ({ file, part: decided.get(file.path)?.part })),
    { ...context, encoding: request.encoding, bodies, trace: world.trace },
  );
  if (estimated || isGuessed) warnings.push(tokensEstimated);
  const bytesOf = ({ path }: ContextFile): number => Buffer.byteLength(bodies.get(path) ?? '');
  const going = inOrderOfGoing(shown);
  const limited = keepWithinLimits(going, request, { world, bytesOf });
  warnings.push(...limited.warnings);
  const files = shown.map(({ file }) => file);
  const active = files.filter((file) => file.state === 'active');
  const merged = [...new Set(loaded.chains.map((chain) => chain.merged))];
  warnings.push(...warningOfCost(files));
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
    ...(relevance === undefined ? {} : { semantic: relevance.semantic }),
    digest: digestOf(files),
  });
  const isNarrowed = [request, ...merged].some(({ formats = formatNames }) => formats.length < formatNames.length);
  const configs = [...new Set(loaded.chains.flatMap((chain) => chain.configs))];
  const paths = going.map(({ file }) => file.path);
  return Object.freeze({ result, bodies, going: paths, isNarrowed, isLeftOut, duplicates, configs });
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

function globsTookTooLong({ limits }: World): string {
  return `Matching of globs stops after ${limits.globMatchMs} ms; files that were not decided by then are not active.`;
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
