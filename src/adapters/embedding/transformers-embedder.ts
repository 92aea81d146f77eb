/** `Embedder` by `embedder-process.ts`. Long, because whatever happens to that process changes the same variables. */
import { type ChildProcess, fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checksumFile, embeddingModel } from '../../ports/embedding-model.ts';
import { type Embedder, type EmbedderStatus, EmbeddingFailure, type Embeddings } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import type { FromProcess, ToProcess } from './embedder-process.ts';

export type EmbedderOptions = {
  /** Where the files of the model lie, or will. */
  directory: string;
  /** What to do when they do not, for people. */
  missing: string;
  /** Of the process. Nothing else of the daemon's environment is handed on. */
  environment?: Record<string, string | undefined>;
  /** How long the process is kept without work, so that its memory (about 200 MB) is given back. */
  idleMs?: number;
  /** How long a batch may take, and four times as long the loading. */
  batchMs?: number;
};

type Job = {
  texts: readonly string[];
  attempts: number;
  postedTo?: Running;
  vectors?: Float32Array;
  missing: number;
  resolve(embeddings: Embeddings): void;
  reject(error: Error): void;
};
type Running = {
  child: ChildProcess;
  files: string;
  loaded?: { identity: string; dimensions: number };
  watchdog?: NodeJS.Timeout;
};
/** After a failure nothing is tried until `untilMs`, unless the files of the model have changed since. */
type Failure = { detail: string; files: string; untilMs: number };

/** A text on which the process breaks down is not tried for ever. */
const mostAttempts = 3;
const pauseMs = { broken: 30_000, crashed: 1_000, most: 60_000 };

