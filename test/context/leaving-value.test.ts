import { expect, it } from 'vitest';
import { leavingValue } from '../../src/context/leaving-text.ts';
import { longestTurnMs } from '../support/expect-quick.ts';

it('S-30 a value of very many texts is looked through in short turns', async () => {
  const value = { content: Array.from({ length: 60_000 }, () => ({ type: 'text', text: '\u200b' })) };
  let left: Awaited<ReturnType<typeof leavingValue<typeof value>>> | undefined;
  const longest = await longestTurnMs(async () => {
    left = await leavingValue(value, { name: 'x', mask: true });
  });
  // Each of them by `toEqual` takes as long as all the rest.
  expect(JSON.stringify(left?.value) === JSON.stringify(value)).toBe(true);
  expect(left?.warnings).toHaveLength(10);
  // All of it takes several times as long. A busy machine adds to a turn.
  expect(longest).toBeLessThan(250);
});
