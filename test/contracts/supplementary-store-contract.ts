/** What holds of supplementary context of every store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import type { StoredSupplementaryItem } from '../../src/ports/store/supplementary.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

const addedAt = '2026-01-01T00:00:00.000Z';
let directory: string;
let store: Store;

export function item(n: number, more: Partial<StoredSupplementaryItem> = {}): StoredSupplementaryItem {
  return { id: n.toString(16).padStart(32, '0'), kind: 'file', path: `/p/${n}.ts`, addedAt, ...more };
}

export function supplementaryStoreContract(kind: StoreKind): void {
  describe(`SupplementaryStore: ${kind.name}`, () => {
    const create = () => kind.create(directory);

    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await create();
    });
    afterEach(() => store.close());

    it('SU-01 keeps a list for each mounted directory, in the order in which items were added', async () => {
      const items = [item(3), item(1, { kind: 'tab' }), item(2, { kind: 'folder' })];
      for (const each of items) await store.supplementary.append('/p', each);
      await store.supplementary.append('/q', item(4));
      expect(await store.supplementary.list('/p')).toEqual(items);
      expect(await store.supplementary.list('/q')).toEqual([item(4)]);
      expect(await store.supplementary.list('/P')).toEqual([]);
    });

    it('SU-01 replaces a whole list, and keeps the order given', async () => {
      for (const n of [1, 2, 3]) await store.supplementary.append('/p', item(n));
      await store.supplementary.append('/q', item(9));
      await store.supplementary.replace('/p', [item(5), item(2), item(4)]);
      expect(await store.supplementary.list('/p')).toEqual([item(5), item(2), item(4)]);
      await store.supplementary.append('/p', item(1));
      expect((await store.supplementary.list('/p')).map(({ id }) => id)).toEqual(
        [item(5), item(2), item(4), item(1)].map(({ id }) => id),
      );
      await store.supplementary.replace('/p', []);
      expect(await store.supplementary.list('/p')).toEqual([]);
      expect(await store.supplementary.list('/q')).toEqual([item(9)]);
    });

    it('SU-01 says whose item was removed', async () => {
      await store.supplementary.append('/p', item(1));
      await store.supplementary.append('/p', item(2));
      expect(await store.supplementary.remove(item(1).id)).toBe('/p');
      expect(await store.supplementary.remove(item(1).id)).toBeUndefined();
      expect(await store.supplementary.list('/p')).toEqual([item(2)]);
    });

    it('SU-01 keeps the same path as file and as tab', async () => {
      await store.supplementary.append('/p', item(1));
      await store.supplementary.append('/p', item(2, { kind: 'tab', path: item(1).path }));
      expect(await store.supplementary.list('/p')).toHaveLength(2);
    });

    it('S-44 keeps odd paths as they are', async () => {
      const paths = [
        "/p/'; DROP TABLE supplementary_items; --",
        '/p/a\nb',
        '/p/e\u0301',
        '/p/\u00e9',
        '/p/%',
        '/p/\u{1F600}',
      ];
      await store.supplementary.replace(
        '/p',
        paths.map((path, n) => item(n, { path })),
      );
      expect((await store.supplementary.list('/p')).map(({ path }) => path)).toEqual(paths);
    });
  });
}
