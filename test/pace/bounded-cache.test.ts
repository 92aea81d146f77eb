import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBoundedCache, sizeOf } from '../../src/pace/bounded-cache.ts';
import { processorMs } from '../support/expect-quick.ts';

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
    );
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
});
