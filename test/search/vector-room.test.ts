import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EmbeddingFailure } from '../../src/ports/ports.ts';
import { createDotKernel, type KernelMemory } from '../../src/search/dot-kernel.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { createSemanticIndex, type SemanticIndexOptions } from '../../src/search/semantic-index.ts';
import { createVectorRoom } from '../../src/search/vector-room.ts';
import { createWarmVectors } from '../../src/search/warm-vectors.ts';
import { eachTurn } from '../support/each-turn.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeEmbedder } from '../support/fake-embedder.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { nearest } from '../support/nearest.ts';
import { silentLogger } from '../support/workspace.ts';
import { holdClock, rushClock, settled } from './support/held-clock.ts';

const bytesOf = (vectors: number): number => 1.1 * vectors * 384 * 2 + 1_048_576;

function item(text: string): SearchItem {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { type: 'rule', name: text, description: '', text, sha256 };
}

/** Of one chunk each. */
const items = (name: string, count: number): SearchItem[] =>
  Array.from({ length: count }, (_, at) => item(`${name} ${at}`));

const cutOf = (name: string, count: number) => {
  const own = items(name, count);
  return { items: own, keys: own.map((each) => each.name), counts: own.map(() => 1) };
};

/** Nothing is read from the store, so that each vector that is lost is counted when it is made again. */
function setUp(options: Partial<SemanticIndexOptions> = {}) {
  const embedder = createFakeEmbedder();
  const vectors = { ...createMemoryStore().vectors, get: async () => [] };
  const index = createSemanticIndex({
    embedder,
    vectors,
    clock: createFakeClock(),
    logger: silentLogger,
    waitMs: 60_000,
    ...options,
  });
  const peak = { vectors: 0, bytes: 0 };
  const look = (): void => {
    const { vectors, bytes } = index.size();
    peak.vectors = Math.max(peak.vectors, vectors);
    peak.bytes = Math.max(peak.bytes, bytes);
  };
  /** Looks at what is in memory in every turn of the event loop until the work is done. */
  const watch = async <Result>(work: Promise<Result>): Promise<Result> => {
    look();
    return eachTurn(look, () => work).finally(look);
  };
  const match = (asked: readonly SearchItem[], question = 'x?') => index.match(question, asked);
  return { index, embedder, peak, watch, match };
}

const isQuestion = (texts: readonly string[]): boolean => texts[0]?.endsWith('?') === true;
const made = ({ calls }: { calls: string[][] }): string[] => calls.filter((texts) => !isQuestion(texts)).flat();

