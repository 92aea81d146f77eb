import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import { chunkItem } from '../../src/search/chunk.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { createSemanticIndex, type SemanticIndexOptions } from '../../src/search/semantic-index.ts';
import { createWarmVectors } from '../../src/search/warm-vectors.ts';
import { eachTurn } from '../support/each-turn.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeEmbedder, type FakeEmbedder, vectorOf } from '../support/fake-embedder.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { nearest } from '../support/nearest.ts';
import { sized } from '../support/test-size.ts';
import { silentLogger } from '../support/workspace.ts';
import { holdClock, rushClock, settled } from './support/held-clock.ts';

function item(name: string, text: string, type: SearchItem['type'] = 'rule'): SearchItem {
  const sha256 = createHash('sha256').update(`${type}\n${name}\n${text}`).digest('hex');
  return { type, name, description: '', text, sha256 };
}

const paragraph = (word: string): string => `${word} `.repeat(80);
const cats = item('cats', 'The cat sleeps in the sun.');
const cars = item('cars', 'A car has four wheels.');
const tooMany = 'Too many searches by meaning run at once.';

type Parts = { embedder: FakeEmbedder; store: Store };

function setUp(options: Partial<SemanticIndexOptions> = {}, parts: Partial<Parts> = {}) {
  const { embedder = createFakeEmbedder(), store = createMemoryStore() } = parts;
  const clock = createFakeClock();
  const index = createSemanticIndex({ embedder, vectors: store.vectors, clock, logger: silentLogger, ...options });
  return { index, embedder, store, clock };
}

/** Texts that were embedded, but for the questions. */
const embedded = ({ calls }: FakeEmbedder): string[] => calls.flat().filter((text) => !text.endsWith('?'));

