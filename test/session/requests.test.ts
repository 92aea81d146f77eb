import { describe, expect, it } from 'vitest';
import type { StoredRequest } from '../../src/ports/store/session.ts';
import { type KeptRequest, sentHash } from '../../src/session/kept-request.ts';
import type { GivenMessage, Message } from '../../src/session/message.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { contextFile, createWorkspace, project } from '../support/workspace.ts';
import { createExample, createTestSessions, exampleAgent, ruleA, ruleB, shown, tool } from './support/sessions.ts';

const outputText = { type: 'output_text', text: '' };

describe('request context', () => {
  it('RQ-01 holds all session items and the `agent` items that search selects, best first, none twice', async () => {
    const { sessions, session, scores } = await createExample();
    scores.q = { C: 0.75, Y: 0.8, A: 0.99, B: 0.98 };
    const before = await sessions.request(session.id, { message: 'q' });
    expect(shown(before.requestContext.items)).toEqual([
      'rule A always',
      'reference X always',
      'reference Y agent',
      'rule C agent',
    ]);
    await sessions.addItem(session.id, { type: 'rule', name: 'C' });
    const after = await sessions.request(session.id, { message: 'q' });
    expect(shown(after.requestContext.items).slice(2)).toEqual(['rule C manual', 'reference Y agent']);
    expect(after.requestContext.items[2]).not.toHaveProperty('similarityScore');
  });

  it('RQ-01 is built fresh: it follows the session and the agent', async () => {
    const { agents, sessions, session, scores } = await createExample();
    scores.q = { C: 0.9 };
    await sessions.request(session.id, { message: 'q' });
    await sessions.removeItem(session.id, ruleA);
    await agents.putItem({ agentId: 'example', kind: 'references', name: 'X' }, { text: 'New text of X.' });
    const { requestContext, messages } = await sessions.request(session.id, { message: 'other' });
    expect(shown(requestContext.items)).toEqual(['reference X always']);
    expect(messages.at(-2)?.content).toBe('Reference: New text of X.');
  });

  it('AN-02 names each missing file once, whether it comes in files or in documents', async () => {
    const { engine } = await createWorkspace({ 'src/a.ts': 'a();' });
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await engine.sessions.create({ agentId: 'a' });
    const asked = { message: 'Why?', files: ['src/a.ts', 'src/gone.ts'] };
    const missing = { type: 'file', path: `${project}/src/gone.ts`, reason: { code: 'not_found' } };
    expect((await engine.sessions.request(id, asked)).omitted).toMatchObject([missing]);
    const documents = [{ path: 'src/gone.ts' }, { path: 'src/a.ts' }, { path: 'src/new.ts', content: 'b();' }];
    const { omitted } = await engine.sessions.request(id, { message: 'Why?', documents });
    expect(omitted).toMatchObject([{ ...missing, type: 'context' }]);
  });

  it('RQ-01 adds `auto` items whose globs match, and what is mentioned, for this request', async () => {
    const { engine } = await createWorkspace({
      '.context/always.md': contextFile({ trigger: 'always' }),
      '.context/style.md': contextFile({ trigger: 'auto', globs: '**/*.ts' }),
      '.context/css.md': contextFile({ trigger: 'auto', globs: '**/*.css' }),
      '.context/docs/api.md': contextFile({ trigger: 'manual' }),
      '.context/extra.md': contextFile({ trigger: 'agent', description: 'About kangaroos' }),
      'packages/ui/.context/ui.md': contextFile({ trigger: 'auto', globs: '*.ts' }),
    });
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await engine.sessions.create({ agentId: 'a' });
    const ask = async (asked: { files?: string[]; mentions?: string[] }) => {
      const { requestContext, warnings } = await engine.sessions.request(id, { message: 'Build it', ...asked });
      return {
        items: shown(requestContext.items),
        warnings: warnings.map(({ code, pointer }) => `${code} ${pointer}`),
      };
    };
    expect(await ask({})).toEqual({ items: ['rule always always'], warnings: [] });
    expect((await ask({ files: ['src/a.ts'] })).items).toEqual(['rule always always', 'rule style auto']);
    expect((await ask({ files: ['packages/ui/b.ts', 'c.css'] })).items).toEqual([
      'rule always always',
      'rule css auto',
      'rule packages/ui:ui auto',
      'rule style auto',
    ]);
    expect(await ask({ mentions: ['docs/api', '.context/css.md', 'nothing'] })).toEqual({
      items: ['rule always always', 'rule css manual', 'reference docs/api manual'],
      warnings: ['mention_not_found /mentions/2'],
    });
    expect((await engine.sessions.get(id)).contextItems).toHaveLength(1);
    expect((await engine.sessions.request(id, { message: 'x', files: ['../x'] })).omitted).toMatchObject([
      { type: 'file', reason: { code: 'outside_roots' } },
    ]);
    expect((await engine.sessions.request(id, { message: 'What do kangaroos eat?' })).semantic.status).toBe('degraded');
  });

  it('SE-04 RQ-01 leaves out what the agent lost, and says so', async () => {
    const { agents, sessions, session } = await createExample();
    await agents.removeItem({ agentId: 'example', kind: 'rules', name: 'A' });
    const { requestContext, omitted } = await sessions.request(session.id, { message: 'q' });
    expect(shown(requestContext.items)).toEqual(['reference X always']);
    expect(omitted).toMatchObject([{ ...ruleA, includeMode: 'always', reason: { code: 'missing' } }]);
  });

  it('RQ-01 holds an item that was added while it was being built', async () => {
    const { sessions, session } = await createExample();
    const [{ requestContext }] = await Promise.all([
      sessions.request(session.id, { message: 'q' }),
      sessions.addItem(session.id, ruleB),
    ]);
    const { messages, contextItems } = await sessions.get(session.id);
    const { changes } = await sessions.changes(session.id, { since: 1 });
    const isAddedFirst = changes[0]?.type === 'item_added';
    expect(requestContext.items.some(({ name }) => name === 'B')).toBe(isAddedFirst);
    expect([messages.length, contextItems.length]).toEqual([1, 3]);
  });

  it('SS-06 searches by the options of agent, session and request, by domain', async () => {
    const seen: unknown[] = [];
    const { agents, sessions } = createTestSessions({
      tools: [tool],
      async search(_query, items, { isWhole: _isWhole, ...options } = {}) {
        seen.push([items.map(({ name }) => name), options]);
        return { results: [], semantic: { status: 'ready', engine: 'semantic' } };
      },
    });
    const settings = { search: { topN: 1, minScore: 0.1 }, toolSearch: { topN: 2 } };
    const mcpServers = { tickets: { command: 'x', include: 'agent' as const } };
    await agents.put('a', { ...exampleAgent, settings, mcpServers });
    const { id } = await sessions.create({ agentId: 'a', settings: { search: { topN: 3 } } });
    await sessions.request(id, { message: 'q' });
    await sessions.request(id, { message: 'q', search: { topN: 4 } });
    await sessions.request(id, { message: 'q', search: { preset: 'aggressive' }, toolSearch: { topK: 9 } });
    expect(seen).toEqual([
      [['C', 'Y'], { topN: 3, minScore: 0.1 }],
      [['find'], { topN: 2 }],
      [['C', 'Y'], { topN: 4, minScore: 0.1 }],
      [['find'], { topN: 4 }],
      [['C', 'Y'], { preset: 'aggressive' }],
      [['find'], { topN: 2, topK: 9 }],
    ]);
  });
});

