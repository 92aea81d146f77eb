import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { vectorOf } from '../support/fake-embedder.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { localKinds } from './store-kinds.ts';
import { key, vectorStoreContract } from './vector-store-contract.ts';

let directory: string;
let path: string;
let store: Store;

for (const kind of localKinds) vectorStoreContract(kind);

describe('VectorStore in a damaged file', () => {
  it('S-72 drops a vector whose checksum is wrong, and says so', async () => {
    directory = temporaryDirectory();
    path = join(directory, 'contextd.db');
    store = createSqliteStore(path);
    await store.vectors.add([key('a'), key('b'), key('c')], { identity: 'model', usedAt: 1 });
    await store.close();
    const database = new DatabaseSync(path);
    const blob = new Uint8Array(vectorOf('a').buffer);
    blob[100] = (blob[100] as number) ^ 4;
    database.prepare("UPDATE vectors SET vector = ? WHERE key = 'a'").run(blob);
    database.exec("UPDATE vectors SET identity = 'other' WHERE key = 'b'");
    database.close();
    store = createSqliteStore(path);
    try {
      expect(await store.vectors.get('model', ['a', 'b', 'c'])).toEqual([key('c')]);
      expect(await store.vectors.get('other', ['b'])).toEqual([]);
      expect(await store.vectors.count('model')).toBe(1);
      expect((await store.warnings()).map(({ code }) => code)).toEqual(['database_rows_damaged']);
      await store.vectors.add([key('a')], { identity: 'model', usedAt: 1 });
      expect(await store.vectors.get('model', ['a'])).toEqual([key('a')]);
    } finally {
      await store.close();
    }
  });
});
