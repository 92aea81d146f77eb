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
  /** After many more: drops those that were not compared for a while, if they are most. */
  dropOld(): void;
  /** Undefined when one of them is not there. */
  rowsOf(keys: readonly string[]): Uint32Array | undefined;
  compare(query: Float32Array, rows: Uint32Array): Float32Array;
};

/** After so many more it is looked at which are old. */
const lookEvery = 500;
/** What was compared within this time is not old. */
const freshMs = 5 * 60_000;

export function createWarmVectors(dimensions: number): WarmVectors {
  const block = createVectorBlock(dimensions);
  const rows = new Map<string, number>();
  const keys: string[] = [];
  /** For each row, on the clock of `performance.now()`. */
  const comparedAtMs: number[] = [];
  let lookedAtCount = 0;
  let identity: string | undefined;
  let generation = 0;

  const remove = (row: number): void => {
    rows.delete(keys[row] as string);
    block.remove(row);
    const moved = keys.pop() as string;
    const movedAtMs = comparedAtMs.pop() as number;
    if (row === keys.length) return;
    keys[row] = moved;
    comparedAtMs[row] = movedAtMs;
    rows.set(moved, row);
  };
  const keepOnly = (isKept: (row: number) => boolean): void => {
    generation += 1;
    for (let row = keys.length - 1; row >= 0; row -= 1) if (!isKept(row)) remove(row);
    lookedAtCount = keys.length;
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
      comparedAtMs.length = 0;
      lookedAtCount = 0;
    },
    has: (key) => rows.has(key),
    add(vectors) {
      for (const { key, vector } of vectors) {
        if (rows.has(key)) continue;
        block.add(vector);
        rows.set(key, keys.length);
        keys.push(key);
        comparedAtMs.push(performance.now());
      }
    },
    retain: (kept) => keepOnly((row) => kept.has(keys[row] as string)),
    dropOld() {
      if (keys.length - lookedAtCount < lookEvery) return;
      lookedAtCount = keys.length;
      const sinceMs = performance.now() - freshMs;
      const isFresh = (row: number) => (comparedAtMs[row] as number) > sinceMs;
      const fresh = comparedAtMs.reduce((sum, _, row) => (isFresh(row) ? sum + 1 : sum), 0);
      if (fresh < keys.length / 2) keepOnly(isFresh);
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
    compare(query, asked) {
      const scores = block.compare(query, asked);
      const nowMs = performance.now();
      for (const row of asked) comparedAtMs[row] = nowMs;
      return scores;
    },
  };
}