describe('semantic index', () => {
  it('SS-04 embeds what is missing when it is searched, and finds the nearest', async () => {
    const { index, embedder } = setUp();
    expect(index.size()).toEqual({ vectors: 0, bytes: 0 });
    const found = await index.match('where does the cat sleep?', [cars, cats]);
    if (!found.ok) throw new Error(found.detail);
    expect(found.matches.map(({ item, chunk }) => [item, chunk])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(nearest(found)?.item).toBe(1);
    expect(nearest(found)?.score).toBeGreaterThan(0.3);
    expect(embedded(embedder).sort()).toEqual([...chunkItem(cars), ...chunkItem(cats)].sort());
    expect(index.size().vectors).toBe(2);
  });

  it('SS-04 embeds nothing that it has embedded, for other items and after a restart too', async () => {
    const { index, embedder, store } = setUp();
    await index.match('a?', [cats, cars]);
    const before = embedded(embedder).length;
    await index.match('b?', [cars, cats, { ...cats }]);
    const again = setUp({}, { embedder, store });
    const found = await again.index.match('cat?', [cars, cats]);
    expect(nearest(found)?.item).toBe(1);
    expect(embedded(embedder).length).toBe(before);
  });

  it('SS-04 embeds only the changed chunks of a changed item', async () => {
    const { index, embedder } = setUp();
    const text = ['one', 'two', 'three'].map(paragraph).join('\n\n');
    await index.match('a?', [item('long', text)]);
    embedder.calls.length = 0;
    await index.match('a?', [item('long', text.replaceAll('two', 'too'))]);
    expect(embedded(embedder).map((chunk) => chunk.slice(0, 3))).toEqual(['too']);
  });

  it('SS-04 keeps nothing of what failed, and tries again', async () => {
    const { index, embedder, store } = setUp();
    embedder.failWith = 'The model is ill.';
    expect(await index.match('cat?', [cats])).toEqual({ ok: false, detail: 'The model is ill.' });
    await expect(index.warm([cats], () => {})).rejects.toThrow('The model is ill.');
    expect(await store.vectors.count('first')).toBe(0);
    embedder.failWith = undefined;
    expect(await index.match('cat?', [cats])).toMatchObject({ ok: true, matches: [{ item: 0 }] });
  });

  it('SS-04 goes on with chunks of which nobody could be told how far they are', async () => {
    const { index } = setUp({ waitMs: 1_000 });
    const refuse = () => {
      throw new Error('nobody listens');
    };
    await expect(index.warm([cats], refuse)).rejects.toThrow('nobody listens');
    expect(await index.match('cat?', [cats])).toMatchObject({ ok: true, matches: [{ item: 0 }] });
  });

  it.each([
    { what: 'not numbers', spoil: (vectors: Float32Array) => vectors.fill(Number.NaN) },
    { what: 'infinite', spoil: (vectors: Float32Array) => vectors.fill(Number.POSITIVE_INFINITY) },
    { what: 'zero', spoil: (vectors: Float32Array) => vectors.fill(0) },
    { what: 'too short', spoil: (vectors: Float32Array) => vectors.subarray(0, vectors.length / 2) },
  ])('S-78 SS-04 refuses and never stores vectors that are $what', async ({ spoil }) => {
    const { index, embedder, store } = setUp();
    embedder.before = (texts) => {
      embedder.spoil = texts[0]?.endsWith('?') ? undefined : spoil;
    };
    expect(await index.match('cat?', [cats])).toMatchObject({ ok: false });
    expect(await store.vectors.count('first')).toBe(0);
    embedder.before = undefined;
    embedder.spoil = spoil;
    expect(await index.match('cat?', [cats])).toMatchObject({ ok: false });
    embedder.spoil = undefined;
    expect(await index.match('cat?', [cats])).toMatchObject({ ok: true, matches: [{ item: 0 }] });
    expect(await store.vectors.count('first')).toBe(1);
  });

  it('S-79 compares no vectors of different models', async () => {
    const { index, embedder, store } = setUp();
    await index.match('cat?', [cats, cars]);
    embedder.identity = 'second';
    const found = await index.match('cat?', [cats, cars]);
    expect(found.ok && found.matches[0]?.item).toBe(0);
    expect(index.size().vectors).toBe(2);
    expect(await store.vectors.count('second')).toBe(2);
    embedder.identity = 'first';
    embedder.calls.length = 0;
    await index.match('cat?', [cats, cars]);
    expect(embedded(embedder)).toEqual([]);
  });

  it('S-79 begins again when the model changes between question and chunks', async () => {
    const { index, embedder } = setUp();
    embedder.before = (texts) => {
      if (texts[0]?.endsWith('?') && embedder.calls.length === 1) embedder.identity = 'second';
    };
    const found = await index.match('sun cat?', [cars, cats]);
    expect(nearest(found)?.item).toBe(1);
    expect(nearest(found)?.score).toBeGreaterThan(0.3);
  });

  it('S-71 searches with a store that refuses', async () => {
    const { embedder, store } = setUp();
    const broken = new Proxy(store.vectors, {
      get: () => () => {
        throw new Error('disk I/O error');
      },
    });
    const { index } = setUp({ vectors: broken }, { embedder });
    expect(await index.match('cat?', [cats])).toMatchObject({ ok: true });
  });

  it('SS-04 shares the work of searches that come at once', async () => {
    const { index, embedder } = setUp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => index.match('cat?', [cats, cars])));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(embedded(embedder).length).toBe(2);
  });

  it('SS-04 says how far it is when a search cannot wait, and goes on', async () => {
    const release = Promise.withResolvers<void>();
    const steps: [number, number][] = [];
    const { index, embedder } = setUp({ waitMs: 20, onProgress: (done, total) => steps.push([done, total]) });
    embedder.before = (texts) => (texts[0]?.endsWith('?') ? undefined : release.promise);
    const early = await index.match('cat?', [cats, cars]);
    expect(early).toEqual({ ok: false, detail: '0 of 2 chunks are indexed; the others follow.' });
    release.resolve();
    await expect.poll(() => steps.at(-1)).toEqual([2, 2]);
    expect(await index.match('cat?', [cats, cars])).toMatchObject({ ok: true });
    expect(embedded(embedder).length).toBe(2);
  });

  it('SS-11 does not wait for what cannot come in time, and says how far it is', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = holdClock();
    clock.nowMs = 0;
    const { index, embedder } = setUp();
    const slices: (() => void)[] = [];
    embedder.before = (texts) => (texts[0]?.endsWith('?') ? undefined : new Promise((resolve) => slices.push(resolve)));
    const many = Array.from({ length: 3_000 }, (_, at) => item(`rule ${at}`, 'cat'));
    const waiting = index.match('cat?', many);
    let answer: Awaited<typeof waiting> | undefined;
    void waiting.then((found) => {
      answer = found;
    });
    // A slice of 128 comes each second, so that all would take 24.
    for (; answer === undefined; clock.nowMs += 250) {
      await vi.advanceTimersByTimeAsync(250);
      if (clock.nowMs % 1_000 === 750) slices.shift()?.();
      await settled(10);
    }
    expect(clock.nowMs).toBeLessThan(3_000);
    expect(answer).toEqual({
      ok: false,
      detail: expect.stringMatching(/^(?:128|256) of 3000 chunks are indexed; the others follow\.$/u),
    });
  });

  it('S-79 takes on 256 searches at once while the model does not answer, and goes on after it', async () => {
    const { index, embedder } = setUp({ waitMs: 1 });
    const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
    embedder.before = () => answers;
    const asked = Array.from({ length: 300 }, (_, at) => index.match(`${at}?`, [cats, cars]));
    const details = (await Promise.all(asked)).map((found) => (found.ok ? 'found' : found.detail));
    expect(details.filter((detail) => detail === tooMany)).toHaveLength(44);
    expect(embedder.calls).toHaveLength(256);
    await expect(index.warm([cats], () => {})).rejects.toThrow(tooMany);
    answer();
    await expect.poll(async () => (await index.match('cat?', [cats, cars])).ok).toBe(true);
  });

  it('S-79 answers from memory however many searches wait for other items, and of these no more than 256 at once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    holdClock();
    const { index, embedder } = setUp();
    const searchOften = async (times: number, item: SearchItem) => {
      const asked = Array.from({ length: times }, (_, at) => index.match(`${at}?`, [item]));
      await settled(10);
      vi.advanceTimersByTime(8_000);
      return (await Promise.all(asked)).map((found) => (found.ok ? 'found' : found.detail));
    };
    await index.match('cat?', [cats]);
    embedder.before = (texts) => (texts[0]?.endsWith('?') ? undefined : new Promise(() => {}));
    expect(await searchOften(257, cars)).toContain(tooMany);
    expect(await searchOften(2, cats)).toEqual(['found', 'found']);
    embedder.before = () => new Promise(() => {});
    const details = await searchOften(257, cats);
    expect(details.filter((detail) => detail === tooMany)).toHaveLength(1);
  });

  it('S-79 says so when a model that is ready does not answer', async () => {
    const { index, embedder } = setUp({ waitMs: 20 });
    embedder.before = () => new Promise(() => {});
    expect(await index.match('cat?', [cats])).toEqual({ ok: false, detail: 'The model is being loaded.' });
    embedder.tell({ state: 'ready' });
    expect(await index.match('cat?', [cats])).toEqual({ ok: false, detail: 'The model does not answer in time.' });
  });

  it('S-71 makes no vector again that it can read, but not mark as used', async () => {
    const { index, store } = setUp();
    await index.match('cat?', [cats]);
    const refusing: Store['vectors'] = {
      ...store.vectors,
      touch() {
        throw new Error('database or disk is full');
      },
    };
    const again = setUp({}, { store: { ...store, vectors: refusing } });
    expect(await again.index.match('cat?', [cats])).toMatchObject({ ok: true, matches: [{ item: 0 }] });
    expect(embedded(again.embedder)).toEqual([]);
  });

  it('SS-08 keeps no more in memory than it may, and drops what is not asked about', async () => {
    const { index, embedder } = setUp({ maxVectors: 3 });
    const items = ['a', 'b', 'c', 'd'].map((name) => item(name, `${name} ${name}`));
    await index.match('x?', items.slice(0, 3));
    await index.match('x?', items.slice(2));
    expect(index.size().vectors).toBe(2);
    embedder.calls.length = 0;
    expect(await index.match('a?', items.slice(0, 2))).toMatchObject({ ok: true, matches: [{ item: 0 }, {}] });
    expect(embedded(embedder)).toEqual([]);
    const detail = 'There are 4 chunks. Search by meaning can take at most 3.';
    expect(await index.match('x?', items)).toEqual({ ok: false, detail });
  });

  it('SS-08 figure 10: does not grow while one item of many changes again and again', async () => {
    const { index, embedder } = setUp();
    const others = Array.from({ length: 50 }, (_, at) => item(`n${at}`, `text ${at}`));
    const rarely = item('rarely', 'asked about by others');
    await index.match('x?', [rarely]);
    let most = 0;
    const clock = holdClock();
    for (let version = 0; version < 1_000; version += 1) {
      clock.nowMs += 10_000;
      const found = await index.match('x?', [...others, item('edited', `version ${version}`)]);
      if (!found.ok) expect.fail(found.detail);
      most = Math.max(most, index.size().vectors);
    }
    expect(most).toBeLessThanOrEqual(51 + 501);
    const before = index.size().vectors;
    await index.match('x?', [rarely, ...others]);
    expect(index.size().vectors).toBe(before);
    expect(embedded(embedder)).toHaveLength(51 + 1_000);
  });

  it('SS-08 figure 10: does not grow while items of one name change in turn, nor embeds what is compared again', async () => {
    const { index, embedder } = setUp();
    const clock = holdClock();
    let most = 0;
    const versions = sized(800, 1_200);
    for (let version = 0; version < versions; version += 1) {
      const mine = [item('edited', `mine ${version}`)];
      const theirs = [item('edited', `theirs ${version}`)];
      for (const items of [mine, theirs, mine, theirs]) {
        clock.nowMs += 5_000;
        const found = await index.match('x?', items);
        if (!found.ok) expect.fail(found.detail);
      }
      most = Math.max(most, index.size().vectors);
    }
    expect(most).toBeLessThanOrEqual(700);
    expect(embedded(embedder)).toHaveLength(2 * versions);
  });

  it('SS-08 figure 10: does not grow while items change faster than they are embedded', async () => {
    const { index, embedder } = setUp();
    const clock = holdClock();
    let most = 0;
    for (let version = 0; version < 800; version += 2) {
      const release = Promise.withResolvers<void>();
      embedder.before = (texts) => (texts[0]?.endsWith('?') ? undefined : release.promise);
      const slow = index.match('x?', [item('edited', `version ${version}`)]);
      clock.nowMs += 10_000;
      await settled(10);
      const next = index.match('x?', [item('edited', `version ${version + 1}`)]);
      await settled(10);
      release.resolve();
      expect(await Promise.all([slow, next])).toMatchObject([{ ok: true }, { ok: true }]);
      most = Math.max(most, index.size().vectors);
    }
    expect(most).toBeLessThanOrEqual(600);
  });

  it('SS-08 holds no turn for long when tens of thousands of vectors go', async () => {
    const warm = createWarmVectors(384);
    warm.adopt('model');
    const vector = vectorOf('text');
    const keys = Array.from({ length: 20_000 }, (_, at) => `key ${at}`);
    warm.add(keys.map((key) => ({ key, vector })));
    const count = () => keys.filter((key) => warm.has(key)).length;
    const clock = holdClock();
    clock.nowMs += 1;
    warm.leave(keys.filter((_, at) => at % 2 === 0));
    clock.nowMs += 10 * 60_000;
    const left: number[] = [20_000];
    while (left.at(-1) !== 10_000 && left.length < 100) {
      warm.leave([]);
      left.push(count());
    }
    expect(left.at(-1)).toBe(10_000);
    for (const [at, after] of left.slice(1).entries()) expect((left[at] as number) - after).toBeLessThanOrEqual(2_500);
    expect(warm.rowsOf(keys.filter((_, at) => at % 2 === 1))).toHaveLength(10_000);
    const retaining = warm.retain(new Set(keys.filter((_, at) => at % 4 === 1)));
    expect(count()).toBeGreaterThan(5_000);
    warm.add([{ key: 'added meanwhile', vector }]);
    await retaining;
    expect([count(), warm.count, warm.has('added meanwhile')]).toEqual([5_000, 5_001, true]);
    const rows = warm.rowsOf(['key 1', 'added meanwhile']) as Uint32Array;
    expect(warm.compare(vector, rows).every((score) => Math.abs(score - 1) < 0.001)).toBe(true);
  });

  it('S-79 lets others have their turn before many chunks are embedded', async () => {
    const { index, embedder } = setUp();
    rushClock();
    let turns = 0;
    const begun: number[] = [];
    embedder.before = () => void begun.push(turns);
    const items = Array.from({ length: 300 }, (_, at) => item(`n${at}`, `text ${at}`));
    await eachTurn(
      () => {
        turns += 1;
      },
      () => index.match('x?', items),
    );
    const [question, firstChunks] = begun as [number, number];
    expect(firstChunks - question).toBeGreaterThan(500);
  });

  it('SS-04 searches nothing when there is nothing', async () => {
    const { index } = setUp();
    expect(await index.match('cat?', [])).toEqual({ ok: true, matches: [] });
  });

  it('SS-04 indexes many chunks in slices, counts them, and forgets what has long been of no use', async () => {
    const { index, embedder, store, clock } = setUp();
    await store.vectors.add([{ key: 'k', vector: new Float32Array(384).fill(1 / Math.sqrt(384)) }], {
      identity: 'old',
      usedAt: clock.now(),
    });
    clock.advance(100 * 86_400_000);
    const many = Array.from({ length: 700 }, (_, at) => item(`n${at}`, `text ${at}`));
    const steps: [number, number][] = [];
    await index.warm(many, (done, total) => steps.push([done, total]));
    expect(steps[0]).toEqual([0, 700]);
    expect(steps.at(-1)).toEqual([700, 700]);
    expect(Math.max(...embedder.calls.map(({ length }) => length))).toBeLessThanOrEqual(128);
    expect(await store.vectors.count('first')).toBe(700);
    expect(await store.vectors.count('old')).toBe(0);
  });
});
