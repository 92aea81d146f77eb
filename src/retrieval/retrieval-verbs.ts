/** The retrieval operations of the engine (RT-01). */

import type { Unsaved } from '../access/gate.ts';
import { parentPath } from '../access/paths.ts';
import { requestNames } from '../access/request-names.ts';
import { loadFileExclusion } from '../context/file-exclusion.ts';
import type { EngineCore, Workspace } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { fixedLimits } from '../settings.ts';
import type { FileIndex } from '../supplementary/file-index.ts';
import type { KeptLists } from '../supplementary/kept-lists.ts';
import type { Focus } from './attention.ts';
import { expandFolder } from './folder-files.ts';
import { createKeywordContext } from './keyword-context.ts';
import { createLookups } from './lookup.ts';
import { createParsedSources, type ParsedSources } from './parsed-sources.ts';
import { type Collected, collectItems, type Retrieval, retrieveContext } from './retrieve.ts';
import type { RetrieveRequest } from './retrieve-request.ts';
import type { OmittedItem, RetrieveResult } from './retrieve-result.ts';

/**
 * The context for a prompt. Throws `path_outside_roots`, `not_found` or `invalid_request`, but never because of the
 * content of a file. When `signal` is aborted, nobody needs the result.
 */
export type Retrieve = (request: RetrieveRequest, signal?: AbortSignal) => Promise<RetrieveResult>;

/**
 * `unsaved`: texts that replace files on disk. `workspace`: the mounted directory, if it is already open with these
 * texts.
 */
type CollectOptions = {
  workspace?: Workspace | undefined;
  signal?: AbortSignal | undefined;
  unsaved: Unsaved;
  focus: Focus;
  withoutSupplementary: boolean;
};

export type RetrievalGroup = {
  retrieve: Retrieve;
  /** What `retrieve` finds before the budget decides. Throws as `retrieve`. */
  collect(request: RetrieveRequest, options: CollectOptions): Promise<Collected>;
  parsedSources: ParsedSources;
};

/** `remember`: makes changes of policies that decide about files in these directories be reported. */
type RetrievalParts = {
  fileIndex: FileIndex;
  lists: KeptLists;
  remember(mountedDirectory: string, directories: readonly string[], askedAtMs: number): void;
};

export function createRetrievalGroup(core: EngineCore, { fileIndex, lists, remember }: RetrievalParts): RetrievalGroup {
  const keywordContext = createKeywordContext({ clock: core.clock, fileIndex });
  const lookups = createLookups();
  const parsedSources = createParsedSources(core.sourceParser, core.clock);

  const open = async (
    asked: string,
    { workspace, signal, unsaved, withoutSupplementary }: Partial<CollectOptions>,
  ): Promise<Retrieval> => {
    const isOver = (): boolean => signal?.aborted === true;
    const opened = workspace ?? (await core.openWorkspace(asked, { unsaved }));
    const { mountedDirectory, world } = opened;
    return {
      mountedDirectory,
      world,
      parsedSources,
      isOver,
      supplementary: withoutSupplementary ? nothingAdded : await listAdded(lists, opened),
      clock: core.clock,
      lookup: lookups.open(mountedDirectory, { world, clock: core.clock, isOver }),
      tokenCounts: core.tokenCounts,
      loadExclusion: (workingDirectory) => loadFileExclusion(workingDirectory, world, core.settings),
      expandFolder: (path, exclude) => expandFolder(path, { mountedDirectory, world, fileIndex, exclude }),
      search: (query, place) => keywordContext.search(query, { mountedDirectory, world, isOver, ...place }),
    };
  };
  const rememberDelivered = (
    mountedDirectory: string,
    { delivered, omitted }: { delivered: readonly { path: string }[]; omitted: readonly OmittedItem[] },
    askedAtMs: number,
  ): void => {
    const directories = new Set([...delivered, ...omitted.filter(isBlocked)].map(({ path }) => parentPath(path)));
    remember(mountedDirectory, [...directories].slice(0, fixedLimits.events.watchedDirectories + 1), askedAtMs);
  };
  return {
    parsedSources,
    async retrieve(request, signal) {
      const askedAtMs = core.clock.now();
      const run = await open(request.mountedDirectory, { signal });
      const result = await retrieveContext(request, run);
      const { items: delivered, omitted } = result;
      rememberDelivered(run.mountedDirectory, { delivered, omitted }, askedAtMs);
      return result;
    },
    async collect(request, { focus, ...options }) {
      const askedAtMs = core.clock.now();
      const run = await open(request.mountedDirectory, options);
      const collected = await collectItems(request, run, focus);
      const { fetched: delivered, omitted } = collected;
      rememberDelivered(run.mountedDirectory, { delivered, omitted }, askedAtMs);
      return collected;
    },
  };
}

type Added = Retrieval['supplementary'];

const nothingAdded: Added = { items: [], warnings: [] };

/** The files that the user added. If the store cannot be reached, the answer is sent without them (RT-04, FT-07). */
async function listAdded(lists: KeptLists, { mountedDirectory, world }: Workspace): Promise<Added> {
  try {
    const list = await lists.open(mountedDirectory);
    const { shown } = requestNames({ path: mountedDirectory, realPath: list.place }, world.reach.roots);
    return { items: (await list.read()).map(({ kind, path }) => ({ kind, path: shown(path) })), warnings: [] };
  } catch (error) {
    if (!(error instanceof ContextdError) || error.code !== 'unavailable') throw error;
    const message = 'What the user added is left out: the store cannot be used at the moment.';
    return { items: [], warnings: [{ code: 'store_unavailable', message }] };
  }
}

/** Files that a policy or an ignore file blocked. They may be delivered when it changes. */
function isBlocked({ reason }: OmittedItem): boolean {
  return reason.code === 'blocked_by_policy' || reason.code === 'blocked_by_ignore_file';
}
