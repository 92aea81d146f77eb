/** Whether each file is active, by its trigger and what is in play (CC-21 … CC-29). */
import type { World } from '../access/world.ts';
import type { Candidate } from './candidate.ts';
import type { LoadedContext } from './load-context.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import type { ReadableFile } from './readable.ts';
import type { Relevance } from './relevance.ts';
import { decideTrigger, type TriggerDecision } from './triggers.ts';

/** The state of each file. One AI working directory is enough to make it active. */
export async function decideStates(
  loaded: LoadedContext,
  ordered: readonly ReadableFile[],
  context: {
    request: NormalizedRequest;
    world: World;
    relevance: Relevance | undefined;
    mentioned: ReadonlySet<ReadableFile>;
  },
): Promise<Map<string, TriggerDecision>> {
  const { request, world, relevance, mentioned } = context;
  const { trace } = world;
  const { globs: allowance } = world.allowances;
  const readable = new Map(ordered.map((file) => [file.candidate.path, file]));
  const decided = new Map<string, TriggerDecision>();
  for (const chain of loaded.chains) {
    for (const candidate of chain.candidates) {
      const { path, isForeign, isBelow } = candidate;
      const file = readable.get(path);
      if (file === undefined || chain.ruledOut.has(path) || decided.get(path)?.state === 'active') continue;
      const { trigger, globs } = file.parsed.source;
      const decision = decideTrigger(
        { trigger, globs, owner: file.candidate.directory.owner },
        {
          mountedDirectory: request.mountedDirectory,
          filesInPlay: chain.filesInPlay,
          isMentioned: mentioned.has(file),
          isBelow: isBelow === true,
          patternsIn: patternsIn(file, request),
          foreign: isForeign ? foreignWords(candidate) : undefined,
          relevance: relevance && { semantic: relevance.semantic, found: relevance.found.get(path) },
          allowance,
        },
      );
      await allowance.pause();
      const { code, detail } = decision.reason;
      if (relevance !== undefined && trigger === 'agent' && code !== 'mentioned' && code !== 'outside_repository')
        trace?.step(path, { rule: 'semantic', outcome: code, detail: wordsOfSearch(relevance, decision) });
      if (decision.state === 'active' || !decided.has(path)) decided.set(path, decision);
      // What is only imported has no trigger of its own.
      if (file.candidate.source === 'import' && code !== 'mentioned') continue;
      const tried = code === 'no_glob_matched' ? `tried ${globs.join(', ')}` : undefined;
      trace?.step(path, {
        rule: `trigger_${trigger}`,
        outcome: decision.state,
        detail: [code, detail, tried].filter((part) => part !== undefined).join(': '),
      });
    }
  }
  return decided;
}

/** The engine, its result, and why search was not possible. */
function wordsOfSearch({ semantic }: Relevance, { similarityScore, reason }: TriggerDecision): string {
  const score = similarityScore === undefined ? undefined : `score ${similarityScore.toFixed(2)}`;
  const engine = semantic.engine === 'none' ? undefined : `engine ${semantic.engine}`;
  return [score, reason.detail, engine, semantic.detail].filter((part) => part !== undefined).join('; ');
}

/** FM-05: patterns of another tool are about the files below the directory that has the rule. */
function patternsIn({ candidate }: ReadableFile, { mountedDirectory }: NormalizedRequest): string | undefined {
  if (candidate.format === undefined) return undefined;
  return candidate.directory.scope === 'global' ? mountedDirectory : candidate.directory.owner;
}

function foreignWords({ includedBy }: Candidate): string {
  if (includedBy === undefined) return 'the link leads out of its repository';
  return `"${includedBy.pattern}" in ${includedBy.place} includes it from outside its repository`;
}
