/**
 * The example of the context management document ("Flow Example") through the real daemon and a real model. The scores are those
 * of the document: the small model is the same wherever it is written, and the texts were chosen for them.
 */
import { beforeAll, expect, it } from 'vitest';
import type { RequestContextItem, SessionContextItem } from '../../src/agent/item.ts';
import type { RequestReceipt } from '../../src/session/request.ts';
import type { Session, SessionItems } from '../../src/session/session.ts';
import { startDaemon } from '../support/daemon.ts';
import { writeSmallModel } from '../support/model/model-directory.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const texts = {
  A: 'Rule of the house.',
  B: 'A rule for today.',
  C: 'I authenticate.',
  X: 'All there is.',
  Y: 'Error handling: log every failure.',
};
const agent = {
  name: 'Example',
  systemPrompt: 'You help.',
  rules: [
    { name: 'A', include: 'always', text: texts.A },
    { name: 'B', include: 'manual', text: texts.B },
    { name: 'C', include: 'agent', text: texts.C },
  ],
  references: [
    { name: 'X', include: 'always', text: texts.X },
    { name: 'Y', include: 'agent', text: texts.Y },
  ],
  settings: { search: { mode: 'semantic' } },
};
const first = 'How do I authenticate?';
const second = "What's the error handling?";

let model: string;
let stateDirectory: string;
beforeAll(() => {
  model = temporaryDirectory();
  stateDirectory = temporaryDirectory();
  writeSmallModel(model);
});

const start = () => startDaemon({ args: ['--model-dir', model], stateDirectory });

function shown(items: readonly (SessionContextItem | RequestContextItem)[]): string[] {
  return items.map((item) => {
    const score = 'similarityScore' in item ? ` ${item.similarityScore?.toFixed(2)}` : '';
    return `${item.type} ${item.name} ${item.includeMode}${score}`;
  });
}

it('RQ-01 RQ-03 RQ-04 the example of the document, with its scores', async () => {
  let daemon = await start();
  const post = async <Answer>(path: string, body: object): Promise<Answer> => {
    const answer = await daemon.request(`/v1/sessions${path}`, { body });
    expect([200, 201], answer.text).toContain(answer.status);
    return answer.body as Answer;
  };
  try {
    await daemon.request('/v1/agents/example', { method: 'PUT', body: agent });
    const { id, contextItems } = await post<Session>('', { agentId: 'example' });
    expect(shown(contextItems)).toEqual(['rule A always', 'reference X always']);
    const { items } = await post<SessionItems>(`/${id}/context-items`, { type: 'rule', name: 'B' });
    const held = ['rule A always', 'reference X always', 'rule B manual'];
    expect(shown(items)).toEqual(held);

    // A request does not wait long for a model that is still loading.
    const search = { agentId: 'example', query: first, mode: 'semantic' };
    await expect
      .poll(async () => (await daemon.request('/v1/search', { body: search })).body)
      .toMatchObject({ semantic: { status: 'ready' } });
    const one = await post<RequestReceipt>(`/${id}/requests`, { message: first });
    expect(one.semantic).toEqual({ status: 'ready', engine: 'semantic' });
    expect(shown(one.requestContext.items)).toEqual([...held, 'rule C agent 0.92']);
    expect(one.messages).toEqual([
      { role: 'system', content: 'You help.' },
      { role: 'user', content: `Reference: ${texts.X}` },
      { role: 'user', content: `Rule: ${texts.A}` },
      { role: 'user', content: `Rule: ${texts.B}` },
      { role: 'user', content: `Rule: ${texts.C}` },
      { role: 'user', content: first },
    ]);
    await post(`/${id}/requests/${one.requestId}/reply`, { modelReply: { content: 'With a token.' } });

    const two = await post<RequestReceipt>(`/${id}/requests`, { message: second });
    expect(shown(two.requestContext.items)).toEqual([...held, 'reference Y agent 0.87']);
    expect(two.messages.map(({ content }) => content)).toEqual([
      'You help.',
      first,
      'With a token.',
      ...[`Reference: ${texts.X}`, `Reference: ${texts.Y}`, `Rule: ${texts.A}`, `Rule: ${texts.B}`],
      second,
    ]);

    await daemon.stop();
    daemon = await start();
    const { messages } = (await daemon.request(`/v1/sessions/${id}`)).body as Session;
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[1]).toMatchObject({ requestId: one.requestId, requestContext: one.requestContext });
    for (const { requestId, messages, tools } of [one, two]) {
      const rebuilt = await daemon.request(`/v1/sessions/${id}/requests/${requestId}`);
      expect(rebuilt.body).toMatchObject({ messages, tools, changedItems: [] });
    }
  } finally {
    await daemon.stop();
  }
}, 60_000);
