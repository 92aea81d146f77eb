/** The vectors of one model that are in memory, by key. */
import type { StoredVector } from '../vector-store.ts';
import { createVectorBlock } from './vector-block.ts';

export type WarmVectors = {
  /** Of the model that all of them are from; undefined before the first. */
  readonly identity: string | undefined;
  readonly count: number;
  readonly bytes: number;
  /** Changes when rows that were given out may be those of others. */
  readonly generation: number;
  /** Drops everything when the identity is another one. */
  adopt(identity: string): void;
  has(key: string): boolean;
  add(vectors: readonly StoredVector[]): void;
  /** Drops all but these. */
  retain(keys: ReadonlySet<string>): void;
  /** Undefined when one of them is not there. */
  rowsOf(keys: readonly string[]): Uint32Array | undefined;
  compare(query: Float32Array, rows: Uint32Array): Float32Array;
};

export function createWarmVectors(dimensions: number): WarmVectors {
  const block = createVectorBlock(dimensions);
  const rows = new Map<string, number>();
  const keys: string[] = [];
  let identity: string | undefined;
  let generation = 0;

  const remove = (row: number): void => {
    rows.delete(keys[row] as string);
    block.remove(row);
    const moved = keys.pop() as string;
    if (row === keys.length) return;
    keys[row] = moved;
    rows.set(moved, row);
  };

  return {
    get identity() {
      return identity;
    },
    get count() {
      return block.rows;
    },
    get bytes() {
      return block.bytes;
    },
    get generation() {
      return generation;
    },
    adopt(wanted) {
      if (identity === wanted) return;
      identity = wanted;
      generation += 1;
      block.clear();
      rows.clear();
      keys.length = 0;
    },
    has: (key) => rows.has(key),
    add(vectors) {
      for (const { key, vector } of vectors) {
        if (rows.has(key)) continue;
        block.add(vector);
        rows.set(key, keys.length);
        keys.push(key);
      }
    },
    retain(kept) {
      generation += 1;
      for (let row = keys.length - 1; row >= 0; row -= 1) if (!kept.has(keys[row] as string)) remove(row);
    },
    rowsOf(wanted) {
      const found = new Uint32Array(wanted.length);
      for (const [at, key] of wanted.entries()) {
        const row = rows.get(key);
        if (row === undefined) return undefined;
        found[at] = row;
      }
      return found;
    },
    compare: block.compare,
  };
}
