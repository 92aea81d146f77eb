/** What holds of vectors of every store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import { vectorOf } from '../support/fake-embedder.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

const day = 86_400_000;
export const key = (text: string) => ({ key: text, vector: vectorOf(text) });
let directory: string;
let store: Store;

export function vectorStoreContract(kind: StoreKind): void {
  describe(`VectorStore: ${kind.name}`, () => {
    const create = () => kind.create(directory);

    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await create();
    });
    afterEach(() => store.close());

    it('SS-04 gives back what was added, to the bit', async () => {
      await store.vectors.add([key('a'), key('b')], { identity: 'model', usedAt: 1 });
      expect(await store.vectors.get('model', ['b', 'missing', 'a'])).toEqual([key('b'), key('a')]);
      expect(await store.vectors.get('model', [])).toEqual([]);
      expect(await store.vectors.count('model')).toBe(2);
    });

    it('S-79 keeps the vectors of models apart', async () => {
      await store.vectors.add([key('a')], { identity: 'one', usedAt: 1 });
      await store.vectors.add([{ key: 'a', vector: vectorOf('other') }], { identity: 'two', usedAt: 1 });
      expect(await store.vectors.get('one', ['a'])).toEqual([key('a')]);
      expect(await store.vectors.get('three', ['a'])).toEqual([]);
      expect(await store.vectors.count('one')).toBe(1);
    });

    it('SS-04 replaces a vector that is added again, and takes parts of larger arrays', async () => {
      const block = new Float32Array([...vectorOf('x'), ...vectorOf('y')]);
      await store.vectors.add([{ key: 'a', vector: block.subarray(0, 384) }], { identity: 'model', usedAt: 1 });
      await store.vectors.add([{ key: 'a', vector: block.subarray(384) }], { identity: 'model', usedAt: 1 });
      expect(await store.vectors.get('model', ['a'])).toEqual([{ key: 'a', vector: vectorOf('y') }]);
    });

    it('SS-04 forgets what was of use longest ago, of whatever model', async () => {
      await store.vectors.add([key('a'), key('b')], { identity: 'one', usedAt: 1 * day });
      await store.vectors.add([key('c')], { identity: 'two', usedAt: 2 * day });
      await store.vectors.add([key('d')], { identity: 'one', usedAt: 3 * day });
      await store.vectors.touch(['a'], { identity: 'one', usedAt: 5 * day });
      await store.vectors.collect({ max: 10, usedBefore: 2 * day });
      expect((await store.vectors.get('one', ['a', 'b', 'd'])).map((each) => each.key)).toEqual(['a', 'd']);
      await store.vectors.collect({ max: 1, usedBefore: 0 });
      expect((await store.vectors.count('one')) + (await store.vectors.count('two'))).toBe(1);
      expect(await store.vectors.get('one', ['a'])).toHaveLength(1);
    });

    it('SS-04 takes times with a fraction, as sums of two clocks have them', async () => {
      await store.vectors.add([key('a'), key('b')], { identity: 'model', usedAt: day + 0.25 });
      await store.vectors.touch(['a'], { identity: 'model', usedAt: 3 * day + 0.75 });
      await store.vectors.collect({ max: 10, usedBefore: 2 * day + 0.5 });
      expect(await store.vectors.get('model', ['a', 'b'])).toEqual([key('a')]);
    });

    it('SS-04 adds all or nothing', async () => {
      const bad = { key: 'b', vector: undefined as unknown as Float32Array };
      await expect(store.vectors.add([key('a'), bad], { identity: 'model', usedAt: 1 })).rejects.toThrow();
      expect(await store.vectors.count('model')).toBe(0);
    });
  });
}
