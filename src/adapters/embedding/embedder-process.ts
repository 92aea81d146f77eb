/**
 * Turns texts into vectors in its own process, with Transformers.js and ONNX Runtime. Checks the files of the model
 * before anything reads them (S-78). Uses no network. Ends when the daemon ends.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire, registerHooks } from 'node:module';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FeatureExtractionPipeline, PreTrainedTokenizer, Tensor } from '@xenova/transformers';
import { checksumFile, type EmbeddingModel } from '../../ports/embedding-model.ts';
import type { TextUse } from '../../ports/ports.ts';

export type ToProcess =
  | { type: 'load'; directory: string; model: EmbeddingModel }
  | { type: 'embed'; id: number; texts: readonly string[]; use: TextUse };

/** `rows`: the indexes of the texts that the vectors belong to. A job is done when all of its rows have come. */
export type FromProcess =
  | { type: 'loaded'; identity: string; dimensions: number }
  | { type: 'failed'; detail: string }
  | { type: 'vectors'; id: number; rows: Uint32Array; vectors: Float32Array }
  | { type: 'refused'; id: number; detail: string };

/** Larger batches are not faster on a processor, and their answer comes later. */
const batchTokens = 256;

type Encoded = { row: number; ids: number[] };
type Job = { id: number; waiting: Encoded[] };
type Loaded = { model: EmbeddingModel; tokenizer: PreTrainedTokenizer; run: FeatureExtractionPipeline['model'] };

const jobs: Job[] = [];
let loaded: Loaded | undefined;
let isRunning = false;

if (process.send !== undefined) {
  // When the daemon is gone, nobody needs the result, and a native call would prevent an orderly end.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', (message: ToProcess) => {
    if (message.type === 'load') void load(message.directory, message.model);
    else accept(message).catch((error) => send({ type: 'refused', id: message.id, detail: String(error) }));
  });
}

function send(message: FromProcess): void {
  process.send?.(message);
}

async function load(directory: string, model: EmbeddingModel): Promise<void> {
  try {
    const identity = await verifyModel(directory, model);
    loaded = await loadModel(directory, model);
    // The library has read the files again, much later than the first check.
    if ((await verifyModel(directory, model)) !== identity)
      throw new Error(`The files in ${directory} changed while they were read.`);
    const [vector] = await embedBatch(loaded, [{ row: 0, ids: idsOf(loaded, 'ready') }]);
    if (!vector?.every(Number.isFinite)) throw new Error('The model does not answer with numbers.');
    await giveWay();
    send({ type: 'loaded', identity, dimensions: vector.length });
  } catch (error) {
    send({ type: 'failed', detail: error instanceof Error ? error.message : String(error) });
  }
}

/** Other programs go first from now on. Loading would take ten times as long on a busy machine. */
async function giveWay(): Promise<void> {
  // On Linux, the threads of the runtime keep the priority with which they began.
  const threads = await readdir('/proc/self/task').catch(() => []);
  for (const thread of [process.pid, ...threads.map(Number)])
    try {
      setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // This thread has ended.
    }
}

/**
 * The identity of the model: a hash of its files and of how they are used. Each file must be the pinned one, or match
 * `SHA256SUMS` of the directory. Rejects with a sentence for people.
 */
async function verifyModel(directory: string, model: EmbeddingModel): Promise<string> {
  const sums = await readFile(join(directory, checksumFile), 'utf8').catch(() => undefined);
  const listed = new Map<string, string>();
  for (const [, sum = '', path = ''] of (sums ?? '').matchAll(/^([0-9a-f]{64}) [ *](?:\.\/)?(.+?)\r?$/gmu))
    listed.set(path, sum);
  const identity = createHash('sha256').update(usageOf(model));
  for (const { path, sha256 } of model.files) {
    const found = await hashFile(join(directory, path));
    const wanted = sums === undefined ? sha256 : listed.get(path);
    if (found !== wanted) {
      const why =
        sums === undefined
          ? `is not the file of ${model.id} (SHA-256 ${found}). Delete it, or list the sums of your own model in ${checksumFile}.`
          : `does not match ${checksumFile}.`;
      throw new Error(`${join(directory, path)} ${why}`);
    }
    identity.update(`\n${path} ${found}`);
  }
  return identity.digest('hex').slice(0, 32);
}

/** Changes if the same model is used in another way. */
function usageOf({ pooling, longestText, prefixes }: EmbeddingModel): string {
  const { question, document } = prefixes;
  const ofPrefixes = question + document === '' ? '' : `, ${JSON.stringify([question, document])}`;
  return `${pooling}, normalised, ${longestText}${ofPrefixes}`;
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is not a file');
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(piece as Buffer);
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  return hash.digest('hex');
}

/**
 * The runtime for this platform. An installed contextd has it in a package of its own, a clone in the package for all
 * platforms. Throws an error with a sentence for people.
 */
