/**
 * Search by meaning (management document, "JIT Indexing"): what is missing of the items that are asked about is embedded
 * when it is asked for, once, and kept in memory and in the store.
 */
import { type Clock, type Embedder, EmbeddingFailure, type Logger } from '../ports.ts';
import { createPause } from '../turns.ts';
import type { VectorStore } from '../vector-store.ts';
import { chunkItem } from './chunk.ts';
import { type Cut, createChunkKeys } from './chunk-keys.ts';
import type { SemanticIndex } from './search.ts';
import type { SearchItem } from './search-item.ts';
import { topMatches } from './top-matches.ts';
import { createVectorFilling, ModelChanged, type Progress } from './vector-filling.ts';
import { createWarmVectors } from './warm-vectors.ts';

export type WarmSemanticIndex = SemanticIndex &
  Readonly<{
    /** Embeds what is missing of the items. Rejects with an `EmbeddingFailure`. */
    warm(items: readonly SearchItem[], onProgress: Progress): Promise<void>;
    /** Vectors in memory, and the memory they take. */
    size(): { vectors: number; bytes: number };
  }>;

export type SemanticIndexOptions = {
  embedder: Embedder;
  vectors: VectorStore;
  clock: Clock;
  logger: Logger;
  /** Told of the chunks that searches have embedded. */
  onProgress?: Progress;
  /** Chunks in memory, and of one search; twice as many are kept in the store. */
  mostVectors?: number;
  /** How long a search waits for what is being embedded. */
  waitMs?: number;
};

const mostAttempts = 3;

export function createSemanticIndex(options: SemanticIndexOptions): WarmSemanticIndex {
  const { embedder, clock, logger, mostVectors = 100_000, waitMs = 8_000 } = options;
  const warm = createWarmVectors(embedder.dimensions);
  const chunkKeys = createChunkKeys(warm);
  const parts = { warm, embedder, store: options.vectors, clock, logger, mostStored: 2 * mostVectors };
  const filling = createVectorFilling(parts);

  /** The rows of all chunks in the order of the items; undefined when some are not in memory. */
  const rowsOf = (cut: Cut): Uint32Array | undefined => {
    if (cut.rows?.generation === warm.generation) return cut.rows.all;
    const all = warm.rowsOf(cut.keys.flat());
    if (all !== undefined) cut.rows = { generation: warm.generation, all };
    return all;
  };

  const missingOf = async ({ items, keys }: Cut): Promise<Map<string, string>> => {
    const missing = new Map<string, string>();
    const pause = createPause();
    for (const [at, own] of keys.entries()) {
      if (own.every((key) => warm.has(key))) continue;
      const texts = chunkItem(items[at] as SearchItem);
      for (const [chunk, key] of own.entries()) if (!warm.has(key)) missing.set(key, texts[chunk] as string);
      const waiting = pause();
      if (waiting) await waiting;
    }
    return missing;
  };

  /** The searches that wait for vectors: none takes from another what that has got already. */
  const underWay = new Set<{ cut: Cut }>();
  const retainOf = (searches: Iterable<{ cut: Cut }>): Promise<void> =>
    warm.retain(new Set([...searches].flatMap(({ cut }) => cut.keys.flat())));

  const scoresOf = async (question: string, cut: Cut, onProgress: Progress): Promise<Float32Array> => {
    if (cut.chunks > mostVectors)
      throw new EmbeddingFailure(
        `There are ${cut.chunks} chunks; no more than ${mostVectors} are searched by meaning.`,
      );
    for (let attempts = 0; attempts < mostAttempts; attempts += 1) {
      try {
        const { identity, vector } = await filling.question(question);
        const rows = rowsOf(cut);
        if (rows !== undefined) return warm.compare(vector, rows);
        const own = { cut };
        underWay.add(own);
        try {
          const missing = await missingOf(cut);
          if (warm.count + missing.size > mostVectors) await retainOf(underWay);
          await filling.fill(identity, missing, onProgress);
          const filled = warm.identity === identity ? rowsOf(cut) : undefined;
          if (filled !== undefined) return warm.compare(vector, filled);
        } finally {
          underWay.delete(own);
          // Each of several at once may need all the room there is; who has what it needs makes room again.
          if (warm.count > mostVectors) await retainOf(underWay.size > 0 ? underWay : [own]);
        }
      } catch (error) {
        if (!(error instanceof ModelChanged)) throw error;
      }
    }
    throw new EmbeddingFailure('The model, or what is indexed, changes too fast.');
  };

  return {
    async match(query, items, limits) {
      let delay: string | undefined;
      const onProgress: Progress = (done, total) => {
        delay = `${done} of ${total} chunks are indexed; the rest follows.`;
        options.onProgress?.(done, total);
      };
      try {
        const cut = await chunkKeys.of(items);
        const scores = await within(waitMs, scoresOf(query, cut, onProgress));
        if (scores === undefined) return { ok: false, detail: delay ?? silenceOf(embedder) };
        return { ok: true, matches: topMatches(scores, cut.counts, limits) };
      } catch (error) {
        if (error instanceof EmbeddingFailure) return { ok: false, detail: error.message };
        logger.error({ err: error }, 'search by meaning failed');
        return { ok: false, detail: 'Search by meaning failed unexpectedly.' };
      }
    },
    async warm(items, onProgress) {
      await scoresOf('ready', await chunkKeys.of(items), onProgress);
    },
    size: () => ({ vectors: warm.count, bytes: warm.count === 0 ? 0 : warm.bytes }),
  };
}

function silenceOf(embedder: Embedder): string {
  return embedder.status().state === 'ready' ? 'The model does not answer in time.' : 'The model is being loaded.';
}

/** The result, or undefined when it takes longer; the work goes on. */
async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  work.catch(() => {});
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
