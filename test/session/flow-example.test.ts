/** The example of the context management document ("Flow Example"), through the verbs. */
import { expect, it } from 'vitest';
import { createExample, ruleB, shown } from './support/sessions.ts';

const first = 'How do I authenticate?';
const second = 'What is the error handling?';

it('RQ-01 RQ-03 RQ-04 the example of the document: two requests of one session', async () => {
  const { session, sessions, scores } = await createExample();
  scores[first] = { C: 0.92 };
  scores[second] = { Y: 0.87 };
  expect(shown(session.contextItems)).toEqual(['rule A always', 'reference X always']);
  const { items } = await sessions.addItem(session.id, ruleB);
  expect(shown(items)).toEqual(['rule A always', 'reference X always', 'rule B manual']);

  const one = await sessions.request(session.id, { message: first });
  expect(shown(one.requestContext.items)).toEqual([
    'rule A always',
    'reference X always',
    'rule B manual',
    'rule C agent',
  ]);
  expect(one.requestContext.items.map(({ similarityScore }) => similarityScore)).toEqual([
    undefined,
    undefined,
    undefined,
    0.92,
  ]);
  expect(one.semantic).toEqual({ status: 'ready', engine: 'semantic' });
  expect(one.messages).toEqual([
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'Reference: Text of X.' },
    { role: 'user', content: 'Rule: Text of A.' },
    { role: 'user', content: 'Rule: Text of B.' },
    { role: 'user', content: 'Rule: Text of C.' },
    { role: 'user', content: first },
  ]);
  const { message } = await sessions.reply(session.id, one.requestId, { content: 'With a token.' });
  expect(message).toMatchObject({ role: 'assistant', requestContext: one.requestContext, requestId: one.requestId });

  const two = await sessions.request(session.id, { message: second });
  expect(shown(two.requestContext.items)).toEqual([
    'rule A always',
    'reference X always',
    'rule B manual',
    'reference Y agent',
  ]);
  expect(two.requestContext.items.at(-1)?.similarityScore).toBe(0.87);
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
  const stored = await sessions.get(session.id);
  expect(stored.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(shown(stored.contextItems)).toEqual(['rule A always', 'reference X always', 'rule B manual']);
  for (const sent of [one, two]) {
    const rebuilt = await sessions.getRequest(session.id, sent.requestId);
    expect(rebuilt).toMatchObject({ messages: sent.messages, requestContext: sent.requestContext, changedItems: [] });
  }
});
