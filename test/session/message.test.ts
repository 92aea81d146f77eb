import { describe, expect, it } from 'vitest';
import { GivenMessage, historyMessages } from '../../src/session/message.ts';
import { NewRequest, Reply } from '../../src/session/request.ts';
import { SessionPatch } from '../../src/session/session.ts';
import { fixedLimits } from '../../src/settings.ts';

const pointers = (
  schema: typeof GivenMessage | typeof NewRequest | typeof Reply | typeof SessionPatch,
  value: unknown,
) => {
  const { error } = schema.safeParse(value);
  return error?.issues.map(({ path }) => `/${path.join('/')}`) ?? [];
};

describe('bounds', () => {
  const { contentBytes, replyBytes } = fixedLimits.sessions;

  it('S-66 bounds what is said by its bytes', () => {
    const say = (content: string) => pointers(GivenMessage, { role: 'user', content });
    expect(say('x'.repeat(contentBytes))).toEqual([]);
    expect(say('x'.repeat(contentBytes + 1))).toEqual(['/content']);
    expect(say('é'.repeat(contentBytes / 2))).toEqual([]);
    expect(say('é'.repeat(contentBytes / 2 + 1))).toEqual(['/content']);
    expect(pointers(NewRequest, { message: 'x'.repeat(contentBytes + 1) })).toEqual(['/message']);
    expect(pointers(NewRequest, { message: '' })).toEqual(['/message']);
  });

  it('S-66 bounds replies by the bytes of their JSON', () => {
    expect(pointers(Reply, { modelReply: 'x'.repeat(replyBytes - 2) })).toEqual([]);
    expect(pointers(Reply, { modelReply: 'x'.repeat(replyBytes - 1) })).toEqual(['/modelReply']);
    expect(pointers(GivenMessage, { role: 'approval', toolCallApprovals: ['x'.repeat(replyBytes)] })).toEqual([
      '/toolCallApprovals',
    ]);
    expect(pointers(SessionPatch, { appendMessages: Array(101).fill({ role: 'user', content: '' }) })).toEqual([
      '/appendMessages',
    ]);
  });

  it.each([[null], [0], [false], ['']])('RQ-04 takes any reply, also %j', (modelReply) => {
    expect(Reply.parse({ modelReply })).toEqual({ modelReply });
  });
});

it.each([
  [{ role: 'assistant' }, ['/modelReply']],
  [{ role: 'robot', content: 'x' }, ['/role']],
  [{ role: 'user', content: 'x', syncId: 3 }, ['/']],
  [{ role: 'tool', content: 'x', requestId: 'r' }, ['/']],
  [{ role: 'assistant', content: 'x', at: '2026-01-01T00:00:00.000Z' }, ['/']],
  [{ role: 'user', modelReply: 'x' }, ['/content', '/']],
])('S-66 refuses the message %j', (message, where) => {
  expect(pointers(GivenMessage, message)).toEqual(where);
});

it('RQ-04 rebuilds as text what versions that knew text only have sent', () => {
  const modelReply = { role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] };
  const message = { role: 'assistant' as const, modelReply };
  expect(historyMessages(message, { asText: true })).toEqual([
    { role: 'assistant', content: JSON.stringify(modelReply) },
  ]);
  expect(historyMessages(message)).toEqual([modelReply]);
});

it('RQ-04 rebuilds empty messages, which older versions have sent', () => {
  const message = { role: 'assistant' as const, modelReply: { role: 'assistant', content: [] } };
  const text = { role: 'assistant', content: JSON.stringify(message.modelReply) };
  expect(historyMessages(message, { withEmpty: true })).toEqual([text]);
  expect(historyMessages({ role: 'user', content: '' }, { withEmpty: true })).toEqual([{ role: 'user', content: '' }]);
  expect(historyMessages(message)).toEqual([]);
  expect(historyMessages({ role: 'user', content: '' })).toEqual([]);
});

it.each([
  ['reasoning', { type: 'reasoning', id: 'r', summary: [], content: null }],
  ['reasoning with a list', { type: 'reasoning', id: 'r', summary: [], content: [] }],
  ['the result of a search', { type: 'web_search_tool_result', tool_use_id: 's', content: [] }],
  ['the result of a tool', { type: 'tool_result', tool_use_id: 't', content: '' }],
])('RQ-03 sends parts without content, because a model misses them: %s', (_name, part) => {
  const other = part.type === 'reasoning' ? { type: 'function_call', call_id: 'c', name: 'f' } : { type: 'thinking' };
  const sent = JSON.stringify(historyMessages({ role: 'assistant', modelReply: [part, other] }));
  expect(sent).toContain(JSON.stringify(part));
  expect(sent).toContain(JSON.stringify(other));
});

it('RQ-03 sends a reply in a form of its own as JSON, also if it has no content', () => {
  const modelReply = { content: null, answer: 42 };
  const sent = [{ role: 'assistant', content: JSON.stringify(modelReply) }];
  expect(historyMessages({ role: 'assistant', modelReply })).toEqual(sent);
});

it('RQ-03 leaves out blank text beside the other parts of a message of the user', () => {
  const picture = { type: 'image', source: {} };
  const content = [{ type: 'text', text: ' ' }, picture];
  expect(historyMessages({ role: 'user', content })).toEqual([{ role: 'user', content: [picture] }]);
  expect(historyMessages({ role: 'user', content }, { withEmpty: true })).toEqual([{ role: 'user', content }]);
});
