/** Agents and sessions over a store, with a search that selects what a test says, and without a file system. */

import { createTokenCounts } from '../../../src/budget/token-counts.ts';
import type { EngineCore } from '../../../src/engine-core.ts';
import type { TokenCounter } from '../../../src/ports/ports.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { createSearch, type Search, type SemanticIndex } from '../../../src/search/search.ts';
import type { SearchItem } from '../../../src/search/search-item.ts';
import { type AgentGroup, createAgentGroup } from '../../../src/session/agent-group.ts';
import type { Session } from '../../../src/session/session.ts';
import { defaultEngineSettings } from '../../../src/settings.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { home, plainTokenCounter, silentLogger } from '../../support/workspace.ts';

export type TestSessions = AgentGroup & {
  store: Store;
  clock: FakeClock;
  events: { type: string; data: unknown }[];
  /** Cosine similarities by query and name of the item; what is not named has none. */
  scores: Record<string, Record<string, number>>;
};

export type TestTool = { serverName: string; name: string; description: string; inputSchema: unknown };

export type TestSessionOptions = {
  store?: Store;
  tools?: readonly TestTool[];
  search?: Search['search'];
  tokenCounter?: TokenCounter;
};

export function createTestSessions(options: TestSessionOptions = {}): TestSessions {
  const store = options.store ?? createMemoryStore();
  const { tokenCounter = plainTokenCounter } = options;
  const clock = createFakeClock();
  const events: TestSessions['events'] = [];
  const scores: TestSessions['scores'] = {};
  const core = {
    store,
    clock,
    homeDirectory: home,
    settings: defaultEngineSettings,
    logger: silentLogger,
    tokenCounter,
    keyed: (text: string) => text,
    tokenCounts: createTokenCounts(tokenCounter),
    publish: (type: string, data: unknown) => void events.push({ type, data }),
  } as unknown as EngineCore;
  const { tools = [], search = createSearch({ semanticIndex: fixedIndex(scores) }).search } = options;
  const listing = { tools, servers: [] };
  const toolSource = { listTools: async () => listing } as never;
  const gatherContext = () => Promise.reject(new Error('nobody asks for it'));
  return { ...createAgentGroup(core, { search, toolSource, gatherContext }), store, clock, events, scores };
}

function fixedIndex(scores: TestSessions['scores']): SemanticIndex {
  return {
    async match(query, items) {
      const matches = items.map(({ name }: SearchItem, item) => {
        const score = scores[query]?.[name] ?? 0.1;
        return { item, chunk: 0, score, first: score };
      });
      return { ok: true, matches };
    },
  } as SemanticIndex;
}

/** The agent of the document's example: rules A, B, C, references X, Y, each with a text that says its name. */
export const exampleAgent = {
  name: 'Example',
  systemPrompt: 'You help.',
  rules: [
    { name: 'A', text: 'Text of A.', include: 'always' as const },
    { name: 'B', text: 'Text of B.', include: 'manual' as const },
    { name: 'C', text: 'Text of C.', description: 'About C', include: 'agent' as const },
  ],
  references: [
    { name: 'X', text: 'Text of X.', include: 'always' as const },
    { name: 'Y', text: 'Text of Y.', description: 'About Y', include: 'agent' as const },
  ],
  settings: { search: { mode: 'semantic' as const } },
};

export const ruleA = { type: 'rule', name: 'A' } as const;
export const ruleB = { type: 'rule', name: 'B' } as const;
export const tool = {
  serverName: 'tickets',
  name: 'find',
  description: 'Finds tickets',
  inputSchema: { type: 'object' },
};

/** A session with the example's agent. */
export async function createExample(options: TestSessionOptions = {}): Promise<TestSessions & { session: Session }> {
  const sessions = createTestSessions(options);
  await sessions.agents.put('example', exampleAgent);
  return { ...sessions, session: await sessions.sessions.create({ agentId: 'example' }) };
}

/** `rule A always`, one for each item. */
export function shown(items: readonly { type: string; name: string; includeMode: string }[]): string[] {
  return items.map(({ type, name, includeMode }) => `${type} ${name} ${includeMode}`);
}
