import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createKeyRows } from '../../src/search/key-rows.ts';
import { createWarmVectors, type WarmVectors } from '../../src/search/warm-vectors.ts';
import { memoryInUse } from '../support/memory-in-use.ts';
import { seededRandom } from '../support/model/seeded-random.ts';

/** As long as keys of chunks are. */
const keyOf = (at: number): string => hash('sha256', `${at}`, 'base64url').slice(0, 22);

it.each<[kind: string, nameOf: (at: number) => string]>([
  ['keys of chunks', keyOf],
  ['short keys', (at) => `${at}`],
  ['keys that differ in the end alone', (at) => `${at}`.padStart(22, 'x')],
])('SS-08 knows the row of each key, whatever comes and goes: %s', (_kind, nameOf) => {
  const { uniform } = seededRandom(5);
  const rows = createKeyRows();
  const expected: string[] = [];
  const check = (): void => {
    expect(rows.size).toBe(expected.length);
    expect(expected.map((_, row) => rows.keyOf(row))).toEqual(expected);
    expect(expected.map((key) => rows.rowOf(key))).toEqual([...expected.keys()]);
  };
  for (const share of [0.95, 0.4, 0.7, 0.02]) {
    for (let step = 0; step < 1_500; step += 1) {
      const key = nameOf(Math.floor(4_000 * uniform()));
      expect(rows.rowOf(key) === undefined).toBe(!expected.includes(key));
      if (uniform() < share) {
        if (rows.rowOf(key) !== undefined) continue;
        rows.add(key);
        expected.push(key);
      } else if (expected.length > 0) {
        const row = Math.floor(expected.length * uniform());
        rows.remove(row);
        const last = expected.pop() as string;
        if (row < expected.length) expected[row] = last;
      }
      if (step % 250 > 0) continue;
      rows.fit();
      check();
    }
    check();
  }
  rows.clear();
  expect([rows.size, rows.rowOf(nameOf(1))]).toEqual([0, undefined]);
});

it('SS-08 takes no key that is too long to be told from others', () => {
  const rows = createKeyRows();
  rows.add('x'.repeat(22));
  expect(() => rows.add('x'.repeat(23))).toThrow(RangeError);
  expect([rows.size, rows.rowOf('x'.repeat(23)), rows.rowOf('x'.repeat(22))]).toEqual([1, undefined, 0]);
});

it('SS-08 knows what is in which row after a vector that could not be added', () => {
  const warm = createWarmVectors(32);
  const vector = (direction: number) => Float32Array.from({ length: 32 }, (_, at) => (at === direction ? 1 : 0));
  const added = () => warm.compare(vector(1), warm.rowsOf(['first', 'last']) as Uint32Array);
  warm.add([{ key: 'first', vector: vector(1) }]);
  expect(() => warm.add([{ key: 'short', vector: new Float32Array(31) }])).toThrow(RangeError);
  expect(() => warm.add([{ key: 'x'.repeat(23), vector: vector(2) }])).toThrow(RangeError);
  warm.add([{ key: 'last', vector: vector(3) }]);
  expect([...added()].map(Math.round)).toEqual([1, 0]);
  expect([warm.count, warm.has('short')]).toEqual([2, false]);
});

/** Of a few looks: what the tests themselves are about comes and goes. */
async function minInUse(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 5; look += 1) {
    await setImmediate();
    least = Math.min(least, memoryInUse());
  }
  return least;
}

it.each([50_000, 66_000])('SS-08 takes 56 bytes at most beside the numbers of each of %i vectors', async (count) => {
  let warm: WarmVectors | undefined = createWarmVectors(32);
  const vector = new Float32Array(32);
  for (let at = 0; at < count; at += 1) warm.add([{ key: keyOf(at), vector }]);
  const full = await minInUse();
  await warm.retain(new Set(Array.from({ length: 100 }, (_, at) => keyOf(at))));
  await warm.fit();
  const fitted = await minInUse();
  expect(warm.count).toBe(100);
  warm = undefined;
  const without = await minInUse();
  expect((full - without) / count).toBeLessThan(56);
  // An array keeps room for the times that were in it.
  expect((fitted - without) / count).toBeLessThan(14);
});
