/** Everything that a request for context asks for, before the budget decides. */
import type { Unsaved } from '../access/gate.ts';
import { joinPath } from '../access/paths.ts';
import type { EngineCore, Workspace } from '../engine-core.ts';
import type { Caller } from '../ports/caller.ts';
import type { WorkingTree } from '../ports/working-tree.ts';
import type { RetrievalGroup } from '../retrieval/retrieval-verbs.ts';
import type { RetrieveRequest } from '../retrieval/retrieve-request.ts';
import type { FileIndex } from '../supplementary/file-index.ts';
import type { ContextRequest, OpenDocument } from './context-request.ts';
import { placeDocuments, unsavedOf } from './documents.ts';
import { changesFor, noChanges } from './gather-changes.ts';
import { itemOfFetched, kindOf, mapOf } from './gather-items.ts';
import { type Gathered, type ItemQuestion, type OfferedItems, rulesOfAgent, rulesOfDirectory } from './gather-rules.ts';

export type Sources = {
  /** Throws `not_found` for an agent or session that the caller does not have. */
  offerItems(caller: Caller, question: ItemQuestion): Promise<OfferedItems>;
  retrieval(): Promise<RetrievalGroup>;
  fileIndex(): Promise<FileIndex>;
  /** Absent if nothing can compare files with the last commit. */
  workingTree: WorkingTree | undefined;
};

type Asking = { core: EngineCore; sources: Sources; caller: Caller; signal: AbortSignal | undefined };

/** `about`: warnings about files, by path; they count only if the file is delivered. Throws like `GatherContext`. */
export async function gatherAll(request: ContextRequest, { core, sources, caller, signal }: Asking) {
  const { include = {} } = request;
  const opened = await core.openWorkspace(request.mountedDirectory);
  const { mountedDirectory, world } = opened;
  const documents = await placeDocuments(request.documents ?? [], world);
  const { unsaved, warnings } = unsavedOf(documents, caller);
  const workspace = unsaved.texts.size === 0 ? opened : undefined;
  const place = { mountedDirectory, documents, unsaved, signal };
  const [rules, retrieved, map, changes] = await Promise.all([
    include.rules === false ? noRules : rulesFor(request, place, { core, sources, caller }),
    retrieveFor(request, { ...place, workspace }, sources),
    include.map === true ? mapFor(place, { core, sources }) : noMap,
    include.changes === true
      ? changesFor(mountedDirectory, { ...place, core, workingTree: sources.workingTree })
      : noChanges,
  ]);
  return {
    items: [...rules.items, ...map.items, ...retrieved.items, ...changes.items],
    omitted: [...rules.omitted, ...retrieved.omitted, ...changes.omitted],
    warnings: [...warnings, ...rules.warnings, ...retrieved.warnings, ...map.warnings, ...changes.warnings],
    about: [...retrieved.about, ...changes.about],
    semantic: [rules.semantic, retrieved.semantic].filter((each) => each !== undefined),
    activeDocument: retrieved.activeDocument,
  };
}

const noRules: Gathered = { items: [], omitted: [], warnings: [], semantic: undefined };
const noMap: Awaited<ReturnType<typeof mapFor>> = { items: [], warnings: [] };

/** Where a prompt is asked. `documents`: the active one first, with absolute paths. */
type Place = {
  mountedDirectory: string;
  documents: readonly OpenDocument[];
  unsaved: Unsaved;
  signal: AbortSignal | undefined;
};

/** The rules of the agent or session, or else of the directory. */
function rulesFor(
  { agentId, sessionId, workingDirectory, formats, mentions = [], expand, query, budget }: ContextRequest,
  { mountedDirectory, documents, unsaved }: Place,
  { core, sources, caller }: Omit<Asking, 'signal'>,
): Promise<Gathered> {
  const files = documents.map(({ path }) => path);
  const item = { agentId, sessionId, mountedDirectory, query, expand, encoding: budget?.encoding };
  const question = { ...item, workingDirectory, formats, unsaved, files, mentions };
  if (agentId === undefined && sessionId === undefined) return rulesOfDirectory(question, core);
  return rulesOfAgent(question, (asked) => sources.offerItems(caller, asked));
}

/** What retrieval finds for the documents and the query. */
async function retrieveFor(
  { include = {}, query }: ContextRequest,
  { mountedDirectory, documents, unsaved, signal, workspace }: Place & { workspace: Workspace | undefined },
  { retrieval }: Pick<Sources, 'retrieval'>,
) {
  const [active, ...others] = documents;
  const mode = include.imports ?? 'definitions';
  const asked: RetrieveRequest = {
    mountedDirectory,
    openTabs: include.tabs === false ? [] : others.map(({ path }) => path),
    automatic: { imports: mode, search: include.search ?? true },
    query,
    activeDocument: active && { path: active.path, content: active.content, language: active.language },
  };
  const { collect } = await retrieval();
  const collected = await collect(asked, {
    workspace,
    signal,
    unsaved,
    focus: { cursor: active?.cursor, selection: active?.selection },
    withoutSupplementary: include.supplementary === false,
  });
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

/** The names of the files of the workspace. */
async function mapFor(place: Place, { core, sources }: Pick<Asking, 'core' | 'sources'>) {
  const { mountedDirectory, world } = await core.openWorkspace(place.mountedDirectory, { unsaved: place.unsaved });
  const listing = await (await sources.fileIndex()).look(mountedDirectory, world);
  const { policies } = world.reach;
  const isAllowed = async (name: string): Promise<boolean> =>
    (await policies.decide(joinPath(mountedDirectory, name))).allowed;
  const item = await mapOf(listing, isAllowed);
  return { items: item.content === '' ? [] : [item], warnings: [...listing.warnings, ...policies.warnings()] };
}