describe('search that fails', () => {
  it('RQ-02 is said, and fails no request', async () => {
    const failing = async () => {
      throw new Error('secret detail');
    };
    const { agents, sessions } = createTestSessions({ search: failing });
    await agents.put('example', exampleAgent);
    const { id } = await sessions.create({ agentId: 'example' });
    const { semantic, requestContext } = await sessions.request(id, { message: 'q' });
    expect(semantic).toEqual({ status: 'unavailable', engine: 'none', detail: 'The search failed.' });
    expect(requestContext.items).toHaveLength(2);
    expect((await sessions.listRequests(id, {})).requests[0]?.semantic).toEqual(semantic);
  });

  it('RQ-02 differs from a search that finds nothing', async () => {
    const { sessions, session } = await createExample();
    expect((await sessions.request(session.id, { message: 'q' })).semantic.status).toBe('ready');
  });
});

describe('messages for the model', () => {
  const odd = ' \u0000 \ud800 \u202e ```\r\n{{message}} 🦘 \t';

  it('RQ-03 never alters what the user says', async () => {
    const { sessions, session } = await createExample();
    const { messages, requestId } = await sessions.request(session.id, { message: odd });
    expect(messages.at(-1)).toEqual({ role: 'user', content: odd });
    expect((await sessions.getRequest(session.id, requestId)).messages).toEqual(messages);
    const later = await sessions.request(session.id, { message: 'and then?' });
    expect(later.messages[1]).toEqual({ role: 'user', content: odd });
  });

  it('RQ-03 sends as history what user and model said, and no message that is for people', async () => {
    const { sessions, session } = await createExample();
    const appendMessages: Message[] = [
      { role: 'system', content: 'system' },
      { role: 'user', content: 'user' },
      { role: 'assistant', modelReply: 'text' },
      { role: 'error', content: 'error' },
      { role: 'approval', toolCallApprovals: [{ tool: 'find' }] },
      { role: 'assistant', modelReply: { content: [{ type: 'text', text: 'a' }, { image: 1 }, { text: 'b' }] } },
      { role: 'assistant', modelReply: { text: 'c', usage: 3 } },
      { role: 'assistant', modelReply: { turns: [1] } },
      { role: 'assistant', modelReply: null },
    ];
    await sessions.patch(session.id, { appendMessages });
    const { messages } = await sessions.request(session.id, { message: 'q' });
    expect(messages.slice(1, -3).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: user',
      'assistant: text',
      'assistant: ab',
      'assistant: c',
      'assistant: {"turns":[1]}',
      'assistant: null',
    ]);
  });

  it.each([
    ['a reply without text', ''],
    ['a reply of blanks', ' \n'],
    ['a message without content', { role: 'assistant', content: null, refusal: null }],
    ['a whole answer without content', { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' }],
    ['an answer with an empty message', { choices: [{ message: { role: 'assistant', content: '' } }] }],
    ['an answer without output', { output: [] }],
    ['an answer with empty output', { output: [{ type: 'message', role: 'assistant', content: [outputText] }] }],
    ['empty parts', { content: [{ type: 'text', text: '' }] }],
    ['an empty list', []],
  ])('RQ-03 sends no message that says nothing, because models refuse it: %s', async (_name, modelReply) => {
    const { sessions, session } = await createExample();
    const appendMessages: GivenMessage[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', modelReply },
      { role: 'user', content: '' },
      { role: 'user', content: [{ type: 'text', text: ' ' }] },
    ];
    await sessions.patch(session.id, { appendMessages });
    const { messages, requestId } = await sessions.request(session.id, { message: 'b' });
    expect(messages.slice(1, -3)).toEqual([{ role: 'user', content: 'a' }]);
    expect((await sessions.getRequest(session.id, requestId)).messages).toEqual(messages);
    expect((await sessions.get(session.id)).messages[1]).toMatchObject({ role: 'assistant', modelReply });
  });

  it('RQ-03 keeps the form of a loop of tools whose last message says nothing', async () => {
    const { sessions, session } = await createExample();
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'find', input: {} }] };
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '' }] };
    const { requestId } = await sessions.request(session.id, { message: 'a' });
    await sessions.reply(session.id, requestId, [call, result, { role: 'assistant', content: [] }]);
    const { messages } = await sessions.request(session.id, { message: 'b' });
    expect(messages.slice(1, -3)).toEqual([{ role: 'user', content: 'a' }, call, result]);
  });

  it('RQ-03 sends a refusal of a model as text', async () => {
    const { sessions, session } = await createExample();
    const refusal = { role: 'assistant', content: null, refusal: 'I do not say that.', tool_calls: null };
    for (const modelReply of [refusal, [refusal], { choices: [{ message: refusal }] }])
      await sessions.patch(session.id, { appendMessages: [{ role: 'assistant', modelReply }] });
    const { messages } = await sessions.request(session.id, { message: 'b' });
    const sent = { role: 'assistant', content: 'I do not say that.' };
    expect(messages.slice(1, -3)).toEqual([sent, sent, sent]);
  });

  it('RQ-03 leaves out blank text beside calls, because models refuse it', async () => {
    const { sessions, session } = await createExample();
    const call = { type: 'tool_use', id: 't', name: 'find', input: {} };
    const blank = { type: 'text', text: '\n\n' };
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '' }] };
    const emptyResult = { role: 'tool', tool_call_id: 'c', content: [blank] };
    const calls = { role: 'assistant', content: null, tool_calls: [{ id: 'c' }] };
    await sessions.patch(session.id, { appendMessages: [{ role: 'assistant', modelReply: [calls, emptyResult] }] });
    for (const modelReply of [
      [{ role: 'assistant', content: [blank, call] }, result],
      [blank, call],
    ]) {
      const { requestId } = await sessions.request(session.id, { message: 'a' });
      await sessions.reply(session.id, requestId, modelReply);
    }
    await sessions.patch(session.id, { appendMessages: [result as GivenMessage] });
    const { messages } = await sessions.request(session.id, { message: 'b' });
    const turn = [{ role: 'user', content: 'a' }, { role: 'assistant', content: [call] }, result];
    expect(messages.slice(1, -3)).toEqual([calls, emptyResult, ...turn, ...turn]);
  });

  it('RQ-03 gives the definitions of the tools that are included', async () => {
    const { sessions, session } = await createExample({ tools: [tool] });
    const { tools, messages } = await sessions.request(session.id, { message: 'q' });
    expect(tools).toEqual([tool]);
    expect(JSON.stringify(messages)).not.toContain('find');
    await sessions.removeItem(session.id, { type: 'tool', name: 'find', serverName: 'tickets' });
    expect((await sessions.request(session.id, { message: 'q' })).tools).toEqual([]);
  });
});

