/** What is remembered of a store that other daemons change, too. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followStore } from '../../src/events/remote-changes.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('FT-07 asks the store again once a second until it answers, however often that was wanted meanwhile, and logs it once', async () => {
  const asked = { tokens: 0, approvals: 0, warned: 0 };
  let isAway = true;
  const ask = (what: 'tokens' | 'approvals') => async () => {
    asked[what] += 1;
    if (isAway) throw new Error('The store is away.');
  };
  const warn = () => {
    asked.warned += 1;
  };
  const logger = { debug() {}, info() {}, warn, error() {} };
  const following = followStore(
    {},
    {
      publish: () => {},
      namesOf: async () => [],
      logger,
      takeOver: { tokens: ask('tokens'), approvals: ask('approvals') },
    },
  );
  for (let n = 0; n < 5; n += 1) await following.takeOver('tokens');
  await following.takeOver('approvals');
  expect(asked).toEqual({ tokens: 5, approvals: 1, warned: 2 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual({ tokens: 7, approvals: 3, warned: 2 });
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual({ tokens: 8, approvals: 4, warned: 2 });
  isAway = true;
  await following.takeOver('tokens');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual({ tokens: 10, approvals: 4, warned: 3 });
});
