/** `Embedder` through `embedder-process.ts`. Long, because every event of that process changes the same variables. */
import { type ChildProcess, fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checksumFile, type EmbeddingModel } from '../../ports/embedding-model.ts';
import {
  type Embedder,
  type EmbedderStatus,
  EmbeddingFailure,
  type Embeddings,
  type TextUse,
} from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import type { FromProcess, ToProcess } from './embedder-process.ts';

export type EmbedderOptions = {
  model: EmbeddingModel;
  /** The directory of the model's files, which may not exist yet. */
  directory: string;
  /** What to do if the files are missing, for people. */
  missing: string;
  /** How long an idle process is kept. Its end frees about 200 MB. */
  idleMs?: number;
  /** The time limit of a batch. Loading has four times as long. */
  batchMs?: number;
};

type Job = {
  texts: readonly string[];
  use: TextUse;
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
/** After a failure nothing is tried until `untilMs`, unless the files of the model have changed. */
type Failure = { detail: string; files: string; untilMs: number };

/** Stops retries of a text that crashes the process. */
const maxAttempts = 3;
const pauseMs = { broken: 30_000, crashed: 1_000, max: 60_000 };

/** The process, its jobs, and its failures. */
function createEmbedderState(options: EmbedderOptions) {
  const { idleMs = 10 * 60_000, batchMs = fixedLimits.search.batchMs } = options;
  return {
    ...options,
    idleMs,
    batchMs,
    jobs: new Map<number, Job>(),
    listeners: [] as ((status: EmbedderStatus) => void)[],
    isDisposed: false,
    status: { state: 'stopped' } as EmbedderStatus,
    running: undefined as Running | undefined,
    failure: undefined as Failure | undefined,
    crashes: 0,
    idle: undefined as NodeJS.Timeout | undefined,
    lastId: 0,
  };
}
type EmbedderState = ReturnType<typeof createEmbedderState>;

export function createTransformersEmbedder(options: EmbedderOptions): Embedder {
  const embedder = createEmbedderState(options);

  return {
    model: options.model.id,
    dimensions: options.model.dimensions,
    isPresent: () => signatureOf(embedder) !== undefined,
    status() {
      const { status } = embedder;
      const isMissing = status.state === 'stopped' && signatureOf(embedder) === undefined;
      return isMissing ? { ...status, detail: absenceOf(embedder) } : status;
    },
    onChange: (listener) => embedder.listeners.push(listener),
    async prepare() {
      await embed(embedder, ['ready'], 'document');
    },
    embed: (texts, use = 'document') => embed(embedder, texts, use),
    dispose() {
      embedder.isDisposed = true;
      clearTimeout(embedder.idle);
      if (embedder.running !== undefined) end(embedder, embedder.running);
      for (const job of embedder.jobs.values()) job.reject(new EmbeddingFailure('The daemon is ending.'));
      embedder.jobs.clear();
    },
  };
}

function enter(embedder: EmbedderState, state: EmbedderStatus['state'], detail?: string): void {
  if (embedder.status.state === state && embedder.status.detail === detail) return;
  embedder.status = detail === undefined ? { state } : { state, detail };
  for (const listener of embedder.listeners) listener(embedder.status);
}

function fail(embedder: EmbedderState, failure: Failure): void {
  embedder.failure = failure;
  enter(embedder, 'failed', failure.detail);
  for (const job of embedder.jobs.values()) job.reject(new EmbeddingFailure(failure.detail));
  embedder.jobs.clear();
}

function post(process: Running, message: ToProcess): void {
  // A message that does not reach the process is sent again when the end of the process is noticed.
  process.child.send(message, () => {});
}

function watch(embedder: EmbedderState, process: Running): void {
  clearTimeout(process.watchdog);
  if (process.loaded !== undefined && embedder.jobs.size === 0) return;
  const limit = process.loaded === undefined ? 4 * embedder.batchMs : embedder.batchMs;
  process.watchdog = setTimeout(() => process.child.kill('SIGKILL'), limit);
}

function rest(embedder: EmbedderState, process: Running): void {
  clearTimeout(embedder.idle);
  if (embedder.jobs.size > 0) return;
  embedder.idle = setTimeout(() => {
    end(embedder, process);
    enter(embedder, 'stopped');
  }, embedder.idleMs);
  embedder.idle.unref();
}

function end(embedder: EmbedderState, process: Running): void {
  if (embedder.running === process) embedder.running = undefined;
  clearTimeout(process.watchdog);
  process.child.removeAllListeners('exit');
  process.child.kill('SIGKILL');
}

function submit(embedder: EmbedderState, process: Running): void {
  for (const [id, job] of embedder.jobs) {
    if (job.postedTo === process) continue;
    job.postedTo = process;
    post(process, { type: 'embed', id, texts: job.texts, use: job.use });
  }
}

function start(embedder: EmbedderState, files: string): void {
  enter(embedder, 'loading');
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const child = fork(new URL(`./embedder-process.${extension}`, import.meta.url), [], {
    // Nothing of the daemon's environment, only a setting of the model's runtime.
    env: { ORT_DISABLE_TELEMETRY: '1' },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const process: Running = { child, files };
  embedder.running = process;
  // If a job waits, the watchdog keeps the daemon alive.
  child.unref();
  child.channel?.unref();
  child.on('message', (message: FromProcess) => receive(embedder, process, message));
  // A process that could not be started has no `exit` event.
  child.on('error', (error) => crashed(embedder, process, error.message));
  child.on('exit', (code, signal) => crashed(embedder, process, `${signal ?? `exit code ${code}`}`));
  post(process, { type: 'load', directory: embedder.directory, model: embedder.model });
  watch(embedder, process);
}

function crashed(embedder: EmbedderState, process: Running, how: string): void {
  if (embedder.running !== process) return;
  end(embedder, process);
  embedder.crashes += 1;
  for (const [id, job] of embedder.jobs) {
    job.attempts += 1;
    delete job.vectors;
    job.missing = job.texts.length;
    if (job.attempts < maxAttempts) continue;
    embedder.jobs.delete(id);
    job.reject(new EmbeddingFailure(`The embedding process ended during its work (${how}).`));
  }
  if (embedder.crashes >= maxAttempts) {
    const forMs = Math.min(pauseMs.max, pauseMs.crashed * 2 ** (embedder.crashes - maxAttempts));
    const detail = `The embedding process has ended ${embedder.crashes} times in a row (${how}).`;
    fail(embedder, { detail, files: process.files, untilMs: performance.now() + forMs });
  } else if (embedder.jobs.size > 0) start(embedder, process.files);
  else enter(embedder, 'stopped');
}

function receive(embedder: EmbedderState, process: Running, message: FromProcess): void {
  if (embedder.running !== process) return;
  if (message.type === 'vectors') keep(embedder, process, message);
  else if (message.type === 'refused') refuse(embedder, message);
  else {
    const problem = problemOf(embedder, message);
    if (problem !== undefined) {
      end(embedder, process);
      fail(embedder, { detail: problem, files: process.files, untilMs: performance.now() + pauseMs.broken });
      return;
    }
    process.loaded = message as Running['loaded'];
    embedder.failure = undefined;
    enter(embedder, 'ready');
    submit(embedder, process);
  }
  watch(embedder, process);
  rest(embedder, process);
}

function refuse(embedder: EmbedderState, { id, detail }: Extract<FromProcess, { type: 'refused' }>): void {
  embedder.jobs.get(id)?.reject(new EmbeddingFailure(`The texts could not be embedded: ${detail}`));
  embedder.jobs.delete(id);
}

function problemOf(
  embedder: EmbedderState,
  message: Extract<FromProcess, { type: 'loaded' | 'failed' }>,
): string | undefined {
  if (message.type === 'failed') return message.detail;
  const { dimensions } = embedder.model;
  if (message.dimensions === dimensions) return undefined;
  const widths = `${message.dimensions} numbers instead of ${dimensions}`;
  return `The model in ${embedder.directory} gives vectors of ${widths}.`;
}

function keep(
  embedder: EmbedderState,
  { loaded }: Running,
  { id, rows, vectors }: Extract<FromProcess, { type: 'vectors' }>,
): void {
  const job = embedder.jobs.get(id);
  if (job === undefined || loaded === undefined) return;
  embedder.crashes = 0;
  const { dimensions, identity } = loaded;
  job.vectors ??= new Float32Array(job.texts.length * dimensions);
  for (const [at, row] of rows.entries())
    job.vectors.set(vectors.subarray(at * dimensions, (at + 1) * dimensions), row * dimensions);
  job.missing -= rows.length;
  if (job.missing > 0) return;
  embedder.jobs.delete(id);
  job.resolve({ identity, dimensions, vectors: job.vectors });
}

const absenceOf = ({ directory, missing }: EmbedderState): string => `The model is not in ${directory}. ${missing}`;

/** Makes sure that a process runs with the present files of the model. Throws if it is known that this would fail. */
function ensureRunning(embedder: EmbedderState): void {
  if (embedder.isDisposed) throw new EmbeddingFailure('The daemon is ending.');
  if (embedder.running !== undefined && embedder.jobs.size > 0) return;
  const files = signatureOf(embedder);
  if (files === undefined) {
    if (embedder.running !== undefined) end(embedder, embedder.running);
    const detail = absenceOf(embedder);
    enter(embedder, 'failed', detail);
    throw new EmbeddingFailure(detail);
  }
  if (embedder.running?.files === files) return;
  if (embedder.running !== undefined) end(embedder, embedder.running);
  if (embedder.failure?.files === files && embedder.failure.untilMs > performance.now())
    throw new EmbeddingFailure(embedder.failure.detail);
  start(embedder, files);
}

async function embed(embedder: EmbedderState, texts: readonly string[], use: TextUse): Promise<Embeddings> {
  if (texts.length === 0) throw new RangeError('There is nothing to embed.');
  ensureRunning(embedder);
  clearTimeout(embedder.idle);
  embedder.lastId += 1;
  const id = embedder.lastId;
  const { promise, resolve, reject } = Promise.withResolvers<Embeddings>();
  embedder.jobs.set(id, { texts, use, attempts: 0, missing: texts.length, resolve, reject });
  if (embedder.running?.loaded !== undefined) {
    submit(embedder, embedder.running);
    if (embedder.jobs.size === 1) watch(embedder, embedder.running);
  }
  return promise;
}

/** Changes whenever a file of the model changes. Undefined if a file is missing. */
function signatureOf({ directory, model }: EmbedderOptions): string | undefined {
  const lookAt = (path: string) => {
    try {
      return statSync(join(directory, path), { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  };
  const files = model.files.map(({ path }) => lookAt(path));
  if (files.includes(undefined)) return undefined;
  const sums = lookAt(checksumFile);
  return JSON.stringify([...files, sums].map((file) => [file?.ino, file?.size, file?.mtimeMs, file?.ctimeMs]));
}
