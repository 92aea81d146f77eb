/** What holds of granted roots of every store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

const grantedAt = '2026-01-01T00:00:00.000Z';
let directory: string;
let store: Store;

export function rootStoreContract(kind: StoreKind): void {
  describe(`Store: ${kind.name}`, () => {
    const create = () => kind.create(directory);

    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await create();
    });
    afterEach(() => store.close());

    it('CC-33 starts without granted roots', async () => {
      expect(await store.roots.list()).toEqual([]);
    });

    it('CC-33 keeps roots ordered by the code units of their paths', async () => {
      for (const path of ['/b', '/a/b', '/a', '/\u{1F600}', '/\uFF5E', '/B'])
        await store.roots.add({ path, grantedAt });
      expect((await store.roots.list()).map(({ path }) => path)).toEqual([
        '/B',
        '/a',
        '/a/b',
        '/b',
        '/\u{1F600}',
        '/\uFF5E',
      ]);
      expect((await store.roots.list())[0]).toEqual({ path: '/B', grantedAt });
    });

    it('CC-33 adding a root again changes nothing and says so', async () => {
      expect(await store.roots.add({ path: '/a', grantedAt })).toBe(true);
      expect(await store.roots.add({ path: '/a', grantedAt: '2027-01-01T00:00:00.000Z' })).toBe(false);
      expect(await store.roots.list()).toEqual([{ path: '/a', grantedAt }]);
    });

    it('CC-33 removing a root says whether it was there', async () => {
      await store.roots.add({ path: '/a', grantedAt });
      expect(await store.roots.remove('/A')).toBe(false);
      expect(await store.roots.remove('/a')).toBe(true);
      expect(await store.roots.remove('/a')).toBe(false);
      expect(await store.roots.list()).toEqual([]);
    });

    it('S-44 keeps odd paths as they are', async () => {
      const paths = ["/'; DROP TABLE granted_roots; --", '/a\nb', '/__proto__', '/e\u0301', '/\u00e9', '/%', '/_'];
      for (const path of paths) expect(await store.roots.add({ path, grantedAt })).toBe(true);
      expect(await store.roots.remove('/%')).toBe(true);
      expect(new Set((await store.roots.list()).map(({ path }) => path))).toEqual(
        new Set(paths.filter((path) => path !== '/%')),
      );
    });

    it('hands out copies', async () => {
      const root = { path: '/a', grantedAt };
      await store.roots.add(root);
      root.grantedAt = 'changed';
      for (const each of await store.roots.list()) each.grantedAt = 'changed';
      expect(await store.roots.list()).toEqual([{ path: '/a', grantedAt }]);
    });
  });
}
