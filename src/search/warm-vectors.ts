/** The vectors in memory, by key. All are of one model. */
import { createPause, nextTurn } from '../pace/turns.ts';
import type { StoredVector } from '../ports/store/vector.ts';
import { createKeyRows } from './key-rows.ts';
import { createVectorBlock } from './vector-block.ts';

export type WarmVectors = {
  /** The identity of the model; `undefined` before the first vector. */
  readonly identity: string | undefined;
  /** Numbers per vector. */
  readonly dimensions: number;
  readonly count: number;
  readonly bytes: number;
  /** Changes when results of `rowsOf` may no longer be valid. */
  readonly generation: number;
  /** Removes everything if the identity is another one. */
  adopt(identity: string): void;
  has(key: string): boolean;
  add(vectors: readonly StoredVector[]): void;
  /** Removes all vectors except these and those added meanwhile, in several turns. `onTurn` may add to `keys`. */
  retain(keys: ReadonlySet<string>, onTurn?: () => Promise<void>): Promise<void>;
  /** Frees memory if much more is reserved than the vectors need, in several turns of the event loop. */
  fit(): Promise<void>;
  /** Marks vectors of changed texts. If there are many, they are removed in parts, unless compared since. */
  leave(keys: readonly string[]): void;
  /** The rows of these keys, or `undefined` if one is missing. */
  rowsOf(keys: readonly string[]): Uint32Array | undefined;
  compare(query: Float32Array, rows: Uint32Array): Float32Array;
};

/** With this many marked vectors, those to remove are searched for, but not more often than the interval. */
const maxLeft = 500;
const lookEveryMs = 60_000;
/** Marked vectors are kept for this time, because other items may use them. */
const leftForMs = 5 * 60_000;
/** Max vectors to check in one turn of the event loop. */
const maxAtOnce = 2_000;
/** Spare memory in bytes, beyond twice the size of the vectors, that is not worth freeing. */
const maxSpare = 1_048_576;

function createState(dimensions: number) {
  return {
    dimensions,
    block: createVectorBlock(dimensions),
    rows: createKeyRows(),
    /** When each row was last compared, on the clock of `performance.now()`. */
    comparedAtMs: [] as number[],
    /** When each vector was marked by `leave`, oldest first. */
    left: new Map<string, number>(),
    lookedAtMs: performance.now(),
    identity: undefined as string | undefined,
    generation: 0,
  };
}
type Warm = ReturnType<typeof createState>;

export function createWarmVectors(dimensions: number): WarmVectors {
  const warm = createState(dimensions);

  return {
    get identity() {
      return warm.identity;
    },
    dimensions,
    get count() {
      return warm.block.rows;
    },
    get bytes() {
      return warm.block.bytes;
    },
    get generation() {
      return warm.generation;
    },
    adopt(wanted) {
      if (warm.identity === wanted) return;
      warm.identity = wanted;
      warm.generation += 1;
      warm.block.clear();
      warm.rows.clear();
      warm.comparedAtMs.length = 0;
      warm.left.clear();
    },
    has: (key) => warm.rows.rowOf(key) !== undefined,
    add(vectors) {
      for (const { key, vector } of vectors) {
        if (warm.rows.rowOf(key) !== undefined) continue;
        warm.rows.add(key);
        try {
          warm.block.add(vector);
        } catch (error) {
          warm.rows.remove(warm.rows.size - 1);
          throw error;
        }
        warm.comparedAtMs.push(performance.now());
      }
    },
    retain: (kept, onTurn) => retain(warm, kept, onTurn),
    fit: () => giveBack(warm),
    leave: (gone) => leave(warm, gone),
    rowsOf(wanted) {
      const found = new Uint32Array(wanted.length);
      for (const [at, key] of wanted.entries()) {
        const row = warm.rows.rowOf(key);
        if (row === undefined) return undefined;
        found[at] = row;
      }
      return found;
    },
    compare(query, asked) {
      const scores = warm.block.compare(query, asked);
      const nowMs = performance.now();
      for (const row of asked) warm.comparedAtMs[row] = nowMs;
      return scores;
    },
  };
}

function remove(warm: Warm, row: number): void {
  warm.generation += 1;
  warm.rows.remove(row);
  warm.block.remove(row);
  const movedAtMs = warm.comparedAtMs.pop() as number;
  if (row < warm.rows.size) warm.comparedAtMs[row] = movedAtMs;
}

async function retain(warm: Warm, kept: ReadonlySet<string>, onTurn?: () => Promise<void>): Promise<void> {
  let looked = 0;
  // From the end, because new vectors, and those that are moved to a free row, are behind this row.
  for (let row = warm.rows.size - 1; row >= 0; row = Math.min(row, warm.rows.size) - 1) {
    if (!kept.has(warm.rows.keyOf(row))) remove(warm, row);
    looked += 1;
    if (looked % maxAtOnce > 0) continue;
    await nextTurn();
    await onTurn?.();
  }
}

async function giveBack(warm: Warm): Promise<void> {
  warm.rows.fit();
  const isFarLarger = () =>
    warm.block.bytes > 2 * warm.block.rows * warm.dimensions * Int16Array.BYTES_PER_ELEMENT + maxSpare;
  if (!isFarLarger()) return;
  const smaller = createVectorBlock(warm.dimensions);
  const since = warm.generation;
  const pause = createPause();
  // Also copies vectors that are added meanwhile. Stops if vectors are removed: then it is called again.
  while (smaller.rows < warm.block.rows) {
    smaller.add(warm.block.row(smaller.rows));
    const turn = pause();
    if (turn) await turn;
    if (warm.generation !== since || !isFarLarger()) return;
  }
  warm.block = smaller;
}

function leave(warm: Warm, gone: readonly string[]): void {
  const nowMs = performance.now();
  for (const key of gone) {
    const row = warm.rows.rowOf(key);
    const leftAtMs = warm.left.get(key);
    if (row === undefined || (leftAtMs !== undefined && (warm.comparedAtMs[row] as number) <= leftAtMs)) continue;
    warm.left.delete(key);
    warm.left.set(key, nowMs);
  }
  if (warm.left.size < maxLeft || nowMs - warm.lookedAtMs < lookEveryMs) return;
  let looked = 0;
  for (const [key, leftAtMs] of warm.left) {
    // The next call goes on, because `lookedAtMs` is not set.
    if (looked === maxAtOnce) return;
    if (leftAtMs > nowMs - leftForMs) break;
    looked += 1;
    warm.left.delete(key);
    const row = warm.rows.rowOf(key);
    if (row !== undefined && (warm.comparedAtMs[row] as number) <= leftAtMs) remove(warm, row);
  }
  warm.lookedAtMs = nowMs;
}
