import type { EngineCore } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import type { Search, SearchResult } from '../search/search.ts';
import type { SearchItem } from '../search/search-item.ts';
import type { Warning } from '../warnings.ts';
import type { Agent, AgentSummary, NamedAgent } from './agent.ts';
import {
  type DocumentFormat,
  type ImportRequest,
  inDocument,
  parseAgentDocument,
  writeAgentDocument,
} from './agent-document.ts';
import type { AgentRecord, AgentRecords } from './agent-records.ts';
import type { Catalog, Catalogs } from './catalog.ts';
import { type CatalogItem, showItem } from './catalog-item.ts';
import type { ItemPlace } from './catalog-place.ts';
import { checkDirectories } from './check-agent.ts';
import { createInlineItemVerbs, type InlineItemVerbs } from './inline-item-verbs.ts';
import type { AgentItem } from './item.ts';
import {
  type FoundItem,
  type ItemSearchResult,
  mergeDomainOptions,
  type SearchRequest,
  searchDomains,
} from './item-search.ts';
import { maskAgent, restoreSecrets } from './secrets.ts';

/** An agent as answers show it, with masked secrets. `etag`: its version. */
type ShownAgent = { agent: Agent; etag: string };

/** Where items come from: an agent, by its id, or only the context files of a directory. */
type ItemSource = {
  agentId?: string | undefined;
  mountedDirectory?: string | undefined;
  workingDirectory?: string | undefined;
};

export type AgentVerbs = Readonly<{
  list(): Promise<AgentSummary[]>;
  /** Throws `not_found`. */
  get(agentId: string): Promise<ShownAgent>;
  /** Adds or replaces. Throws `invalid_request`, `path_outside_roots`, `version_mismatch` and `limit_exceeded`. */
  put(agentId: string, agent: NamedAgent, expected?: ExpectedVersion): Promise<ShownAgent & { created: boolean }>;
  /** Throws `not_found` and `version_mismatch`. */
  remove(agentId: string, expected?: ExpectedVersion): Promise<void>;
  /** The agent as one document with masked secrets. Throws `not_found`. */
  export(agentId: string, format: DocumentFormat): Promise<string>;
  /** Throws like `put`, and `conflict` if there is an agent with this id and `replace` is not true. */
  import(request: ImportRequest): Promise<ShownAgent & { created: boolean }>;
  /** All items. Throws `not_found`. */
  items(agentId: string): Promise<{ items: AgentItem[]; warnings: Warning[] }>;
  /** Throws `not_found`. For a mounted directory, throws like `resolve`. */
  search(request: SearchRequest): Promise<ItemSearchResult>;
  /**
   * All items with their texts for models and for search. Throws like `search`. For invalid `files`, throws like
   * `resolve`.
   */
  catalog(source: ItemSource, options?: { files?: readonly string[] }): Promise<Catalog>;
  /** All items that can be searched. Throws like `search`. */
  itemsOf(source: ItemSource): Promise<SearchItem[]>;
}> &
  InlineItemVerbs;

export function createAgentVerbs(
  core: EngineCore,
  { records, catalogs, search }: { records: AgentRecords; catalogs: Catalogs; search: Search['search'] },
): AgentVerbs {
  const shown = ({ agent, etag }: AgentRecord): ShownAgent => ({ agent: maskAgent(agent), etag });

  /** `mayReplace`: whether an existing agent may be replaced. */
  const put = async (
    agentId: string,
    agent: NamedAgent,
    { expected = anyVersion, mayReplace = true }: { expected?: ExpectedVersion | undefined; mayReplace?: boolean },
  ) => {
    if (agent.id !== undefined && agent.id !== agentId)
      throw refuseField('invalid_request', '/id', 'It must be the id in the path.');
    const { id: _id, ...rest } = agent;
    const { record, created } = await records.write(agentId, expected, (before) => {
      if (before !== undefined && !mayReplace) throw alreadyThere(agentId);
      return restoreSecrets({ id: agentId, ...rest }, before);
    });
    return { ...shown(record), created };
  };

  const placeOf = async ({ agentId, mountedDirectory, workingDirectory }: ItemSource): Promise<ItemPlace> => {
    if (agentId !== undefined && workingDirectory !== undefined)
      throw refuseField('invalid_request', '/workingDirectory', 'An agent has its own working directory.');
    if (agentId !== undefined && mountedDirectory === undefined) return { agent: (await records.get(agentId)).agent };
    if (agentId === undefined && mountedDirectory !== undefined) return { mountedDirectory, workingDirectory };
    throw refuseField('invalid_request', '/agentId', 'Name either an agent or a mounted directory.');
  };

  return Object.freeze({
    list: async () => records.list(),
    get: async (agentId) => shown(await records.get(agentId)),
    async put(agentId, agent, expected) {
      await checkDirectories(agent, core);
      return put(agentId, agent, { expected });
    },
    remove: async (agentId, expected = anyVersion) => records.remove(agentId, expected),
    export: async (agentId, format) => writeAgentDocument(maskAgent((await records.get(agentId)).agent), format),

    async import(request) {
      const agent = parseAgentDocument(request);
      try {
        await checkDirectories(agent, core);
        return await put(agent.id, agent, { mayReplace: request.replace === true });
      } catch (error) {
        throw error instanceof ContextdError ? inDocument(error) : error;
      }
    },

    ...createInlineItemVerbs(records),

    async items(agentId) {
      const { items, warnings } = await catalogs.load({ agent: (await records.get(agentId)).agent });
      return { items: items.map(showItem), warnings: [...warnings] };
    },

    async search({ agentId, mountedDirectory, workingDirectory, query, types, rejected: maxRejected, ...options }) {
      const place = await placeOf({ agentId, mountedDirectory, workingDirectory });
      const { items, warnings } = await catalogs.load(place);
      const chosen = types === undefined ? items : items.filter(({ type }) => types.includes(type));
      const settings = 'agent' in place ? place.agent.settings : undefined;
      const merged = mergeDomainOptions(settings, { search: options, toolSearch: options });
      const asked = { query, items: chosen, options: merged, rejected: maxRejected };
      const { found, rejected, semantic } = await searchDomains(asked, search);
      return {
        results: found.map(({ item, result }) => showFound(item, result)),
        ...(maxRejected === undefined
          ? {}
          : { rejected: rejected.map(({ item, result }) => ({ ...showFound(item, result), reason: result.reason })) }),
        searched: chosen.length,
        semantic,
        warnings: [...warnings],
      };
    },

    catalog: async (source, options) => catalogs.load(await placeOf(source), options),
    itemsOf: async (source) => (await catalogs.load(await placeOf(source))).items.map(({ searchItem }) => searchItem),
  } satisfies AgentVerbs);
}

function showFound({ type, name, serverName, path }: CatalogItem, { score, engine, chunk }: SearchResult): FoundItem {
  const named = { type, name, serverName };
  return { ...named, path, score, engine, chunk };
}

function alreadyThere(agentId: string): ContextdError {
  const message = `There is an agent "${agentId}" already. To replace it, send \`replace\` (in a command: --replace).`;
  return new ContextdError('conflict', message);
}
