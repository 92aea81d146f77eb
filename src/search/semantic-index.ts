/**
 * Search by meaning (SS-04). Missing vectors are computed once, when a search needs them, and kept in memory and in the
 * store.
 */

import { createPause, createTurns } from '../pace/turns.ts';
import { defaultModel } from '../ports/embedding-model.ts';
import { type Clock, type Embedder, EmbeddingFailure, type Logger } from '../ports/ports.ts';
import type { VectorStore } from '../ports/store/vector.ts';
import { fixedLimits } from '../settings.ts';
import { bestChunks } from './best-chunks.ts';
import { type Cut, createChunkKeys } from './chunk-keys.ts';
import type { SemanticIndex } from './search.ts';
import type { SearchItem } from './search-item.ts';
import { createVectorFilling, ModelChanged, type Progress, type QuestionVector } from './vector-filling.ts';
import { createVectorRoom } from './vector-room.ts';
import { createWarmVectors, type WarmVectors } from './warm-vectors.ts';
import { whileItMayCome } from './while-it-may-come.ts';

export type WarmSemanticIndex = SemanticIndex &
  Readonly<{
    /** Embeds the missing chunks of the items. Rejects with an `EmbeddingFailure`. */
    warm(items: readonly SearchItem[], onProgress: Progress): Promise<void>;
    /** The number of vectors in memory, and their bytes. */
    size(): { vectors: number; bytes: number };
  }>;

export type SemanticIndexOptions = {
  /** Its dimensions are known. */
  embedder: Embedder;
  vectors: VectorStore;
  clock: Clock;
  logger: Logger;
  /** Called with the number of chunks that searches have embedded. */
  onProgress?: Progress;
  /** Max chunks in memory, and of one search. The store keeps twice as many. */
  maxVectors?: number;
  /** How long a search waits for vectors that are being computed. */
  waitMs?: number;
  /** How often it checks whether they can arrive in time. */
  lookMs?: number;
};

const maxAttempts = 3;
/** Keys to look up between two checks of the clock. */
const sliceSize = 1_000;
const lookEveryMs = 250;

/** The max number of vectors that fit into the memory for vectors. */
function vectorsOf(dimensions: number): number {
  const usual = defaultModel.dimensions;
  return Math.floor((fixedLimits.search.vectors * usual) / Math.max(usual, dimensions));
}

export function createSemanticIndex(options: SemanticIndexOptions): WarmSemanticIndex {
  const { embedder, clock, logger, onProgress = () => {} } = options;
  const { dimensions = 0 } = embedder;
  const { maxVectors = vectorsOf(dimensions), waitMs = fixedLimits.search.waitMs, lookMs = lookEveryMs } = options;
  const warm = createWarmVectors(dimensions);
  const chunkKeys = createChunkKeys(warm);
  const room = createVectorRoom(warm, maxVectors);
  const parts = { warm, embedder, store: options.vectors, clock, logger, maxStored: 2 * maxVectors };
  const filling = createVectorFilling(parts);
  const fitInTurn = createTurns(1);
  const admitWarm = createAdmission();
  const admitCold = createAdmission();

  const fillAndCompare = (question: string, cut: Cut, onProgress: Progress): Promise<Float32Array> =>
    room
      .use(cut, async (prepare) => {
        for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
          try {
            const asked = await filling.question(question);
            if (!isLocated(warm, cut)) await filling.fill(asked.identity, await prepare(), onProgress);
            const scores = await compare(warm, asked, cut);
            if (scores !== undefined) return scores;
          } catch (error) {
            if (!(error instanceof ModelChanged)) throw error;
          }
        }
        throw new EmbeddingFailure('The model or the indexed items change too fast.');
      })
      .finally(() => {
        // This needs memory before it frees memory. So only one runs at a time. If there is no memory, nothing changes.
        fitInTurn(() => warm.fit()).catch((error) =>
          logger.warn({ err: error }, 'memory for vectors cannot be given back'),
        );
      });

  const scoresOf = async (question: string, cut: Cut, onProgress: Progress): Promise<Float32Array> => {
    const chunks = cut.keys.length;
    if (chunks > maxVectors)
      throw new EmbeddingFailure(`There are ${chunks} chunks. Search by meaning can take at most ${maxVectors}.`);
    const compareWarm = async () => compare(warm, await filling.question(question), cut);
    const scores = (await locate(warm, cut)) ? await admitWarm(compareWarm) : undefined;
    return scores ?? admitCold(() => fillAndCompare(question, cut, onProgress));
  };

  const delayOf = async (cut: Cut): Promise<string> => {
    const progress = await room.progressOf(cut);
    if (typeof progress === 'object')
      return `${progress.done} of ${progress.total} chunks are indexed; the others follow.`;
    if (embedder.status().state !== 'ready') return 'The model is being loaded.';
    return progress === 'waiting' ? 'Other items are indexed first.' : 'The model does not answer in time.';
  };

  return {
    async match(query, items, { waitMs: limitMs = waitMs } = {}) {
      try {
        const cut = await chunkKeys.of(items);
        const comingOf = async () => {
          const progress = await room.progressOf(cut);
          return typeof progress === 'object' ? progress.total - progress.done : undefined;
        };
        const work = scoresOf(query, cut, onProgress);
        const scores = await whileItMayCome(work, { limitMs, lookMs, comingOf });
        if (scores === undefined) return { ok: false, detail: await delayOf(cut) };
        return { ok: true, matches: bestChunks(scores, cut.counts) };
      } catch (error) {
        if (error instanceof EmbeddingFailure) return { ok: false, detail: error.message };
        throw error;
      }
    },
    async warm(items, onProgress) {
      await scoresOf('ready', await chunkKeys.of(items), onProgress);
    },
    size: () => ({ vectors: warm.count, bytes: warm.count === 0 ? 0 : warm.bytes }),
  };
}

function isLocated(warm: WarmVectors, { rows }: Cut): boolean {
  return rows?.generation === warm.generation;
}

/** Finds the rows of all chunks. False if some are not in memory. */
async function locate(warm: WarmVectors, cut: Cut): Promise<boolean> {
  if (isLocated(warm, cut)) return true;
  const { generation } = warm;
  const all = new Uint32Array(cut.keys.length);
  const pause = createPause();
  for (let at = 0; at < all.length; at += sliceSize) {
    const rows = warm.rowsOf(cut.keys.slice(at, at + sliceSize));
    if (rows === undefined) return false;
    all.set(rows, at);
    const turn = pause();
    if (turn) await turn;
    if (warm.generation !== generation) return locate(warm, cut);
  }
  cut.rows = { generation, all };
  return true;
}

/** The scores of all chunks, or `undefined` if some are not in memory, or of another model than the question. */
async function compare(
  warm: WarmVectors,
  { identity, vector }: QuestionVector,
  cut: Cut,
): Promise<Float32Array | undefined> {
  while (await locate(warm, cut)) {
    // Rows may have changed while this waited.
    if (cut.rows === undefined || !isLocated(warm, cut)) continue;
    return warm.identity === identity ? warm.compare(vector, cut.rows.all) : undefined;
  }
  return undefined;
}

/** Refuses work above the limit. Work counts until it ends, even if nobody waits for it. */
function createAdmission(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let underWay = 0;
  return async (work) => {
    if (underWay >= fixedLimits.search.searches)
      throw new EmbeddingFailure('Too many searches by meaning run at once.');
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
}
