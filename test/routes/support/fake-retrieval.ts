/** A retrieval that finds one thing whatever is asked. */
import type { Engine } from '../../../src/engine.ts';
import type { Called } from './observed-verbs.ts';

export function createFakeRetrieval(called: Called): Pick<Engine, 'retrieve' | 'gatherContext'> {
  return {
    async gatherContext(request) {
      called('gatherContext', request);
      const item = {
        kind: 'rule' as const,
        name: 'a',
        reason: { code: 'trigger_always' as const },
        sha256: '0'.repeat(64),
      };
      const omitted = [
        { kind: 'search' as const, path: '/home/ada/project/b.ts', reason: { code: 'over_budget' as const } },
      ];
      return {
        items: [{ ...item, content: 'Be brief.', tokens: 3, truncated: false }],
        omitted,
        usage: { tokens: 3, maxTokens: 16_000, kinds: { rule: 3 } },
        warnings: [],
        digest: '0'.repeat(64),
      };
    },
    async retrieve(request) {
      called('retrieve', request);
      const common = { path: '/home/ada/project/a.ts', relativePath: 'a.ts', language: 'typescript' };
      const item = { origin: 'import' as const, ...common, content: 'export {};\n', tokens: 3, truncated: false };
      const reason = { code: 'over_budget' as const, detail: '0 of 3 tokens were left' };
      const omitted = [{ origin: 'search' as const, path: '/home/ada/project/b.ts', reason, tokens: 4 }];
      return { items: [item], omitted, usage: { tokens: 3 }, warnings: [] };
    },
  };
}
