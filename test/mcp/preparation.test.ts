/** What is looked at before something is started, and again before it is used (S-18). */
import { expect, it } from 'vitest';
import { createApprovals } from '../../src/mcp/approvals.ts';
import type { ServerDefinition } from '../../src/mcp/definition.ts';
import type { Fingerprinted } from '../../src/mcp/fingerprint.ts';
import { createPreparation } from '../../src/mcp/preparation.ts';
import type { McpLaunch } from '../../src/ports/mcp-launcher.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/memory-store.ts';

const source = { scope: 'agent', agentId: 'x' };
const definition = { id: 'a', name: 'A', source, server: { command: 'x' } } as unknown as ServerDefinition;
const launch: McpLaunch = { transport: 'stdio', command: '/x', args: [], env: {}, cwd: '/' };
const reads = new Map([['TOKEN', 'secret']]);

/** Two daemons with one store, and a server each start of which has to be approved. */
async function open() {
  const { approvals: store } = createMemoryStore();
  const clock = createFakeClock();
  const fingerprinted = {
    fingerprint: 'f',
    parts: {},
    eachStart: true,
    launch,
    filledIn: { reads },
  } as unknown as Fingerprinted;
  const create = async () => {
    const approvals = await createApprovals({ store, clock });
    const look = async () => {
      const approval = approvals.get('a');
      return { definition, fingerprinted, approval, roots: [], mayStart: approval?.used !== true };
    };
    const judge = { look } as unknown as Parameters<typeof createPreparation>[1]['judge'];
    const prepare = ({ signal } = new AbortController()) => createPreparation('a', { approvals, judge, signal });
    return { approvals, prepare };
  };
  const [one, other] = [await create(), await create()];
  await one.approvals.approve(definition, fingerprinted);
  await other.approvals.refresh();
  return { store, clock, one, other, fingerprinted };
}

it('S-18 FT-01 an approval for one start is taken by one, before anything is started, and lasts as long as that', async () => {
  const { one, other } = await open();
  const starts = [one.prepare(), other.prepare(), one.prepare()];
  const prepared = await Promise.allSettled(starts.map((prepare) => prepare()));
  expect(prepared.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  const taken = starts[prepared.findIndex(({ status }) => status === 'fulfilled')];
  expect(await taken?.()).toEqual({ launch, reads });
  await expect(one.prepare()()).rejects.toMatchObject({ reason: { code: 'approval_stale' } });
});

it('S-18 an approval that is given while a start is under way is left for the next one', async () => {
  const { one, clock, fingerprinted } = await open();
  const first = one.prepare();
  await first();
  clock.advance(1);
  await one.approvals.approve(definition, fingerprinted);
  await first();
  expect(one.approvals.get('a')?.used).toBeUndefined();
  expect(await one.prepare()()).toEqual({ launch, reads });
});

it('S-18 an approval for one start is not used up where there is nothing to start', async () => {
  const { one, fingerprinted } = await open();
  Object.assign(fingerprinted, { launch: undefined });
  await expect(one.prepare()()).rejects.toMatchObject({
    failure: { code: 'not_found', detail: 'The program was not found: x' },
  });
  expect(one.approvals.get('a')?.used).toBeUndefined();
});

it('S-18 FT-01 the first look takes the approval that holds, also when that is another by then', async () => {
  const { one, other, clock, fingerprinted } = await open();
  clock.advance(1);
  await one.approvals.approve(definition, fingerprinted);
  expect(await other.prepare()()).toEqual({ launch, reads });
  expect(other.approvals.get('a')?.used).toBe(true);
});

it('S-18 a start that was called off meanwhile takes no approval', async () => {
  const { one } = await open();
  const callOff = new AbortController();
  callOff.abort();
  await one.prepare(callOff)();
  expect(one.approvals.get('a')?.used).toBeUndefined();
});

it('S-18 nothing is started when it cannot be noted that an approval is taken', async () => {
  const { store, clock, fingerprinted } = await open();
  const update = async () => Promise.reject(new Error('The disk is full.'));
  const approvals = await createApprovals({ store: { ...store, update }, clock });
  const look = async () => ({ definition, fingerprinted, approval: approvals.get('a'), roots: [], mayStart: true });
  const parts = { approvals, judge: { look }, signal: new AbortController().signal };
  const prepare = createPreparation('a', parts as unknown as Parameters<typeof createPreparation>[1]);
  await expect(prepare()).rejects.toThrow('The disk is full.');
});
