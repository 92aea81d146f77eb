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
  const post = async (url: string, payload: object) => {
    const answer = await app.inject({ method: 'POST', url: `/v1${url}`, payload });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json();
  };
  await app.inject({ method: 'PUT', url: '/v1/agents/example', payload: exampleAgent });
  const { id, contextItems } = await post('/sessions', { agentId: 'example' });
  expect(shown(contextItems)).toEqual(['rule A always', 'reference X always']);
  await post(`/sessions/${id}/context-items`, { type: 'rule', name: 'B' });

  const one = await post(`/sessions/${id}/requests`, { message: first });
  expect(shown(one.requestContext.items)).toEqual([
    'rule A always',
    'reference X always',
    'rule B manual',
    'rule C agent',
  ]);
  expect(one.requestContext.items[3].similarityScore).toBeCloseTo(0.92, 4);
  expect(one.semantic).toEqual({ status: 'ready', engine: 'semantic' });
  const { message } = await post(`/sessions/${id}/requests/${one.requestId}/reply`, { modelReply: 'With a token.' });
  expect(message.requestContext).toEqual(one.requestContext);

  const two = await post(`/sessions/${id}/requests`, { message: second });
  expect(shown(two.requestContext.items)).toEqual([
    'rule A always',
    'reference X always',
    'rule B manual',
    'reference Y agent',
  ]);
  expect(two.requestContext.items[3].similarityScore).toBeCloseTo(0.87, 4);
  expect(two.messages.map(({ content }: { content: string }) => content)).toEqual([
    'You help.',
    first,
    'With a token.',
    'Reference: Text of X.',
    'Reference: Text of Y.',
    'Rule: Text of A.',
    'Rule: Text of B.',
    second,
  ]);
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
