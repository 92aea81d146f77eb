/** The real process, library and runtime, with a small model of the project's own. */
import { execFileSync, type ForkOptions } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { getPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { env, pipeline } from '@xenova/transformers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createTransformersEmbedder,
  type EmbedderOptions,
} from '../../../src/adapters/embedding/transformers-embedder.ts';
import { defaultModel, type EmbeddingModel, findModel } from '../../../src/ports/embedding-model.ts';
import { type Embedder, EmbeddingFailure, type Embeddings } from '../../../src/ports/ports.ts';
import { entryPath, until } from '../../support/daemon.ts';
import { smallShape, writeSmallModel } from '../../support/model/model-directory.ts';
import { embedderProcesses } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';
import { sized } from '../../support/test-size.ts';

const kills = sized(2, 100, 1);

// As it is installed: from its source, each of the many processes takes half as long again.
vi.mock('node:child_process', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:child_process')>();
  const fork = (source: URL, args: string[], options: ForkOptions) => {
    const built = join(dirname(entryPath), 'embedder-process.js');
    return original.fork(existsSync(built) ? built : source, args, options);
  };
  return { ...original, fork };
});

let model: string;
let directory: string;
let made: Embedder[];

beforeAll(() => {
  model = temporaryDirectory();
  writeSmallModel(model);
});
beforeEach(() => {
  directory = temporaryDirectory();
  cpSync(model, directory, { recursive: true });
  made = [];
});
afterEach(() => {
  for (const embedder of made) embedder.dispose();
});

function create(options: Partial<EmbedderOptions> = {}): Embedder {
  const embedder = createTransformersEmbedder({ model: defaultModel, directory, missing: 'Put it there.', ...options });
  made.push(embedder);
  return embedder;
}

/** All that it tells from now on. */
function statesOf(embedder: Embedder): string[] {
  const states: string[] = [];
  embedder.onChange(({ state }) => states.push(state));
  return states;
}

const children = () => embedderProcesses(process.pid);

const vector = ({ vectors }: { vectors: Float32Array }, row: number) => vectors.subarray(row * 384, (row + 1) * 384);
const cosine = (left: Float32Array, right: Float32Array) =>
  left.reduce((sum, value, at) => sum + value * (right[at] as number), 0);

const onnx = () => join(directory, 'onnx/model_quantized.onnx');
const failureOf = (embedder: Embedder, text = 'cat') =>
  embedder.embed([text]).then(
    () => undefined,
    (error: unknown) => error as Error,
  );

