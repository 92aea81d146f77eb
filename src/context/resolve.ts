/** From what was seen on disk to the answer: states, order, budget, digest (CC-14 … CC-35). */
import { createHash } from 'node:crypto';
import { relativePath } from '../access/paths.ts';
import { stepOf } from '../access/trace.ts';
import type { World } from '../access/world.ts';
import { compareText } from '../texts/compare-text.ts';
import { type Reason, uniqueWarnings, type Warning } from '../warnings.ts';
import { chooseOmitted } from './budget.ts';
import type { ContextFile } from './context-file.ts';
import type { Gathered } from './gather.ts';
import { showClientContext, showMcpServers } from './merge.ts';
import { typeFromFolder } from './names.ts';
import type { NormalizedRequest, RequestPlace } from './normalize-request.ts';
import type { ParsedFiles } from './parsed-file.ts';
import {
  collectReadable,
  giveNames,
  mentionsOf,
  type ReadableFile,
  shownRelativePath,
  unmatchedMentions,
} from './readable.ts';
import { findRelevant, type RankRelevant, type Relevance } from './relevance.ts';
import type { ConfigSource, ExcludedFile, ResolveResult } from './resolve-result.ts';
import { decideTrigger, type TriggerDecision } from './triggers.ts';

/** `result` has no bodies; `bodies` has, by path, that of each file of the result, active or not. */
export type Composition = Readonly<{ result: ResolveResult; bodies: ReadonlyMap<string, string> }>;

/** The answer to a request, and the bodies it was made from. With a `trace`, the steps to every verdict are written down. */
export async function assembleResult(
  gathered: Gathered,
  request: NormalizedRequest,
  context: { parsedFiles: ParsedFiles; world: World; rankRelevant: RankRelevant },
): Promise<Composition> {
  const { parsedFiles, world } = context;
  const warnings: Warning[] = [...gathered.warnings];
  const { ordered, excluded, warnings: late } = await collectReadable(gathered, parsedFiles, world);
  warnings.push(...late);
  warnings.push(...giveNames(ordered, world));
  for (const { parsed } of ordered) warnings.push(...parsed.warnings);

  const relevance = await findRelevant(ordered, request, { place: world, rankRelevant: context.rankRelevant });
  const decided = await decideStates(gathered, ordered, { request, world, relevance });
  if ([...decided.values()].some(({ reason }) => reason.code === 'limit_reached'))
    warnings.push({ code: 'limit_match_time', message: globsTookTooLong(world) });
  warnings.push(...unmatchedMentions(request.mentions, ordered, world));

  // Steps tell of tokens only where a budget decides, and the first count of a process takes longer than all the rest.
  const isCounted = world.trace === undefined || request.maxTokens !== undefined;
  const { counts, estimated } = await parsedFiles.countTokens(
    isCounted ? ordered.map(({ snapshot }) => snapshot) : [],
    request.encoding,
  );
  if (estimated)
    warnings.push({
      code: 'tokens_estimated',
      message: 'Tokens could not be counted; four bytes were taken for one token.',
    });
  const shown = ordered.map((file, index) => ({
    file: showFile(file, decided.get(file.candidate.path) as TriggerDecision, {
      place: world,
      tokens: counts[index] ?? 0,
    }),
    depth: file.candidate.directory.depth,
  }));
  const omitted = chooseOmitted(shown, request.maxTokens).map(({ file, reason }) => {
    file.state = 'available';
    file.reason = reason;
    world.trace?.step(file.path, stepOf('budget', reason));
    return { path: file.path, tokens: file.tokens, reason };
  });
  const files = shown.map(({ file }) => file);
  const active = files.filter((file) => file.state === 'active');
  const bodies = new Map(ordered.map(({ candidate, parsed }) => [candidate.path, parsed.source.body]));
  const merged = [...new Set(gathered.chains.map((chain) => chain.merged))];
  const result: ResolveResult = Object.freeze({
    mountedDirectory: request.mountedDirectory,
    workingDirectories: gathered.chains.map((chain) => chain.workingDirectory),
    files,
    excluded: showExcluded(excluded),
    config: {
      clientContext: showClientContext(merged),
      mcpServers: showMcpServers(gathered.chains.map(({ servers }) => servers)),
    },
    configSources: showConfigSources(gathered),
    omitted: [...request.omitted],
    warnings: uniqueWarnings(warnings),
    usage: {
      files: active.length,
      bytes: active.reduce((sum, file) => sum + Buffer.byteLength(bodies.get(file.path) ?? ''), 0),
      tokens: active.reduce((sum, file) => sum + file.tokens, 0),
      omitted,
    },
    ...(relevance === undefined ? {} : { semantic: relevance.semantic }),
    digest: digestOf(files),
  });
  return Object.freeze({ result, bodies });
}

function globsTookTooLong({ limits }: World): string {
  return `Globs are matched for ${limits.globMatchMs} ms; files about which they had not decided by then are not active.`;
}

