/** Answers with long lists give way to others while they are serialised. */
import { expect, it } from 'vitest';
import { createTestApp } from './support/listening-app.ts';

it.each([
  ['explain', '/v1/context/explain', { mountedDirectory: '/p' }],
  ['gatherContext', '/v1/context', { mountedDirectory: '/p' }],
  ['retrieve', '/v1/retrieve', { mountedDirectory: '/p', query: 'q' }],
] as const)('%s serialises the entries of a list in more than one turn', async (verb, url, payload) => {
  const { app, engine } = await createTestApp();
  const order: string[] = [];
  const entryOf = (name: string) => ({
    toJSON() {
      if (order.length === 0) setImmediate(() => order.push('other'));
      order.push(name);
      // Longer than one turn may be held.
      for (const end = performance.now() + 8; performance.now() < end; );
      return name;
    },
  });
  Object.assign(engine, { [verb]: async () => ({ list: ['a', 'b', 'c', 'd'].map(entryOf) }) });
  const answer = await app.inject({ method: 'POST', url, payload });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ list: ['a', 'b', 'c', 'd'] });
  expect(order.slice(0, order.indexOf('d'))).toContain('other');
  await app.close();
});
