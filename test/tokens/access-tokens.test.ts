import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { createAccessTokens, digestToken } from '../../src/tokens/access-tokens.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/memory-store.ts';

async function create() {
  const store = createMemoryStore();
  const clock = createFakeClock();
  return { store, clock, tokens: await createAccessTokens({ store: store.tokens, clock }) };
}

describe('access tokens', () => {
  it('S-15 are known by their digest until they are revoked, also after a restart', async () => {
    const { store, clock, tokens } = await create();
    const { token, ...shown } = await tokens.mint('build');
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/u),
      scope: 'agent',
      label: 'build',
      createdAt: expect.any(String),
    });
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(await tokens.list()).toEqual([shown]);
    const again = await createAccessTokens({ store: store.tokens, clock });
    for (const each of [tokens, again]) {
      expect(each.idOf(digestToken(token))).toBe(shown.id);
      expect(each.idOf(digestToken(`${token}x`))).toBeUndefined();
      expect(each.idOf(digestToken(''))).toBeUndefined();
    }
    await again.revoke(shown.id);
    expect(again.idOf(digestToken(token))).toBeUndefined();
    await expect(again.revoke(shown.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('S-15 FT-07 open nothing any more where the answer to the revocation was lost', async () => {
    const { store, clock } = await create();
    let isLost = true;
    const remove: typeof store.tokens.remove = async (id) => {
      if (isLost) throw new Error('The connection was lost.');
      return store.tokens.remove(id);
    };
    const tokens = await createAccessTokens({ store: { ...store.tokens, remove }, clock });
    const revoked: string[] = [];
    tokens.onRevoked((id) => void revoked.push(id));
    const { id, token } = await tokens.mint('');
    await expect(tokens.revoke(id)).rejects.toThrow('lost');
    expect([tokens.idOf(digestToken(token)), revoked]).toEqual([undefined, [id]]);
    await expect(tokens.refresh()).rejects.toThrow('lost');
    expect(tokens.idOf(digestToken(token))).toBeUndefined();
    isLost = false;
    // Nobody asks again: the daemon does, with the next look at the store.
    await tokens.refresh();
    expect([tokens.idOf(digestToken(token)), await tokens.list(), revoked]).toEqual([undefined, [], [id]]);
  });

  it('S-15 FT-01 that are revoked before this daemon has heard of them are no unknown ones', async () => {
    const { store, clock, tokens } = await create();
    const late = await createAccessTokens({ store: store.tokens, clock });
    const { id, token } = await tokens.mint('');
    const refreshing = late.refresh();
    await Promise.all([refreshing, late.revoke(id)]);
    expect([late.idOf(digestToken(token)), await late.list()]).toEqual([undefined, []]);
  });

  it('S-09 S-15 are not stored: what the database holds opens nothing', async () => {
    const { store, tokens } = await create();
    const { token } = await tokens.mint('');
    const stored = await store.tokens.list();
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(tokens.idOf(digestToken(stored[0]?.digest ?? ''))).toBeUndefined();
  });

  it('S-16 are never alike', async () => {
    const { tokens } = await create();
    const minted = await Promise.all(Array.from({ length: fixedLimits.tokens.count }, () => tokens.mint('')));
    expect(new Set(minted.flatMap(({ id, token }) => [id, token])).size).toBe(2 * fixedLimits.tokens.count);
    await expect(tokens.mint('')).rejects.toMatchObject({ code: 'limit_exceeded' });
    await tokens.revoke(minted[0]?.id ?? '');
    expect((await tokens.mint('one more')).label).toBe('one more');
    expect(await tokens.list()).toHaveLength(fixedLimits.tokens.count);
  });
});
