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
    gate: undefined as Promise<void> | undefined,
    store: {
      ...store,
      approvals: {
        ...store.approvals,
        put: async (approval: Parameters<typeof store.approvals.put>[0]) => {
          await slow.gate;
          await store.approvals.put(approval);
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
    const clock = createFakeClock();
    const create = (): Promise<Approvals> => createApprovals({ store: slow.store.approvals, clock });
    return { slow, create, approvals: await create() };
  };

  it('S-18 that a start was made with while its tools were being written is used up, also after a restart', async () => {
    const { slow, create, approvals } = await open();
    const approval = await approvals.approve(definition, definedAs('f', true));
    const release = slow.close();
    const pinning = approvals.pin(approval, tools);
    await settle();
    const using = approvals.use('a');
    release();
    await Promise.all([pinning, using]);
    expect(approvals.get('a')).toMatchObject({ used: true, tools });
    expect((await create()).get('a')).toMatchObject({ used: true, tools });
  });

  it('S-18 that is given anew while a start is made with the one before is not used up', async () => {
    const { slow, create, approvals } = await open();
    await approvals.approve(definition, definedAs('f', true));
    const release = slow.close();
    const approving = approvals.approve(definition, definedAs('f', true));
    await settle();
    const using = approvals.use('a');
    release();
    await Promise.all([approving, using]);
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

  it('S-18 that cannot be noted as used ends the server that was started with it', async () => {
    const store = createMemoryStore();
    let isFull = false;
    const put: typeof store.approvals.put = async (approval) => {
      if (isFull && JSON.parse(approval.definition).used === true) throw new Error('The disk is full.');
      await store.approvals.put(approval);
    };
    const full = { ...store, approvals: { ...store.approvals, put } };
    const test = await createServers({ local }, { ports: { ports: { store: full } } });
    const { id } = await test.approve();
    isFull = true;
    expect(await refusalOf(test.mcp.start(id))).toMatchObject({ message: 'The disk is full.' });
    expect(test.launcher.launches).toHaveLength(1);
    expect(test.launcher.open).toEqual([]);
    expect((await test.server()).state).toBe('stopped');
    isFull = false;
    await test.mcp.start(id);
    expect(test.launcher.open).toHaveLength(1);
  });
});
