import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { localKinds } from './store-kinds.ts';
import { item, supplementaryStoreContract } from './supplementary-store-contract.ts';

let directory: string;
let store: Store;

for (const kind of localKinds) supplementaryStoreContract(kind);

describe('SupplementaryStore on the disk', () => {
  it('SU-02 survives a restart', async () => {
    directory = temporaryDirectory();
    const open = () => createSqliteStore(join(directory, 'contextd.db'));
    store = open();
    await store.supplementary.replace('/p', [item(2), item(1)]);
    await store.close();
    store = open();
    expect(await store.supplementary.list('/p')).toEqual([item(2), item(1)]);
    await store.close();
  });
});
