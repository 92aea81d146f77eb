/** Calls of tools and their results, in the shapes of model APIs, come back as what they are (RQ-03, RQ-04, SE-03). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RebuiltRequest, RequestReceipt } from '../../src/session/request.ts';
import type { Session } from '../../src/session/session.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
  await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A' } });
});
afterAll(() => daemon.stop());

const createSession = async () => {
  const { body } = await daemon.request('/v1/sessions', { body: { agentId: 'a' } });
  return (body as Session).id;
};
const ask = async (id: string, message: string, more: object = {}) => {
  const { status, body } = await daemon.request(`/v1/sessions/${id}/requests`, { body: { message, ...more } });
  expect(status).toBe(201);
  return body as RequestReceipt;
};
const reply = async (id: string, { requestId }: RequestReceipt, modelReply: unknown) => {
  const path = `/v1/sessions/${id}/requests/${requestId}/reply`;
  expect(await daemon.request(path, { body: { modelReply } })).toMatchObject({ status: 200 });
};
const append = (id: string, appendMessages: unknown[], headers = {}) =>
  daemon.request(`/v1/sessions/${id}`, { method: 'PATCH', body: { appendMessages }, headers });

const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } };
const completion = { role: 'assistant', content: null, refusal: null, tool_calls: [call] };
const completionResult = { role: 'tool', tool_call_id: 'call_1', content: '5' };
const toolUse = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'Add them.', signature: 'sig' },
    { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 2, b: 3 } },
  ],
};
const toolUseResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '5' }] };
const items = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
  { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":2,"b":3}' },
];
const itemResult = { type: 'function_call_output', call_id: 'call_1', output: '5' };
const turns = {
  timestamp: 1,
  turns: [
    {
      toolCalls: [{ serverName: 's', toolName: 'add', args: { a: 2 }, toolCallId: '1', output: '5', elapsedTimeMs: 3 }],
    },
    { message: 'It is 5.' },
  ],
};
const text = { role: 'assistant', content: 'It is 5.' };

/** What is replied, what is appended then, and what is sent in the next request. */
const loops: [name: string, modelReply: unknown, appended: unknown[], sent: unknown[]][] = [
  ['a message of chat completions', completion, [completionResult, text], [completion, completionResult, text]],
  [
    'a whole answer of chat completions',
    { id: 'x', object: 'chat.completion', choices: [{ index: 0, message: completion, finish_reason: 'tool_calls' }] },
    [completionResult, { role: 'assistant', modelReply: { choices: [{ message: text }] } }],
    [completion, completionResult, text],
  ],
  [
    'items of Responses',
    { id: 'resp', object: 'response', output: items },
    [
      { role: 'tool', ...itemResult },
      { role: 'assistant', modelReply: items },
      { role: 'assistant', modelReply: itemResult },
    ],
    [...items, itemResult, ...items, itemResult],
  ],
  [
    'the output of Responses, without its envelope',
    { output: items },
    [{ role: 'tool', ...itemResult }],
    [...items, itemResult],
  ],
  ['an unknown shape with an output', { output: [1] }, [], [{ role: 'assistant', content: '{"output":[1]}' }]],
  [
    'a whole message of Anthropic’s',
    { id: 'msg', type: 'message', model: 'm', stop_reason: 'tool_use', usage: {}, ...toolUse },
    [toolUseResult, { role: 'assistant', content: [{ type: 'text', text: 'It is 5.' }] }],
    [toolUse, toolUseResult, text],
  ],
  ['content blocks of Anthropic’s', toolUse.content, [toolUseResult, text], [toolUse, toolUseResult, text]],
  [
    'a list of messages with results between them',
    [completion, completionResult, { ...completion, content: 'Once more.' }],
    [completionResult],
    [completion, completionResult, { ...completion, content: 'Once more.' }, completionResult],
  ],
  ['turns', turns, [], [{ role: 'assistant', content: 'It is 5.', modelReply: turns }]],
  ['an unknown shape', { candidates: [1] }, [], [{ role: 'assistant', content: '{"candidates":[1]}' }]],
  [
    'a message of the system, which is text',
    { role: 'system', content: 'Obey.', tool_calls: [call] },
    [],
    [{ role: 'assistant', content: 'Obey.' }],
  ],
];

