import { describe, expect, it } from 'vitest';
import { createTimeAllowances } from '../../src/pace/time-allowance.ts';
import { fixedLimits } from '../../src/settings.ts';

function setUp(parseMs: number) {
  const nowMs = { elapsed: 0, worked: 0 };
  const clock = { elapsed: () => nowMs.elapsed, worked: () => nowMs.worked };
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

  it('S-58 lets others have their turn after a time that passes for all, however little a processor worked', async () => {
    const { allowances, pass } = setUp(1_000);
    allowances.parsing.spend(pass(30, 1));
    expect(allowances.parsing.pause()).toBeInstanceOf(Promise);
    expect(allowances.parsing.pause()).toBeUndefined();
    allowances.parsing.spend(pass(1, 30));
    expect(allowances.parsing.pause()).toBeUndefined();
  });
});
