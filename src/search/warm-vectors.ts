/** The vectors of one model that are in memory, by key. */
import { createPause, nextTurn } from '../pace/turns.ts';
import type { StoredVector } from '../ports/store/vector.ts';
import { createKeyRows } from './key-rows.ts';
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
  /** Drops all but these, and what is added meanwhile, in turns of the event loop; after each, `onTurn` can add to them. */
  retain(keys: ReadonlySet<string>, onTurn?: () => Promise<void>): Promise<void>;
  /** Gives memory back when there is far more than the vectors take, in turns of the event loop. */
  fit(): Promise<void>;
  /** What has these keys changed: they go when they are many, some at a time, but for those that are compared later. */
  leave(keys: readonly string[]): void;
  /** Undefined when one of them is not there. */
  rowsOf(keys: readonly string[]): Uint32Array | undefined;
  compare(query: Float32Array, rows: Uint32Array): Float32Array;
};

/** When so many were left it is looked at which can go, and no more often than that. */
const mostLeft = 500;
const lookEveryMs = 60_000;
/** What was left stays for so long, because others may have an item of that name. */
const leftForMs = 5 * 60_000;
/** So many are looked at in one turn of the event loop. */
const mostAtOnce = 2_000;
/** Memory beyond twice what the vectors take that is not worth giving back, in bytes. */
const mostSpare = 1_048_576;

export function createWarmVectors(dimensions: number): WarmVectors {
  let block = createVectorBlock(dimensions);
  const rows = createKeyRows();
  /** For each row, on the clock of `performance.now()`. */
  const comparedAtMs: number[] = [];
  /** When each was left, in that order. */
  const left = new Map<string, number>();
  let lookedAtMs = performance.now();
  let identity: string | undefined;
  let generation = 0;

  const remove = (row: number): void => {
    generation += 1;
    rows.remove(row);
    block.remove(row);
    const movedAtMs = comparedAtMs.pop() as number;
    if (row < rows.size) comparedAtMs[row] = movedAtMs;
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
      comparedAtMs.length = 0;
      left.clear();
    },
    has: (key) => rows.rowOf(key) !== undefined,
    add(vectors) {
      for (const { key, vector } of vectors) {
        if (rows.rowOf(key) !== undefined) continue;
        rows.add(key);
        try {
          block.add(vector);
        } catch (error) {
          rows.remove(rows.size - 1);
          throw error;
        }
        comparedAtMs.push(performance.now());
      }
    },
    async retain(kept, onTurn) {
      let looked = 0;
      // What is added, or takes the place of what goes, comes behind.
      for (let row = rows.size - 1; row >= 0; row = Math.min(row, rows.size) - 1) {
        if (!kept.has(rows.keyOf(row))) remove(row);
        looked += 1;
        if (looked % mostAtOnce > 0) continue;
        await nextTurn();
        await onTurn?.();
      }
    },
    async fit() {
      rows.fit();
      const isFarLarger = () => block.bytes > 2 * block.rows * dimensions * Float32Array.BYTES_PER_ELEMENT + mostSpare;
      if (!isFarLarger()) return;
      const smaller = createVectorBlock(dimensions);
      const since = generation;
      const pause = createPause();
      // What is added meanwhile is copied too. Who removes something meanwhile makes room, and asks for this in turn.
      while (smaller.rows < block.rows) {
        smaller.add(block.row(smaller.rows));
        const waiting = pause();
        if (waiting) await waiting;
        if (generation !== since || !isFarLarger()) return;
      }
      block = smaller;
    },
    leave(gone) {
      const nowMs = performance.now();
      for (const key of gone) {
        const row = rows.rowOf(key);
        const leftAtMs = left.get(key);
        if (row === undefined || (leftAtMs !== undefined && (comparedAtMs[row] as number) <= leftAtMs)) continue;
        left.delete(key);
        left.set(key, nowMs);
      }
      if (left.size < mostLeft || nowMs - lookedAtMs < lookEveryMs) return;
      let looked = 0;
      for (const [key, leftAtMs] of left) {
        // The rest of so many can go the next time, however soon that is.
        if (looked === mostAtOnce) return;
        if (leftAtMs > nowMs - leftForMs) break;
        looked += 1;
        left.delete(key);
        const row = rows.rowOf(key);
        if (row !== undefined && (comparedAtMs[row] as number) <= leftAtMs) remove(row);
      }
      lookedAtMs = nowMs;
    },
    rowsOf(wanted) {
      const found = new Uint32Array(wanted.length);
      for (const [at, key] of wanted.entries()) {
        const row = rows.rowOf(key);
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