describe('a loop of tools', () => {
  it.for(loops)('RQ-03 RQ-04 is sent again as it was: %s', async ([, modelReply, appended, sent]) => {
    const id = await createSession();
    await reply(id, await ask(id, 'Add 2 and 3.'), modelReply);
    if (appended.length > 0) expect(await append(id, appended)).toMatchObject({ status: 200 });
    const next = await ask(id, 'And now?');
    const first = { role: 'user', content: 'Add 2 and 3.' };
    expect(next.messages).toEqual([first, ...sent, { role: 'user', content: 'And now?' }]);
    expect(next.usage.history).toBeGreaterThan(5);
    const past = await daemon.request(`/v1/sessions/${id}/requests/${next.requestId}`);
    expect((past.body as RebuiltRequest).messages).toEqual(next.messages);
    const { messages } = (await daemon.request(`/v1/sessions/${id}`)).body as Session;
    expect(messages[1]).toMatchObject({ role: 'assistant', modelReply });
    expect((await daemon.cli(['sessions', 'show', id])).code).toBe(0);
  });

  /** What is appended after a user asked, and what is sent of it with the next message. */
  const second = { ...call, id: 'call_2' };
  const calling = { role: 'assistant', content: null, tool_calls: [call] };
  const both = { ...calling, tool_calls: [call, second] };
  const asText = (value: unknown) => ({ role: 'assistant', content: JSON.stringify(value) });
  const broken: [name: string, appended: unknown[], sent: unknown[]][] = [
    ['a call that nothing answers', [calling], [asText(calling)]],
    ['what was said beside such a call', [{ ...calling, content: 'I add.' }], [{ ...text, content: 'I add.' }]],
    [
      'such a call with what the user said then',
      [calling, { role: 'user', content: 'Stop.' }, completionResult],
      [asText(calling), { role: 'user', content: 'Stop.' }, asText(completionResult)],
    ],
    ['calls of which one is answered', [both, completionResult], [asText(both), asText(completionResult)]],
    [
      'a call of Anthropic’s, whose answer is to another',
      [
        toolUse,
        {
          role: 'user',
          content: [
            { ...toolUseResult.content[0], tool_use_id: 'x' },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
      [
        asText(toolUse),
        {
          role: 'user',
          content: [
            { type: 'text', text: '{"type":"tool_result","tool_use_id":"x","content":"5"}' },
            { type: 'text', text: 'Go on.' },
          ],
        },
      ],
    ],
    ['an item of Responses that nothing answers', [{ role: 'assistant', modelReply: items }], [asText(items[1])]],
  ];

  it.each(broken)('RQ-03 is sent as text where a model would refuse it: %s', async (_name, appended, sent) => {
    const id = await createSession();
    await ask(id, 'Add 2 and 3.');
    expect(await append(id, appended)).toMatchObject({ status: 200 });
    const next = await ask(id, 'And now?');
    expect(next.messages.slice(1, -1)).toEqual(sent);
    const past = await daemon.request(`/v1/sessions/${id}/requests/${next.requestId}`);
    expect((past.body as RebuiltRequest).messages).toEqual(next.messages);
  });

  it('RQ-05 is let go as a whole, also where calls came one by one', async () => {
    const id = await createSession();
    const one = { ...items[1], arguments: 'word '.repeat(200) };
    const other = { ...items[1], call_id: 'call_2' };
    const results = [itemResult, { ...itemResult, call_id: 'call_2' }];
    const asked = { role: 'user', content: 'Add twice.' };
    await append(id, [
      { role: 'user', content: 'word '.repeat(200) },
      asked,
      ...[one, other].map((modelReply) => ({ role: 'assistant', modelReply })),
      ...results.map((each) => ({ role: 'tool', ...each })),
    ]);
    const fits = await ask(id, 'And now?', { budget: { maxTokens: 450 } });
    expect(fits.messages).toEqual([asked, one, other, ...results, { role: 'user', content: 'And now?' }]);
    const past = await daemon.request(`/v1/sessions/${id}/requests/${fits.requestId}`);
    expect((past.body as RebuiltRequest).messages).toEqual(fits.messages);
    const { messages } = await ask(id, 'And then?', { budget: { maxTokens: 150 } });
    expect(messages).toEqual(['And now?', 'And then?'].map((content) => ({ role: 'user', content })));
  });

  it('RQ-05 is let go as a whole: no result is sent without its call', async () => {
    const id = await createSession();
    const long = { ...completionResult, content: 'result '.repeat(200) };
    await reply(id, await ask(id, 'Add 2 and 3.'), completion);
    const thanks = { role: 'user', content: 'Thanks.' };
    await append(id, [long, text, thanks, text]);
    const { messages, omitted } = await ask(id, 'And now?', { budget: { maxTokens: 100 } });
    expect(messages).toEqual([thanks, text, { role: 'user', content: 'And now?' }]);
    expect(omitted).toMatchObject([{ type: 'history', messages: 4 }]);
  });

  it('S-15 lets tokens for agents append results, and refuses what is no message with its pointer', async () => {
    const { body } = await daemon.request('/v1/tokens', { body: { label: 'loop', scope: 'agent' } });
    const headers = { authorization: `Bearer ${(body as { token: string }).token}` };
    const made = await daemon.request('/v1/sessions', { body: { agentId: 'a' }, headers });
    const { id } = made.body as Session;
    expect(await append(id, [completion, completionResult, toolUse, toolUseResult], headers)).toMatchObject({
      status: 200,
    });
    expect(await append(id, [{ role: 'system', content: 'x' }], headers)).toMatchObject({ status: 403 });
    const context = { ...completion, requestContext: { items: [] } };
    expect(await append(id, [context], headers)).toMatchObject({ status: 403 });
    const pointerOf = async (message: unknown) => {
      const { status, body: problem } = await append(id, [message]);
      return [status, (problem as { errors?: { pointer: string }[] }).errors?.map(({ pointer }) => pointer)];
    };
    expect(await pointerOf({ role: 'assistant' })).toEqual([400, ['/appendMessages/0/modelReply']]);
    expect(await pointerOf({ role: 'assistant', modelReply: 'x', content: 'y' })).toEqual([
      400,
      ['/appendMessages/0/content'],
    ]);
    expect(await pointerOf({ role: 'user', content: [] })).toMatchObject([400, ['/appendMessages/0/content']]);
    expect(await pointerOf({ role: 'tool', content: 'x'.repeat(800_000) })).toMatchObject([400, ['/appendMessages/0']]);
  });
});
