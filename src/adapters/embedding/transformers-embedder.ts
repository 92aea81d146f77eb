/** `Embedder` through `embedder-process.ts`: starts that process, watches it, and ends it. */
import { type ChildProcess, fork } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checksumFile, type EmbeddingModel } from '../../ports/embedding-model.ts';
import { type Embedder, EmbeddingFailure, type Embeddings, type TextUse } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import type { FromProcess, ToProcess } from './embedder-process.ts';
import { createStatus } from './embedder-status.ts';
import { createEmbeddingJobs, maxAttempts } from './embedding-jobs.ts';

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

type Running = {
  child: ChildProcess;
  files: string;
  loaded?: { identity: string; dimensions: number };
  watchdog?: NodeJS.Timeout;
};
/** After a failure nothing is tried until `untilMs`, unless the files of the model have changed. */
type Failure = { detail: string; files: string; untilMs: number };

const pauseMs = { broken: 30_000, crashed: 1_000, max: 60_000 };

/** The process, its jobs, and its failures. */
function createEmbedderState(options: EmbedderOptions) {
  const { idleMs = 10 * 60_000, batchMs = fixedLimits.search.batchMs } = options;
  return {
    ...options,
    idleMs,
    batchMs,
    jobs: createEmbeddingJobs(),
    status: createStatus(),
    isDisposed: false,
    running: undefined as Running | undefined,
    failure: undefined as Failure | undefined,
    crashes: 0,
    idle: undefined as NodeJS.Timeout | undefined,
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
      const status = embedder.status.now();
      const isMissing = status.state === 'stopped' && signatureOf(embedder) === undefined;
      return isMissing ? { ...status, detail: absenceOf(embedder) } : status;
    },
    onChange: embedder.status.onChange,
    async prepare() {
      await embed(embedder, ['ready'], 'document');
    },
    embed: (texts, use = 'document') => embed(embedder, texts, use),
    dispose() {
      embedder.isDisposed = true;
      clearTimeout(embedder.idle);
      if (embedder.running !== undefined) end(embedder, embedder.running);
      embedder.jobs.refuseAll('The daemon is ending.');
    },
  };
}

function fail(embedder: EmbedderState, failure: Failure): void {
  embedder.failure = failure;
  embedder.status.enter({ state: 'failed', detail: failure.detail });
  embedder.jobs.refuseAll(failure.detail);
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
    embedder.status.enter({ state: 'stopped' });
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
  embedder.jobs.submit(process, (message) => post(process, message));
}

function start(embedder: EmbedderState, files: string): void {
  embedder.status.enter({ state: 'loading' });
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
  embedder.jobs.restart(how);
  if (embedder.crashes >= maxAttempts) {
    const forMs = Math.min(pauseMs.max, pauseMs.crashed * 2 ** (embedder.crashes - maxAttempts));
    const detail = `The embedding process has ended ${embedder.crashes} times in a row (${how}).`;
    fail(embedder, { detail, files: process.files, untilMs: performance.now() + forMs });
  } else if (embedder.jobs.size > 0) start(embedder, process.files);
  else embedder.status.enter({ state: 'stopped' });
}

function receive(embedder: EmbedderState, process: Running, message: FromProcess): void {
  if (embedder.running !== process) return;
  if (message.type === 'vectors') {
    embedder.crashes = 0;
    if (process.loaded !== undefined) embedder.jobs.keep(message, process.loaded);
  } else if (message.type === 'refused')
    embedder.jobs.refuse(message.id, `The texts could not be embedded: ${message.detail}`);
  else {
    const problem = problemOf(embedder, message);
    if (problem !== undefined) {
      end(embedder, process);
      fail(embedder, { detail: problem, files: process.files, untilMs: performance.now() + pauseMs.broken });
      return;
    }
    process.loaded = message as Running['loaded'];
    embedder.failure = undefined;
    embedder.status.enter({ state: 'ready' });
    submit(embedder, process);
  }
  watch(embedder, process);
  rest(embedder, process);
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

const absenceOf = ({ directory, missing }: EmbedderState): string => `The model is not in ${directory}. ${missing}`;

/** Makes sure that a process runs with the present files of the model. Throws if it is known that this would fail. */
function ensureRunning(embedder: EmbedderState): void {
  if (embedder.isDisposed) throw new EmbeddingFailure('The daemon is ending.');
  if (embedder.running !== undefined && embedder.jobs.size > 0) return;
  const files = signatureOf(embedder);
  if (files === undefined) {
    if (embedder.running !== undefined) end(embedder, embedder.running);
    const detail = absenceOf(embedder);
    embedder.status.enter({ state: 'failed', detail });
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
  const embedded = embedder.jobs.add(texts, use);
  if (embedder.running?.loaded !== undefined) {
    submit(embedder, embedder.running);
    if (embedder.jobs.size === 1) watch(embedder, embedder.running);
  }
  return embedded;
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
