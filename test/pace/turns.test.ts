import { describe, expect, it } from 'vitest';
import { createTurns, nextTurn, type Turn } from '../../src/pace/turns.ts';

/** A step that notes its start and ends when told to. */
function createStep(name: string, started: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let turn: Turn | undefined;
  const step = (given: Turn) => {
    turn = given;
    started.push(name);
    return promise;
  };
  return { step, end: () => resolve(name), fail: () => reject(new Error(name)), giveWay: () => turn?.giveWay() };
}

/** Lets every promise that is ready go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('createTurns', () => {
  it('S-49 runs at most so many steps at once, in order, and passes results on', async () => {
    const inTurn = createTurns(2);
    const started: string[] = [];
    const steps = ['a', 'b', 'c', 'd'].map((name) => createStep(name, started));
    const results = steps.map(({ step }) => inTurn(step));
    await settle();
    expect(started).toEqual(['a', 'b']);
    steps[1]?.end();
    await settle();
    expect(started).toEqual(['a', 'b', 'c']);
    for (const { end } of steps) end();
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gives the turn of a step that failed to the next', async () => {
    const inTurn = createTurns(1);
    const started: string[] = [];
    const [first, second] = [createStep('a', started), createStep('b', started)];
    const failing = inTurn(first.step);
    const next = inTurn(second.step);
    first.fail();
    await expect(failing).rejects.toThrow('a');
    second.end();
    expect(await next).toBe('b');
  });

  it('S-49 lets a step that gives way go on once another has ended, with fewer at once from then on', async () => {
    const inTurn = createTurns(3);
    const started: string[] = [];
    const steps = ['a', 'b', 'c', 'd', 'e'].map((name) => createStep(name, started));
    const results = steps.map(({ step }) => inTurn(step));
    await settle();
    let gaveWay: boolean | undefined;
    void steps[0]?.giveWay()?.then((value) => {
      gaveWay = value;
    });
    await settle();
    expect([started, gaveWay]).toEqual([['a', 'b', 'c'], undefined]);
    steps[1]?.end();
    await settle();
    expect([started, gaveWay]).toEqual([['a', 'b', 'c'], true]);
    steps[2]?.end();
    await settle();
    expect(started).toEqual(['a', 'b', 'c', 'd']);
    for (const { end } of steps) end();
    await Promise.all(results);
    // After three more steps there are three at once again.
    const more = ['f', 'g', 'h'].map((name) => createStep(name, started));
    const moreResults = more.map(({ step }) => inTurn(step));
    await settle();
    expect(started.slice(5)).toEqual(['f', 'g', 'h']);
    for (const { end } of more) end();
    await Promise.all(moreResults);
  });

  it('S-49 does not give way when it is alone', async () => {
    const inTurn = createTurns(3);
    const only = createStep('a', []);
    const result = inTurn(only.step);
    await settle();
    expect(await only.giveWay()).toBe(false);
    only.end();
    expect(await result).toBe('a');
  });
});

it('S-45 nextTurn gives each that waits a turn of its own, in order', async () => {
  let turn = 0;
  const turns: number[] = [];
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 5 }, () => nextTurn().then(() => turns.push(turn))));
  isOver = true;
  expect(new Set(turns).size).toBe(5);
  expect(turns).toEqual(turns.toSorted((a, b) => a - b));
});