describe('transformers embedder', () => {
  it('SS-03 makes normalised vectors of 384 numbers that tell what texts mean', async () => {
    const embedder = create();
    const texts = ['the cat', 'a database query', 'one kitten', '', 'word '.repeat(2_000), 'Ünïcode 漢字 🎉'];
    const answer = await embedder.embed(texts);
    expect(answer.dimensions).toBe(384);
    expect(answer.identity).toMatch(/^[0-9a-f]{32}$/u);
    expect(answer.vectors.length).toBe(texts.length * 384);
    for (let row = 0; row < texts.length; row += 1) expect(Math.hypot(...vector(answer, row))).toBeCloseTo(1, 4);
    expect(cosine(vector(answer, 0), vector(answer, 2))).toBeGreaterThan(0.8);
    expect(cosine(vector(answer, 0), vector(answer, 1))).toBeLessThan(0.5);
  });

  it('SS-03 gives each text the vector that it has by itself, whatever shares its batch', async () => {
    const embedder = create();
    const texts = Array.from({ length: 70 }, (_, at) => `cat ${'database '.repeat(at % 9)}weather`);
    const together = await embedder.embed(texts);
    for (const row of [0, 8, 35, 69]) {
      const alone = await embedder.embed([texts[row] as string]);
      expect(cosine(vector(alone, 0), vector(together, row))).toBeGreaterThan(0.999);
    }
  });

  it('SS-10 uses each model as it was trained: its pooling, and what goes before a question', async () => {
    const texts = ['the cat', 'a database query', `cat ${'weather '.repeat(40)}`];
    env.allowRemoteModels = false;
    const bare = await pipeline('feature-extraction', directory, { dtype: 'q8', local_files_only: true });
    const identities = new Set<string>();
    for (const model of [defaultModel, findModel('bge-small-en-v1.5') as EmbeddingModel]) {
      const embedder = create({ model });
      const answer = await embedder.embed(texts);
      identities.add(answer.identity);
      for (const [row, text] of texts.entries()) {
        const expected = await bare(text, { pooling: model.pooling, normalize: true });
        expect(cosine(vector(answer, row), expected.data as Float32Array)).toBeGreaterThan(0.999);
      }
      embedder.dispose();
    }
    await bare.dispose();
    // Of words that the small model knows.
    const asked = create({ model: { ...defaultModel, prefixes: { question: 'database: ', document: '' } } });
    const question = await asked.embed(['the cat'], 'question');
    identities.add(question.identity);
    expect(question.vectors).toEqual((await asked.embed(['database: the cat'])).vectors);
    expect(cosine(question.vectors, (await asked.embed(['the cat'])).vectors)).toBeLessThan(0.95);
    expect(identities.size).toBe(3);
  });

  it('SS-03 starts one process at first need for all who ask, and says what it does', async () => {
    const embedder = create();
    const states: string[] = [];
    embedder.onChange(({ state }) => states.push(state));
    // That of the test before may still be ending.
    await until(() => children().length === 0);
    expect(embedder.status()).toEqual({ state: 'stopped' });
    await Promise.all(Array.from({ length: 6 }, (_, at) => embedder.embed([`cat ${at}`])));
    expect(states).toEqual(['loading', 'ready']);
    expect(children()).toHaveLength(1);
  });

  it('SS-03 lets the process go when it has been idle, and starts another one', async () => {
    const embedder = create({ idleMs: 30 });
    await embedder.embed(['cat']);
    await until(() => embedder.status().state === 'stopped' && children().length === 0);
    expect((await embedder.embed(['cat'])).vectors.length).toBe(384);
  });

  it.skipIf(process.platform !== 'linux')(
    'SS-03 gives way to other programs, with each thread, once it is loaded',
    async () => {
      await create().embed(['cat']);
      const [pid = 0] = children();
      const threads = readdirSync(`/proc/${pid}/task`).map(Number);
      expect(threads.length).toBeGreaterThan(4);
      expect(new Set(threads.map((thread) => getPriority(thread)))).toEqual(new Set([10]));
    },
  );

  it.skipIf(process.platform !== 'linux')('S-79 hands nothing of its environment on', async () => {
    process.env.CONTEXTD_TEST_SECRET = 'hunter2';
    try {
      await create().embed(['cat']);
      const environment = readFileSync(`/proc/${children()[0]}/environ`, 'utf8').split('\0').filter(Boolean);
      expect(environment.filter((entry) => !entry.startsWith('NODE_CHANNEL'))).toEqual(['ORT_DISABLE_TELEMETRY=1']);
    } finally {
      delete process.env.CONTEXTD_TEST_SECRET;
    }
  });

  it(`S-79 answers again after each of ${kills} kills in the middle of a batch`, {
    timeout: 60_000 + kills * 10_000,
  }, async () => {
    const embedder = create();
    // That of the test before may still be ending.
    await until(() => children().length === 0);
    const texts = Array.from({ length: 150 }, (_, at) => `${'cat database weather '.repeat(20)}${at}`);
    const expected = await embedder.embed(texts.slice(0, 1));
    const killed = new Set<number>();
    let answered = 0;
    let idle = 0;
    embedder.onChange(({ state }) => {
      if (state === 'stopped') idle += 1;
    });
    for (let round = 0; round < kills; round += 1) {
      const under = embedder.embed(texts).then(
        (answer) => cosine(vector(answer, 0), expected.vectors) > 0.999,
        (error: unknown) => error instanceof EmbeddingFailure && 'refused',
      );
      await until(() => embedder.status().state === 'ready');
      const pids = children().filter((pid) => !killed.has(pid));
      expect(pids, `round ${round}`).toHaveLength(1);
      for (const pid of pids) if (process.kill(pid, 'SIGKILL')) killed.add(pid);
      const outcome = await under;
      expect(outcome).not.toBe(false);
      if (outcome === true) answered += 1;
    }
    expect([answered, killed.size]).toEqual([kills, kills]);
    // One that had answered by then was not in the middle.
    expect(idle).toBeLessThan(kills / 2);
    expect(children()).toHaveLength(1);
  });

  it('S-79 stops trying what kills the process, and pauses', { timeout: 60_000 }, async () => {
    const embedder = create();
    embedder.onChange(({ state }) => {
      if (state === 'ready') for (const pid of children()) process.kill(pid, 'SIGKILL');
    });
    expect((await failureOf(embedder))?.message).toMatch(/ended 3 times in a row|ended during its work/u);
    expect(embedder.status().state).toBe('failed');
    const states = statesOf(embedder);
    expect(await failureOf(embedder)).toBeInstanceOf(EmbeddingFailure);
    expect(states).toEqual([]);
    expect(children()).toEqual([]);
  });

  it('S-79 kills a process that does not answer in time', async () => {
    const embedder = create({ batchMs: 1_500 });
    await embedder.embed(['cat']);
    const [pid = 0] = children();
    process.kill(pid, 'SIGSTOP');
    expect((await embedder.embed(['kitten'])).vectors.length).toBe(384);
    expect(children()).not.toContain(pid);
  });

  it('SS-03 lets a question pass what is being indexed', async () => {
    const embedder = create();
    await embedder.embed(['cat']);
    const order: string[] = [];
    const many = Array.from({ length: 600 }, (_, at) => `${'database '.repeat(60)}${at}`);
    const indexed = embedder.embed(many).then(() => order.push('indexed'));
    await embedder.embed(['cat?']).then(() => order.push('question'));
    await indexed;
    expect(order).toEqual(['question', 'indexed']);
  });

  it('S-79 says when no process can be started, and recovers', async () => {
    const embedder = create();
    const { execPath } = process;
    process.execPath = join(directory, 'no-such-program');
    try {
      expect((await failureOf(embedder))?.message).toMatch(/ENOENT/u);
    } finally {
      process.execPath = execPath;
    }
    const found = await until(() => embedder.embed(['cat']).catch(() => undefined));
    expect(found.vectors.length).toBe(384);
  });

  it('ends what waits when it is disposed of, and its process', async () => {
    const embedder = create();
    const under = failureOf(embedder);
    embedder.dispose();
    expect(await under).toBeInstanceOf(EmbeddingFailure);
    expect(await failureOf(embedder)).toBeInstanceOf(EmbeddingFailure);
    await until(() => children().length === 0);
  });
});

