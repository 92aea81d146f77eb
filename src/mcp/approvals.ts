/** What the user approved: for each server at most one definition, and the tools it had then (MC-02, S-18, S-31). */

import type { Clock } from '../ports/ports.ts';
import type { ApprovalStore } from '../ports/store/approval.ts';
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
  /** Approves a definition, anew where each start needs it; tools that were approved with the same definition stay. */
  approve(definition: Definition, fingerprinted: Fingerprinted): Approval;
  pin(approval: Approval, tools: readonly HashedTool[]): void;
  /** A start was made with the approval of this server. */
  use(id: string): void;
  remove(id: string): void;
}>;

export function createApprovals({ store, clock }: { store: ApprovalStore; clock: Clock }): Approvals {
  let known: Map<string, Approval> | undefined;
  const all = (): Map<string, Approval> => {
    known ??= new Map(
      store.list().map(({ id, fingerprint, approvedAt, definition, tools }): [string, Approval] => {
        const { address, parts, used } = JSON.parse(definition) as Pick<Approval, 'address' | 'parts' | 'used'>;
        const pinned = tools === undefined ? {} : { tools: JSON.parse(tools) as HashedTool[] };
        return [id, { id, fingerprint, approvedAt, address, parts, ...(used ? { used } : {}), ...pinned }];
      }),
    );
    return known;
  };
  const put = (approval: Approval): Approval => {
    const { id, fingerprint, approvedAt, address, parts, used, tools } = approval;
    const stored = { id, fingerprint, approvedAt, definition: JSON.stringify({ address, parts, used }) };
    store.put(tools === undefined ? stored : { ...stored, tools: JSON.stringify(tools) });
    all().set(id, Object.freeze(approval));
    return approval;
  };

  return Object.freeze({
    isEmpty: () => all().size === 0,
    get: (id) => all().get(id),
    find: (fingerprint) => [...all().values()].find((each) => each.fingerprint === fingerprint),
    approve({ id, name, source }, { fingerprint, parts, eachStart }) {
      const before = all().get(id);
      const isSame = before?.fingerprint === fingerprint;
      if (isSame && eachStart !== true) return before;
      const approvedAt = new Date(clock.now()).toISOString();
      const tools = isSame && before.tools !== undefined ? { tools: before.tools } : {};
      return put({ id, fingerprint, approvedAt, address: { name, source }, parts, ...tools });
    },
    use(id) {
      const approval = all().get(id);
      if (approval !== undefined && approval.used !== true) put({ ...approval, used: true });
    },
    pin: (approval, tools) => void put({ ...approval, tools }),
    remove(id) {
      store.remove(id);
      all().delete(id);
    },
  } satisfies Approvals);
}
