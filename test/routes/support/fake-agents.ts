/** The real verbs about agents and sessions over a store that forgets, with no file behind them. */

import { createTokenCounts } from '../../../src/budget/token-counts.ts';
import type { Engine } from '../../../src/engine.ts';
import type { EngineCore } from '../../../src/engine-core.ts';
import { ContextdError } from '../../../src/errors.ts';
import { type AgentGroup, createAgentGroup } from '../../../src/session/agent-group.ts';
import { defaultEngineSettings } from '../../../src/settings.ts';
import { createKeyedHash } from '../../../src/texts/mask.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { plainTokenCounter } from '../../support/workspace.ts';
import { type Called, observedVerbs } from './observed-verbs.ts';

export function createFakeAgents(resolve: Engine['resolve'], called: Called): AgentGroup {
  const core: Partial<EngineCore> = {
    store: createMemoryStore(),
    clock: createFakeClock(),
    tokenCounter: plainTokenCounter,
    keyed: createKeyedHash(new Uint8Array(32)),
    tokenCounts: createTokenCounts(plainTokenCounter),
    homeDirectory: '/home/ada',
    settings: defaultEngineSettings,
    compose: async (request) => ({
      result: await resolve(request),
      bodies: new Map(),
      going: [],
      isNarrowed: false,
      isLeftOut: () => false,
      duplicates: new Map(),
      configs: [],
    }),
    openWorkspace: () => Promise.reject(new ContextdError('not_found', 'There is no such directory.')),
    publish() {},
  };
  const search = async () => ({ results: [], semantic: { status: 'degraded' as const, engine: 'keyword' } });
  const gatherContext = () => Promise.reject(new Error('nobody asks for it'));
  const group = createAgentGroup(core as EngineCore, { search, gatherContext });
  const { agents, sessions, sessionsOf } = group;
  return {
    agents: observedVerbs('agents', agents, called),
    sessions: observedVerbs('sessions', sessions, called),
    findAgent: group.findAgent,
    offerItems: group.offerItems,
    sessionsOf: (caller) => observedVerbs('sessions', sessionsOf(caller), called),
  };
}
