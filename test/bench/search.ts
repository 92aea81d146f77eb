/**
 * Search by meaning beside what it is built on: the bare pipeline for indexing, the fastest exact search there is for
 * searching, the bare numbers for memory.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { env, type FeatureExtractionPipeline, pipeline } from '@xenova/transformers';
import { load as loadSqliteVec } from 'sqlite-vec';
import { exactSearch, MetricKind } from 'usearch';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createTransformersEmbedder } from '../../src/adapters/embedding/transformers-embedder.ts';
import { defaultModel } from '../../src/ports/embedding-model.ts';
import type { Embedder } from '../../src/ports/ports.ts';
import { bestChunks } from '../../src/search/best-chunks.ts';
import { selectionByMeaning } from '../../src/search/fuse.ts';
import { rankMatches } from '../../src/search/rank.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { createSemanticIndex, type WarmSemanticIndex } from '../../src/search/semantic-index.ts';
import { createWarmVectors } from '../../src/search/warm-vectors.ts';
import { collectGarbage } from '../support/memory-in-use.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { writeMiniLmSizedModel, writeSmallModel } from '../support/model/model-directory.ts';
import { seededRandom } from '../support/model/seeded-random.ts';
import { embedderProcesses } from '../support/processes.ts';
import { silentLogger } from '../support/workspace.ts';
import { type Figure, figureOf, inTurns, median } from './figures.ts';
import { processorMs } from './processes.ts';

const vectors = 100_000;
const dimensions = 384;
const topK = 20;
/** Of rules and skills of public repositories, on average. */
const chunksPerItem = 20;

export async function measureSearch(directory: string): Promise<Figure[]> {
  return [
    ...(await measureIndexing(directory)),
    await measureEventLoop(directory),
    ...(await measureSearching()),
    await measureMemory(),
  ];
}

const words =
  'every error must be logged with the name of the module that failed and what it was asked to do when database queries take long use an index write tests first'.split(
    ' ',
  );

/** Items of one chunk each, from five words to as many as a chunk can hold. */
function makeItems(count: number, random = seededRandom(5)): SearchItem[] {
  return Array.from({ length: count }, (_, at) => {
    const length = 5 + Math.floor(random.uniform() * 70);
    const text = Array.from({ length }, () => words[Math.floor(random.uniform() * words.length)]).join(' ');
    return itemOf(`rule-${at}`, text.slice(0, 480));
  });
}

function itemOf(name: string, text: string): SearchItem {
  const sha256 = createHash('sha256').update(`${name} ${text}`).digest('hex');
  return { type: 'rule', name, description: '', text, sha256 };
}

function indexWith(embedder: Embedder): WarmSemanticIndex {
  const { vectors } = createMemoryStore();
  return createSemanticIndex({ embedder, vectors, clock: createSystemClock(), logger: silentLogger });
}

/** Chunks per second, a model of the true size, beside the pipeline with the batch size that suits it best. */
async function measureIndexing(directory: string): Promise<Figure[]> {
  const model = join(directory, 'model');
  writeMiniLmSizedModel(model);
  const items = makeItems(96);
  const texts = items.map(({ name, text }) => `${name}\n\n${text}`);
  env.allowRemoteModels = false;
  const bare = await pipeline('feature-extraction', model, { dtype: 'q8', local_files_only: true });
  const bareRate = (batch: number, sample: readonly string[]): Promise<number> =>
    rateOf(sample.length, () => runBare(bare, sample, batch));
  await bareRate(4, texts.slice(0, 16));
  let best = { batch: 1, rate: 0 };
  for (const batch of [1, 2, 4, 8, 16]) {
    const rate = await bareRate(batch, texts.slice(0, 48));
    if (rate > best.rate) best = { batch, rate };
  }
  const embedder = createTransformersEmbedder({ model: defaultModel, directory: model, missing: '' });
  let calls = 0;
  const counting: Embedder = {
    ...embedder,
    embed(asked) {
      calls += 1;
      return embedder.embed(asked);
    },
  };
  await embedder.embed(texts.slice(0, 16));
  const ours = () => rateOf(items.length, () => indexWith(counting).warm(items, () => {}));
  const rounds = await inTurns(4, ours, () => bareRate(best.batch, texts));
  const index = indexWith(counting);
  await index.warm(items, () => {});
  const first = calls;
  await index.match('question', items);
  // The question itself is embedded.
  const unchanged = calls - first - 1;
  const questions = await inTurns(
    4,
    () => questionMs(embedderProcesses(process.pid)[0] as number, (text) => embedder.embed([text])),
    () => questionMs(process.pid, (text) => runBare(bare, [text], 1)),
  );
  embedder.dispose();
  await bare.dispose();
  const batch = `batches of ${best.batch}`;
  return [
    figureOf({ name: `index, beside the bare pipeline in ${batch}`, unit: 'chunks/s', rounds, atLeast: 0.9 }),
    figureOf({ name: 'calls of the model for unchanged items', unit: 'calls', rounds: [[unchanged, 1]], atMost: 0 }),
    figureOf({
      name: 'processor time of a question, beside the bare pipeline',
      unit: 'ms',
      rounds: questions,
      atMost: 0.6,
    }),
  ];
}

async function runBare(bare: FeatureExtractionPipeline, texts: readonly string[], batch: number): Promise<void> {
  for (let at = 0; at < texts.length; at += batch)
    await bare(texts.slice(at, at + batch), { pooling: 'mean', normalize: true });
}

/** What a question costs a process if they come now and then, in milliseconds. */
async function questionMs(pid: number, ask: (text: string) => Promise<unknown>): Promise<number> {
  const before = processorMs(pid);
  for (let at = 0; at < 30; at += 1) {
    await ask(`how are errors wrapped in the module ${at}?`);
    await delay(50);
  }
  return (processorMs(pid) - before) / 30;
}

