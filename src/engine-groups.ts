/** The verbs of the engine that are imported and built at their first use: some daemons never need them. */
import { isInRoots } from './access/reach.ts';
import type { Found, RankRelevant } from './context/relevance.ts';
import type { PutFormats } from './context/write-formats.ts';
import type { EngineCore } from './engine-core.ts';
import type { Remember } from './events/remember.ts';
import type { McpGroup } from './mcp/mcp-verbs.ts';
import type { McpPorts } from './mcp/servers.ts';
import { loadOnce } from './pace/deferred-verbs.ts';
import type { Policies } from './policy/policies.ts';
import type { PolicyVerbs } from './policy/policy-verbs.ts';
import type { Embedder, FileWriter, ToolSource } from './ports/ports.ts';
import type { WorkingTree } from './ports/working-tree.ts';
import type { GatherContext } from './prompt/context-verb.ts';
import type { RetrievalGroup } from './retrieval/retrieval-verbs.ts';
import type { IndexGroup } from './search/index-verbs.ts';
import type { Search } from './search/search.ts';
import type { AgentGroup } from './session/agent-group.ts';
import type { FileIndex } from './supplementary/file-index.ts';
import type { KeptLists } from './supplementary/kept-lists.ts';
import type { SupplementaryVerbs } from './supplementary/supplementary-verbs.ts';

/** The ports that only these verbs use. */
export type GroupPorts = {
  fileWriter?: FileWriter;
  embedder?: Embedder;
  toolSource?: ToolSource;
  mcp?: McpPorts;
  workingTree?: WorkingTree;
};

export function openGroups(
  core: EngineCore,
  parts: { ports: GroupPorts; policies: Policies; remember: Pick<Remember, 'looked' | 'delivered'> },
) {
  const { ports, policies, remember } = parts;

  const search = loadOnce(async (): Promise<Search> => {
    const { createSearch } = await import('./search/search.ts');
    const { logger } = core;
    return createSearch({ logger, ...(ports.embedder && { semanticIndex: (await index()).index }) });
  });
  const searchItems: Search['search'] = async (...args) => (await search()).search(...args);
  const index = loadOnce(async (): Promise<IndexGroup> => {
    const { createIndexGroup } = await import('./search/index-verbs.ts');
    return createIndexGroup(core, {
      embedder: ports.embedder,
      itemsOf: async (target) => (await agents()).agents.itemsOf(target),
    });
  });
  const mcp = loadOnce(async (): Promise<McpGroup> => {
    const { createMcpGroup } = await import('./mcp/mcp-verbs.ts');
    return createMcpGroup(core, ports.mcp, async (agentId) => (await agents()).findAgent(agentId));
  });
  const serverTools: ToolSource = { listTools: async (place) => (await mcp()).toolSource.listTools(place) };
  const agents = loadOnce(async (): Promise<AgentGroup> => {
    const { createAgentGroup } = await import('./session/agent-group.ts');
    return createAgentGroup(core, {
      search: searchItems,
      toolSource: ports.toolSource ?? serverTools,
      gatherContext: async (...asked) => (await gatherContext())(...asked),
    });
  });
  const fileIndex = loadOnce(async (): Promise<FileIndex> => {
    const { createFileIndex } = await import('./supplementary/file-index.ts');
    return createFileIndex(core);
  });
  const { lists, namesOfList } = openLists(core);
  const supplementary = loadOnce(async (): Promise<SupplementaryVerbs> => {
    const { createSupplementaryVerbs } = await import('./supplementary/supplementary-verbs.ts');
    const parts = { index: await fileIndex(), lists: await lists() };
    return createSupplementaryVerbs(core, { ...parts, remember: remember.looked });
  });
  const policy = loadOnce(async (): Promise<PolicyVerbs> => {
    const { createPolicyVerbs } = await import('./policy/policy-verbs.ts');
    return createPolicyVerbs(core, { policies, fileWriter: ports.fileWriter, remember: remember.looked });
  });
  const putFormats = loadOnce(async (): Promise<PutFormats> => {
    const { createPutFormats } = await import('./context/write-formats.ts');
    return createPutFormats(core, ports.fileWriter);
  });
  const retrieval = loadOnce(async (): Promise<RetrievalGroup> => {
    const { createRetrievalGroup } = await import('./retrieval/retrieval-verbs.ts');
    const parts = { fileIndex: await fileIndex(), lists: await lists() };
    return createRetrievalGroup(core, { ...parts, remember: remember.delivered });
  });
  const gatherContext = loadOnce(async (): Promise<GatherContext> => {
    const { createGatherContext } = await import('./prompt/context-verb.ts');
    const { workingTree } = ports;
    return createGatherContext(core, {
      offerItems: async (...asked) => (await agents()).offerItems(...asked),
      retrieval,
      fileIndex,
      workingTree,
    });
  });
  return {
    index,
    mcp,
    agents,
    supplementary,
    policy,
    putFormats,
    retrieval,
    gatherContext,
    rankRelevant: rankBy(searchItems),
    namesOfList,
  };
}

function rankBy(search: Search['search']): RankRelevant {
  return async (query, items, isWhole) => {
    const { results, rejected = [], semantic } = await search(query, items, { isWhole, rejected: 1 });
    const found = new Map<string, Found>();
    for (const { item, score, reason } of rejected) found.set(item.sha256, { score, rejected: reason.detail });
    for (const { item, score, part } of results) found.set(item.sha256, { score, part });
    return { found, semantic };
  };
}

/** What users added. It is loaded at the first request for it. */
function openLists({ store, files, createWorld }: EngineCore) {
  const lists = loadOnce(async (): Promise<KeptLists> => {
    const { createKeptLists } = await import('./supplementary/kept-lists.ts');
    return createKeptLists({ store: store.supplementary, realPath: files.realPath });
  });
  return {
    lists,
    async namesOfList(name: string): Promise<readonly string[]> {
      const { roots } = (await createWorld(name)).reach;
      return (await lists.loaded())?.namesOf(name, roots) ?? (isInRoots(name, roots) ? [name] : []);
    },
  };
}