describe('room for vectors', () => {
  it('SS-08 never has more in memory than it may, however many search at once what fits only one by one', async () => {
    const { index, embedder, peak, watch, match } = setUp({ maxVectors: 400 });
    const searches = Array.from({ length: 10 }, (_, at) => items(`s${at}`, 380));
    const found = await watch(Promise.all(searches.map((asked) => match(asked))));
    expect(found.map(({ ok }) => ok)).toEqual(searches.map(() => true));
    expect(peak.vectors).toBeLessThanOrEqual(400);
    expect(peak.bytes).toBeLessThanOrEqual(bytesOf(400));
    expect(index.size().vectors).toBe(380);
    expect(made(embedder)).toHaveLength(3_800);
  });

  it('SS-08 counts what others are about to add, beside what is there by chance', async () => {
    const { embedder, peak, watch, match } = setUp({ maxVectors: 300 });
    await match(items('before', 100));
    await watch(Promise.all([match(items('a', 150)), match(items('b', 150))]));
    expect(peak.vectors).toBe(300);
    expect(made(embedder)).toHaveLength(400);
  });

  it('SS-08 gives memory back when what is left is far less', async () => {
    const { index, match } = setUp({ maxVectors: 3_000 });
    await match(items('many', 2_900));
    expect(index.size().bytes).toBeGreaterThan(2_900 * 384 * 2);
    await match(items('few', 200));
    expect(index.size().vectors).toBe(200);
    await expect.poll(() => index.size().bytes).toBeLessThanOrEqual(2 * 200 * 384 * 2 + 1_048_576);
    expect(nearest(await index.match('few 7', items('few', 200)))).toHaveProperty('item', 7);
  });

  it('SS-08 keeps what a search waits for while another makes room', async () => {
    const { embedder, match } = setUp({ maxVectors: 600 });
    await match(items('old', 300));
    await match(items('first', 200));
    const release = Promise.withResolvers<void>();
    embedder.before = (texts) => (texts[0]?.includes('new') ? release.promise : undefined);
    embedder.calls.length = 0;
    // It has 200 and waits for the last; the other one needs the room of the old ones.
    const first = match([...items('first', 200), ...items('new', 1)]);
    await settled();
    expect((await match(items('second', 200))).ok).toBe(true);
    release.resolve();
    expect((await first).ok).toBe(true);
    expect(made(embedder)).toHaveLength(201);
  });

  it('SS-08 keeps what a search finds that begins while another makes room', async () => {
    const { index, embedder, match } = setUp({ maxVectors: 5_000 });
    const found = items('found', 1_500);
    await match(found);
    await match(items('old', 3_000));
    embedder.calls.length = 0;
    holdClock();
    const first = match(items('first', 1_000));
    // What is old goes first, not all of it in one turn.
    while (index.size().vectors === 4_500) await settled(1);
    expect(index.size().vectors).toBeGreaterThan(1_500);
    const second = match([...found, ...items('new', 1)]);
    expect(await Promise.all([first, second])).toMatchObject([{ ok: true }, { ok: true }]);
    expect(made(embedder)).toHaveLength(1_001);
  });

  it('S-79 holds no more of what is kept after each of two changes of the model', async () => {
    const { embedder, match, peak, watch } = setUp({ maxVectors: 200 });
    const others = ['b', 'c', 'd', 'e'].map((name) => match(items(name, 150)));
    let changes = 0;
    embedder.before = (texts) => {
      if (isQuestion(texts) || changes === 2) return;
      changes += 1;
      embedder.identity = `changed ${changes}`;
    };
    const found = await watch(Promise.all([match(items('a', 190)), ...others]));
    expect(found.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    expect(peak.vectors).toBeLessThanOrEqual(200);
  });

  it('S-79 compares no question with vectors of another model that came while it waited for those of others', async () => {
    const { embedder, match } = setUp();
    const [shared, mine] = [item('a long text that others need too'), item('alpha')] as const;
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    embedder.before = (texts) => {
      if (texts.some((text) => text.includes('others need'))) return first.promise;
      return texts.some((text) => text.includes('theirs')) ? second.promise : undefined;
    };
    const theirs = match([shared, ...items('theirs', 200)]);
    await settled();
    const asked = match([shared, mine], 'alpha?');
    await settled();
    // What is shared has come, and the other waits until all of theirs has.
    first.resolve();
    await settled();
    embedder.identity = 'second';
    expect((await match([shared, mine])).ok).toBe(true);
    second.resolve();
    const found = await asked;
    expect(nearest(found)?.item).toBe(1);
    expect(nearest(found)?.score).toBeGreaterThan(0.5);
    expect((await theirs).ok).toBe(true);
  });

  it('SS-08 makes room once more when one that was under way has ended meanwhile', async () => {
    const warm = createWarmVectors(16);
    warm.adopt('model');
    const add = (keys: Iterable<string>) => warm.add([...keys].map((key) => ({ key, vector: new Float32Array(16) })));
    const [ending, filling, late] = [cutOf('ending', 8_000), cutOf('filling', 3_900), cutOf('late', 1_500)];
    for (const { keys } of [late, ending, cutOf('old', 200)]) add(keys);
    const room = createVectorRoom(warm, 12_000);
    const release = Promise.withResolvers<void>();
    const work = [
      room.use(ending, () => release.promise),
      room.use(filling, async (prepare) => {
        add((await prepare()).keys());
        expect(warm.count).toBe(1_500 + 3_900);
      }),
    ];
    while (warm.count === 9_700) await settled(1);
    release.resolve();
    work.push(room.use(late, async (prepare) => expect(await prepare()).toEqual(new Map())));
    await Promise.all(work);
    expect(warm.count).toBe(1_500 + 3_900);
  });

  it('SS-08 lets those that wait for room in when others have failed', async () => {
    const { embedder, match } = setUp({ maxVectors: 10 });
    embedder.before = (texts) => {
      if (texts.some((text) => text.includes('bad'))) throw new EmbeddingFailure('The process ended.');
    };
    const found = await Promise.all(['bad a', 'b', 'bad c', 'd', 'bad e'].map((name) => match(items(name, 9))));
    expect(found.map(({ ok }) => ok)).toEqual([false, true, false, true, false]);
    embedder.failWith = 'The daemon is ending.';
    const ended = await Promise.all(['f', 'g', 'h'].map((name) => match(items(name, 9))));
    expect(ended).toEqual(Array(3).fill({ ok: false, detail: 'The daemon is ending.' }));
  });

  it('SS-08 answers what is in memory, and what fits, while others wait for room', async () => {
    const { embedder, match } = setUp({ maxVectors: 100 });
    await match(items('warm', 10));
    const release = Promise.withResolvers<void>();
    embedder.before = (texts) => (texts[0]?.includes('slow') ? release.promise : undefined);
    const slow = [match(items('slow a', 80)), match(items('slow b', 80))];
    await settled();
    expect((await match(items('warm', 10))).ok).toBe(true);
    expect((await match(items('small', 5))).ok).toBe(true);
    release.resolve();
    expect((await Promise.all(slow)).every(({ ok }) => ok)).toBe(true);
  });

  it('SS-08 answers before it gives memory back, and searches while it does', async () => {
    const { index, match } = setUp({ maxVectors: 3_000 });
    await match(items('many', 2_900));
    const large = index.size().bytes;
    rushClock();
    const few = items('few', 200);
    const nearestTo = async (at: number) => nearest(await index.match(`few ${at}`, few));
    expect(await nearestTo(7)).toHaveProperty('item', 7);
    expect(await nearestTo(190)).toHaveProperty('item', 190);
    expect(index.size().bytes).toBe(large);
    while (index.size().bytes === large) await settled();
    expect(await nearestTo(42)).toHaveProperty('item', 42);
  });

  it('SS-08 answers when there is no memory for giving memory back', async () => {
    const { index, embedder, match } = setUp({ maxVectors: 3_000 });
    await match(items('many', 2_900));
    const large = index.size().bytes;
    const ofMemory: KernelMemory = Object.getPrototypeOf(createDotKernel().memory);
    embedder.before = () => {
      const grow = vi.spyOn(ofMemory, 'grow').mockImplementation(() => {
        throw new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory');
      });
      onTestFinished(() => grow.mockRestore());
      embedder.before = undefined;
    };
    expect((await match(items('few', 200))).ok).toBe(true);
    await settled();
    expect(index.size().bytes).toBe(large);
    expect(nearest(await index.match('few 7', items('few', 200)))).toHaveProperty('item', 7);
  });

  it('SS-08 takes memory for giving memory back once, however many searches end at once', async () => {
    const { index, match } = setUp({ maxVectors: 3_000 });
    await match(items('many', 2_900));
    const large = index.size().bytes;
    const grow = vi.spyOn(Object.getPrototypeOf(createDotKernel().memory) as KernelMemory, 'grow');
    onTestFinished(() => grow.mockRestore());
    rushClock();
    const few = items('few', 200);
    await Promise.all([match(few), match(few), match(few)]);
    while (index.size().bytes === large) await settled();
    await settled();
    expect(new Set(grow.mock.contexts).size).toBe(1);
  });

  it('SS-08 keeps what fits beside what has come and what is yet to come of others', async () => {
    const { index, embedder, match } = setUp({ maxVectors: 1_000 });
    await match(items('cached', 600));
    const release = Promise.withResolvers<void>();
    let slices = 0;
    embedder.before = (texts) => {
      if (texts[0]?.includes('slow')) slices += 1;
      return slices === 3 ? release.promise : undefined;
    };
    const slow = match(items('slow', 300));
    while (slices < 3) await settled();
    slices = 4;
    expect((await match(items('asked', 10))).ok).toBe(true);
    expect(index.size().vectors).toBe(600 + 2 * 128 + 10);
    release.resolve();
    expect((await slow).ok).toBe(true);
  });

  it('SS-08 lets a large search in before streams of smaller ones end', async () => {
    holdClock();
    const { embedder, match } = setUp({ maxVectors: 100 });
    const streams = Array.from({ length: 60 }, () => Promise.withResolvers<void>());
    embedder.before = (texts) => streams[Number(/small (\d+)/.exec(texts[0] as string)?.[1])]?.promise;
    const asked = [match(items('small 0', 20))];
    await settled();
    let isFound = false;
    const large = match(items('large', 90)).finally(() => {
      isFound = true;
    });
    for (let at = 1; at < streams.length && !isFound; at += 1) {
      asked.push(match(items(`small ${at}`, 20)));
      await settled();
      streams[at - 1]?.resolve();
      await settled();
    }
    expect(isFound).toBe(true);
    for (const { resolve } of streams) resolve();
    expect((await Promise.all([large, ...asked])).every(({ ok }) => ok)).toBe(true);
    // Some went before it.
    expect(asked.length).toBeGreaterThan(10);
  });

  it('SS-08 has room for the same chunks once, until the last search of them ends', async () => {
    const room = createVectorRoom(createWarmVectors(16), 100);
    const begun: string[] = [];
    const search = (name: string, cutName: string) => {
      const cut = cutOf(cutName, 60);
      const { promise, resolve } = Promise.withResolvers<void>();
      const ended = room.use(cut, () => {
        begun.push(name);
        return promise;
      });
      const end = () => {
        resolve();
        return ended;
      };
      return { cut, end };
    };
    const [a, again, b, bAgain] = [search('a', 'a'), search('again', 'a'), search('b', 'b'), search('b again', 'b')];
    await settled();
    expect(begun).toEqual(['a', 'again']);
    expect(await Promise.all([a, b, bAgain].map(({ cut }) => room.progressOf(cut)))).toEqual([
      undefined,
      'waiting',
      'waiting',
    ]);
    await a.end();
    await settled();
    expect(begun).toHaveLength(2);
    await again.end();
    await settled();
    expect(begun).toEqual(['a', 'again', 'b', 'b again']);
    await Promise.all([b.end(), bAgain.end()]);
  });

  it('SS-08 lets a search in before those that join one under way end', async () => {
    const room = createVectorRoom(createWarmVectors(16), 100);
    const ends: PromiseWithResolvers<void>[] = [];
    const join = () => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return room.use(cutOf('a', 60), () => end.promise);
    };
    const letIn = vi.fn(async () => {});
    const asked = [join(), room.use(cutOf('b', 60), letIn)];
    for (let at = 0; at < 60 && letIn.mock.calls.length === 0; at += 1) {
      asked.push(join());
      ends[at]?.resolve();
      await settled();
    }
    expect(letIn).toHaveBeenCalled();
    // Some joined before it was let in.
    expect(ends.length).toBeGreaterThan(10);
    for (const { resolve } of ends) resolve();
    await Promise.all(asked);
  });

  it('SS-04 says why a search waits: for its own items, asked once or twice, or for others', async () => {
    holdClock();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { embedder, match } = setUp({ maxVectors: 10, waitMs: 8_000 });
    embedder.tell({ state: 'ready' });
    embedder.before = (texts) => (texts[0] === 'x?' ? undefined : new Promise(() => {}));
    const asked = [match(items('a', 6)), match(items('a', 6)), match(items('b', 9)), match(items('c', 1), 'silent?')];
    await settled();
    vi.advanceTimersByTime(8_000);
    const details = [
      '0 of 6 chunks are indexed; the others follow.',
      '0 of 6 chunks are indexed; the others follow.',
      'Other items are indexed first.',
      'The model does not answer in time.',
    ];
    expect(await Promise.all(asked)).toEqual(details.map((detail) => ({ ok: false, detail })));
  });

  it('SS-08 lets others have their turn while it looks up what is missing', async () => {
    const { match } = setUp({ maxVectors: 4_000 });
    await match(items('a', 3_000));
    rushClock();
    const turn = vi.fn();
    const asked = [...items('a', 3_000).reverse(), ...items('b', 1)];
    await eachTurn(turn, () => match(asked));
    // One for each item that is cut, and one where it is missing.
    expect(turn.mock.calls.length).toBeGreaterThan(6_000);
  });
});
