/** The example of the context management document ("Flow Example") over HTTP, with a model that gives its scores. */
import { expect, it } from 'vitest';
import { createTestApp } from '../routes/support/listening-app.ts';
import { exampleAgent, shown } from '../session/support/sessions.ts';
import { createFakeEmbedder } from '../support/fake-embedder.ts';
import { createWorkspace } from '../support/workspace.ts';

const first = 'How do I authenticate?';
const second = "What's the error handling?";

/** Directions of meaning: C, Y, and everything else. The questions point so that their cosines are those of the document. */
const meanings: [RegExp, [number, number, number]][] = [
  [/authenticate/u, [0.92, 0, Math.sqrt(1 - 0.92 ** 2)]],
  [/error handling/u, [0, 0.87, Math.sqrt(1 - 0.87 ** 2)]],
  [/About C/u, [1, 0, 0]],
  [/About Y/u, [0, 1, 0]],
];

function embed(texts: readonly string[]): Float32Array {
  const vectors = new Float32Array(texts.length * 384);
  for (const [at, text] of texts.entries()) {
    const direction = meanings.find(([pattern]) => pattern.test(text))?.[1] ?? [0, 0, -1];
    vectors.set(direction, at * 384);
  }
  return vectors;
}

it('RQ-01 RQ-02 RQ-03 RQ-04 SE-01 SE-02 two requests of a session, as in the document', async () => {
  const embedder = createFakeEmbedder();
  embedder.embed = async (texts) => ({ identity: embedder.identity, dimensions: 384, vectors: embed(texts) });
  const { engine } = await createWorkspace({}, { ports: { embedder } });
  const { app } = await createTestApp({ engine });
  const ask = async (url: string, payload?: object) => {
    const answer = await app.inject({ url: `/v1${url}`, ...(payload && { method: 'POST', payload }) });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json();
  };
  await app.inject({ method: 'PUT', url: '/v1/agents/example', payload: exampleAgent });
  const { id, contextItems } = await ask('/sessions', { agentId: 'example' });
  expect(shown(contextItems)).toEqual(['rule A always', 'reference X always']);
  const { items } = await ask(`/sessions/${id}/context-items`, { type: 'rule', name: 'B' });
  expect(shown(items)).toEqual(['rule A always', 'reference X always', 'rule B manual']);

  const one = await ask(`/sessions/${id}/requests`, { message: first });
  expect(shown(one.requestContext.items)).toEqual([
    'rule A always',
    'reference X always',
    'rule B manual',
    'rule C agent',
  ]);
  const scores = one.requestContext.items.map(({ similarityScore }: { similarityScore?: number }) => similarityScore);
  expect(scores).toEqual([undefined, undefined, undefined, expect.closeTo(0.92, 4)]);
  expect(one.semantic).toEqual({ status: 'ready', engine: 'semantic' });
  expect(one.messages).toEqual([
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'Reference: Text of X.' },
    { role: 'user', content: 'Rule: Text of A.' },
    { role: 'user', content: 'Rule: Text of B.' },
    { role: 'user', content: 'Rule: Text of C.' },
    { role: 'user', content: first },
  ]);
  const { message } = await ask(`/sessions/${id}/requests/${one.requestId}/reply`, {
    modelReply: { content: 'With a token.' },
  });
  expect(message).toMatchObject({ role: 'assistant', requestId: one.requestId });
  expect(message.requestContext).toEqual(one.requestContext);

  const two = await ask(`/sessions/${id}/requests`, { message: second });
  expect(shown(two.requestContext.items)).toEqual([
    'rule A always',
    'reference X always',
    'rule B manual',
    'reference Y agent',
  ]);
  expect(two.requestContext.items[3].similarityScore).toBeCloseTo(0.87, 4);
  expect(two.messages).toEqual([
    { role: 'system', content: 'You help.' },
    { role: 'user', content: first },
    { role: 'assistant', content: 'With a token.' },
    { role: 'user', content: 'Reference: Text of X.' },
    { role: 'user', content: 'Reference: Text of Y.' },
    { role: 'user', content: 'Rule: Text of A.' },
    { role: 'user', content: 'Rule: Text of B.' },
    { role: 'user', content: second },
  ]);
  const stored = await ask(`/sessions/${id}`);
  expect(stored.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(shown(stored.contextItems)).toEqual(['rule A always', 'reference X always', 'rule B manual']);
  for (const { requestId, messages, requestContext } of [one, two])
    expect(await ask(`/sessions/${id}/requests/${requestId}`)).toMatchObject({
      messages,
      requestContext,
      changedItems: [],
    });
  await app.close();
});

it('RQ-02 goes on without the model, and says so', async () => {
  const embedder = createFakeEmbedder();
  embedder.failWith = 'The model is gone.';
  const { engine } = await createWorkspace({}, { ports: { embedder } });
  await engine.agents.put('example', exampleAgent);
  const { id } = await engine.sessions.create({ agentId: 'example' });
  const { semantic, requestContext } = await engine.sessions.request(id, { message: 'What is C about?' });
  expect(semantic).toMatchObject({ status: 'degraded', engine: 'keyword', detail: expect.stringContaining('gone') });
  expect(shown(requestContext.items)).toEqual(['rule A always', 'reference X always', 'rule C agent']);
});
