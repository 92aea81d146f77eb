/**
 * Gathers all context of a prompt: rules, open documents, imports, added files and search results, under one budget and
 * with one receipt.
 */
import { hash } from 'node:crypto';
import type { Unsaved } from '../access/gate.ts';
import { joinPath } from '../access/paths.ts';
import { weakestOf } from '../agent/item-search.ts';
import { tokensEstimated } from '../budget/token-counts.ts';
import { blocksOf, definitionsOf, hunksOf, sectionsOf } from '../context/joints.ts';
import type { EngineCore, Workspace } from '../engine-core.ts';
import { createPause, inTurns } from '../pace/turns.ts';
import { type Caller, theUser } from '../ports/caller.ts';
import { ParseFailure } from '../ports/parsed-source.ts';
import type { WorkingTree } from '../ports/working-tree.ts';
import { languageOf } from '../retrieval/imports/languages.ts';
import type { ParsedSources } from '../retrieval/parsed-sources.ts';
import type { RetrievalGroup } from '../retrieval/retrieval-verbs.ts';
import type { RetrieveRequest } from '../retrieval/retrieve-request.ts';
import { fixedLimits } from '../settings.ts';
import type { FileIndex } from '../supplementary/file-index.ts';
import { uniqueWarnings } from '../warnings.ts';
import type { ContextRequest, OpenDocument } from './context-request.ts';
import { type ContextItem, type ContextResult, kinds } from './context-result.ts';
import { createCut } from './cut-item.ts';
import { placeDocuments, unsavedOf } from './documents.ts';
import { fitItems } from './fit-items.ts';
import { changesFor, noChanges } from './gather-changes.ts';
import { type GatheredItem, itemOfFetched, kindOf, mapOf } from './gather-items.ts';
import { type Gathered, type ItemQuestion, type OfferedItems, rulesOfAgent, rulesOfDirectory } from './gather-rules.ts';
import { frameTokens, joinRendered, renderItem } from './render-items.ts';

/**
 * Throws `path_outside_roots`, `not_found` or `invalid_request`, but never because of the content of a file. When
 * `signal` is aborted, nobody needs the result. `without`: paths of files that are already sent.
 */
export type GatherContext = (
  request: ContextRequest,
  options?: { caller?: Caller; signal?: AbortSignal; without?: ReadonlySet<string> },
) => Promise<ContextResult>;

type Parts = {
  /** Throws `not_found` for an agent or session that the caller does not have. */
  offerItems(caller: Caller, question: ItemQuestion): Promise<OfferedItems>;
  retrieval(): Promise<RetrievalGroup>;
  fileIndex(): Promise<FileIndex>;
  /** Absent if nothing can compare files with the last commit. */
  workingTree: WorkingTree | undefined;
};

export function createGatherContext(core: EngineCore, parts: Parts): GatherContext {
  return async (request, { caller = theUser, signal, without = new Set<string>() } = {}) => {
    const { include = {}, budget = {}, render: rendering = 'none', query } = request;
    const isOver = (): boolean => signal?.aborted === true;
    const opened = await core.openWorkspace(request.mountedDirectory);
    const { mountedDirectory, world } = opened;
    const documents = await placeDocuments(request.documents ?? [], world);
    const { unsaved, warnings: unheard } = unsavedOf(documents, caller);
    const workspace = unsaved.texts.size === 0 ? opened : undefined;
    const { agentId, sessionId, workingDirectory, formats, mentions, expand } = request;
    const files = documents.map(({ path }) => path);
    const item = { agentId, sessionId, mountedDirectory, query, expand, encoding: budget.encoding };
    const question = { ...item, workingDirectory, formats, unsaved, files, mentions: mentions ?? [] };
    const isOfAgent = agentId !== undefined || sessionId !== undefined;
    const ruling = async (): Promise<Gathered> => {
      if (include.rules === false) return noRules;
      if (!isOfAgent) return rulesOfDirectory(question, core);
      return rulesOfAgent(question, (asked) => parts.offerItems(caller, asked));
    };
    const [rules, retrieved, map, changes] = await Promise.all([
      ruling(),
      retrieveFor(request, { mountedDirectory, workspace, documents, unsaved, signal, retrieval: parts.retrieval }),
      include.map === true ? mapFor(mountedDirectory, unsaved, { core, parts }) : undefined,
      include.changes === true
        ? changesFor(mountedDirectory, { documents, unsaved, signal, core, workingTree: parts.workingTree })
        : noChanges,
    ]);
    const { parsedSources } = await parts.retrieval();
    const all = [...rules.items, ...(map?.items ?? []), ...retrieved.items, ...changes.items];
    const found = withoutTwice(all, without);
    const { maxTokens = fixedLimits.context.promptTokens, encoding = 'o200k_base' } = budget;
    const { tokenCounts } = core;
    const { items, estimated } = await countItems(found, { rendering, encoding, tokenCounts });
    const cut = createCut({
      rendering,
      encoding,
      tokenCounts,
      isOver,
      piecesOf: (item) => piecesOf(item, parsedSources),
    });
    const { kept, omitted } = await fitItems(
      items.toSorted((a, b) => b.weight - a.weight),
      { maxTokens: Math.max(0, maxTokens - frameTokens[rendering]), cut },
    );
    const sent = items.flatMap((item) => showItem(kept.get(item)));
    const semantic = [rules.semantic, retrieved.semantic].filter((each) => each !== undefined);
    const delivered = new Set(sent.map(({ path }) => path));
    const about = [...retrieved.about, ...changes.about].flatMap(([path, said]) => (delivered.has(path) ? said : []));
    const hasFrame = sent.length > 0 && rendering !== 'none';
    const rendered = sent.map((item) => renderItem(item, rendering));
    const text = rendering === 'none' ? undefined : hasFrame ? joinRendered(rendered, rendering) : '';
    return {
      items: sent,
      omitted: [...rules.omitted, ...retrieved.omitted, ...changes.omitted, ...omitted],
      usage: { ...usageOf(sent, hasFrame ? frameTokens[rendering] : 0), maxTokens },
      activeDocument: retrieved.activeDocument,
      semantic: semantic.length > 0 ? weakestOf(semantic) : undefined,
      warnings: uniqueWarnings([
        ...unheard,
        ...rules.warnings,
        ...retrieved.warnings,
        ...(map?.warnings ?? []),
        ...changes.warnings,
        ...about,
        ...(estimated ? [tokensEstimated] : []),
      ]),
      digest: digestOf(sent),
      text,
    };
  };
}

