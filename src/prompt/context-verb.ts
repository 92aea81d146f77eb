/**
 * Gathers all context of a prompt: rules, open documents, imports, added files and search results, under one budget and
 * with one receipt.
 */
import { hash } from 'node:crypto';
import { weakestOf } from '../agent/item-search.ts';
import { tokensEstimated } from '../budget/token-counts.ts';
import { blocksOf, definitionsOf, hunksOf, sectionsOf } from '../context/joints.ts';
import type { EngineCore } from '../engine-core.ts';
import { createPause, inTurns } from '../pace/turns.ts';
import { type Caller, theUser } from '../ports/caller.ts';
import { ParseFailure } from '../ports/parsed-source.ts';
import { defaultEncoding } from '../ports/token-encoding.ts';
import { languageOf } from '../retrieval/imports/languages.ts';
import type { ParsedSources } from '../retrieval/parsed-sources.ts';
import { fixedLimits } from '../settings.ts';
import { uniqueWarnings } from '../warnings.ts';
import type { ContextRequest } from './context-request.ts';
import { type ContextItem, type ContextResult, kinds } from './context-result.ts';
import { createCut } from './cut-item.ts';
import { fitItems } from './fit-items.ts';
import { gatherAll, type Sources } from './gather-all.ts';
import type { GatheredItem } from './gather-items.ts';
import { frameTokens, joinRendered, renderItem } from './render-items.ts';

/**
 * Throws `path_outside_roots`, `not_found` or `invalid_request`, but never because of the content of a file. When
 * `signal` is aborted, nobody needs the result. `without`: paths of files that are already sent.
 */
export type GatherContext = (
  request: ContextRequest,
  options?: { caller?: Caller; signal?: AbortSignal; without?: ReadonlySet<string> },
) => Promise<ContextResult>;

export function createGatherContext(core: EngineCore, sources: Sources): GatherContext {
  return async (request, { caller = theUser, signal, without = new Set<string>() } = {}) => {
    const { render: rendering = 'none', budget = {} } = request;
    const { maxTokens = fixedLimits.context.promptTokens, encoding = defaultEncoding } = budget;
    const gathered = await gatherAll(request, { core, sources, caller, signal });
    const { parsedSources } = await sources.retrieval();
    const { sent, omitted, estimated } = await fitToBudget(withoutTwice(gathered.items, without), {
      rendering,
      encoding,
      maxTokens,
      tokenCounts: core.tokenCounts,
      isOver: () => signal?.aborted === true,
      piecesOf: (item) => piecesOf(item, parsedSources),
    });
    const delivered = new Set(sent.map(({ path }) => path));
    const about = gathered.about.flatMap(([path, said]) => (delivered.has(path) ? said : []));
    const hasFrame = sent.length > 0 && rendering !== 'none';
    const rendered = sent.map((item) => renderItem(item, rendering));
    const text = rendering === 'none' ? undefined : hasFrame ? joinRendered(rendered, rendering) : '';
    return {
      items: sent,
      omitted: [...gathered.omitted, ...omitted],
      usage: { ...usageOf(sent, hasFrame ? frameTokens[rendering] : 0), maxTokens },
      activeDocument: gathered.activeDocument,
      semantic: gathered.semantic.length > 0 ? weakestOf(gathered.semantic) : undefined,
      warnings: uniqueWarnings([...gathered.warnings, ...about, ...(estimated ? [tokensEstimated] : [])]),
      digest: digestOf(sent),
      text,
    };
  };
}

/** Sorts by kind, and drops files that are already in `without` or came before. Changes of a file are never dropped. */
function withoutTwice(found: readonly GatheredItem[], without: ReadonlySet<string>): GatheredItem[] {
  const inOrder = found.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const seen = new Set(without);
  return inOrder.filter(
    ({ kind, path }) => kind === 'changes' || path === undefined || seen.size < seen.add(path).size,
  );
}

type Budgeting = Parameters<typeof createCut>[0] & { maxTokens: number };

/** The items that fit, whole or cut, in the order in which they are sent. */
async function fitToBudget(found: readonly GatheredItem[], budgeting: Budgeting) {
  const { maxTokens, rendering } = budgeting;
  const { items, estimated } = await countItems(found, budgeting);
  const { kept, omitted } = await fitItems(
    items.toSorted((a, b) => b.weight - a.weight),
    { maxTokens: Math.max(0, maxTokens - frameTokens[rendering]), cut: createCut(budgeting) },
  );
  return { sent: items.flatMap((item) => showItem(kept.get(item))), omitted, estimated };
}

/** Counts the tokens of each item in its rendered form. */
async function countItems(found: readonly GatheredItem[], { rendering, encoding, tokenCounts }: Budgeting) {
  const hashed = found.map((item) => ({ ...item, sha256: hash('sha256', item.content) }));
  const texts = hashed.map((item) => {
    const text = renderItem(item, rendering);
    return { key: rendering === 'none' ? item.sha256 : hash('sha256', text), text };
  });
  const { counts, estimated } = await tokenCounts.count(texts, encoding);
  return { items: hashed.map((item, at) => ({ ...item, tokens: counts[at] ?? 0 })), estimated };
}

/**
 * The pieces at which an item can be cut: hunks, sections of Markdown, definitions of a source file, or blocks of a
 * part of a file.
 */
async function piecesOf({ kind, path, range, content }: ContextItem, parsedSources: ParsedSources) {
  const pause = createPause();
  if (kind === 'changes') return inTurns(hunksOf(content), pause);
  if (range !== undefined) return inTurns(blocksOf(content), pause);
  const language = path === undefined ? undefined : languageOf(path);
  if (language === undefined) return inTurns(sectionsOf(content), pause);
  try {
    const { definitions } = await parsedSources.parse({ text: content }, language);
    return await inTurns(definitionsOf(content, definitions), pause);
  } catch (error) {
    if (error instanceof ParseFailure) return [];
    throw error;
  }
}

function showItem(item: (ContextItem & Partial<GatheredItem>) | undefined): ContextItem[] {
  if (item === undefined) return [];
  const { weight: _weight, held: _held, ...shown } = item;
  return [shown];
}

function usageOf(items: readonly ContextItem[], frame: number): Pick<ContextResult['usage'], 'tokens' | 'kinds'> {
  const byKind: ContextResult['usage']['kinds'] = {};
  for (const { kind, tokens } of items) byKind[kind] = (byKind[kind] ?? 0) + tokens;
  return { tokens: items.reduce((sum, { tokens }) => sum + tokens, frame), kinds: byKind };
}

function digestOf(items: readonly ContextItem[]): string {
  const seen = items.map(({ kind, name, path, range, sha256, truncated }) => [
    kind,
    name,
    path,
    range,
    sha256,
    truncated,
  ]);
  return hash('sha256', JSON.stringify(seen));
}
