/** What the user approved: for each server at most one definition, and the tools it had then (MC-02, S-18, S-31). */

import { ContextdError } from '../errors.ts';
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
  /** A start was made with it, where each start needs an approval of its own. */
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
   * others are given. Resolves when nothing of another definition runs that was approved before: `isOther`.
   */
  approve(
    definition: Definition,
    fingerprinted: Fingerprinted,
    options?: { tools?: readonly HashedTool[] | undefined },
  ): Promise<{ approval: Approval; isOther: boolean }>;
  /** The first tools that the server had with this approval; does nothing when it does not hold any more. */
  pin(approval: Approval, tools: readonly HashedTool[]): Promise<void>;
  /** Takes the approval for one start. Resolves to false when it does not hold any more, or another start has it. */
  use(approval: Approval): Promise<boolean>;
  /** Takes over what another daemon changed. */
  refresh(): Promise<void>;
  /** Resolves to false when nothing like that is approved. From now on it is not, also when the answer of the store is lost. */
  remove(fingerprint: string): Promise<boolean>;
}>;

/** Each means that another daemon changed the same approval in that moment. */
const maxTries = 8;

/** `onEnded` is called for each server for which what was approved is so no more; what ended one waits for it. */
export async function createApprovals(ports: {
  store: ApprovalStore;
  clock: Clock;
  onEnded?(id: string): Promise<void>;
}): Promise<Approvals> {
  const { store, clock } = ports;
  const known = createKnown(store, ports.onEnded ?? (async () => {}));
  const { inTurn, reread, remember, get, find } = known;
  for (const stored of await store.list()) remember(stored);
  /** Stores what `change` makes of an approval that holds. Resolves to false when it does not, or nothing is to be changed. */
  const update = (
    { id, approvedAt, fingerprint }: Approval,
    change: (now: Approval) => Partial<Approval> | undefined,
  ) =>
    inTurn(async (end) => {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const now = get(id);
        if (now?.fingerprint !== fingerprint || now.approvedAt !== approvedAt) return false;
        const [before, changed] = [known.stored(id), change(now)];
        if (before === undefined || changed === undefined) return false;
        const stored = storedOf({ ...now, ...changed });
        if (await store.update(before, stored)) {
          remember(stored);
          return true;
        }
        await reread(end);
      }
      throw new ContextdError('unavailable', 'The approval is being changed by others. Try again.');
    });

  return Object.freeze({
    isEmpty: known.isEmpty,
    get,
    find,
    approve: ({ id, name, source }, { fingerprint, parts, eachStart }, { tools } = {}) =>
      inTurn(async (end) => {
        await reread(end);
        const before = get(id);
        const isOther = before !== undefined && before.fingerprint !== fingerprint;
        const isKept = before !== undefined && !isOther && eachStart !== true;
        const approvedAt = new Date(clock.now()).toISOString();
        const anew = { id, fingerprint, approvedAt, address: { name, source }, parts };
        const pinned = isOther ? undefined : (tools ?? before?.tools);
        const stored = storedOf({ ...(isKept ? before : anew), ...(pinned === undefined ? {} : { tools: pinned }) });
        await store.put(stored);
        const approval = remember(stored);
        if (isOther) end(id);
        return { approval, isOther };
      }),
    use: (approval) => update(approval, ({ used }) => (used ? undefined : { used: true })),
    async pin(approval, tools) {
      await update(approval, (now) => (now.tools === undefined ? { tools } : undefined));
    },
    refresh: () => inTurn(reread),
    remove: (fingerprint) =>
      inTurn(async (end) => {
        const isMeant = (each: { fingerprint: string }) => each.fingerprint === fingerprint;
        const id = find(fingerprint)?.id ?? (await store.list()).find(isMeant)?.id;
        if (id === undefined) return false;
        try {
          return await store.remove(id, fingerprint);
        } finally {
          if (get(id)?.fingerprint === fingerprint) {
            known.forget(id);
            end(id);
          }
        }
      }),
  } satisfies Approvals);
}

type End = (id: string) => void;

/** What is known here of what is stored. */
function createKnown(store: Pick<ApprovalStore, 'list'>, onEnded: (id: string) => Promise<void>) {
  const known = new Map<string, { approval: Approval; stored: StoredApproval }>();
  const turns = createTurns(1);
  const get = (id: string): Approval | undefined => known.get(id)?.approval;
  const remember = (stored: StoredApproval): Approval => {
    const approval = Object.freeze(approvalOf(stored));
    known.set(stored.id, { approval, stored });
    return approval;
  };
  return {
    ...{ get, remember },
    isEmpty: () => known.size === 0,
    find: (fingerprint: string): Approval | undefined =>
      [...known.values()].find(({ approval }) => approval.fingerprint === fingerprint)?.approval,
    stored: (id: string): StoredApproval | undefined => known.get(id)?.stored,
    forget: (id: string): void => void known.delete(id),
    /** Each change looks and writes before the next one looks. What it ended is waited for, but not by the next one. */
    async inTurn<Result>(work: (end: End) => Promise<Result>): Promise<Result> {
      const ending: Promise<void>[] = [];
      try {
        return await turns(() => work((id) => void ending.push(onEnded(id))));
      } finally {
        await Promise.all(ending);
      }
    },
    async reread(end: End): Promise<void> {
      const now = new Map((await store.list()).map((stored) => [stored.id, stored]));
      const ended = [...known.keys()].filter((id) => now.get(id)?.fingerprint !== get(id)?.fingerprint);
      for (const id of ended) known.delete(id);
      for (const stored of now.values())
        if (JSON.stringify(known.get(stored.id)?.stored) !== JSON.stringify(stored)) remember(stored);
      for (const id of ended) end(id);
    },
  };
}

function storedOf({ id, fingerprint, approvedAt, address, parts, used, tools }: Approval): StoredApproval {
  const stored = { id, fingerprint, approvedAt, definition: JSON.stringify({ address, parts, used }) };
  return tools === undefined ? stored : { ...stored, tools: JSON.stringify(tools) };
}

function approvalOf({ id, fingerprint, approvedAt, definition, tools }: StoredApproval): Approval {
  const { address, parts, used } = JSON.parse(definition) as Pick<Approval, 'address' | 'parts' | 'used'>;
  const pinned = tools === undefined ? {} : { tools: JSON.parse(tools) as HashedTool[] };
  return { id, fingerprint, approvedAt, address, parts, ...(used ? { used } : {}), ...pinned };
}
