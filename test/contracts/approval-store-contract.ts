/** What holds of approvals of every store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredApproval } from '../../src/ports/store/approval.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

export function approval(id: string, more: Partial<StoredApproval> = {}): StoredApproval {
  return { id, fingerprint: 'f', definition: '{}', approvedAt: '2026-01-01T00:00:00.000Z', ...more };
}

export function approvalStoreContract(kind: StoreKind): void {
  describe(`ApprovalStore: ${kind.name}`, () => {
    let directory: string;
    let store: Store;
    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await kind.create(directory);
    });
    afterEach(() => store.close());
    const list = async () => (await store.approvals.list()).toSorted((a, b) => a.id.localeCompare(b.id));

    it('MC-02 keeps one approval for each server, and removes only that which is meant', async () => {
      await store.approvals.put(approval('a'));
      await store.approvals.put(approval('a', { fingerprint: 'g', tools: '[]' }));
      await store.approvals.put(approval('b'));
      const both = [approval('a', { fingerprint: 'g', tools: '[]' }), approval('b')];
      expect(await list()).toEqual(both);
      expect(await store.approvals.remove({ id: 'b', fingerprint: 'g' })).toBe(false);
      expect(await store.approvals.remove({ id: 'b', fingerprint: 'f', approvedAt: '2025-01-01T00:00:00.000Z' })).toBe(
        false,
      );
      expect(await list()).toEqual(both);
      expect(await store.approvals.remove({ id: 'a', fingerprint: 'g', approvedAt: approval('a').approvedAt })).toBe(
        true,
      );
      await store.approvals.put(both[0] as StoredApproval);
      expect(await store.approvals.remove({ id: 'b', fingerprint: 'f' })).toBe(true);
      expect(await store.approvals.remove({ id: 'b', fingerprint: 'f' })).toBe(false);
      expect(await list()).toEqual(both.slice(0, 1));
    });

    it('MC-02 S-18 changes an approval only as long as it is what it was, and never adds one', async () => {
      const first = approval('a');
      const pinned = approval('a', { tools: '[1]' });
      expect(await store.approvals.update(first, pinned)).toBe(false);
      expect(await list()).toEqual([]);
      await store.approvals.put(first);
      await store.approvals.put(approval('b'));
      expect(await store.approvals.update(first, pinned)).toBe(true);
      expect(await store.approvals.update(first, approval('a', { tools: '[2]' }))).toBe(false);
      expect(await list()).toEqual([pinned, approval('b')]);
      expect(await store.approvals.update(pinned, first)).toBe(true);
      const both = await Promise.all(
        ['1', '2'].map((tools) => store.approvals.update(first, approval('a', { tools }))),
      );
      expect(both.toSorted()).toEqual([false, true]);
    });
  });
}
