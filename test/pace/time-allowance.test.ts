import { describe, expect, it } from 'vitest';
import { createTimeAllowances } from '../../src/pace/time-allowance.ts';
import { fixedLimits } from '../../src/settings.ts';

function setUp(parseMs: number, onWorkedAsked: () => void = () => {}) {
  const nowMs = { elapsed: 0, worked: 0 };
  const worked = () => {
    onWorkedAsked();
    return nowMs.worked;
  };
  const clock = { elapsed: () => nowMs.elapsed, worked };
  const allowances = createTimeAllowances(clock, { ...fixedLimits, parseMs } as never);
  const pass = (elapsed: number, worked: number) => () => {
    nowMs.elapsed += elapsed;
    nowMs.worked += worked;
  };
  return { allowances, pass };
}

describe('time for work on what a repository wrote', () => {
  it('S-58 counts what a processor worked at parsing, but not for ever on a busy machine', () => {
    const { allowances, pass } = setUp(100);
    allowances.parsing.spend(pass(300, 90));
    expect(allowances.parsing.isOver()).toBe(false);
    allowances.parsing.spend(pass(101, 0));
    expect(allowances.parsing.isOver()).toBe(true);
    const other = setUp(100);
    other.allowances.parsing.spend(other.pass(101, 101));
    expect(other.allowances.parsing.isOver()).toBe(true);
    other.allowances.parsing.extend(100);
    expect(other.allowances.parsing.isOver()).toBe(false);
  });

  it('S-58 asks for processor time once in a millisecond, and counts all of it', async () => {
    let asked = 0;
    const { allowances, pass } = setUp(100, () => (asked += 1));
    const workAMillisecond = async () => {
      for (let n = 0; n < 4; n += 1) allowances.parsing.spend(pass(0.25, 0.125));
      // What others use the processor for does not count.
      pass(0, 5)();
      await allowances.parsing.pause();
    };
    for (let n = 0; n < 200; n += 1) await workAMillisecond();
    expect(allowances.parsing.isOver()).toBe(false);
    await workAMillisecond();
    expect(allowances.parsing.isOver()).toBe(true);
    expect(asked).toBe(402);
  });

  it('S-58 lets others have their turn after a time that passes for all, however little a processor worked', async () => {
    const { allowances, pass } = setUp(1_000);
    allowances.parsing.spend(pass(30, 1));
    expect(allowances.parsing.pause()).toBeInstanceOf(Promise);
    expect(allowances.parsing.pause()).toBeUndefined();
    allowances.parsing.spend(pass(1, 30));
    expect(allowances.parsing.pause()).toBeUndefined();
  });
});
