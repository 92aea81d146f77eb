import { describe, expect, it } from 'vitest';
import { createVectorBlock, type VectorBlock } from '../../src/search/vector-block.ts';
import { seededRandom } from '../support/model/seeded-random.ts';

const random = seededRandom(3);
const vector = (dimensions = 384): Float32Array => Float32Array.from({ length: dimensions }, random.normal);
const allRows = (block: VectorBlock): Uint32Array => Uint32Array.from({ length: block.rows }, (_, row) => row);

/** More than are compared in one call. */
const many = Array.from({ length: 5_000 }, () => vector());

function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += (left[at] as number) * (right[at] as number);
  return sum;
}
const cosine = (left: Float32Array, right: Float32Array): number =>
  dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));

describe.each([
  { name: 'vector instructions', plain: false },
  { name: 'a plain loop', plain: true },
])('vector block with $name', ({ plain }) => {
  it('SS-08 compares any choice of rows, in any order and more than once', () => {
    const block = createVectorBlock(384, { plain });
    for (const each of many) block.add(each);
    const query = vector();
    for (const rows of [allRows(block), Uint32Array.of(4_999, 0, 17, 17), new Uint32Array(0)]) {
      const scores = block.compare(query, rows);
      expect(scores.length).toBe(rows.length);
      for (const [at, row] of rows.entries())
        expect(Math.abs((scores[at] as number) - cosine(query, many[row] as Float32Array))).toBeLessThan(1e-4);
    }
  });

  it.each([7, 16, 64, 100, 384, 1024])('SS-08 compares vectors of %i numbers', (dimensions) => {
    const block = createVectorBlock(dimensions, { plain });
    const vectors = [vector(dimensions), vector(dimensions), vector(dimensions)];
    for (const each of vectors) block.add(each);
    const query = vector(dimensions);
    const scores = [...block.compare(query, allRows(block))];
    for (const [row, each] of vectors.entries()) expect(scores[row]).toBeCloseTo(cosine(query, each), 3);
  });

  it('SS-08 fills the row that is removed with the last one', () => {
    const block = createVectorBlock(384, { plain });
    const vectors = Array.from({ length: 4 }, () => vector());
    for (const each of vectors) block.add(each);
    block.remove(1);
    block.remove(2);
    expect(block.rows).toBe(2);
    const query = vector();
    const scores = block.compare(query, allRows(block));
    expect(scores[0]).toBeCloseTo(cosine(query, vectors[0] as Float32Array), 3);
    expect(scores[1]).toBeCloseTo(cosine(query, vectors[3] as Float32Array), 3);
  });

  it('SS-08 takes little more memory than its vectors, and gives it back', () => {
    const block = createVectorBlock(384, { plain });
    const empty = block.bytes;
    const one = vector();
    for (let row = 0; row < 20_000; row += 1) block.add(one);
    expect(block.bytes).toBeLessThanOrEqual(1.1 * 20_000 * 384 * 2);
    block.clear();
    expect(block.rows).toBe(0);
    expect(block.bytes).toBe(empty);
    block.add(one);
    expect(block.compare(one, Uint32Array.of(0))[0]).toBeCloseTo(cosine(one, one), 2);
  });

  it('refuses what is not there and what does not fit', () => {
    const block = createVectorBlock(384, { plain });
    block.add(vector());
    expect(() => block.add(vector(16))).toThrow(RangeError);
    expect(() => block.compare(vector(16), Uint32Array.of(0))).toThrow(RangeError);
    expect(() => block.compare(vector(), Uint32Array.of(1))).toThrow(RangeError);
    expect(() => block.remove(1)).toThrow(RangeError);
  });
});
