import { describe, expect, it } from 'vitest';
import type { EngineCore } from '../../src/engine-core.ts';
import { ContextdError } from '../../src/errors.ts';
import type { EventData } from '../../src/events/event.ts';
import { background } from '../../src/search/background.ts';
import { createIndexGroup } from '../../src/search/index-verbs.ts';
import { createSearch } from '../../src/search/search.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeEmbedder } from '../support/fake-embedder.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { silentLogger } from '../support/workspace.ts';

type Published = { type: string; data: EventData['index-progress'] };

const items: SearchItem[] = ['one', 'two', 'three'].map((name) => ({
  type: 'rule',
  name,
  description: '',
  text: `About ${name}.`,
  sha256: name,
}));

function setUp() {
  const embedder = createFakeEmbedder();
  const published: Published[] = [];
  const core = {
    store: createMemoryStore(),
    clock: createFakeClock(),
    logger: silentLogger,
    publish: (type: string, data: EventData['index-progress']) => published.push({ type, data: { ...data } }),
  };
  const itemsOf = async ({ agentId }: { agentId?: string | undefined }) => {
    if (agentId === 'nobody') throw new ContextdError('not_found', 'There is no such agent.');
    return items;
  };
  const { verbs, index } = createIndexGroup(core as unknown as EngineCore, { embedder, itemsOf });
  const progress = () => published.filter(({ type }) => type === 'index-progress').map(({ data }) => data);
  const ended = () => expect.poll(() => progress().at(-1)?.state, { interval: 2 });
  return { verbs, index, embedder, published, progress, ended };
}

describe('index verbs', () => {
  it('SS-03 gets the model and the vectors ready, and tells how far it is', async () => {
    const { verbs, progress, ended, embedder } = setUp();
    const { jobId } = await verbs.warm({ agentId: 'ada' });
    const total = items.length + background.length;
    expect(progress()).toEqual([]);
    await ended().toBe('finished');
    expect(progress()).toEqual([
      { jobId, phase: 'download', done: 1, total: 1, state: 'running' },
      { jobId, phase: 'index', done: 0, total, state: 'running' },
      { jobId, phase: 'index', done: total, total, state: 'running' },
      { jobId, phase: 'index', done: total, total, state: 'finished' },
    ]);
    expect(await verbs.status()).toMatchObject({ model: 'fake', dimensions: 384, vectors: total, jobs: [] });
    embedder.calls.length = 0;
    await verbs.warm({ agentId: 'ada' });
    await expect.poll(() => embedder.calls.length).toBe(1);
  });

  it('SS-09 asks a server how long its vectors are before it indexes, and refuses another model than it has', async () => {
    const { verbs, index, embedder } = setUp();
    const known = embedder.dimensions;
    Object.assign(embedder, { dimensions: undefined, endpoint: 'http://127.0.0.1:1' });
    embedder.failWith = 'The server is away.';
    embedder.before = () => {
      if (embedder.failWith === undefined) Object.assign(embedder, { dimensions: known });
    };
    expect(await verbs.status()).toMatchObject({ endpoint: 'http://127.0.0.1:1', dimensions: undefined });
    expect(await index.match('one', items)).toEqual({ ok: false, detail: 'The server is away.' });
    embedder.failWith = undefined;
    expect(await index.match('one', items)).toMatchObject({ ok: true });
    await expect(verbs.warm({ model: 'other' })).rejects.toMatchObject({ code: 'conflict' });
    await verbs.warm({ model: 'fake' });
  });

  it('SS-04 runs one job for a target at once, and no more than eight', async () => {
    const { verbs, embedder, ended } = setUp();
    const release = Promise.withResolvers<void>();
    embedder.before = () => release.promise;
    const first = await verbs.warm({ agentId: 'a' });
    expect(await verbs.warm({ agentId: 'a' })).toEqual(first);
    expect(await verbs.warm({ mountedDirectory: '/a' })).not.toEqual(first);
    for (const agentId of ['b', 'c', 'd', 'e', 'f', 'g']) await verbs.warm({ agentId });
    await expect(verbs.warm({ agentId: 'h' })).rejects.toMatchObject({ code: 'limit_exceeded' });
    expect((await verbs.status()).jobs).toHaveLength(8);
    release.resolve();
    await ended().toBe('finished');
    await expect.poll(async () => (await verbs.status()).jobs).toEqual([]);
    expect(await verbs.warm({ agentId: 'a' })).not.toEqual(first);
  });

  it('SS-03 says why a job failed, and refuses what it does not know', async () => {
    const { verbs, embedder, progress, ended } = setUp();
    await expect(verbs.warm({ agentId: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
    embedder.failWith = 'There is no network.';
    const { jobId } = await verbs.warm({});
    await ended().toBe('failed');
    expect(progress().at(-1)).toMatchObject({ jobId, detail: 'There is no network.' });
    expect((await verbs.status()).jobs).toEqual([]);
  });

  it('SS-07 RQ-02 says without items whether there is a model, and starts none', async () => {
    const { index, embedder } = setUp();
    const ask = () => createSearch({ semanticIndex: index }).search('retry', []);
    expect(await ask()).toEqual({ results: [], semantic: { status: 'ready', engine: 'hybrid' } });
    embedder.tell({ state: 'failed', detail: 'The model is ill.' });
    const detail = 'The model is ill. Only words were compared.';
    expect((await ask()).semantic).toEqual({ status: 'degraded', engine: 'keyword', detail });
    embedder.tell({ state: 'stopped' });
    embedder.isPresent = () => false;
    expect((await ask()).semantic).toMatchObject({ status: 'degraded', engine: 'keyword' });
    expect(embedder.calls).toEqual([]);
  });

  it('SY-03 tells what the model does, and what searches have indexed', async () => {
    const { index, embedder, published } = setUp();
    embedder.tell({ state: 'loading' });
    embedder.tell({ state: 'failed', detail: 'It is damaged.' });
    await index.match('one?', items);
    expect(published).toEqual([
      { type: 'embedder-changed', data: { state: 'loading' } },
      { type: 'embedder-changed', data: { state: 'failed', detail: 'It is damaged.' } },
      { type: 'index-progress', data: { phase: 'index', done: 0, total: 3, state: 'running' } },
      { type: 'index-progress', data: { phase: 'index', done: 3, total: 3, state: 'finished' } },
    ]);
  });
});