describe('a model that cannot be used', () => {
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] as number) ^ 1;
    writeFileSync(path, bytes);
  };
  const cases: { what: string; spoil(): void; says: RegExp }[] = [
    { what: 'missing', spoil: () => rmSync(onnx()), says: /The model is not in .*\. Put it there\.$/u },
    {
      what: 'gone with its directory',
      spoil: () => rmSync(directory, { recursive: true }),
      says: /The model is not in/u,
    },
    { what: 'truncated', spoil: () => truncateSync(onnx(), 50_000), says: /does not match SHA256SUMS\.$/u },
    { what: 'empty', spoil: () => truncateSync(onnx(), 0), says: /does not match SHA256SUMS\.$/u },
    { what: 'with one bit flipped', spoil: () => flip(onnx()), says: /does not match SHA256SUMS\.$/u },
    {
      what: 'with another tokenizer',
      spoil: () => flip(join(directory, 'tokenizer.json')),
      says: /tokenizer\.json does not match SHA256SUMS\.$/u,
    },
    {
      what: 'not the pinned one, and not vouched for',
      spoil: () => rmSync(join(directory, 'SHA256SUMS')),
      says: /config\.json is not the file of Xenova\/all-MiniLM-L6-v2 \(SHA-256 [0-9a-f]{64}\)\. Delete it, or/u,
    },
    {
      what: 'of another width',
      spoil: () => writeSmallModel(directory, { shape: { ...smallShape, dimensions: 96 } }),
      says: /gives vectors of 96 numbers instead of 384\.$/u,
    },
    {
      what: 'that answers no numbers',
      spoil: () => writeSmallModel(directory, { bias: Number.NaN }),
      says: /does not answer with numbers\.$/u,
    },
    {
      what: 'that is not a model',
      spoil: () => {
        writeSmallModel(directory);
        writeFileSync(onnx(), 'not a model');
        const sum = execFileSync('sha256sum', ['onnx/model_quantized.onnx'], { cwd: directory, encoding: 'utf8' });
        const sums = readFileSync(join(directory, 'SHA256SUMS'), 'utf8');
        writeFileSync(join(directory, 'SHA256SUMS'), sums.replace(/.* {2}onnx.*\n/u, sum));
      },
      says: /protobuf|model/iu,
    },
  ];

  it.each(cases)('S-78 $what: says why, and recovers by itself when it is mended', async ({ spoil, says }) => {
    const embedder = create();
    spoil();
    expect((await failureOf(embedder))?.message).toMatch(says);
    expect(embedder.status()).toMatchObject({ state: 'failed', detail: expect.stringMatching(says) });
    // Nothing is loaded again and again in vain.
    const states = statesOf(embedder);
    expect((await failureOf(embedder))?.message).toMatch(says);
    expect(states).toEqual([]);
    rmSync(directory, { recursive: true, force: true });
    cpSync(model, directory, { recursive: true });
    expect((await embedder.embed(['cat'])).vectors.length).toBe(384);
    expect(embedder.status()).toEqual({ state: 'ready' });
  });

  it('SS-07 says before its first use that the model is missing, and what to do', async () => {
    // That of the test before may still be ending.
    await until(() => children().length === 0);
    const embedder = create();
    expect(embedder.status()).toEqual({ state: 'stopped' });
    rmSync(onnx());
    const detail = expect.stringMatching(/^The model is not in .*\. Put it there\.$/u);
    expect(embedder.status()).toEqual({ state: 'stopped', detail });
    expect(children()).toEqual([]);
  });

  it('S-79 labels no vector as one of another model, whenever the files are replaced', {
    timeout: 60_000,
  }, async () => {
    const other = temporaryDirectory();
    const link = join(other, 'link');
    writeSmallModel(join(other, 'second'), { seed: 2 });
    const own = new Map<string, Float32Array>();
    for (const place of [directory, join(other, 'second')]) {
      const { identity, vectors } = await create({ directory: place }).embed(['cat']);
      own.set(identity, vectors);
    }
    for (const waitMs of [150, 250, 350, 450]) {
      symlinkSync(directory, link);
      const embedder = create({ directory: link });
      const answer = embedder.embed(['cat']).catch((error: unknown) => error);
      await delay(waitMs);
      symlinkSync(join(other, 'second'), `${link}.new`);
      renameSync(`${link}.new`, link);
      for (const found of [await answer, await embedder.embed(['cat'])]) {
        if (found instanceof EmbeddingFailure) continue;
        const { identity, vectors } = found as Embeddings;
        expect(cosine(vectors, own.get(identity) as Float32Array)).toBeGreaterThan(0.999);
      }
      embedder.dispose();
      rmSync(link);
    }
  });

  it('S-79 uses the model that lies there now, under another identity', async () => {
    const embedder = create();
    const first = await embedder.embed(['cat']);
    renameSync(directory, `${directory}-old`);
    try {
      writeSmallModel(directory, { seed: 2 });
      const second = await embedder.embed(['cat']);
      expect(second.identity).not.toBe(first.identity);
      expect(cosine(first.vectors, second.vectors)).toBeLessThan(0.9);
    } finally {
      rmSync(`${directory}-old`, { recursive: true });
    }
  });
});
