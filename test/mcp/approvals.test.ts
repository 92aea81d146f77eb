/** What becomes of approvals when several changes come together, or the store fails (MC-02, S-18). */
import { describe, expect, it } from 'vitest';
import { type Approvals, createApprovals } from '../../src/mcp/approvals.ts';
import type { Definition } from '../../src/mcp/definition.ts';
import type { Fingerprinted } from '../../src/mcp/fingerprint.ts';
import type { HashedTool } from '../../src/mcp/tool-lists.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { fakeTool } from '../support/fake-mcp-launcher.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { configPath, createServers, local, refusalOf } from './support/servers.ts';

const source = { scope: 'workspace', path: configPath } as unknown as Definition['source'];
const definition = { id: 'a', name: 'local', source } as Definition;
const definedAs = (fingerprint: string, eachStart?: true) =>
  ({ fingerprint, parts: {}, ...(eachStart && { eachStart }) }) as unknown as Fingerprinted;
/** Until everything that can go on has gone on. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const tools: HashedTool[] = [{ tool: fakeTool('echo'), hash: 'h' }];

/** A store whose writes of approvals wait while `gate` is set. */
function createSlowStore() {
  const store = createMemoryStore();
  const slow = {
    clock: createFakeClock(),
    gate: undefined as Promise<void> | undefined,
    store: {
      ...store,
      approvals: {
        ...store.approvals,
        put: async (approval: Parameters<typeof store.approvals.put>[0]) => {
          await slow.gate;
          await store.approvals.put(approval);
        },
        update: async (...change: Parameters<typeof store.approvals.update>) => {
          await slow.gate;
          return store.approvals.update(...change);
        },
      },
    },
    /** Lets all writes wait until it is called. */
    close(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      slow.gate = promise;
      return () => {
        slow.gate = undefined;
        resolve();
      };
    },
  };
  return slow;
}

describe('an approval', () => {
  const open = async () => {
    const slow = createSlowStore();
    const create = (): Promise<Approvals> => createApprovals({ store: slow.store.approvals, clock: slow.clock });
    return { slow, create, approvals: await create() };
  };

  it('S-18 that a start was made with while its tools were being written is used up, also after a restart', async () => {
    const { slow, create, approvals } = await open();
    const { approval } = await approvals.approve(definition, definedAs('f', true));
    const release = slow.close();
    const pinning = approvals.pin(approval, tools);
    await settle();
    const using = approvals.use(approval);
    release();
    expect(await Promise.all([pinning, using])).toEqual([undefined, true]);
    expect(approvals.get('a')).toMatchObject({ used: true, tools });
    expect((await create()).get('a')).toMatchObject({ used: true, tools });
  });

  it('S-18 that is given anew while a start is made with the one before is not used up', async () => {
    const { slow, create, approvals } = await open();
    const { approval } = await approvals.approve(definition, definedAs('f', true));
    slow.clock.advance(1);
    const release = slow.close();
    const approving = approvals.approve(definition, definedAs('f', true));
    await settle();
    const using = approvals.use(approval);
    release();
    await approving;
    expect(await using).toBe(false);
    expect(approvals.get('a')).not.toHaveProperty('used');
    expect((await create()).get('a')).not.toHaveProperty('used');
  });
});

describe('an approval of a server', () => {
  it('S-19 stays when the one before it is taken back at the same time', async () => {
    const slow = createSlowStore();
    const test = await createServers({ local }, { ports: { ports: { store: slow.store } } });
    const { fingerprint } = await test.approve();
    test.setServers({ local: { ...local, args: ['./srv.js', '--other'] } });
    const listed = await test.server();
    const release = slow.close();
    const approving = test.mcp.approve({ fingerprint: listed.fingerprint });
    await settle();
    const revoking = refusalOf(test.mcp.revoke(fingerprint));
    await settle();
    release();
    expect(await approving).toMatchObject({ state: 'stopped' });
    expect(await revoking).toMatchObject({ code: 'not_found' });
    expect(await test.server()).toMatchObject({ state: 'stopped', fingerprint: listed.fingerprint });
    expect(await slow.store.approvals.list()).toHaveLength(1);
  });

  it('MC-03 is told of last when it is given while the server still ends', async () => {
    const test = await createServers();
    const { fingerprint } = await test.run();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const [connection] = test.launcher.open;
    if (connection === undefined) throw new Error('No server runs.');
    connection.close = () => mayEnd;
    const revoking = test.mcp.revoke(fingerprint);
    await expect.poll(async () => (await test.server()).state).toBe('needs_approval');
    await test.mcp.approve({ fingerprint });
    end();
    await revoking;
    const [last] = test.events.filter(({ type }) => type === 'mcp-state-changed').slice(-1);
    expect(last?.data.state).toBe((await test.server()).state);
  });
});

