import { describe, expect, it } from 'vitest';
import { once, onceForEach } from '../../src/pace/once-for-each.ts';

describe('once for each', () => {
  it('asks once for each key, and gives the same answer again', () => {
    const asked: string[] = [];
    const answer = onceForEach((key: string) => {
      asked.push(key);
      return { key };
    });
    expect(answer('a')).toBe(answer('a'));
    expect(answer('b')).toEqual({ key: 'b' });
    expect(asked).toEqual(['a', 'b']);
  });

  it('tells objects apart by identity, and keeps answers where it is told to', () => {
    const answers = new WeakMap<object, number>();
    let asked = 0;
    const answer = onceForEach((_key: object) => ++asked, answers);
    const [one, other] = [{ a: 1 }, { a: 1 }];
    expect([answer(one), answer(other), answer(one)]).toEqual([1, 2, 1]);
    expect([answers.get(one), answers.get(other)]).toEqual([1, 2]);
  });

  it('does not keep what was thrown', () => {
    let asked = 0;
    const answer = onceForEach((key: string) => {
      asked += 1;
      if (asked === 1) throw new Error('not yet');
      return key;
    });
    expect(() => answer('a')).toThrow('not yet');
    expect(answer('a')).toBe('a');
  });
});

it('computes one answer when it is first asked for, also if it is undefined', () => {
  let asked = 0;
  const answer = once(() => {
    asked += 1;
    return undefined;
  });
  expect(asked).toBe(0);
  expect([answer(), answer(), asked]).toEqual([undefined, undefined, 1]);
});
