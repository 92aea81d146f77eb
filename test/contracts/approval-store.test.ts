import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { approval, approvalStoreContract } from './approval-store-contract.ts';
import { localKinds } from './store-kinds.ts';

for (const kind of localKinds) approvalStoreContract(kind);

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

const open = () => createSqliteStore(join(directory, 'contextd.db'));

it('MC-02 keeps approvals over restarts', async () => {
  const stored = approval('a', { fingerprint: 'g', tools: '[]' });
  let store = open();
  await store.approvals.put(stored);
  await store.close();
  store = open();
  expect(await store.approvals.list()).toEqual([stored]);
  await store.close();
});

it('S-72 takes a damaged approval for none', async () => {
  let store = open();
  await store.approvals.put(approval('a'));
  await store.close();
  const database = new DatabaseSync(join(directory, 'contextd.db'));
  database.exec("UPDATE mcp_approvals SET fingerprint = 'e'");
  database.close();
  store = open();
  expect(await store.approvals.list()).toEqual([]);
  expect(await store.warnings()).toMatchObject([{ code: 'database_rows_damaged' }]);
  await store.close();
});
