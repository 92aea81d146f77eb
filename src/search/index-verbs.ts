/** The verbs of the model and its vectors: prepare them, and return their state (SS-03, SS-04). */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { EmbedderChanged, IndexProgress } from '../events/event.ts';
import { loadOnce } from '../pace/deferred-verbs.ts';
import { findModel, noModel } from '../ports/embedding-model.ts';
import { type Embedder, EmbeddingFailure } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { background } from './background.ts';
import type { SemanticIndex, SemanticMatches } from './search.ts';
import type { SearchItem } from './search-item.ts';
import type { WarmSemanticIndex } from './semantic-index.ts';
import { whileItMayCome } from './while-it-may-come.ts';

/** What to index. Without agent and directory, only the model is prepared. `model` is the expected model. */
type WarmTarget = { agentId?: string | undefined; mountedDirectory?: string | undefined; model?: string | undefined };

const IndexJob = IndexProgress.pick({ phase: true, done: true, total: true })
  .extend({ jobId: z.string().describe('Id of the job, from `POST /v1/search/warm`.') })
  .meta({ id: 'IndexJob', description: 'Progress of a job.' });
type IndexJob = z.infer<typeof IndexJob>;

export const SearchStatus = z
  .object({
    model: z.string().describe('Name of the embedding model.'),
    endpoint: z
      .string()
      .optional()
      .describe(
        'The embedding server. It gets the questions, and the names, descriptions and texts of the searched items. Absent if these texts stay in the daemon.',
      ),
    dimensions: z
      .int()
      .min(1)
      .optional()
      .describe('Numbers in a vector. Absent until the embedding server has answered once.'),
    installed: z.boolean().describe('Whether the model can be used without a download.'),
    state: EmbedderChanged.shape.state,
    reason: z.string().optional().describe('Why it failed, or what is missing.'),
    vectors: z.int().min(0).describe('Number of vectors in memory. These chunks can be searched at once.'),
    bytes: z.int().min(0).describe('Memory of these vectors, in bytes.'),
    jobs: z.array(IndexJob).describe('Running jobs.'),
  })
  .meta({ id: 'SearchStatus', description: 'State of search by meaning.' });
export type SearchStatus = z.infer<typeof SearchStatus>;

export type IndexVerbs = Readonly<{
  /**
   * Starts a job that prepares the model and the vectors, or joins the job that does. Throws what `itemsOf` throws,
   * `limit_exceeded`, and `conflict` if the daemon has another model than the expected one. `download: false`: uses
   * only a model that is already there.
   */
  warm(target: WarmTarget, options?: { download?: boolean }): Promise<{ jobId: string }>;
  status(): Promise<SearchStatus>;
}>;

const refuse = async (): Promise<never> => {
  throw new EmbeddingFailure(noModel);
};
const absentEmbedder: Embedder = {
  model: 'none',
  dimensions: 384,
  isPresent: () => false,
  status: () => ({ state: 'failed', detail: noModel }),
  onChange() {},
  prepare: refuse,
  embed: refuse,
  dispose() {},
};

/** `index` is built at the first search by meaning. It starts the model at its first use. */
export type IndexGroup = { index: SemanticIndex; verbs: IndexVerbs };

type Parts = {
  embedder: Embedder;
  /** Throws if the target is wrong. */
  itemsOf(target: WarmTarget): Promise<readonly SearchItem[]>;
  /** How long a search waits for texts that are not indexed yet. */
  waitMs?: number | undefined;
};

