/** The texts that wait for their vectors from the embedding process. */
import { EmbeddingFailure, type Embeddings, type TextUse } from '../../ports/ports.ts';
import type { FromProcess, ToProcess } from './embedder-process.ts';

/** `postedTo`: the process that has got the texts. `missing`: how many have no vector yet. */
type Job = {
  texts: readonly string[];
  use: TextUse;
  attempts: number;
  postedTo?: object;
  vectors?: Float32Array;
  missing: number;
  resolve(embeddings: Embeddings): void;
  reject(error: Error): void;
};

type Loaded = Pick<Embeddings, 'identity' | 'dimensions'>;

/** Stops retries of a text that crashes the process. */
export const maxAttempts = 3;

export function createEmbeddingJobs() {
  const jobs = new Map<number, Job>();
  let lastId = 0;
  const refuse = (id: number, detail: string): void => {
    jobs.get(id)?.reject(new EmbeddingFailure(detail));
    jobs.delete(id);
  };
  return {
    get size() {
      return jobs.size;
    },
    add(texts: readonly string[], use: TextUse): Promise<Embeddings> {
      lastId += 1;
      const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
      jobs.set(lastId, { texts, use, attempts: 0, missing: texts.length, resolve, reject });
      return promise;
    },
    /** Posts the jobs that this process does not have yet. */
    submit(to: object, post: (message: ToProcess) => void): void {
      for (const [id, job] of jobs) {
        if (job.postedTo === to) continue;
        job.postedTo = to;
        post({ type: 'embed', id, texts: job.texts, use: job.use });
      }
    },
    /** Vectors of some texts of a job have come. */
    keep({ id, rows, vectors }: Extract<FromProcess, { type: 'vectors' }>, { identity, dimensions }: Loaded): void {
      const job = jobs.get(id);
      if (job === undefined) return;
      job.vectors ??= new Float32Array(job.texts.length * dimensions);
      for (const [at, row] of rows.entries())
        job.vectors.set(vectors.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions);
      job.missing -= rows.length;
      if (job.missing > 0) return;
      jobs.delete(id);
      job.resolve({ identity, dimensions, vectors: job.vectors });
    },
    refuse,
    refuseAll(detail: string): void {
      for (const id of [...jobs.keys()]) refuse(id, detail);
    },
    /** The process has ended. Refuses the jobs that were tried often enough; the others begin again. */
    restart(how: string): void {
      for (const [id, job] of jobs) {
        job.attempts += 1;
        job.vectors = undefined;
        job.missing = job.texts.length;
        if (job.attempts >= maxAttempts) refuse(id, `The embedding process ended during its work (${how}).`);
      }
    },
  };
}
