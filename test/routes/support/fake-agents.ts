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

/** `called` is told of each verb before it runs, and may throw. */
export function createFakeAgents(
  resolve: Engine['resolve'],
  called: (verb: string, argument?: unknown) => void,
): AgentGroup {
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
  const observed = <Verbs extends object>(group: string, verbs: Verbs): Verbs =>
    new Proxy(
      { ...verbs },
      {
        get:
          (target, name: string & keyof Verbs) =>
          async (...args: never[]) => {
            called(`${group}.${name}`, args[0]);
            return (target[name] as (...args: never[]) => unknown)(...args);
          },
      },
    );
  return {
    agents: observed('agents', agents),
    sessions: observed('sessions', sessions),
    findAgent: group.findAgent,
    offerItems: group.offerItems,
    sessionsOf: (caller) => observed('sessions', sessionsOf(caller)),
  };
}