describe('an approval that several daemons share', () => {
  const open = async () => {
    const { approvals: store } = createMemoryStore();
    const clock = createFakeClock();
    const ended: string[] = [];
    const onEnded = async (id: string) => void ended.push(id);
    const [one, other] = [await createApprovals({ store, clock }), await createApprovals({ store, clock, onEnded })];
    const { approval } = await one.approve(definition, definedAs('f', true));
    await other.refresh();
    return { store, clock, one, other, approval, ended };
  };

  it('S-18 FT-01 is not brought back by one that was not told that it was revoked', async () => {
    for (const note of ['pin', 'use'] as const) {
      const { store, one, other, approval, ended } = await open();
      expect(await one.remove('f')).toBe(true);
      expect(other.get('a')).toBeDefined();
      expect(await (note === 'pin' ? other.pin(approval, tools) : other.use(approval))).not.toBe(true);
      expect(await store.list()).toEqual([]);
      expect([other.get('a'), ended]).toEqual([undefined, ['a']]);
    }
  });

  it('S-18 FT-01 is good for one start at one of them', async () => {
    const { one, other, approval } = await open();
    const taken = await Promise.all([one.use(approval), other.use(approval)]);
    expect(taken.toSorted()).toEqual([false, true]);
    await Promise.all([one.refresh(), other.refresh()]);
    for (const approvals of [one, other]) expect(approvals.get('a')?.used).toBe(true);
  });

  it('S-18 S-31 FT-01 keeps what each of them notes', async () => {
    const { one, other, approval, clock } = await open();
    await one.pin(approval, tools);
    expect(await other.use(approval)).toBe(true);
    expect(other.get('a')).toMatchObject({ used: true, tools });
    await one.refresh();
    expect(one.get('a')).toMatchObject({ used: true, tools });
    // Approved anew at one that does not know it: the tools stay those that were approved.
    const late = await open();
    await late.one.pin(late.approval, tools);
    clock.advance(1);
    expect((await late.other.approve(definition, definedAs('f', true))).approval).toMatchObject({ tools });
  });

  it('S-18 FT-07 holds no more where the answer to its revocation was lost, and can be revoked again', async () => {
    const { approvals: store } = createMemoryStore();
    let failure: Error | undefined;
    const remove: typeof store.remove = async (...which) => {
      if (failure) throw failure;
      return store.remove(...which);
    };
    const ended: string[] = [];
    const onEnded = async (id: string) => void ended.push(id);
    const approvals = await createApprovals({ store: { ...store, remove }, clock: createFakeClock(), onEnded });
    await approvals.approve(definition, definedAs('f'));
    failure = new Error('The connection was lost.');
    await expect(approvals.remove('f')).rejects.toThrow('lost');
    expect([approvals.get('a'), ended]).toEqual([undefined, ['a']]);
    failure = undefined;
    expect(await approvals.remove('f')).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await approvals.remove('f')).toBe(false);
    expect(ended).toEqual(['a']);
  });

  it('S-18 FT-01 of another definition is not revoked in the place of the one that was shown', async () => {
    const { store, one, other } = await open();
    await one.approve(definition, definedAs('g'));
    expect(await other.remove('f')).toBe(false);
    expect(other.get('a')).toBeUndefined();
    expect(await store.list()).toMatchObject([{ fingerprint: 'g' }]);
  });
});
