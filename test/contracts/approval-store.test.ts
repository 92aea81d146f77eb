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

it('MC-02 keeps one approval for each server, over restarts', () => {
  let store = open();
  store.approvals.put(approval('a'));
  store.approvals.put(approval('a', { fingerprint: 'g', tools: '[]' }));
  store.approvals.put(approval('b'));
  store.close();
  store = open();
  expect(store.approvals.get('a')).toEqual(approval('a', { fingerprint: 'g', tools: '[]' }));
  expect(store.approvals.list()).toHaveLength(2);
  expect(store.approvals.remove('b')).toBe(true);
  expect(store.approvals.remove('b')).toBe(false);
  expect(store.approvals.get('b')).toBeUndefined();
  store.close();
});

it('S-72 takes a damaged approval for none', () => {
  let store = open();
  store.approvals.put(approval('a'));
  store.close();
  const database = new DatabaseSync(join(directory, 'contextd.db'));
  database.exec("UPDATE mcp_approvals SET fingerprint = 'e'");
  database.close();
  store = open();
  expect(store.approvals.get('a')).toBeUndefined();
  expect(store.approvals.list()).toEqual([]);
  expect(store.warnings()).toMatchObject([{ code: 'database_rows_damaged' }]);
  store.close();
});
