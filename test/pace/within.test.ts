import { expect, it } from 'vitest';
import { demandWithin, within } from '../../src/pace/within.ts';

const hold = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

it('gives what was there when the event loop was held for longer than it waits', async () => {
  // From here timers come before what is ready.
  await new Promise(setImmediate);
  const result = within(1, new Promise((resolve) => setImmediate(resolve, 'found')));
  hold(20);
  expect(await result).toBe('found');
});

it('gives nothing where nothing comes', async () => {
  expect(await within(1, new Promise(() => {}))).toBeUndefined();
});

it('tells a result of undefined from none', async () => {
  const late = () => new Error('late');
  expect(await demandWithin(1_000, Promise.resolve(undefined), late)).toBeUndefined();
  await expect(demandWithin(1, new Promise(() => {}), late)).rejects.toThrow('late');
});