export function createTransformersEmbedder(options: EmbedderOptions): Embedder {
  const { directory, idleMs = 10 * 60_000, batchMs = fixedLimits.search.batchMs } = options;
  const jobs = new Map<number, Job>();
  const listeners: ((status: EmbedderStatus) => void)[] = [];
  let isDisposed = false;
  let status: EmbedderStatus = { state: 'stopped' };
  let running: Running | undefined;
  let failure: Failure | undefined;
  let crashes = 0;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const enter = (state: EmbedderStatus['state'], detail?: string): void => {
    if (status.state === state && status.detail === detail) return;
    status = detail === undefined ? { state } : { state, detail };
    for (const listener of listeners) listener(status);
  };

  const fail = (detail: string, files: string, forMs: number): void => {
    failure = { detail, files, untilMs: performance.now() + forMs };
    enter('failed', detail);
    for (const job of jobs.values()) job.reject(new EmbeddingFailure(detail));
    jobs.clear();
  };

  const post = (process: Running, message: ToProcess): void => {
    // What the process does not get is tried again when its end is noticed.
    process.child.send(message, () => {});
  };

  const watch = (process: Running): void => {
    clearTimeout(process.watchdog);
    if (process.loaded !== undefined && jobs.size === 0) return;
    const limit = process.loaded === undefined ? 4 * batchMs : batchMs;
    process.watchdog = setTimeout(() => process.child.kill('SIGKILL'), limit);
  };

  const rest = (process: Running): void => {
    clearTimeout(idle);
    if (jobs.size > 0) return;
    idle = setTimeout(() => {
      end(process);
      enter('stopped');
    }, idleMs);
    idle.unref();
  };

  const end = (process: Running): void => {
    if (running === process) running = undefined;
    clearTimeout(process.watchdog);
    process.child.removeAllListeners('exit');
    process.child.kill('SIGKILL');
  };

  const submit = (process: Running): void => {
    for (const [id, job] of jobs) {
      if (job.postedTo === process) continue;
      job.postedTo = process;
      post(process, { type: 'embed', id, texts: job.texts });
    }
  };

  const start = (files: string): void => {
    enter('loading');
    const { environment = {} } = options;
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const child = fork(new URL(`./embedder-process.${extension}`, import.meta.url), [], {
      env: Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const process: Running = { child, files };
    running = process;
    // Somebody who waits keeps this process alive by the watchdog.
    child.unref();
    child.channel?.unref();
    child.on('message', (message: FromProcess) => receive(process, message));
    // One that could not be started has no exit.
    child.on('error', (error) => crashed(process, error.message));
    child.on('exit', (code, signal) => crashed(process, `${signal ?? `exit code ${code}`}`));
    post(process, { type: 'load', directory });
    watch(process);
  };

  const crashed = (process: Running, how: string): void => {
    if (running !== process) return;
    end(process);
    crashes += 1;
    for (const [id, job] of jobs) {
      job.attempts += 1;
      delete job.vectors;
      job.missing = job.texts.length;
      if (job.attempts < mostAttempts) continue;
      jobs.delete(id);
      job.reject(new EmbeddingFailure(`The process that embeds ended while it was at work (${how}).`));
    }
    if (crashes >= mostAttempts) {
      const forMs = Math.min(pauseMs.most, pauseMs.crashed * 2 ** (crashes - mostAttempts));
      fail(`The process that embeds has ended ${crashes} times in a row (${how}).`, process.files, forMs);
    } else if (jobs.size > 0) start(process.files);
    else enter('stopped');
  };

  const receive = (process: Running, message: FromProcess): void => {
    if (running !== process) return;
    if (message.type === 'vectors') keep(process, message);
    else if (message.type === 'refused') refuse(message);
    else {
      const problem = problemOf(message);
      if (problem !== undefined) {
        end(process);
        fail(problem, process.files, pauseMs.broken);
        return;
      }
      process.loaded = message as Running['loaded'];
      failure = undefined;
      enter('ready');
      submit(process);
    }
    watch(process);
    rest(process);
  };

  const refuse = ({ id, detail }: Extract<FromProcess, { type: 'refused' }>): void => {
    jobs.get(id)?.reject(new EmbeddingFailure(`The texts could not be embedded: ${detail}`));
    jobs.delete(id);
  };

  const problemOf = (message: Extract<FromProcess, { type: 'loaded' | 'failed' }>): string | undefined => {
    if (message.type === 'failed') return message.detail;
    if (message.dimensions === embeddingModel.dimensions) return undefined;
    const widths = `${message.dimensions} numbers instead of ${embeddingModel.dimensions}`;
    return `The model in ${directory} gives vectors of ${widths}.`;
  };

  const keep = ({ loaded }: Running, { id, rows, vectors }: Extract<FromProcess, { type: 'vectors' }>): void => {
    const job = jobs.get(id);
    if (job === undefined || loaded === undefined) return;
    crashes = 0;
    const { dimensions, identity } = loaded;
    job.vectors ??= new Float32Array(job.texts.length * dimensions);
    for (const [at, row] of rows.entries())
      job.vectors.set(vectors.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions);
    job.missing -= rows.length;
    if (job.missing > 0) return;
    jobs.delete(id);
    job.resolve({ identity, dimensions, vectors: job.vectors });
  };

  /** Makes sure that a process runs, with the model as it lies there now; throws when that is known to be of no use. */
  const ensureRunning = (): void => {
    if (isDisposed) throw new EmbeddingFailure('The daemon is ending.');
    if (running !== undefined && jobs.size > 0) return;
    const files = signatureOf(directory);
    if (files === undefined) {
      if (running !== undefined) end(running);
      const detail = `The model is not in ${directory}. ${options.missing}`;
      enter('failed', detail);
      throw new EmbeddingFailure(detail);
    }
    if (running?.files === files) return;
    if (running !== undefined) end(running);
    if (failure?.files === files && failure.untilMs > performance.now()) throw new EmbeddingFailure(failure.detail);
    start(files);
  };

  const embed: Embedder['embed'] = async (texts) => {
    if (texts.length === 0) throw new RangeError('There is nothing to embed.');
    ensureRunning();
    clearTimeout(idle);
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
    jobs.set(id, { texts, attempts: 0, missing: texts.length, resolve, reject });
    if (running?.loaded !== undefined) {
      submit(running);
      if (jobs.size === 1) watch(running);
    }
    return promise;
  };

  return {
    model: embeddingModel.id,
    dimensions: embeddingModel.dimensions,
    isPresent: () => signatureOf(directory) !== undefined,
    status: () => status,
    onChange: (listener) => listeners.push(listener),
    async prepare() {
      await embed(['ready']);
    },
    embed,
    dispose() {
      isDisposed = true;
      clearTimeout(idle);
      if (running !== undefined) end(running);
      for (const job of jobs.values()) job.reject(new EmbeddingFailure('The daemon is ending.'));
      jobs.clear();
    },
  };
}

/** Changes whenever a file of the model does; undefined while one is missing. */
function signatureOf(directory: string): string | undefined {
  const lookAt = (path: string) => {
    try {
      return statSync(join(directory, path), { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  };
  const files = embeddingModel.files.map(({ path }) => lookAt(path));
  if (files.includes(undefined)) return undefined;
  const sums = lookAt(checksumFile);
  return JSON.stringify([...files, sums].map((file) => [file?.ino, file?.size, file?.mtimeMs, file?.ctimeMs]));
}
