import type { Engine } from '../../../src/engine.ts';
import { ContextdError } from '../../../src/errors.ts';
import type { AccessToken } from '../../../src/tokens/access-tokens.ts';
import type { Called } from './observed-verbs.ts';

/** Tokens that open nothing. */
export function createFakeTokens(called: Called): Engine['tokens'] {
  const tokens = new Map<string, AccessToken>();
  const listeners: ((id: string) => void)[] = [];
  return {
    async mint(label) {
      called('mintToken', label);
      const id = tokens.size.toString(16).padStart(32, '0');
      const token: AccessToken = { id, scope: 'agent', label, createdAt: '2026-01-05T08:31:00.000Z' };
      tokens.set(id, token);
      return { ...token, token: 'x'.repeat(43) };
    },
    async list() {
      called('listTokens');
      return [...tokens.values()];
    },
    async revoke(id) {
      called('revokeToken', id);
      if (!tokens.delete(id)) throw new ContextdError('not_found', 'There is no such token.');
      for (const listener of listeners) listener(id);
    },
    refresh: async () => {},
    onRevoked: (listener) => void listeners.push(listener),
    idOf: () => undefined,
  };
}