describe('looking back', () => {
  it('RQ-04 stores the reply with its request context, once', async () => {
    const { sessions, session } = await createExample();
    const { requestId, requestContext } = await sessions.request(session.id, { message: 'q' });
    const modelReply = { content: 'a', toolCalls: [{ id: 1 }] };
    const { message, lastSyncId } = await sessions.reply(session.id, requestId, modelReply);
    expect(message).toMatchObject({ role: 'assistant', modelReply, requestContext, requestId, syncId: 3 });
    expect(lastSyncId).toBe(3);
    await expect(sessions.reply(session.id, requestId, 'b')).rejects.toMatchObject({ code: 'conflict' });
    await expect(sessions.reply(session.id, 'x', 'b')).rejects.toMatchObject({ code: 'not_found' });
    expect((await sessions.get(session.id)).messages).toMatchObject([{ role: 'user', requestId }, message]);
    expect((await sessions.listRequests(session.id, {})).requests).toMatchObject([{ requestId, replySyncId: 3 }]);
  });

  it('RQ-04 takes one of two replies that come at once', async () => {
    const { sessions, session } = await createExample();
    const { requestId } = await sessions.request(session.id, { message: 'q' });
    const replies = await Promise.allSettled(
      ['a', 'b', 'c'].map((text) => sessions.reply(session.id, requestId, text)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect((await sessions.get(session.id)).messageCount).toBe(2);
  });

  it('RQ-04 rebuilds a request exactly, and names what has changed since', async () => {
    const { agents, sessions, session, scores } = await createExample({ tools: [tool] });
    scores.q = { C: 0.9 };
    await sessions.patch(session.id, { appendMessages: [{ role: 'user', content: 'earlier' }] });
    const sent = await sessions.request(session.id, { message: 'q' });
    const { lastSyncId: _lastSyncId, ...receipt } = sent;
    await sessions.reply(session.id, sent.requestId, 'reply');
    await sessions.request(session.id, { message: 'later' });
    expect(await sessions.getRequest(session.id, sent.requestId)).toMatchObject({ ...receipt, changedItems: [] });

    await agents.putItem({ agentId: 'example', kind: 'rules', name: 'A' }, { text: 'Other text.', include: 'always' });
    await agents.removeItem({ agentId: 'example', kind: 'references', name: 'X' });
    const changed = await sessions.getRequest(session.id, sent.requestId);
    expect(changed).toMatchObject(receipt);
    expect(changed.changedItems).toEqual([
      { ...ruleA, change: 'changed', sha256: expect.not.stringMatching(changed.requestContext.items[0]?.sha256 ?? '') },
      { type: 'reference', name: 'X', change: 'missing' },
    ]);
    await agents.remove('example');
    const rebuilt = await sessions.getRequest(session.id, sent.requestId);
    expect(rebuilt).toMatchObject(receipt);
    expect(rebuilt.changedItems.map(({ change }) => change)).toEqual(Array(4).fill('missing'));
  });

  it('RQ-04 refuses to show a request whose stored texts are damaged', async () => {
    const store = createMemoryStore();
    let isDamaged = false;
    const texts: typeof store.sessions.texts = async (keys) => {
      const kept = await store.sessions.texts(keys);
      return isDamaged ? new Map([...kept].map(([key, text]) => [key, `${text}!`])) : kept;
    };
    const { sessions, session } = await createExample({ store: { ...store, sessions: { ...store.sessions, texts } } });
    const { requestId, messages } = await sessions.request(session.id, { message: 'q' });
    expect(await sessions.getRequest(session.id, requestId)).toMatchObject({ messages });
    isDamaged = true;
    await expect(sessions.getRequest(session.id, requestId)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('RQ-04 tells description and priority of each item as they were then, whatever has become of it', async () => {
    const { agents, sessions, session } = await createExample({ tools: [tool] });
    const place = { agentId: 'example', kind: 'rules', name: 'A' } as const;
    await agents.putItem(place, { text: 'Text.', description: 'Then', priority: 7, include: 'always' });
    await sessions.addItem(session.id, { type: 'tool', serverName: 'tickets', name: 'find' });
    const { requestId, requestContext } = await sessions.request(session.id, { message: 'q' });
    expect(JSON.stringify(requestContext)).not.toContain('Then');
    await agents.putItem(place, { text: 'Text.', description: 'Now', priority: 9, include: 'always' });
    await agents.removeItem({ agentId: 'example', kind: 'references', name: 'X' });
    const { items } = (await sessions.getRequest(session.id, requestId)).requestContext;
    expect(items.map((item) => [item.name, 'priority' in item ? item.priority : null, item.description])).toEqual([
      ['A', 7, 'Then'],
      ['X', 500, undefined],
      ['find', null, 'Finds tickets'],
    ]);
  });

  it('RQ-04 rebuilds what a version stored that kept no descriptions', async () => {
    const { sessions, session, store } = await createExample();
    const { requestId, requestContext } = await sessions.request(session.id, { message: 'q' });
    const stored = (await store.sessions.request(session.id, requestId)) as StoredRequest;
    const { details: _details, ...data } = stored.data as KeptRequest;
    await store.sessions.write(async (writer) => {
      await writer.insertRequest({ ...stored, id: 'older', data }, new Map());
    });
    expect((await sessions.getRequest(session.id, 'older')).requestContext).toEqual(requestContext);
  });

  it('RQ-04 rebuilds what a version stored that sent empty messages', async () => {
    const { sessions, session, store } = await createExample();
    await sessions.patch(session.id, { appendMessages: [{ role: 'assistant', modelReply: '' }] });
    const { requestId, messages, tools } = await sessions.request(session.id, { message: 'q' });
    const stored = (await store.sessions.request(session.id, requestId)) as StoredRequest;
    const { withoutEmpty: _withoutEmpty, ...kept } = stored.data as KeptRequest;
    const sent = messages.toSpliced(1, 0, { role: 'assistant', content: '' });
    const data = { ...kept, history: { first: 2, last: 2 }, sha256: sentHash(sent, tools) };
    await store.sessions.write(async (writer) => {
      await writer.insertRequest({ ...stored, id: 'older', data }, new Map());
    });
    expect((await sessions.getRequest(session.id, 'older')).messages).toEqual(sent);
    expect((await sessions.getRequest(session.id, requestId)).messages).toEqual(messages);
  });

  it('RQ-04 lists past requests in pages, the newest first', async () => {
    const { sessions, session } = await createExample();
    for (const message of ['1', '2', '3']) await sessions.request(session.id, { message });
    const first = await sessions.listRequests(session.id, { limit: 2 });
    expect(first.requests.map(({ message }) => message)).toEqual(['3', '2']);
    const second = await sessions.listRequests(session.id, { after: first.next });
    expect(second.requests.map(({ message }) => message)).toEqual(['1']);
    expect(second).not.toHaveProperty('next');
  });
});