const noRules: Gathered = { items: [], omitted: [], warnings: [], semantic: undefined };

/** What retrieval finds for the documents and the query. */
async function retrieveFor(
  { include = {}, query }: ContextRequest,
  place: {
    mountedDirectory: string;
    workspace: Workspace | undefined;
    documents: readonly OpenDocument[];
    unsaved: Unsaved;
    signal: AbortSignal | undefined;
    retrieval: Parts['retrieval'];
  },
) {
  const { mountedDirectory, workspace, documents, unsaved, signal } = place;
  const [active, ...others] = documents;
  const asked: RetrieveRequest = {
    mountedDirectory,
    openTabs: include.tabs === false ? [] : others.map(({ path }) => path),
    automatic: { imports: include.imports ?? 'definitions', search: include.search ?? true },
    query,
    activeDocument: active && { path: active.path, content: active.content, language: active.language },
  };
  const { collect } = await place.retrieval();
  const collected = await collect(asked, {
    workspace,
    signal,
    unsaved,
    focus: { cursor: active?.cursor, selection: active?.selection },
    withoutSupplementary: include.supplementary === false,
  });
  const mode = include.imports ?? 'definitions';
  const rankOf = new Map(collected.ranked.map((fetched, at) => [fetched, at]));
  const foundIn = new Map(collected.found?.matches.map(({ path, part }) => [path, part?.content]));
  return {
    items: collected.fetched.map((fetched) => ({
      ...itemOfFetched(fetched, rankOf.get(fetched) ?? 0, mode),
      held: fetched.origin === 'import' ? foundIn.get(fetched.path) : undefined,
    })),
    omitted: collected.omitted.map(({ origin, ...each }) => ({ kind: kindOf(origin, mode, true), ...each })),
    warnings: collected.warnings,
    about: collected.about,
    semantic: collected.found?.status,
    activeDocument: collected.activeDocument,
  };
}

async function mapFor(mounted: string, unsaved: Unsaved, { core, parts }: { core: EngineCore; parts: Parts }) {
  const { mountedDirectory, world } = await core.openWorkspace(mounted, { unsaved });
  const listing = await (await parts.fileIndex()).look(mountedDirectory, world);
  const { policies } = world.reach;
  const isAllowed = async (name: string): Promise<boolean> =>
    (await policies.decide(joinPath(mountedDirectory, name))).allowed;
  const item = await mapOf(listing, isAllowed);
  return { items: item.content === '' ? [] : [item], warnings: [...listing.warnings, ...policies.warnings()] };
}

/** Sorts by kind, and drops files that are already in `without` or came before. Changes of a file are never dropped. */
function withoutTwice(found: readonly GatheredItem[], without: ReadonlySet<string>): GatheredItem[] {
  const inOrder = found.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const seen = new Set(without);
  return inOrder.filter(
    ({ kind, path }) => kind === 'changes' || path === undefined || seen.size < seen.add(path).size,
  );
}

type Counting = Pick<Parameters<typeof createCut>[0], 'rendering' | 'encoding' | 'tokenCounts'>;

async function countItems(found: readonly GatheredItem[], { rendering, encoding, tokenCounts }: Counting) {
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
