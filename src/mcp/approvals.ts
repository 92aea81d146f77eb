/** What the user approved: for each server at most one definition, and the tools it had then (MC-02, S-18, S-31). */

import { createTurns } from '../pace/turns.ts';
import type { Clock } from '../ports/ports.ts';
import type { ApprovalStore, StoredApproval } from '../ports/store/approval.ts';
import type { Definition } from './definition.ts';
import type { DefinitionAddress } from './definitions.ts';
import type { DefinitionParts, Fingerprinted } from './fingerprint.ts';
import type { HashedTool } from './tool-lists.ts';

export type Approval = Readonly<{
  id: string;
  fingerprint: string;
  approvedAt: string;
  address: DefinitionAddress;
  parts: DefinitionParts;
  /** A start was made with it; counts where each needs an approval of its own. */
  used?: true;
  /** Absent until the server has listed its tools for the first time. */
  tools?: readonly HashedTool[];
}>;

export type Approvals = Readonly<{
  /** The same object as long as nothing changed. */
  get(id: string): Approval | undefined;
  find(fingerprint: string): Approval | undefined;
  isEmpty(): boolean;
  /**
   * Approves a definition, anew where each start needs it; tools that were approved with the same definition stay, unless
   * others are given. `onApproved` is called as soon as it holds; `isOther` when another definition was approved before.
   */
  approve(
    definition: Definition,
    fingerprinted: Fingerprinted,
    options?: { tools?: readonly HashedTool[] | undefined; onApproved?(isOther: boolean): void },
  ): Promise<Approval>;
  /** The first tools that the server had with this approval; does nothing when it does not hold any more. */
  pin(approval: Approval, tools: readonly HashedTool[]): Promise<void>;
  /** A start was made with the approval of this server. */
  use(id: string): Promise<void>;
  /** Takes over what another daemon changed; resolves to the servers for which what was approved is so no more. */
  refresh(): Promise<string[]>;
  /** Resolves to false when that is not what is approved. */
  remove(id: string, fingerprint: string): Promise<boolean>;
}>;

export async function createApprovals(ports: { store: ApprovalStore; clock: Clock }): Promise<Approvals> {
  const { store, clock } = ports;
  const known = new Map((await store.list()).map((stored) => [stored.id, approvalOf(stored)]));
  /** Each change looks and writes before the next one looks. */
  const inTurn = createTurns(1);
  /** Stores what `change` makes of the approval of a server. A mark of use that is set meanwhile stays. */
  const put = async (id: string, change: (now: Approval | undefined) => Approval): Promise<Approval> => {
    const { fingerprint, approvedAt, address, parts, used, tools } = change(known.get(id));
    const stored = { id, fingerprint, approvedAt, definition: JSON.stringify({ address, parts, used }) };
    await store.put(tools === undefined ? stored : { ...stored, tools: JSON.stringify(tools) });
    const approval = Object.freeze(change(known.get(id)));
    known.set(id, approval);
    return approval;
  };

  return Object.freeze({
    isEmpty: () => known.size === 0,
    get: (id) => known.get(id),
    find: (fingerprint) => [...known.values()].find((each) => each.fingerprint === fingerprint),
    approve: ({ id, name, source }, { fingerprint, parts, eachStart }, { tools, onApproved } = {}) =>
      inTurn(async () => {
        const before = known.get(id);
        const isOther = before !== undefined && before.fingerprint !== fingerprint;
        const pinned = isOther ? undefined : (tools ?? before?.tools);
        const isKept = before !== undefined && !isOther && eachStart !== true;
        const approvedAt = new Date(clock.now()).toISOString();
        const anew = { id, fingerprint, approvedAt, address: { name, source }, parts };
        const isSame = isKept && pinned === before.tools;
        const change = (now = before): Approval => ({
          ...(isKept && now !== undefined ? now : anew),
          ...(pinned === undefined ? {} : { tools: pinned }),
        });
        const approval = isSame ? before : await put(id, change);
        onApproved?.(isOther);
        return approval;
      }),
    async use(id) {
      const approval = known.get(id);
      if (approval === undefined || approval.used === true) return;
      // From now on, also while it is being written.
      const used = Object.freeze({ ...approval, used: true as const });
      known.set(id, used);
      await inTurn(async () => {
        if (known.get(id)?.used === true) await put(id, (now = used) => now);
      });
    },
    pin: ({ id, fingerprint }, tools) =>
      inTurn(async () => {
        const approval = known.get(id);
        if (approval?.fingerprint === fingerprint && approval.tools === undefined)
          await put(id, (now = approval) => ({ ...now, tools }));
      }),
    refresh: () =>
      inTurn(async () => {
        const now = new Map((await store.list()).map((stored) => [stored.id, approvalOf(stored)]));
        const ended = [...known.values()].filter(({ id, fingerprint }) => now.get(id)?.fingerprint !== fingerprint);
        for (const { id } of ended) known.delete(id);
        for (const [id, approval] of now) {
          const before = known.get(id);
          // A mark that is being written here stays.
          const merged =
            before?.used === true && before.approvedAt === approval.approvedAt
              ? { ...approval, used: true as const }
              : approval;
          if (JSON.stringify(before) !== JSON.stringify(merged)) known.set(id, Object.freeze(merged));
        }
        return ended.map(({ id }) => id);
      }),
    remove: (id, fingerprint) =>
      inTurn(async () => {
        if (known.get(id)?.fingerprint !== fingerprint) return false;
        await store.remove(id);
        return known.delete(id);
      }),
  } satisfies Approvals);
}

function approvalOf({ id, fingerprint, approvedAt, definition, tools }: StoredApproval): Approval {
  const { address, parts, used } = JSON.parse(definition) as Pick<Approval, 'address' | 'parts' | 'used'>;
  const pinned = tools === undefined ? {} : { tools: JSON.parse(tools) as HashedTool[] };
  return { id, fingerprint, approvedAt, address, parts, ...(used ? { used } : {}), ...pinned };
}
