/** Random operations on sessions over HTTP, held against a model that is a few lists (SE-01 … SE-05, RQ-01, RQ-04). */
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { expect, it } from 'vitest';
import { keyOfItem } from '../../src/agent/item.ts';
import { createTestApp, type TestApp } from '../routes/support/listening-app.ts';
import { sized } from '../support/test-size.ts';
import { createWorkspace } from '../support/workspace.ts';

type Item = { type: 'rule' | 'reference'; name: string; includeMode: 'always' | 'manual' };
type Model = { id: string; items: Item[]; messages: string[]; lastSyncId: number; topP: number; pending: string[] };

const always: Item = { type: 'rule', name: 'A', includeMode: 'always' };
const names = fc.constantFrom<Pick<Item, 'type' | 'name'>>(
  { type: 'rule', name: 'A' },
  { type: 'rule', name: 'B' },
  { type: 'rule', name: 'C' },
  { type: 'reference', name: 'X' },
  { type: 'reference', name: 'unknown' },
);
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.constantFrom('apples', 'C', '__proto__', ' '),
);
const which = fc.nat(5);
const version = fc.constantFrom('present', 'stale', 'any');
const operation = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), parent: fc.option(which) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      which,
      version,
      texts: fc.array(text, { maxLength: 3 }),
      topP: fc.option(fc.constantFrom(0, 0.5, 1)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('add', 'remove'), which, version, item: names }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('request' as const), which, text, mention: fc.option(names) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reply' as const), which, at: fc.nat(4), text }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('changes' as const), which, since: fc.nat(12) }) },
);

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