/** The state of each file: active as soon as one AI working directory makes it so. */
async function decideStates(
  gathered: Gathered,
  ordered: readonly ReadableFile[],
  context: { request: NormalizedRequest; world: World; relevance: Relevance | undefined },
): Promise<Map<string, TriggerDecision>> {
  const { request, world, relevance } = context;
  const { trace } = world;
  const { globs: allowance } = world.allowances;
  const readable = new Map(ordered.map((file) => [file.candidate.path, file]));
  const mentions = new Set(request.mentions);
  const decided = new Map<string, TriggerDecision>();
  for (const chain of gathered.chains) {
    for (const { path, isForeign, isBelow, includedBy } of chain.candidates) {
      const file = readable.get(path);
      if (file === undefined || chain.ruledOut.has(path) || decided.get(path)?.state === 'active') continue;
      const { trigger, globs } = file.parsed.source;
      const decision = decideTrigger(
        { trigger, globs, owner: file.candidate.directory.owner },
        {
          mountedDirectory: request.mountedDirectory,
          filesInPlay: chain.filesInPlay,
          isMentioned: mentionsOf(file, world).some((mention) => mentions.has(mention)),
          isBelow: isBelow === true,
          patternsIn: patternsIn(file, request),
          ...(isForeign && includedBy && { foreign: `"${includedBy.pattern}" in ${includedBy.place}` }),
          ...(relevance && { relevance: { semantic: relevance.semantic, score: relevance.scores.get(path) } }),
          allowance,
        },
      );
      await allowance.pause();
      const { code, detail } = decision.reason;
      if (relevance !== undefined && trigger === 'agent' && code !== 'mentioned' && code !== 'outside_repository')
        trace?.step(path, { rule: 'semantic', outcome: code, detail: wordsOfSearch(relevance, decision) });
      const tried = code === 'no_glob_matched' ? `tried ${globs.join(', ')}` : undefined;
      trace?.step(path, {
        rule: `trigger_${trigger}`,
        outcome: decision.state,
        detail: [code, detail, tried].filter((part) => part !== undefined).join(': '),
      });
      if (decision.state === 'active' || !decided.has(path)) decided.set(path, decision);
    }
  }
  return decided;
}

/** What searched, with which result, and why not otherwise. */
function wordsOfSearch({ semantic }: Relevance, { similarityScore }: TriggerDecision): string {
  const score = similarityScore === undefined ? undefined : `score ${similarityScore.toFixed(2)}`;
  const engine = semantic.engine === 'none' ? undefined : `engine ${semantic.engine}`;
  return [score, engine, semantic.detail].filter((part) => part !== undefined).join('; ');
}

function showFile(
  file: ReadableFile,
  decision: TriggerDecision,
  shown: { place: RequestPlace; tokens: number },
): ContextFile {
  const { candidate, snapshot, parsed, name } = file;
  const { source } = parsed;
  return {
    name,
    type: source.type ?? typeFromFolder(candidate.path, candidate.directory.path),
    path: candidate.path,
    relativePath: shownRelativePath(candidate, shown.place),
    scope: candidate.directory.scope,
    source: candidate.source,
    ...(candidate.format === undefined ? {} : { format: candidate.format }),
    owner: candidate.directory.owner,
    ...shownTrigger(file, shown.place),
    description: source.description,
    ...(source.instructions === undefined ? {} : { instructions: source.instructions }),
    priority: source.priority,
    properties: source.properties,
    state: decision.state,
    reason: decision.reason,
    ...(decision.similarityScore === undefined ? {} : { similarityScore: decision.similarityScore }),
    bytes: snapshot.bytes,
    tokens: shown.tokens,
    truncated: snapshot.truncated,
    sha256: snapshot.sha256,
  };
}

/** FM-05: patterns of another tool are about the files below the directory that has the rule. */
function patternsIn({ candidate }: ReadableFile, { mountedDirectory }: NormalizedRequest): string | undefined {
  if (candidate.format === undefined) return undefined;
  return candidate.directory.scope === 'global' ? mountedDirectory : candidate.directory.owner;
}

/** FM-05: what would always apply is, below the working directory, for what lies beside it and below. */
function shownTrigger({ candidate, parsed }: ReadableFile, { mountedDirectory }: RequestPlace) {
  const { trigger, globs } = parsed.source;
  if (!candidate.isBelow || trigger !== 'always') return { trigger, globs };
  return { trigger: 'auto' as const, globs: [`${relativePath(mountedDirectory, candidate.directory.owner)}/**`] };
}

function showExcluded(excluded: ReadonlyMap<string, Reason>): ExcludedFile[] {
  return [...excluded].sort(([a], [b]) => compareText(a, b)).map(([path, reason]) => ({ path, reason }));
}

function showConfigSources(gathered: Gathered): ConfigSource[] {
  const sources = new Map<string, ConfigSource>();
  for (const { configs } of gathered.chains)
    for (const { path, scope } of configs) if (!sources.has(path)) sources.set(path, { path, scope });
  return [...sources.values()];
}

/** What a model would see: the active files, and how `agent` files that it could ask for present themselves. */
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
    ]);
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex');
}
