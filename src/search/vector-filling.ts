/** Loads vectors into memory, from the store or by embedding; each text is embedded once (SS-04). */

import { createPause, nextTurn, type Pause } from '../pace/turns.ts';
import { type Clock, type Embedder, EmbeddingFailure, type Logger } from '../ports/ports.ts';
import type { StoredVector, VectorStore } from '../ports/store/vector.ts';
import type { WarmVectors } from './warm-vectors.ts';

/** `total`: the chunks that were not in memory. `done`: how many of these are now. */
export type Progress = (done: number, total: number) => void;

/** The model changed meanwhile, so that earlier vectors cannot be used. */
export class ModelChanged extends Error {}

/** The vector of a question, and the identity of the model. */
export type QuestionVector = { identity: string; vector: Float32Array };

type VectorFilling = {
  /** Embeds a question. The vector is not stored. From then on, only vectors of the same model are in memory. */
  question(text: string): Promise<QuestionVector>;
  /**
   * Resolves when all are in memory, except those of another call that failed. Rejects with `ModelChanged` or an
   * `EmbeddingFailure`; then it has stopped all its work.
   */
  fill(identity: string, missing: ReadonlyMap<string, string>, onProgress: Progress): Promise<void>;
};

type Parts = {
  warm: WarmVectors;
  embedder: Embedder;
  store: VectorStore;
  clock: Clock;
  logger: Logger;
  /** Max vectors in the store. */
  maxStored: number;
};
type Entry = readonly [key: string, text: string];

const sliceSize = 128;
/** While one slice is being embedded, the next one is prepared. */
const slicesAtOnce = 2;
const storedMs = 90 * 86_400_000;

export function createVectorFilling({ warm, embedder, store, clock, logger, maxStored }: Parts): VectorFilling {
  const { dimensions } = warm;
  const pending = new Map<string, Promise<void>>();
  // Changes of the wall clock while this process runs must not change the order of vectors (S-82).
  const startedAtMs = clock.now() - clock.elapsed();
  const now = (): number => startedAtMs + clock.elapsed();

  /** If the store fails, vectors are not kept and will be embedded again. */
  const attempt = async <Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      logger.warn({ err: error }, 'vectors cannot be kept');
      return otherwise;
    }
  };

  const readStored = async (identity: string, slice: readonly Entry[]): Promise<StoredVector[]> => {
    const found = await store.get(
      identity,
      slice.map(([key]) => key),
    );
    const usable = found.filter(({ vector }) => isUsable(vector, dimensions));
    const keys = usable.map(({ key }) => key);
    if (keys.length > 0) await attempt(() => store.touch(keys, { identity, usedAt: now() }), undefined);
    return usable;
  };

  const fillSlice = async (identity: string, slice: readonly Entry[]): Promise<void> => {
    if (warm.identity !== identity) throw new ModelChanged();
    const stored = await attempt(() => readStored(identity, slice), []);
    if (warm.identity !== identity) throw new ModelChanged();
    warm.add(stored);
    const missing = slice.filter(([key]) => !warm.has(key));
    if (missing.length === 0) return;
    const made = await embedder.embed(missing.map(([, text]) => text));
    if (made.identity !== identity || warm.identity !== identity) throw new ModelChanged();
    const added = missing.map(([key], at) => ({
      key,
      vector: made.vectors.subarray(at * dimensions, (at + 1) * dimensions),
    }));
    if (!added.every(({ vector }) => isUsable(vector, dimensions))) throw unusable();
    warm.add(added);
    await attempt(() => store.add(added, { identity, usedAt: now() }), undefined);
  };

  return {
    async question(text) {
      const { identity, vectors } = await embedder.embed([text], 'question');
      if (!isUsable(vectors, dimensions)) throw unusable();
      warm.adopt(identity);
      return { identity, vector: vectors };
    },
    async fill(identity, missing, onProgress) {
      const { promise: filled, resolve } = Promise.withResolvers<void>();
      const pause = createPause();
      const { own, ofOthers } = await claim(missing, { pending, filled, pause });
      const fillOwn = async (slice: readonly Entry[]): Promise<void> => {
        await fillSlice(identity, slice);
        for (const [key] of slice) pending.delete(key);
      };
      try {
        if (own.length > 0) onProgress(0, own.length);
        await inSlices(own, fillOwn, onProgress);
      } finally {
        for (const [key] of own) {
          if (pending.get(key) === filled) pending.delete(key);
          const turn = pause();
          if (turn) await turn;
        }
        resolve();
      }
      await Promise.all(ofOthers);
      const usedBefore = now() - storedMs;
      if (own.length > 0) await attempt(() => store.collect({ max: maxStored, usedBefore }), undefined);
    },
  };
}

/** Divides the missing chunks: those for this call, in the fastest order, and those that other calls embed already. */
async function claim(
  missing: ReadonlyMap<string, string>,
  { pending, filled, pause }: { pending: Map<string, Promise<void>>; filled: Promise<void>; pause: Pause },
): Promise<{ own: Entry[]; ofOthers: Set<Promise<void>> }> {
  const ofOthers = new Set<Promise<void>>();
  const byLength: Entry[][] = [];
  for (const entry of missing) {
    const [key, text] = entry;
    const underWay = pending.get(key);
    if (underWay !== undefined) ofOthers.add(underWay);
    else {
      pending.set(key, filled);
      const alike = byLength[text.length];
      if (alike === undefined) byLength[text.length] = [entry];
      else alike.push(entry);
    }
    const turn = pause();
    if (turn) await turn;
  }
  // Texts of about the same length are fastest together. Long ones first, so that both workers end at the same time.
  return { own: byLength.toReversed().flatMap((entries) => entries ?? []), ofOthers };
}

/** Waits for all work even after a failure, so that no progress is reported and no vector added later. */
async function inSlices(
  own: readonly Entry[],
  fill: (slice: readonly Entry[]) => Promise<void>,
  onProgress: Progress,
): Promise<void> {
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    try {
      while (next < own.length) {
        const slice = own.slice(next, next + sliceSize);
        next += slice.length;
        await fill(slice);
        done += slice.length;
        onProgress(done, own.length);
        await nextTurn();
      }
    } catch (error) {
      next = own.length;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: slicesAtOnce }, work));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

function unusable(): EmbeddingFailure {
  return new EmbeddingFailure('The vectors of the model cannot be compared.');
}

/** Whether it has the right size, only numbers, and the length 1. */
function isUsable(vector: Float32Array, dimensions: number): boolean {
  if (vector.length !== dimensions) return false;
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.abs(square - 1) < 0.01;
}
