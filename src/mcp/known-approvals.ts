/** What is known here of the approvals that are stored, which other daemons change too (S-18, FT-01). */
import { ContextdError } from '../errors.ts';
import { createStoreTurns } from '../pace/store-turns.ts';
import type { ApprovalStore, StoredApproval } from '../ports/store/approval.ts';
import type { Store } from '../ports/store/store.ts';
import type { Approval } from './approvals.ts';
import type { HashedTool } from './tool-lists.ts';

/** Notes that what was approved of a server is so no more. */
type End = (id: string) => void;

/** By the id of its server, the end of what ran with an approval that holds no more. */
type Ended = ReadonlyMap<string, Promise<void>>;

/** Each means that another daemon changed the same approval in that moment. */
const maxTries = 8;

/** `onEnded` is called for each server for which what was approved is so no more, and does not reject. */
export function createKnownApprovals(
  store: ApprovalStore,
  onEnded: (id: string) => Promise<void>,
  waiting?: Store['waiting'],
) {
  const known = new Map<string, { approval: Approval; stored: StoredApproval }>();
  /** By the id of its server, what was revoked here and may be stored still. */
  const revoked = new Map<string, string>();
  const turns = createStoreTurns(waiting);

  const get = (id: string): Approval | undefined => known.get(id)?.approval;
  const remember = (stored: StoredApproval): Approval => {
    const approval = Object.freeze(approvalOf(stored));
    if (revoked.get(stored.id) !== identityOf(stored)) known.set(stored.id, { approval, stored });
    return approval;
  };
  /** Takes over what is stored. Throws when something that was revoked cannot be removed. */
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
    ...{ get, remember, reread },
    isEmpty: () => known.size === 0,
    find: (fingerprint: string): Approval | undefined =>
      [...known.values()].find(({ approval }) => approval.fingerprint === fingerprint)?.approval,
    /** Each change looks and writes before the next one looks. Whoever is part of a start must not wait for what it ended. */
    async inTurn<Result>(work: (end: End) => Promise<Result>): Promise<{ result: Result; ended: Ended }> {
      const ended = new Map<string, Promise<void>>();
      const end = (id: string): void => void (ended.has(id) || ended.set(id, onEnded(id)));
      return { result: await turns(() => work(end)), ended };
    },
    /**
     * Stores what `make` says in the place of what is approved, which is read again where another daemon was faster. Resolves
     * to undefined when it says nothing. `isApproval`: what was revoked before counts no more.
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
        // What is revoked while it is written stays so.
        if (isApproval && revoked.get(id) === pending) revoked.delete(id);
        return remember(stored);
      }
      throw new ContextdError('unavailable', 'Somebody else is changing the approval. Try again.');
    },
    /** From now on it does not hold here. Resolves when nothing of it runs any more. */
    async revoke(approval: Pick<StoredApproval, 'id' | 'fingerprint' | 'approvedAt'>): Promise<void> {
      revoked.set(approval.id, identityOf(approval));
      if (known.delete(approval.id)) await onEnded(approval.id);
    },
    /** It is stored no more. */
    forget(id: string, end: End): void {
      revoked.delete(id);
      if (known.delete(id)) end(id);
    },
  };
}

/** Removes from the store what was revoked and is there still. What cannot be removed goes out of `stored` all the same. */
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
        // Not one that another daemon has stored since.
        await store.remove(id, left.fingerprint, left.approvedAt);
      }
      revoked.delete(id);
    } catch (error) {
      failure = { error };
    }
  }
  return failure;
}

/** Of an approval, whatever is noted of it later. */
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