function loadRuntime(): unknown {
  const require = createRequire(import.meta.url);
  const ofPlatform = `contextd-onnxruntime-${process.platform}-${process.arch}`;
  for (const name of [ofPlatform, 'onnxruntime-node'])
    try {
      return require(name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // An existing package can lack one of its own parts.
      if (code === 'MODULE_NOT_FOUND' && message.startsWith(`Cannot find module '${name}'`)) continue;
      throw new Error(`The runtime of the model, ${name}, cannot be loaded: ${message.split('\n')[0]}`);
    }
  throw new Error(
    `The runtime of the model is not installed: ${ofPlatform} has it, where there is one for this platform.`,
  );
}

async function loadModel(directory: string, model: EmbeddingModel): Promise<Loaded> {
  // The library imports `sharp` for images. This replaces it, so that it makes no difference whether `sharp` is
  // installed, and it takes no memory.
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === 'sharp'
        ? { url: 'data:text/javascript,export default () => { throw new Error("no images") }', shortCircuit: true }
        : nextResolve(specifier, context),
  });
  const refuse = (): never => {
    throw new Error('The network is not used here.');
  };
  globalThis.fetch = refuse;
  // The library uses a runtime from this symbol, and computes on its default device: the processor.
  Object.assign(globalThis, { [Symbol.for('onnxruntime')]: loadRuntime() });
  const { env, pipeline } = await import('@xenova/transformers');
  Object.assign(env, { allowRemoteModels: false, useFSCache: false, useWasmCache: false, fetch: refuse });
  // Otherwise the threads of the runtime spin after each run, and a question takes five times as much processor time.
  const session_options = { extra: { session: { force_spinning_stop: '1' } } };
  const options = { dtype: model.dtype, device: 'auto', local_files_only: true, session_options } as const;
  const { tokenizer, model: run } = await pipeline('feature-extraction', directory, options);
  return { model, tokenizer, run };
}

/** The word pieces of a text, with the marks at both ends. */
function idsOf({ tokenizer, model: { longestText } }: Loaded, text: string): number[] {
  const ids = tokenizer.encode(text);
  // Only chunks in rare scripts have more.
  if (ids.length <= longestText) return ids;
  return [...ids.slice(0, longestText - 1), ids.at(-1) as number];
}

async function accept({ id, texts, use }: Extract<ToProcess, { type: 'embed' }>): Promise<void> {
  if (loaded === undefined) {
    send({ type: 'refused', id, detail: 'The model is not loaded.' });
    return;
  }
  const model = loaded;
  const prefix = model.model.prefixes[use];
  const encoded = texts.map((text, row) => ({ row, ids: idsOf(model, prefix + text) }));
  // Texts of similar length share a batch, to avoid time for padding.
  jobs.push({ id, waiting: encoded.sort((a, b) => a.ids.length - b.ids.length) });
  if (isRunning) return;
  isRunning = true;
  try {
    for (let job = shortestJob(); job !== undefined; job = shortestJob()) await runBatch(model, job);
  } finally {
    isRunning = false;
  }
}

/** The job with the fewest texts left, so that a question does not wait until everything is indexed. */
function shortestJob(): Job | undefined {
  return jobs.reduce<Job | undefined>(
    (best, job) => (best !== undefined && best.waiting.length <= job.waiting.length ? best : job),
    undefined,
  );
}

async function runBatch(model: Loaded, job: Job): Promise<void> {
  const batch = takeBatch(job.waiting);
  try {
    const vectors = await embedBatch(model, batch);
    const flat = new Float32Array(vectors.reduce((sum, vector) => sum + vector.length, 0));
    for (const [at, vector] of vectors.entries()) flat.set(vector, at * vector.length);
    send({ type: 'vectors', id: job.id, rows: Uint32Array.from(batch, ({ row }) => row), vectors: flat });
  } catch (error) {
    job.waiting.length = 0;
    send({ type: 'refused', id: job.id, detail: error instanceof Error ? error.message : String(error) });
  }
  if (job.waiting.length === 0) jobs.splice(jobs.indexOf(job), 1);
  // A shorter job may have come since.
  await nextTurn();
}

/**
 * Takes the longest texts that are left. Padded to the longest one, they have at most `batchTokens` word pieces, unless
 * it is only one text.
 */
function takeBatch(waiting: Encoded[]): Encoded[] {
  const width = waiting.at(-1)?.ids.length ?? 1;
  const count = Math.max(1, Math.floor(batchTokens / width));
  return waiting.splice(Math.max(0, waiting.length - count));
}

async function embedBatch({ model, run }: Loaded, batch: readonly Encoded[]): Promise<Float32Array[]> {
  const { Tensor, mean_pooling } = await import('@xenova/transformers');
  const width = Math.max(...batch.map(({ ids }) => ids.length));
  const ids = new BigInt64Array(batch.length * width);
  const mask = new BigInt64Array(batch.length * width);
  for (const [at, encoded] of batch.entries())
    for (const [column, id] of encoded.ids.entries()) {
      ids[at * width + column] = BigInt(id);
      mask[at * width + column] = 1n;
    }
  const shape = [batch.length, width];
  const attention_mask = new Tensor('int64', mask, shape);
  const kinds = new Tensor('int64', new BigInt64Array(ids.length), shape);
  const inputs = { input_ids: new Tensor('int64', ids, shape), attention_mask, token_type_ids: kinds };
  const { last_hidden_state: pieces } = (await run(inputs)) as { last_hidden_state: Tensor };
  const whole = model.pooling === 'cls' ? pieces.slice(null, 0) : mean_pooling(pieces, attention_mask);
  const pooled = whole.normalize(2, -1);
  const vectors = pooled.data as Float32Array;
  const dimensions = pooled.dims.at(-1) ?? 0;
  return batch.map((_, at) => vectors.slice(at * dimensions, (at + 1) * dimensions));
}
