import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBoundedCache, sizeOf } from '../../src/pace/bounded-cache.ts';
import { processorMs } from '../support/expect-quick.ts';
import { memoryInUse } from '../support/memory-in-use.ts';

const bounds = { maxWeight: 10, maxEntries: 4 };
const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, weight: fc.integer({ min: 0, max: 12 }) }),
  fc.record({ do: fc.constant('get' as const), key }),
  fc.record({ do: fc.constant('remove' as const), key }),
  fc.record({ do: fc.constant('removeWhere' as const), key }),
);

describe('the bounded cache', () => {
  it('keeps what was used last, as much as it may, and counts each weight once', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = createBoundedCache<number>(bounds);
        // Used longest ago first.
        let model: { key: string; value: number; weight: number }[] = [];
        const without = (gone: string) => model.filter((entry) => entry.key !== gone);
        for (const [at, each] of steps.entries()) {
          if (each.do === 'get') {
            const found = model.find((entry) => entry.key === each.key);
            expect(cache.get(each.key)).toBe(found?.value);
            if (found) model = [...without(each.key), found];
          } else if (each.do === 'set') {
            cache.set(each.key, at, each.weight);
            model = without(each.key);
            if (each.weight <= bounds.maxWeight) model.push({ key: each.key, value: at, weight: each.weight });
          } else if (each.do === 'remove') {
            cache.remove(each.key);
            model = without(each.key);
          } else {
            cache.removeWhere((kept) => kept >= each.key);
            model = model.filter((entry) => entry.key < each.key);
          }
          const weightOf = () => model.reduce((sum, { weight }) => sum + weight, 0);
          while (weightOf() > bounds.maxWeight || model.length > bounds.maxEntries) model.shift();
          expect(sizeOf(cache)).toEqual({ entries: model.length, weight: weightOf() });
        }
        for (const { key, value } of model) expect(cache.get(key)).toBe(value);
      }),
      { seed: 1 },
    );
  });

  describe('of what is asked for over and over, in an order', () => {
    const cacheOfFour = () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const cache = createBoundedCache<number>(bounds);
      /** Asks for each as a search does, and says what was there. */
      const ask = (names: string): string => {
        vi.advanceTimersByTime(1_000);
        return [...names].filter((name) => cache.get(name) !== undefined || cache.offer(name, 1, 1)).join('');
      };
      return { cache, ask };
    };

    it('keeps the first where there are more than it has room for', () => {
      const { ask } = cacheOfFour();
      expect(['abcdef', 'abcdef', 'abcdef'].map(ask)).toEqual(['', 'abcd', 'abcd']);
    });

    it('keeps what two ask for in turns as far as there is room', () => {
      const { ask } = cacheOfFour();
      expect(['abc', 'xyz', 'abc', 'xyz', 'abc', 'xyz'].map(ask)).toEqual(['', '', 'abc', 'x', 'abc', 'x']);
    });

    it('gives the room of what is not asked for any more to what is, the second time', () => {
      const { ask } = cacheOfFour();
      expect(['abcd', 'wxyz', 'wxyz', 'wxyz'].map(ask)).toEqual(['', '', '', 'wxyz']);
    });

    it('gives the room of what nobody has asked for in minutes at once', () => {
      const { ask } = cacheOfFour();
      ask('abcd');
      vi.advanceTimersByTime(10 * 60_000);
      expect(['wxyz', 'wxyz'].map(ask)).toEqual(['', 'wxyz']);
    });

    it('keeps beside them what is set, and what is offered anew in the place of what it was', () => {
      const { cache, ask } = cacheOfFour();
      ask('abcdef');
      cache.set('s', 2, 1);
      cache.offer('c', 3, 1);
      expect(['s', 'a', 'b', 'c', 'd'].map((name) => cache.get(name))).toEqual([2, undefined, 1, 3, 1]);
    });
  });

  it('S-83 lets go of what nobody has asked for in a time, when something is added', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const cache = createBoundedCache<number>({ ...bounds, maxUnusedMs: 1_000 });
    for (const name of ['a', 'b', 'c']) cache.set(name, 1, 2);
    vi.advanceTimersByTime(600);
    expect(cache.get('a')).toBe(1);
    vi.advanceTimersByTime(600);
    expect(sizeOf(cache)).toEqual({ entries: 3, weight: 6 });
    cache.set('d', 2, 3);
    expect(sizeOf(cache)).toEqual({ entries: 2, weight: 5 });
    expect(['a', 'b', 'c', 'd'].map((name) => cache.get(name))).toEqual([1, undefined, undefined, 2]);
  });

  it('S-83 finds what to let go of as fast in a large cache as in a small one', () => {
    const names = Array.from({ length: 60_000 }, (_, at) => `name-${at}`);
    const fill = (entries: number): number => {
      const cache = createBoundedCache<number>({ maxWeight: entries, maxEntries: entries });
      return processorMs(() => {
        for (const name of names) {
          cache.set(name, 1, 1);
          cache.get(name);
        }
      });
    };
    fill(100);
    expect(fill(20_000)).toBeLessThan(6 * Math.max(fill(100), 20));
  });

  it('S-83 needs no more memory the longer an entry is used beside one that nobody uses', () => {
    const cache = createBoundedCache<number>(bounds);
    for (const name of ['unused', 'used']) cache.set(name, 0, 1);
    const before = memoryInUse();
    for (let times = 0; times < 300_000; times += 1) cache.get('used');
    for (let times = 0; times < 100_000; times += 1) cache.set('used', times, 1);
    expect(memoryInUse() - before).toBeLessThan(1_000_000);
    expect(sizeOf(cache)).toEqual({ entries: 2, weight: 2 });
  });
});
