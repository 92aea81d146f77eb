import { describe, expect, it } from 'vitest';
import type { StoredSession } from '../../src/ports/store/session.ts';
import type { SessionSummary } from '../../src/session/session.ts';
import { fixedLimits } from '../../src/settings.ts';
import { sized } from '../support/test-size.ts';
import { atVersion } from '../support/versions.ts';
import { createExample, createTestSessions, ruleA, ruleB, shown, tool } from './support/sessions.ts';

const toolRef = { type: 'tool', name: 'find', serverName: 'tickets' } as const;

describe('creating', () => {
  it('SE-01 begins with every `always` item, tools included', async () => {
    const { session } = await createExample({ tools: [tool] });
    expect(session.contextItems).toEqual([
      { type: 'rule', name: 'A', includeMode: 'always' },
      { type: 'reference', name: 'X', includeMode: 'always' },
      { ...toolRef, includeMode: 'always' },
    ]);
    expect(session).toMatchObject({ agentId: 'example', messages: [], messageCount: 0, lastSyncId: 1 });
  });

  it('SE-03 takes settings from the agent where they are not given, else the defaults', async () => {
    const { agents, sessions } = createTestSessions();
    const settings = { temperature: 0.1, topP: 0.2, search: { topN: 1 } };
    await agents.put('a', { name: 'A', settings });
    const session = await sessions.create({ agentId: 'a', settings: { topP: 0.3, toolPermission: 'never' } });
    expect(session).toMatchObject({ temperature: 0.1, topP: 0.3, toolPermission: 'never', maxChatTurns: 20 });
    expect(session).not.toHaveProperty('search');
  });

  it('SE-05 begins with what the parent holds, then the `always` items', async () => {
    const { agents, sessions, session } = await createExample();
    await sessions.addItem(session.id, ruleB);
    await sessions.removeItem(session.id, ruleA);
    const child = await sessions.create({ agentId: 'example', parentSessionId: session.id });
    expect(child.parentSessionId).toBe(session.id);
    expect(shown(child.contextItems)).toEqual(['reference X always', 'rule B manual', 'rule A always']);
    await agents.put('other', { name: 'Other' });
    const stranger = await sessions.create({ agentId: 'other', parentSessionId: session.id });
    expect(stranger.contextItems.map(({ missing }) => missing)).toEqual([true, true]);
  });

  it('S-16 refuses an unknown agent and an unknown parent, naming the field', async () => {
    const { sessions } = await createExample();
    await expect(sessions.create({ agentId: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/agentId' }],
    });
    await expect(sessions.create({ agentId: 'example', parentSessionId: 'x' })).rejects.toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/parentSessionId' }],
    });
  });
});

