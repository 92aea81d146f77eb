/** Remembers the stored approvals, which other daemons change too (S-18, FT-01). */
import { ContextdError } from '../errors.ts';
import { createStoreTurns } from '../pace/store-turns.ts';
import type { ApprovalStore, StoredApproval } from '../ports/store/approval.ts';
import type { Store } from '../ports/store/store.ts';
import type { Approval } from './approvals.ts';
import type { HashedTool } from './tool-lists.ts';

/** Notes that the approval of a server ended. */
type End = (id: string) => void;

/** By server id: resolves when everything that the ended approval started has ended. */
type Ended = ReadonlyMap<string, Promise<void>>;

/** A try fails only if another daemon changes the same approval at the same moment. */
const maxTries = 8;

/** `onEnded` is called for each server whose approval ended, and never rejects. */
export function createKnownApprovals(
  store: ApprovalStore,
  onEnded: (id: string) => Promise<void>,
  waiting?: Store['waiting'],
) {
  const known = new Map<string, { approval: Approval; stored: StoredApproval }>();
  /** By server id: approvals that were revoked here and may still be stored. */
  const revoked = new Map<string, string>();
  const turns = createStoreTurns(waiting);

  const get = (id: string): Approval | undefined => known.get(id)?.approval;
  const remember = (stored: StoredApproval): Approval => {
    const approval = Object.freeze(approvalOf(stored));
    if (revoked.get(stored.id) !== identityOf(stored)) known.set(stored.id, { approval, stored });
    return approval;
  };
  /** Takes over what is stored. Throws if a revoked approval cannot be removed. */
  const reread = async (end: End): Promise<void> => {
    const now = new Map((await store.list()).map((stored) => [stored.id, stored]));
    const failure = await removeRevoked(revoked, now, store);
    const ended = [...known.keys()].filter((id) => now.get(id)?.fingerprint !== get(id)?.fingerprint);
    for (const id of ended) known.delete(id);
    for (const stored of now.values()) if (!isSame(known.get(stored.id)?.stored, stored)) remember(stored);
    for (const id of ended) end(id);
    if (failure !== undefined) throw failure.error;
  };

  return {
    get,
    remember,
    reread,
    isEmpty: () => known.size === 0,
    find: (fingerprint: string): Approval | undefined =>
      [...known.values()].find(({ approval }) => approval.fingerprint === fingerprint)?.approval,
    /**
     * Each change reads and writes before the next one begins. Code that is part of a start must not wait for the end
     * of what it ended.
     */
    async inTurn<Result>(work: (end: End) => Promise<Result>): Promise<{ result: Result; ended: Ended }> {
      const ended = new Map<string, Promise<void>>();
      const end = (id: string): void => void (ended.has(id) || ended.set(id, onEnded(id)));
      return { result: await turns(() => work(end)), ended };
    },
    /**
     * Stores the result of `make` in place of the present approval. If another daemon was faster, reads it again and
     * retries. Resolves to undefined if `make` returns nothing. `isApproval`: an earlier revocation no longer counts.
     */
    async change(
      id: string,
      make: (now: Approval | undefined) => Approval | undefined,
      { end, isApproval = false }: { end: End; isApproval?: boolean },
    ): Promise<Approval | undefined> {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const [before, pending] = [known.get(id), revoked.get(id)];
        const made = make(before?.approval);
        if (made === undefined) return undefined;
        const stored = storedOf(made);
        if (before === undefined) await store.put(stored);
        else if (!isSame(before.stored, stored) && !(await store.update(before.stored, stored))) {
          await reread(end);
          continue;
        }
        // If the approval is revoked during the write, it stays revoked.
        if (isApproval && revoked.get(id) === pending) revoked.delete(id);
        return remember(stored);
      }
      throw new ContextdError('unavailable', 'Somebody else is changing the approval. Try again.');
    },
    /** Ends the approval here at once. Resolves when everything that it started has ended. */
    async revoke(approval: Pick<StoredApproval, 'id' | 'fingerprint' | 'approvedAt'>): Promise<void> {
      revoked.set(approval.id, identityOf(approval));
      if (known.delete(approval.id)) await onEnded(approval.id);
    },
    /** The approval is no longer stored. */
    forget(id: string, end: End): void {
      revoked.delete(id);
      if (known.delete(id)) end(id);
    },
  };
}

/**
 * Removes revoked approvals that are still stored, both from the store and from `stored`. An approval that the store
 * does not remove is still deleted from `stored`.
 */
async function removeRevoked(
  revoked: Map<string, string>,
  stored: Map<string, StoredApproval>,
  store: Pick<ApprovalStore, 'remove'>,
): Promise<{ error: unknown } | undefined> {
  let failure: { error: unknown } | undefined;
  for (const [id, identity] of revoked) {
    const left = stored.get(id);
    try {
      if (left !== undefined && identityOf(left) === identity) {
        stored.delete(id);
        // Does not remove an approval that another daemon has stored since.
        await store.remove({ id, fingerprint: left.fingerprint, approvedAt: left.approvedAt });
      }
      revoked.delete(id);
    } catch (error) {
      failure = { error };
    }
  }
  return failure;
}

/** The identity of an approval. It does not change if the approval is used or gets tools. */
function identityOf({ fingerprint, approvedAt }: Pick<StoredApproval, 'fingerprint' | 'approvedAt'>): string {
  return `${fingerprint} ${approvedAt}`;
}

function isSame(before: StoredApproval | undefined, now: StoredApproval): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}

function storedOf({ id, fingerprint, approvedAt, address, parts, used, tools }: Approval): StoredApproval {
  const stored = { id, fingerprint, definition: JSON.stringify({ address, parts, used }), approvedAt };
  return tools === undefined ? stored : { ...stored, tools: JSON.stringify(tools) };
}

function approvalOf({ id, fingerprint, approvedAt, definition, tools }: StoredApproval): Approval {
  const { address, parts, used } = JSON.parse(definition) as Pick<Approval, 'address' | 'parts' | 'used'>;
  const pinned = tools === undefined ? {} : { tools: JSON.parse(tools) as HashedTool[] };
  return { id, fingerprint, approvedAt, address, parts, ...(used ? { used } : {}), ...pinned };
}