/** Without an `embedder`, the verbs only say that there is none. */
export function createIndexGroup(
  core: EngineCore,
  {
    itemsOf,
    embedder = absentEmbedder,
    waitMs = fixedLimits.search.waitMs,
  }: Omit<Parts, 'embedder'> & { embedder?: Embedder | undefined },
): IndexGroup {
  let built: WarmSemanticIndex | undefined;
  embedder.onChange(({ state, detail }) => {
    if (state === 'failed') core.logger.warn({ detail }, 'the embedding model cannot be used');
    core.publish('embedder-changed', detail === undefined ? { state } : { state, detail });
  });
  const load = loadOnce(async (): Promise<WarmSemanticIndex> => {
    const { createSemanticIndex } = await import('./semantic-index.ts');
    const { clock, logger, store } = core;
    // Only the server knows the length of its vectors. A server that failed just now is not asked again.
    if (embedder.dimensions === undefined) await embedder.embed(['ready']);
    const onProgress = (done: number, total: number) =>
      core.publish('index-progress', { phase: 'index', done, total, state: done < total ? 'running' : 'finished' });
    built = createSemanticIndex({ embedder, vectors: store.vectors, clock, logger, onProgress });
    return built;
  });
  const size = () => built?.size() ?? { vectors: 0, bytes: 0 };
  const readiness = (): SemanticMatches => {
    const { state, detail = noModel } = embedder.status();
    return embedder.isPresent() && state !== 'failed' ? { ok: true, matches: [] } : { ok: false, detail };
  };
  return {
    index: {
      async match(query, items) {
        if (items.length === 0) return readiness();
        const untilMs = performance.now() + waitMs;
        try {
          const loaded = await whileItMayCome(load(), {
            limitMs: waitMs,
            lookMs: waitMs,
            comingOf: async () => undefined,
          });
          if (loaded === undefined) return { ok: false, detail: 'The server has not answered yet.' };
          return await loaded.match(query, items, { waitMs: untilMs - performance.now() });
        } catch (error) {
          if (error instanceof EmbeddingFailure) return { ok: false, detail: error.message };
          throw error;
        }
      },
    },
    verbs: createIndexVerbs(core, { embedder, itemsOf, load, size }),
  };
}

function createIndexVerbs(
  core: EngineCore,
  parts: Parts & { load(): Promise<WarmSemanticIndex>; size(): { vectors: number; bytes: number } },
): IndexVerbs {
  const { embedder } = parts;
  const jobs = new Map<string, IndexJob>();

  const run = async (
    job: IndexJob,
    target: string,
    { items, download }: { items: readonly SearchItem[]; download: boolean },
  ): Promise<void> => {
    const report = (phase: IndexJob['phase'], done: number, total: number): void => {
      Object.assign(job, { phase, done, total });
      core.publish('index-progress', { ...job, state: 'running' });
    };
    try {
      if (download) await embedder.prepare((done, total) => report('download', done, total));
      await (await parts.load()).warm([...items, ...background], (done, total) => report('index', done, total));
      core.publish('index-progress', { ...job, phase: 'index', done: job.total, state: 'finished' });
    } catch (error) {
      const isExpected = error instanceof EmbeddingFailure;
      if (!isExpected) core.logger.error({ err: error }, 'indexing failed');
      const detail = isExpected ? error.message : 'Indexing failed unexpectedly.';
      core.publish('index-progress', { ...job, state: 'failed', detail });
    } finally {
      jobs.delete(target);
    }
  };

  return Object.freeze({
    async warm({ agentId, mountedDirectory, model = embedder.model }: WarmTarget, { download = true } = {}) {
      if (model !== embedder.model && findModel(model)?.id !== embedder.model)
        throw new ContextdError('conflict', `This daemon was started with the model ${embedder.model}, not ${model}.`);
      const named = agentId !== undefined || mountedDirectory !== undefined;
      const items = named ? await parts.itemsOf({ agentId, mountedDirectory }) : [];
      const target = JSON.stringify([agentId, mountedDirectory]);
      const underWay = jobs.get(target);
      if (underWay !== undefined) return { jobId: underWay.jobId };
      if (jobs.size >= fixedLimits.search.jobs)
        throw new ContextdError(
          'limit_exceeded',
          `At most ${fixedLimits.search.jobs} indexing jobs run at once. Try again later.`,
        );
      const job: IndexJob = { jobId: randomUUID(), phase: 'index', done: 0, total: 0 };
      jobs.set(target, job);
      // The caller gets the id before the first event of the job.
      setImmediate(() => void run(job, target, { items, download }));
      return { jobId: job.jobId };
    },
    async status() {
      const { state, detail } = embedder.status();
      return {
        model: embedder.model,
        endpoint: embedder.endpoint,
        dimensions: embedder.dimensions,
        installed: embedder.isPresent(),
        state,
        reason: detail,
        ...parts.size(),
        jobs: [...jobs.values()].map((job) => ({ ...job })),
      };
    },
  });
}
