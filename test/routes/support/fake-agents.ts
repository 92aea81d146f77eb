/** The real verbs about agents over a store that forgets, with no file behind them. */
import { createAgentGroup } from '../../../src/agent/agent-group.ts';
import type { AgentVerbs } from '../../../src/agent/agent-verbs.ts';
import { createParsedFiles } from '../../../src/context/parsed-file.ts';
import type { Engine } from '../../../src/engine.ts';
import type { EngineCore } from '../../../src/engine-core.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { plainTokenCounter } from '../../support/workspace.ts';

/** `called` is told of each verb before it runs, and may throw. */
export function createFakeAgents(
  resolve: Engine['resolve'],
  called: (verb: string, argument?: unknown) => void,
): { agents: AgentVerbs } {
  const core: Partial<EngineCore> = {
    store: createMemoryStore(),
    clock: createFakeClock(),
    tokenCounter: plainTokenCounter,
    parsedFiles: createParsedFiles({ tokenCounter: plainTokenCounter, frontMatterBytes: 16_384 }),
    homeDirectory: '/home/ada',
    resolve,
    publish() {},
  };
  const search = async () => ({ results: [], semantic: { status: 'degraded' as const, engine: 'keyword' } });
  const { agents } = createAgentGroup(core as EngineCore, { search });
  const observed = new Proxy({ ...agents }, {
    get:
      (verbs, name: keyof AgentVerbs) =>
      async (...args: never[]) => {
        called(`agents.${name}`, args[0]);
        return (verbs[name] as (...args: never[]) => unknown)(...args);
      },
  });
  return { agents: observed };
}