describe('items', () => {
  it('SE-02 adds an item once, in mode manual, whatever its mode in the agent', async () => {
    const { sessions, session } = await createExample();
    const ruleC = { type: 'rule', name: 'C' } as const;
    const once = await sessions.addItem(session.id, ruleC);
    expect(once.lastSyncId).toBe(2);
    expect(once.items.at(-1)).toEqual({ ...ruleC, includeMode: 'manual' });
    expect(await sessions.addItem(session.id, ruleC)).toEqual(once);
    expect(await sessions.addItem(session.id, ruleA)).toEqual(once);
  });

  it('SE-02 removes an item whatever its mode; removing it again changes nothing', async () => {
    const { sessions, session } = await createExample();
    const without = await sessions.removeItem(session.id, ruleA);
    expect(shown(without.items)).toEqual(['reference X always']);
    expect(await sessions.removeItem(session.id, ruleA)).toEqual(without);
    expect(shown((await sessions.addItem(session.id, ruleA)).items)).toEqual(['reference X always', 'rule A manual']);
  });

  it.each([
    { type: 'rule', name: 'Z' } as const,
    { type: 'reference', name: 'A' } as const,
    { type: 'tool', name: 'find', serverName: 'other' } as const,
  ])('SE-02 refuses an item that the agent does not have: %j', async (item) => {
    const { sessions, session } = await createExample({ tools: [tool] });
    await expect(sessions.addItem(session.id, item)).rejects.toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/name' }],
    });
    expect((await sessions.get(session.id)).lastSyncId).toBe(1);
  });

  it('SE-04 reports an item as missing while the agent does not have it', async () => {
    const { agents, sessions, session } = await createExample();
    await agents.removeItem({ agentId: 'example', kind: 'rules', name: 'A' });
    const { contextItems } = await sessions.get(session.id);
    expect(contextItems[0]).toEqual({ type: 'rule', name: 'A', includeMode: 'always', missing: true });
    expect((await sessions.addItem(session.id, ruleA)).items).toEqual(contextItems);
    await agents.putItem({ agentId: 'example', kind: 'rules', name: 'A' }, { text: 'Back.' });
    expect((await sessions.get(session.id)).contextItems[0]).not.toHaveProperty('missing');
    await agents.remove('example');
    expect((await sessions.get(session.id)).contextItems.every(({ missing }) => missing)).toBe(true);
    await sessions.removeItem(session.id, ruleA);
    await expect(sessions.request(session.id, { message: 'hello' })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('changes', () => {
  it('SE-05 numbers every change by one; a patch is several', async () => {
    const { sessions, session, clock } = await createExample();
    const { id } = session;
    await sessions.patch(id, {
      appendMessages: [
        { role: 'user', content: 'one' },
        { role: 'approval', toolCallApprovals: [{ tool: 'find', ok: true }] },
      ],
      currentModelProvider: 'somebody',
      currentModelId: 'small',
    });
    clock.advance(1000);
    await sessions.removeItem(id, ruleA);
    const unchanged = await sessions.patch(id, { currentModelId: 'small', temperature: 0.5 });
    expect(unchanged).toMatchObject({ lastSyncId: 5, messageCount: 2, currentModelId: 'small' });
    const { changes, full, lastSyncId } = await sessions.changes(id, { since: 1 });
    expect({ full, lastSyncId }).toEqual({ full: false, lastSyncId: 5 });
    expect(changes).toMatchObject([
      { syncId: 2, type: 'message', message: { role: 'user', content: 'one', syncId: 2 } },
      { syncId: 3, type: 'message', message: { role: 'approval', syncId: 3 } },
      { syncId: 4, type: 'settings', settings: { currentModelProvider: 'somebody', currentModelId: 'small' } },
      { syncId: 5, type: 'item_removed', item: ruleA, at: '2026-01-01T00:00:01.000Z' },
    ]);
    expect((await sessions.changes(id, { since: 3, limit: 1 })).next).toBe(4);
    expect((await sessions.changes(id, { since: 5 })).changes).toEqual([]);
  });

  it.each([undefined, 0, 99])('SE-05 sends all there is to a client that is at %s', async (since) => {
    const { sessions, session } = await createExample();
    await sessions.patch(session.id, { appendMessages: [{ role: 'user', content: 'one' }] });
    const answer = await sessions.changes(session.id, { since });
    expect(answer).toMatchObject({ full: true, changes: [], lastSyncId: 2 });
    expect(answer.session).toEqual(await sessions.get(session.id));
  });

  it('SE-03 takes a setting away by null', async () => {
    const { sessions, session } = await createExample();
    await sessions.patch(session.id, { currentModelId: 'small' });
    const without = await sessions.patch(session.id, { currentModelId: null });
    expect(without).not.toHaveProperty('currentModelId');
    expect(without.lastSyncId).toBe(3);
    expect((await sessions.patch(session.id, { currentModelId: null })).lastSyncId).toBe(3);
  });

  it('S-67 changes nothing for a client that has not seen the last change', async () => {
    const { sessions, session } = await createExample();
    const { id } = session;
    const stale = { code: 'version_mismatch' };
    await sessions.patch(id, { topP: 0.5 }, atVersion('1'));
    await expect(sessions.patch(id, { topP: 0.6 }, atVersion('1'))).rejects.toMatchObject(stale);
    await expect(sessions.addItem(id, ruleB, atVersion('1'))).rejects.toMatchObject(stale);
    await expect(sessions.removeItem(id, ruleA, atVersion('3'))).rejects.toMatchObject(stale);
    await expect(sessions.delete(id, atVersion('1'))).rejects.toMatchObject(stale);
    expect(await sessions.get(id)).toMatchObject({ topP: 0.5, lastSyncId: 2 });
    await sessions.delete(id, atVersion('2'));
  });

  it('SE-03 tells listeners after each change, and only then', async () => {
    const { sessions, session, events } = await createExample();
    const { id } = session;
    await sessions.addItem(id, ruleB);
    await sessions.addItem(id, ruleB);
    const { requestId } = await sessions.request(id, { message: 'hello' });
    await sessions.reply(id, requestId, 'hi');
    await sessions.delete(id);
    expect(events.filter(({ type }) => type === 'session-changed').map(({ data }) => data)).toEqual([
      { sessionId: id, change: 'created', lastSyncId: 1 },
      { sessionId: id, change: 'updated', lastSyncId: 2 },
      { sessionId: id, change: 'updated', lastSyncId: 3 },
      { sessionId: id, change: 'updated', lastSyncId: 4 },
      { sessionId: id, change: 'deleted', lastSyncId: 4 },
    ]);
  });

  it('SE-03 tells sessions apart by how their first message of the user begins', async () => {
    const { sessions, session } = await createExample();
    expect((await sessions.list({})).sessions[0]).not.toHaveProperty('firstMessage');
    await sessions.patch(session.id, {
      temperature: 0.5,
      appendMessages: [
        { role: 'error', content: 'No.' },
        { role: 'user', content: ' \n ' },
        { role: 'user', content: `How\r\n do   I ${'\u{1f600}'.repeat(200)}` },
        { role: 'user', content: 'Another' },
      ],
    });
    const { firstMessage, temperature, messageCount } = (await sessions.list({})).sessions[0] as SessionSummary;
    expect([firstMessage, temperature, messageCount]).toEqual([`How do I ${'\u{1f600}'.repeat(111)}`, 0.5, 4]);
    await sessions.request(session.id, { message: 'Asked' });
    expect((await sessions.get(session.id)).firstMessage).toBe(firstMessage);
    const other = await sessions.create({ agentId: 'example', parentSessionId: session.id });
    expect(other).not.toHaveProperty('firstMessage');
    await sessions.request(other.id, { message: 'Asked' });
    expect((await sessions.get(other.id)).firstMessage).toBe('Asked');
  });

  it('S-82 keeps the order of sessions and messages, whatever the clock says', async () => {
    const { sessions, session, clock } = await createExample();
    const steps = [Date.UTC(2036, 0), Date.UTC(1970, 0), Date.UTC(2099, 5), Date.UTC(2026, 0), Date.UTC(2025, 11)];
    const ids = [session.id];
    for (const [index, now] of steps.entries()) {
      clock.setNow(now);
      await sessions.patch(session.id, { appendMessages: [{ role: 'user', content: `${index}` }] });
      ids.unshift((await sessions.create({ agentId: 'example' })).id);
    }
    const { messages } = await sessions.get(session.id);
    expect(messages.map((message) => message.role === 'user' && message.content)).toEqual(['0', '1', '2', '3', '4']);
    const { changes } = await sessions.changes(session.id, { since: 1 });
    expect(changes.map(({ syncId }) => syncId)).toEqual([2, 3, 4, 5, 6]);
    expect((await sessions.list({})).sessions.map(({ id }) => id)).toEqual(ids);
  });
});

describe('bounds', () => {
  it('SE-05 shows the last messages of a long session, and says how many there are before', async () => {
    const { sessions, session } = await createExample();
    const appendMessages = Array.from({ length: 100 }, () => ({ role: 'user' as const, content: 'x'.repeat(100_000) }));
    await sessions.patch(session.id, { appendMessages });
    const { messages, earlierMessages = 0, messageCount } = await sessions.get(session.id);
    expect(messageCount).toBe(100);
    expect(messages.length).toBeGreaterThan(30);
    expect(messages.length + earlierMessages).toBe(100);
    expect(messages.at(-1)?.syncId).toBe(101);
    const { requestId, omitted } = await sessions.request(session.id, { message: 'hello' });
    expect(omitted).toMatchObject([{ type: 'history', messages: earlierMessages, reason: { code: 'limit_reached' } }]);
    expect((await sessions.getRequest(session.id, requestId)).messages.length).toBe(messages.length + 4);
  });

  it('SE-03 refuses more messages, and more sessions, than are kept; nothing is deleted', async () => {
    const { sessions, session, store } = await createExample();
    const limit = { code: 'limit_exceeded' };
    await store.sessions.write(async (writer) => {
      const stored = (await writer.session(session.id)) as StoredSession;
      await writer.updateSession({ ...stored, messages: fixedLimits.sessions.messages - 1 });
    });
    await sessions.patch(session.id, { appendMessages: [{ role: 'user', content: 'the last' }] });
    const one = { appendMessages: [{ role: 'user' as const, content: 'one more' }] };
    await expect(sessions.patch(session.id, one)).rejects.toMatchObject(limit);
    await expect(sessions.request(session.id, { message: 'one more' })).rejects.toMatchObject(limit);
    expect((await sessions.get(session.id)).lastSyncId).toBe(2);
    await store.sessions.write(async (writer) => {
      const stored = (await writer.session(session.id)) as StoredSession;
      for (let count = 1; count < fixedLimits.sessions.count; count += 1)
        await writer.insertSession({ ...stored, id: `${count}` });
    });
    await expect(sessions.create({ agentId: 'example' })).rejects.toMatchObject(limit);
    await sessions.delete('1');
    await sessions.create({ agentId: 'example' });
  });
});

it('S-16 gives ids of 128 random bits, which tell nothing', async () => {
  const { newId } = await import('../../src/session/session-records.ts');
  const ids = Array.from({ length: sized(100_000, 1_000_000, 20_000) }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[0-9a-f]{32}$/u.test(id))).toBe(true);
  const rising = ids.filter((id, index) => index > 0 && id > (ids[index - 1] as string)).length;
  expect(rising / ids.length).toBeGreaterThan(0.45);
  expect(rising / ids.length).toBeLessThan(0.55);
});

it('S-16 refuses an unknown id, and one of another session, in the same words', async () => {
  const { sessions, session, agents } = await createExample();
  const other = await sessions.create({ agentId: 'example' });
  const { requestId } = await sessions.request(other.id, { message: 'hello' });
  const refusalOf = async (verb: Promise<unknown>) => {
    const error = await verb.then(
      () => undefined,
      (reason) => reason,
    );
    return { code: error?.code, message: error?.message, errors: error?.errors };
  };
  const unknown = 'f'.repeat(32);
  for (const id of [unknown, 'x', `${session.id} `, session.id.toUpperCase()])
    expect(await refusalOf(sessions.get(id))).toEqual(await refusalOf(sessions.get(unknown)));
  expect(await refusalOf(sessions.getRequest(session.id, requestId))).toEqual(
    await refusalOf(sessions.getRequest(session.id, unknown)),
  );
  expect(await refusalOf(sessions.reply(session.id, requestId, 'x'))).toMatchObject({ code: 'not_found' });
  expect(await refusalOf(agents.get('nobody'))).toMatchObject({ code: 'not_found' });
});
