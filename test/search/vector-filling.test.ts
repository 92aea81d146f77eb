import { describe, expect, it } from 'vitest';
import { createVectorFilling } from '../../src/search/vector-filling.ts';
import { createWarmVectors } from '../../src/search/warm-vectors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeEmbedder } from '../support/fake-embedder.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { silentLogger } from '../support/workspace.ts';

const texts = (name: string, count: number) =>
  new Map(Array.from({ length: count }, (_, at) => [`key ${name} ${at}`, `${name} ${at}`]));

/** Calls of the model are answered one by one, by `answer`. */
async function setUp() {
  const embedder = createFakeEmbedder();
  const store = createMemoryStore().vectors;
  const warm = createWarmVectors(384);
  const parts = { warm, embedder, store, clock: createFakeClock(), logger: silentLogger, maxStored: 10_000 };
  const filling = createVectorFilling(parts);
  const { identity } = await filling.question('x?');
  embedder.calls.length = 0;
  const waiting: { resolve(): void; reject(error: Error): void }[] = [];
  embedder.before = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  const next = () => expect.poll(() => waiting.length, { interval: 1 }).toBeGreaterThan(0);
  const answer = async (error?: Error): Promise<void> => {
    await next();
    const call = waiting.shift();
    if (error === undefined) call?.resolve();
    else call?.reject(error);
  };
  return { embedder, warm, filling, identity, answer };
}

describe('filling', () => {
  it('SS-04 tells nothing of chunks behind the failure of others, nor goes on with any', async () => {
    const { embedder, warm, filling, identity, answer } = await setUp();
    const told: unknown[] = [];
    const filled = filling
      .fill(identity, texts('a', 400), (done, total) => void told.push([done, total]))
      .catch((error: Error) => void told.push(error.message));
    await answer(new Error('The model is ill.'));
    await answer();
    await filled;
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([[0, 400], [128, 400], 'The model is ill.']);
    expect(embedder.calls).toHaveLength(2);
    expect(warm.count).toBe(128);
  });

  it('SS-04 embeds no chunk twice when a part failed and everything is asked for again at once', async () => {
    const { embedder, warm, filling, identity, answer } = await setUp();
    const wanted = texts('a', 256);
    const fill = () => filling.fill(identity, new Map([...wanted].filter(([key]) => !warm.has(key))), () => {});
    const failed = expect(fill()).rejects.toThrow('The model is ill.');
    await answer(new Error('The model is ill.'));
    await Promise.all([failed, answer()]);
    // On a busy machine, two that begin at once share the chunks: there are one or two calls.
    embedder.before = undefined;
    await Promise.all([fill(), fill()]);
    expect(warm.count).toBe(256);
    const made = embedder.calls.slice(1).flat();
    expect(made).toHaveLength(new Set(made).size);
  });

  it('SS-04 does not fail because another did that filled some of it', async () => {
    const { warm, filling, identity, answer } = await setUp();
    const failed = expect(filling.fill(identity, texts('a', 1), () => {})).rejects.toThrow('The model is ill.');
    const both = filling.fill(identity, new Map([...texts('a', 1), ...texts('b', 1)]), () => {});
    await answer(new Error('The model is ill.'));
    await Promise.all([failed, answer(), both]);
    expect(warm.has('key b 0')).toBe(true);
  });
});
