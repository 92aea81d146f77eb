/** Long answers as JSON. */
import { createHash, hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { jsonInTurns } from '../../../routes/http/long-json.ts';
import { longestTurnMs } from '../../support/expect-quick.ts';

it.each([
  {},
  { items: [] },
  { left: undefined, items: [1, '‘é’ \u2028 "quoted"', null, [2], { a: undefined, b: {} }], '"': true },
  { warnings: [{ code: 'a' }], usage: { tokens: 3, list: [1] }, text: null },
])('%j is the same as in one turn', async (value) => {
  const digest = createHash('sha256');
  const bytes = await jsonInTurns(value, digest);
  expect(bytes.toString()).toBe(JSON.stringify(value));
  expect(digest.digest('hex')).toBe(hash('sha256', bytes));
});

it('10,000 explained files do not hold the event loop', async () => {
  const steps = Array.from({ length: 20 }, () => ({ rule: 'policy', outcome: 'passed', detail: 'd'.repeat(100) }));
  const candidates = Array.from({ length: 10_000 }, (_, index) => ({ path: `/p/.context/${index}.md`, steps }));
  expect(await longestTurnMs(() => jsonInTurns({ candidates, warnings: [] }), 3)).toBeLessThan(100);
});