async function rateOf(count: number, work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (1000 * count) / (performance.now() - startMs);
}

/** How long the event loop is held while 5,000 chunks are indexed; the small model leaves it the least time. */
async function measureEventLoop(directory: string): Promise<Figure> {
  const model = join(directory, 'small');
  writeSmallModel(model);
  const embedder = createTransformersEmbedder({ model: defaultModel, directory: model, missing: '' });
  await embedder.embed(['ready']);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await indexWith(embedder).warm(makeItems(5_000), () => {});
  delay.disable();
  embedder.dispose();
  const rounds: [number, number][] = [[delay.percentile(99) / 1e6, 50]];
  return figureOf({ name: 'event loop, p99 while 5,000 chunks are indexed', unit: 'ms', rounds, atMost: 1 });
}

type Search = (query: Float32Array) => unknown;

async function measureSearching(): Promise<Figure[]> {
  const random = seededRandom(11);
  const block = new Float32Array(vectors * dimensions);
  for (let row = 0; row < vectors; row += 1) block.set(randomVector(random.uniform), row * dimensions);
  const rowOf = (row: number) => block.subarray(row * dimensions, (row + 1) * dimensions);
  const warm = createWarmVectors(dimensions);
  const keys = Array.from({ length: vectors }, (_, row) => keyOf(row));
  for (const [row, key] of keys.entries()) warm.add([{ key, vector: rowOf(row) }]);
  const rows = warm.rowsOf(keys) as Uint32Array;
  const counts = new Array<number>(vectors / chunksPerItem).fill(chunksPerItem);
  const ours: Search = (query) => {
    const matches = bestChunks(warm.compare(query, rows), counts);
    return rankMatches(matches, selectionByMeaning({}, { matches, firsts: matches.map(({ first }) => first) }));
  };

  const database = new DatabaseSync(':memory:', { allowExtension: true });
  loadSqliteVec(database);
  database.exec(`CREATE VIRTUAL TABLE items USING vec0(vector float[${dimensions}] distance_metric=cosine)`);
  const insert = database.prepare('INSERT INTO items (vector) VALUES (?)');
  database.exec('BEGIN');
  for (let row = 0; row < vectors; row += 1) insert.run(bytesOf(rowOf(row)));
  database.exec('COMMIT');
  const nearest = database.prepare(`SELECT rowid, distance FROM items WHERE vector MATCH ? AND k = ${topK}`);

  const others: Record<string, Search> = {
    usearch: (query) => exactSearch(block, query, dimensions, topK, MetricKind.IP, 0),
    'sqlite-vec': (query) => nearest.all(bytesOf(query)),
    'a plain loop': (query) => plainSearch(block, query),
  };
  const medians = Object.entries(others).map(([name, search]) => ({ name, search, ms: medianTime(search, 3) }));
  const [fastest = { name: '', search: ours, ms: 0 }] = medians.sort((a, b) => a.ms - b.ms);
  const rounds = await inTurns(
    7,
    () => medianTime(ours, 9),
    () => medianTime(fastest.search, 9),
  );
  const p99 = percentileTime(ours, 200, 0.99);
  database.close();
  const note = medians.map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`).join(', ');
  return [
    figureOf({ name: `search 100,000 vectors, p50, beside ${fastest.name}`, unit: 'ms', rounds, atMost: 1, note }),
    figureOf({ name: '  … p99, against 60 ms', unit: 'ms', rounds: [[p99, 60]], atMost: 1 }),
  ];
}

async function measureMemory(): Promise<Figure> {
  const vector = new Float32Array(dimensions);
  const fill = () => {
    const warm = createWarmVectors(dimensions);
    for (let row = 0; row < vectors; row += 1) warm.add([{ key: keyOf(row), vector }]);
    return warm;
  };
  const rounds = await inTurns(
    3,
    () => heldMegabytes(fill),
    () => heldMegabytes(() => new Float32Array(vectors * dimensions)),
  );
  return figureOf({ name: 'memory of 100,000 vectors, beside their numbers', unit: 'MB', rounds, atMost: 0.6 });
}

function randomVector(uniform: () => number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => uniform() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** As keys of chunks are. */
function keyOf(row: number): string {
  return createHash('sha256').update(String(row)).digest('base64url').slice(0, 22);
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

function plainSearch(block: Float32Array, query: Float32Array): number[] {
  const scores = new Float32Array(vectors);
  for (let row = 0, at = 0; row < vectors; row += 1) {
    let sum = 0;
    for (let column = 0; column < dimensions; column += 1, at += 1)
      sum += (block[at] as number) * (query[column] as number);
    scores[row] = sum;
  }
  const floor = scores.toSorted().at(-topK) as number;
  return [...scores.keys()].filter((row) => (scores[row] as number) >= floor);
}

function medianTime(search: Search, times: number): number {
  return median(spentTimes(search, times));
}

function percentileTime(search: Search, times: number, share: number): number {
  const sorted = spentTimes(search, times).sort((a, b) => a - b);
  return sorted[Math.ceil(times * share) - 1] ?? Number.NaN;
}

function spentTimes(search: Search, times: number): number[] {
  const random = seededRandom(23);
  const spent: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const query = randomVector(random.uniform);
    const startMs = performance.now();
    search(query);
    spent.push(performance.now() - startMs);
  }
  return spent;
}

/** What is given back when nothing refers to what was made any more: nothing else comes or goes meanwhile. */
function heldMegabytes(make: () => object): number {
  const bytesInUse = (): number => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const made = new Set<object>();
  // A call of its own leaves no other reference behind.
  const hold = () => void made.add(make());
  hold();
  const held = bytesInUse();
  made.clear();
  return (held - bytesInUse()) / 1e6;
}