type Method = NonNullable<InjectOptions['method']>;
type Sent = { payload?: object; headers?: Record<string, string | undefined> };
async function play(app: TestApp['app'], operations: readonly Operation[]): Promise<void> {
  const sessions: Model[] = [];
  const call = async (method: Method, url: string, sent: Sent = {}) => {
    const answer = await app.inject({ method, url: `/v1${url}`, ...sent });
    expect(answer.statusCode, answer.body).toBeLessThan(500);
    return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
  };
  for (const each of operations) {
    const session = sessions[('which' in each ? each.which : (each.parent ?? 0)) % Math.max(1, sessions.length)];
    const path = `/sessions/${session?.id ?? 'f'.repeat(32)}`;
    if (each.kind === 'create') {
      const parent = each.parent === null ? undefined : session;
      const parentSessionId = parent === undefined ? {} : { parentSessionId: parent.id };
      const { status, body } = await call('POST', '/sessions', { payload: { agentId: 'a', ...parentSessionId } });
      expect(status).toBe(201);
      const items = [...(parent?.items ?? [])];
      if (!items.some((item) => keyOfItem(item) === keyOfItem(always))) items.push(always);
      sessions.push({ id: body.id, items, messages: [], lastSyncId: 1, topP: 1, pending: [] });
      continue;
    }
    const read = await call('GET', path);
    expect(read.status).toBe(session === undefined ? 404 : 200);
    if (session === undefined) continue;
    expect(read.body).toMatchObject({
      lastSyncId: session.lastSyncId,
      topP: session.topP,
      contextItems: session.items,
    });
    expect(read.body.messages.map(contentOf)).toEqual(session.messages);
    const expected = 'version' in each && each.version === 'stale' ? session.lastSyncId + 1 : session.lastSyncId;
    const headers = 'version' in each && each.version !== 'any' ? { 'if-match': `"${expected}"` } : {};
    const isStale = expected !== session.lastSyncId;
    if (each.kind === 'delete') {
      expect((await call('DELETE', path)).status).toBe(204);
      sessions.splice(sessions.indexOf(session), 1);
      expect((await call('GET', path)).status).toBe(404);
    } else if (each.kind === 'patch') {
      const appendMessages = each.texts.map((content) => ({ role: 'user', content }));
      const patch = {
        ...(appendMessages.length === 0 ? {} : { appendMessages }),
        ...(each.topP === null ? {} : { topP: each.topP }),
      };
      expect((await call('PATCH', path, { payload: patch, headers })).status).toBe(isStale ? 412 : 200);
      if (isStale) continue;
      session.messages.push(...each.texts);
      session.lastSyncId += each.texts.length + Number(each.topP !== null && each.topP !== session.topP);
      session.topP = each.topP ?? session.topP;
    } else if (each.kind === 'add' || each.kind === 'remove') {
      const { item } = each;
      const at = session.items.findIndex((held) => keyOfItem(held) === keyOfItem(item));
      const isUnknown = each.kind === 'add' && at < 0 && item.name === 'unknown';
      const method = each.kind === 'add' ? 'POST' : 'DELETE';
      const { status } = await call(method, `${path}/context-items`, { payload: item, headers });
      expect(status).toBe(isStale ? 412 : isUnknown ? 404 : 200);
      if (status !== 200) continue;
      if (each.kind === 'add' && at < 0) session.items.push({ ...item, includeMode: 'manual' });
      if (each.kind === 'remove' && at >= 0) session.items.splice(at, 1);
      session.lastSyncId += Number(each.kind === 'add' ? at < 0 : at >= 0);
    } else if (each.kind === 'request') {
      const mentions = each.mention === null ? [] : [each.mention.name];
      const { status, body } = await call('POST', `${path}/requests`, { payload: { message: each.text, mentions } });
      expect(status).toBe(201);
      const sent: Item[] = body.requestContext.items;
      expect(sent.slice(0, session.items.length)).toMatchObject(session.items);
      expect(new Set(sent.map(keyOfItem)).size).toBe(sent.length);
      expect(body.messages.at(-1)).toEqual({ role: 'user', content: each.text });
      const history = body.messages.slice(0, body.messages.length - sent.length - 1);
      const said = session.messages.filter((message) => message.trim() !== '');
      expect(history.map(({ content }: { content: string }) => content)).toEqual(said);
      session.messages.push(each.text);
      session.lastSyncId += 1;
      session.pending.push(body.requestId);
      const rebuilt = await call('GET', `${path}/requests/${body.requestId}`);
      expect(rebuilt.body).toMatchObject({ messages: body.messages, changedItems: [] });
    } else if (each.kind === 'reply') {
      const requestId = session.pending[each.at];
      const { status } = await call('POST', `${path}/requests/${requestId ?? 'x'}/reply`, {
        payload: { modelReply: each.text },
      });
      expect(status).toBe(requestId === undefined ? 404 : 200);
      if (requestId === undefined) continue;
      session.messages.push(each.text);
      session.lastSyncId += 1;
      session.pending.splice(each.at, 1);
      expect((await call('POST', `${path}/requests/${requestId}/reply`, { payload: { modelReply: 1 } })).status).toBe(
        409,
      );
    } else if (each.kind === 'changes') {
      const { body } = await call('GET', `${path}/changes?since=${each.since}`);
      const isFull = each.since === 0 || each.since > session.lastSyncId;
      expect(body.full).toBe(isFull);
      const after = Array.from({ length: session.lastSyncId - each.since }, (_, index) => each.since + 1 + index);
      if (!isFull) expect(body.changes.map(({ syncId }: { syncId: number }) => syncId)).toEqual(after);
    }
  }
}

function contentOf(message: { role: string; content?: string; modelReply?: string }): string | undefined {
  return message.role === 'assistant' ? message.modelReply : message.content;
}

it('SE-01 SE-02 SE-03 SE-05 RQ-01 RQ-04 S-66 whatever is done, sessions are what a simple model says', async () => {
  const { engine } = await createWorkspace({});
  await engine.agents.put('a', {
    name: 'A',
    rules: [
      { name: 'A', text: 'a', include: 'always' },
      { name: 'B', text: 'b' },
      { name: 'C', text: 'About apples', description: 'apples', include: 'agent' },
    ],
    references: [{ name: 'X', text: 'x', include: 'agent' }],
  });
  const { app } = await createTestApp({ engine });
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), (operations) => play(app, operations)),
    { numRuns: sized(150, 150, 40), seed: 20260105, endOnFailure: true },
  );
  await app.close();
}, 60_000);
