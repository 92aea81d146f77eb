import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { StoredApproval } from '../../src/ports/store/approval.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'contextd-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const approval = (id: string, more: Partial<StoredApproval> = {}): StoredApproval => {
  return { id, fingerprint: 'f', definition: '{}', approvedAt: '2026-01-01T00:00:00.000Z', ...more };
};
const open = () => createSqliteStore(join(directory, 'contextd.db'));

it('MC-02 keeps one approval for each server, over restarts', async () => {
  let store = open();
  await store.approvals.put(approval('a'));
  await store.approvals.put(approval('a', { fingerprint: 'g', tools: '[]' }));
  await store.approvals.put(approval('b'));
  await store.close();
  store = open();
  const both = [approval('a', { fingerprint: 'g', tools: '[]' }), approval('b')];
  expect(await store.approvals.list()).toEqual(both);
  expect(await store.approvals.remove('b')).toBe(true);
  expect(await store.approvals.remove('b')).toBe(false);
  expect(await store.approvals.list()).toEqual(both.slice(0, 1));
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
