import { describe, expect, it } from 'vitest';
import { createFetchingEmbedder, type FetchModel } from '../../../src/adapters/embedding/fetching-embedder.ts';
import type { EmbedderStatus } from '../../../src/ports/ports.ts';
import { createFakeEmbedder } from '../../support/fake-embedder.ts';

/** `isThere` and `isWhole` say what is true of the files of the model. */
function setUp(fetchModel: FetchModel) {
  const files = { isThere: false, isWhole: true };
  const inner = createFakeEmbedder();
  Object.assign(inner, {
    isPresent: () => files.isThere,
    prepare: async () => {
      const problem = files.isThere ? 'It is damaged.' : 'It is not there.';
      inner.tell(files.isThere && files.isWhole ? { state: 'ready' } : { state: 'failed', detail: problem });
      if (inner.status().state === 'failed') throw new Error(problem);
    },
  });
  const told: EmbedderStatus[] = [];
  const embedder = createFetchingEmbedder(inner, fetchModel);
  embedder.onChange((status) => told.push(status));
  return { embedder, inner, files, told };
}

describe('fetching embedder', () => {
  it('SS-03 downloads when it is asked to get ready, once for all who ask, and tells each how far it is', async () => {
    let downloads = 0;
    const { embedder, files, told } = setUp(async ({ onProgress }) => {
      downloads += 1;
      await Promise.resolve();
      onProgress(0, 10);
      files.isThere = true;
      onProgress(10, 10);
    });
    const steps: number[][] = [[], []];
    await Promise.all(steps.map((own) => embedder.prepare((done) => own.push(done))));
    expect([downloads, embedder.isPresent()]).toEqual([1, true]);
    expect(steps).toEqual([
      [0, 10],
      [0, 10],
    ]);
    expect(told.map(({ state }) => state)).toEqual(['downloading', 'stopped', 'ready', 'ready']);
    await embedder.prepare(() => {});
    expect(downloads).toBe(1);
  });

  it('S-78 never downloads to embed', async () => {
    const { embedder, inner } = setUp(() => Promise.reject(new Error('Nobody asked.')));
    inner.failWith = 'The model is not there.';
    await expect(embedder.embed(['cat'])).rejects.toThrow('The model is not there.');
    inner.failWith = undefined;
    expect((await embedder.embed(['cat'])).vectors.length).toBe(384);
  });

  it('S-78 fetches what is damaged', async () => {
    const { embedder, files } = setUp(async () => {
      files.isWhole = true;
    });
    Object.assign(files, { isThere: true, isWhole: false });
    await embedder.prepare(() => {});
    expect(embedder.status()).toEqual({ state: 'ready' });
  });

  it('S-78 says what is wrong with a model too, where nothing is downloaded', async () => {
    const { embedder, files } = setUp(() => Promise.reject(new Error('It is your own.')));
    Object.assign(files, { isThere: true, isWhole: false });
    const detail = 'It is damaged. It is your own.';
    await expect(embedder.prepare(() => {})).rejects.toThrow(detail);
    expect(embedder.status()).toEqual({ state: 'failed', detail });
  });

  it('S-78 says why a download failed until something else happens, and tries again when it is asked', async () => {
    let works = false;
    const { embedder, inner, files, told } = setUp(async () => {
      if (!works) throw new Error('There is no network.');
      files.isThere = true;
    });
    await expect(embedder.prepare(() => {})).rejects.toThrow('There is no network.');
    expect(embedder.status()).toEqual({ state: 'failed', detail: 'There is no network.' });
    inner.tell({ state: 'stopped' });
    expect(embedder.status()).toEqual({ state: 'stopped' });
    works = true;
    await embedder.prepare(() => {});
    expect(told.at(-1)).toEqual({ state: 'ready' });
  });

  it('SS-03 shows the download, not that there is no model, while it is under way', async () => {
    const release = Promise.withResolvers<void>();
    const { embedder, inner, files, told } = setUp(async () => {
      await release.promise;
      files.isThere = true;
    });
    const ready = embedder.prepare(() => {});
    inner.tell({ state: 'failed', detail: 'It is not there.' });
    expect(embedder.status()).toEqual({ state: 'downloading' });
    expect(told).toEqual([{ state: 'downloading' }]);
    release.resolve();
    await ready;
  });

  it('breaks a download off when it is disposed of', async () => {
    const { embedder } = setUp(async ({ signal }) => {
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('Broken off.'))));
    });
    const ready = embedder.prepare(() => {});
    embedder.dispose();
    await expect(ready).rejects.toThrow('Broken off.');
  });
});
