import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Store } from '../../src/ports/store/store.ts';

const grantedAt = '2026-01-01T00:00:00.000Z';
let directory: string;
let store: Store;

describe.each([
  { name: 'memory', create: () => createSqliteStore(':memory:') },
  { name: 'sqlite', create: () => createSqliteStore(join(directory, 'contextd.db')) },
])('Store: $name', ({ create }) => {
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'contextd-'));
    store = create();
  });
  afterEach(() => {
    store.close();
    rmSync(directory, { recursive: true });
  });

  it('CC-33 starts without granted roots', () => {
    expect(store.roots.list()).toEqual([]);
  });

  it('CC-33 keeps roots ordered by the code units of their paths', () => {
    for (const path of ['/b', '/a/b', '/a', '/\u{1F600}', '/\uFF5E', '/B']) store.roots.add({ path, grantedAt });
    expect(store.roots.list().map(({ path }) => path)).toEqual(['/B', '/a', '/a/b', '/b', '/\u{1F600}', '/\uFF5E']);
    expect(store.roots.list()[0]).toEqual({ path: '/B', grantedAt });
  });

  it('CC-33 adding a root again changes nothing and says so', () => {
    expect(store.roots.add({ path: '/a', grantedAt })).toBe(true);
    expect(store.roots.add({ path: '/a', grantedAt: '2027-01-01T00:00:00.000Z' })).toBe(false);
    expect(store.roots.list()).toEqual([{ path: '/a', grantedAt }]);
  });

  it('CC-33 removing a root says whether it was there', () => {
    store.roots.add({ path: '/a', grantedAt });
    expect(store.roots.remove('/A')).toBe(false);
    expect(store.roots.remove('/a')).toBe(true);
    expect(store.roots.remove('/a')).toBe(false);
    expect(store.roots.list()).toEqual([]);
  });

  it('S-44 keeps odd paths as they are', () => {
    const paths = ["/'; DROP TABLE granted_roots; --", '/a\nb', '/__proto__', '/e\u0301', '/\u00e9', '/%', '/_'];
    for (const path of paths) expect(store.roots.add({ path, grantedAt })).toBe(true);
    expect(store.roots.remove('/%')).toBe(true);
    expect(new Set(store.roots.list().map(({ path }) => path))).toEqual(new Set(paths.filter((path) => path !== '/%')));
  });

  it('hands out copies', () => {
    const root = { path: '/a', grantedAt };
    store.roots.add(root);
    root.grantedAt = 'changed';
    for (const each of store.roots.list()) each.grantedAt = 'changed';
    expect(store.roots.list()).toEqual([{ path: '/a', grantedAt }]);
  });
});
