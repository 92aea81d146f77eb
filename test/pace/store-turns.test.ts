import { expect, it } from 'vitest';
import { createStoreTurns } from '../../src/pace/store-turns.ts';

it('FT-07 takes no step for whom was refused while others had their turns, and goes on with the next', async () => {
  const refusals: ((error: Error) => void)[] = [];
  const inTurn = createStoreTurns((work) => {
    const { promise, reject } = Promise.withResolvers<never>();
    refusals.push(reject);
    return Promise.race([work(), promise]);
  });
  const { promise: first, resolve: endFirst } = Promise.withResolvers<number>();
  const taken: string[] = [];
  const step = (name: string) => async () => void taken.push(name);
  const answers = [inTurn(() => first), inTurn(step('second')), inTurn(step('third'))];
  refusals[1]?.(new Error('It took too long.'));
  await expect(answers[1]).rejects.toThrow('too long');
  expect(taken).toEqual([]);
  endFirst(1);
  expect(await answers[0]).toBe(1);
  await answers[2];
  expect(taken).toEqual(['third']);
});
