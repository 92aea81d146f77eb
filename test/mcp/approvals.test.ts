/** What becomes of approvals when several changes come together, or the store fails (MC-02, S-18). */
import { describe, expect, it } from 'vitest';
import { type Approvals, createApprovals } from '../../src/mcp/approvals.ts';
import type { ServerDefinition } from '../../src/mcp/definition.ts';
import type { Fingerprinted } from '../../src/mcp/fingerprint.ts';
import type { HashedTool } from '../../src/mcp/tool-lists.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { fakeTool } from '../support/fake-mcp-launcher.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { configPath, createServers, local, refusalOf } from './support/servers.ts';
import { settle } from './support/settle.ts';

const source = { scope: 'workspace', path: configPath } as unknown as ServerDefinition['source'];
const definition = { id: 'a', name: 'local', source } as ServerDefinition;
const definedAs = (fingerprint: string, eachStart?: true) =>
  ({ fingerprint, parts: {}, ...(eachStart && { eachStart }) }) as unknown as Fingerprinted;
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
    await expect(approvals.refresh()).rejects.toThrow('lost');
    expect([approvals.get('a'), ended]).toEqual([undefined, ['a']]);
    failure = undefined;
    // Nobody asks again: the daemon does, with the next look at the store.
    await approvals.refresh();
    expect([approvals.get('a'), await store.list()]).toEqual([undefined, []]);
    await approvals.approve(definition, definedAs('f'));
    failure = new Error('The connection was lost.');
    await expect(approvals.remove('f')).rejects.toThrow('lost');
    failure = undefined;
    expect(await approvals.remove('f')).toBe(true);
    expect(await approvals.remove('f')).toBe(false);
    expect(ended).toEqual(['a', 'a']);
  });

  it('S-18 FT-07 holds no more from the moment it is revoked, whatever waits for the store', async () => {
    const slow = createSlowStore();
    const approvals = await createApprovals({ store: slow.store.approvals, clock: slow.clock });
    const { approval } = await approvals.approve(definition, definedAs('f'));
    const release = slow.close();
    const pinning = approvals.pin(approval, tools);
    const revoking = approvals.remove('f');
    expect(approvals.get('a')).toBeUndefined();
    release();
    expect(await Promise.all([pinning, revoking])).toEqual([undefined, true]);
    expect([approvals.get('a'), await slow.store.approvals.list()]).toEqual([undefined, []]);
  });

  it('S-18 FT-07 stays revoked when it was being approved anew, and where only the store knows it', async () => {
    const slow = createSlowStore();
    const store = slow.store.approvals;
    const remove = async () => Promise.reject(new Error('The connection was lost.'));
    const approvals = await createApprovals({ store: { ...store, remove }, clock: slow.clock });
    const late = await createApprovals({ store: { ...store, remove }, clock: slow.clock });
    await approvals.approve(definition, definedAs('f'));
    const release = slow.close();
    const approving = approvals.approve(definition, definedAs('f'), { tools });
    await settle();
    const revoking = refusalOf(approvals.remove('f'));
    release();
    await approving;
    expect(await revoking).toMatchObject({ message: 'The connection was lost.' });
    expect(await refusalOf(late.remove('f'))).toMatchObject({ message: 'The connection was lost.' });
    for (const each of [approvals, late]) {
      await each.refresh().catch(() => {});
      expect(each.get('a')).toBeUndefined();
    }
  });

  it('S-18 FT-01 ends where another revoked it, also while a revocation of this one cannot be stored', async () => {
    const { store, one, other, ended } = await open();
    await one.approve({ ...definition, id: 'b' }, definedAs('g'));
    await other.refresh();
    const remove = store.remove.bind(store);
    store.remove = async () => Promise.reject(new Error('The connection was lost.'));
    await expect(other.remove('g')).rejects.toThrow('lost');
    await remove({ id: 'a', fingerprint: 'f' });
    await expect(other.refresh()).rejects.toThrow('lost');
    expect([other.get('a'), other.get('b'), ended]).toEqual([undefined, undefined, ['b', 'a']]);
  });

  it('S-18 FT-01 FT-07 stays when it is given anew elsewhere while what was revoked before is removed', async () => {
    const { store, one, other, clock } = await open();
    const [list, remove] = [store.list.bind(store), store.remove.bind(store)];
    store.remove = async () => Promise.reject(new Error('The connection was lost.'));
    await expect(other.remove('f')).rejects.toThrow('lost');
    store.remove = remove;
    clock.advance(1);
    let isGiven = false;
    store.list = async () => {
      const listed = await list();
      if (isGiven) return listed;
      isGiven = true;
      await one.approve(definition, definedAs('f', true));
      return listed;
    };
    await other.refresh();
    await other.refresh();
    expect(await list()).toHaveLength(1);
    for (const approvals of [one, other])
      expect(approvals.get('a')?.approvedAt).toBe(new Date(clock.now()).toISOString());
  });

  it('S-31 FT-01 keeps the tools that another one notes while it is approved anew', async () => {
    const { one, other, approval, store, clock } = await open();
    clock.advance(1);
    const list = store.list.bind(store);
    let isNoted = false;
    store.list = async () => {
      const listed = await list();
      if (!isNoted) {
        isNoted = true;
        await other.pin(approval, tools);
      }
      return listed;
    };
    await one.approve(definition, definedAs('f', true));
    expect(await list()).toMatchObject([{ tools: JSON.stringify(tools) }]);
  });

  it('S-31 FT-01 gets its tools also when it was approved anew elsewhere while its server started', async () => {
    const { one, other, approval, clock } = await open();
    clock.advance(1);
    await one.approve(definition, definedAs('f', true));
    await other.refresh();
    await other.pin(approval, tools);
    expect(other.get('a')).toMatchObject({ tools });
  });

  it('S-18 FT-01 of another definition is not revoked in the place of the one that was shown', async () => {
    const { store, one, other } = await open();
    await one.approve(definition, definedAs('g'));
    expect(await other.remove('f')).toBe(false);
    expect(other.get('a')).toMatchObject({ fingerprint: 'g' });
    expect(await store.list()).toMatchObject([{ fingerprint: 'g' }]);
  });
});

describe('a start of a server whose approval another daemon revokes meanwhile', () => {
  it('S-18 FT-01 ends, and so does everything that waits for it', async () => {
    const store = createMemoryStore();
    const test = await createServers({ local }, { ports: { ports: { store } } });
    const { id, fingerprint } = await test.approve();
    test.launcher.onConnect = () => {
      const [connection] = test.launcher.open;
      const listTools = connection?.listTools.bind(connection);
      if (connection === undefined || listTools === undefined) throw new Error('No server runs.');
      connection.listTools = async (...asked) => {
        await store.approvals.remove({ id, fingerprint });
        return listTools(...asked);
      };
    };
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ message: 'The server was stopped.' });
    expect(test.launcher.open).toEqual([]);
    expect((await test.server()).state).toBe('needs_approval');
    const states = test.events.filter(({ type }) => type === 'mcp-state-changed').map(({ data }) => data.state);
    expect(states.at(-1)).toBe('needs_approval');
    test.launcher.onConnect = undefined;
    await test.mcp.stop(id);
    await test.approve();
    expect((await test.mcp.start(id)).state).toBe('ready');
  });
});
