/**
 * The approvals of the user: for each server at most one definition, and the tools that it had then (MC-02, S-18,
 * S-31).
 */

import type { Clock } from '../ports/ports.ts';
import type { ApprovalStore } from '../ports/store/approval.ts';
import type { Store } from '../ports/store/store.ts';
import type { ServerDefinition } from './definition.ts';
import type { DefinitionAddress } from './definitions.ts';
import type { DefinitionParts, Fingerprinted } from './fingerprint.ts';
import { createKnownApprovals } from './known-approvals.ts';
import type { HashedTool } from './tool-lists.ts';

export type Approval = Readonly<{
  id: string;
  fingerprint: string;
  approvedAt: string;
  address: DefinitionAddress;
  parts: DefinitionParts;
  /** If each start needs its own approval: a start has used this one. */
  used?: true;
  /** Absent until the server has listed its tools for the first time. */
  tools?: readonly HashedTool[];
}>;

export type Approvals = Readonly<{
  /** Returns the same object while nothing changes. */
  get(id: string): Approval | undefined;
  find(fingerprint: string): Approval | undefined;
  isEmpty(): boolean;
  /**
   * Approves a definition. If each start needs an approval, this is a new one. Tools that were approved with the same
   * definition stay, unless `tools` are given. `isOther`: an earlier approval ended, and everything that it started has
   * ended.
   */
  approve(
    definition: ServerDefinition,
    fingerprinted: Fingerprinted,
    options?: { tools?: readonly HashedTool[] | undefined },
  ): Promise<{ approval: Approval; isOther: boolean }>;
  /**
   * Stores the first tools that the server listed with this definition. Does nothing if the definition is no longer
   * approved.
   */
  pin(approval: Approval, tools: readonly HashedTool[]): Promise<void>;
  /** Uses the approval for one start. Resolves to false if it is no longer valid, or another start has used it. */
  use(approval: Approval): Promise<boolean>;
  /** Takes over changes of other daemons. */
  refresh(): Promise<void>;
  /**
   * Revokes an approval. Resolves to false if there is none. It ends here at once, even if the store refuses or its
   * answer is lost; then the next look at the store tries again.
   */
  remove(fingerprint: string): Promise<boolean>;
}>;

/** `onEnded` is called for each server whose approval ended, and never rejects. */
export async function createApprovals(ports: {
  store: ApprovalStore;
  waiting?: Store['waiting'] | undefined;
  clock: Clock;
  onEnded?(id: string): Promise<void>;
}): Promise<Approvals> {
  const { store, clock } = ports;
  const known = createKnownApprovals(store, ports.onEnded ?? (async () => {}), ports.waiting);
  const { get, find, inTurn, reread, change } = known;
  for (const stored of await store.list()) known.remember(stored);
  const refresh = async (): Promise<void> => {
    const { ended } = await inTurn(reread);
    await Promise.all(ended.values());
  };

  return Object.freeze({
    get,
    find,
    refresh,
    isEmpty: known.isEmpty,
    async approve({ id, name, source }, { fingerprint, parts, eachStart }, { tools } = {}) {
      const make = (before: Approval | undefined): Approval => {
        const approvedAt = new Date(clock.now()).toISOString();
        const isSame = before?.fingerprint === fingerprint;
        const pinned = tools ?? (isSame ? before.tools : undefined);
        const anew = { id, fingerprint, approvedAt, address: { name, source }, parts };
        return { ...(isSame && eachStart !== true ? before : anew), ...(pinned && { tools: pinned }) };
      };
      const approving = inTurn(async (end) => {
        await reread(end);
        const before = get(id);
        const approval = (await change(id, make, { end, isApproval: true })) as Approval;
        if (before !== undefined && before.fingerprint !== fingerprint) end(id);
        return approval;
      });
      // If the answer of the store was lost, this soon finds out what is stored.
      approving.catch(() => refresh().catch(() => {}));
      const { result: approval, ended } = await approving;
      await Promise.all(ended.values());
      return { approval, isOther: ended.has(id) };
    },
    async use({ id, fingerprint, approvedAt }) {
      const make = (now?: Approval) => {
        const isIt = now?.fingerprint === fingerprint && now.approvedAt === approvedAt;
        return isIt && !now.used ? { ...now, used: true as const } : undefined;
      };
      const { result } = await inTurn((end) => change(id, make, { end }));
      return result !== undefined;
    },
    async pin({ id, fingerprint }, tools) {
      const make = (now?: Approval) =>
        now?.fingerprint !== fingerprint || now.tools !== undefined ? undefined : { ...now, tools };
      await inTurn((end) => change(id, make, { end }));
    },
    async remove(fingerprint) {
      const ending: Promise<void>[] = [];
      /** Revokes an approval that is known here or stored. An earlier turn may still approve it. */
      const revoke = (approval?: Parameters<typeof known.revoke>[0]): boolean => {
        if (approval !== undefined) ending.push(known.revoke(approval));
        return approval !== undefined;
      };
      const before = find(fingerprint);
      revoke(before);
      const { result, ended } = await inTurn(async (end) => {
        const wasKnown = revoke(find(fingerprint)) || before !== undefined;
        const stored = (await store.list()).find((each) => each.fingerprint === fingerprint);
        if (revoke(stored) && stored !== undefined && (await store.remove({ id: stored.id, fingerprint }))) {
          known.forget(stored.id, end);
          return true;
        }
        await reread(end);
        // An earlier turn, or another daemon, has removed it from the store.
        return wasKnown && (before === undefined || get(before.id) === undefined);
      });
      await Promise.all([...ending, ...ended.values()]);
      return result;
    },
  } satisfies Approvals);
}
