/** The agents that are stored, parsed once for each version (AG-05). */

import { ContextdError } from '../errors.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { Clock } from '../ports/ports.ts';
import type { AgentStore } from '../ports/store/agent.ts';
import type { KeyedHash } from '../texts/mask.ts';
import type { Agent, AgentSummary } from './agent.ts';
import { agentOf, type SplitAgent, splitAgent } from './agent-parts.ts';

/** An agent, secrets included, and its version. The same object as long as it is not changed. */
export type AgentRecord = Readonly<{ agent: Agent; etag: string; createdAt: string; updatedAt: string }>;
type KeptRecord = AgentRecord & SplitAgent;

export type AgentRecords = Readonly<{
  list(): AgentSummary[];
  find(agentId: string): AgentRecord | undefined;
  /** Throws `not_found`. */
  get(agentId: string): AgentRecord;
  /**
   * Stores what `change` makes of the present agent. Nothing is written, and nobody told, when that is the same. Throws
   * `version_mismatch`, `limit_exceeded`, and what `change` throws.
   */
  write(
    agentId: string,
    expected: ExpectedVersion,
    change: (before: Agent | undefined) => Agent,
  ): { record: AgentRecord; created: boolean };
  /** Throws `not_found` and `version_mismatch`. */
  remove(agentId: string, expected: ExpectedVersion): void;
}>;

/** Most agents, and most bytes of one of them. */
const agentBounds = { agents: 1_000, documentBytes: 8 * 1024 * 1024 } as const;

const keptAgents = { maxWeight: 64 * 1024 * 1024, maxEntries: 1_000 };

type Summary = Omit<AgentSummary, 'id' | 'createdAt' | 'updatedAt' | 'etag'>;

export function createAgentRecords(ports: {
  store: AgentStore;
  clock: Clock;
  keyed: KeyedHash;
  onChange(agentId: string, change: 'created' | 'updated' | 'deleted'): void;
}): AgentRecords {
  const { store, clock, keyed, onChange } = ports;
  const kept = createBoundedCache<KeptRecord>(keptAgents);
  /** The stored version is a hash over the secrets too. */
  const etagOf = (version: string): string => keyed(`agent ${version}`);
  const keep = (record: KeptRecord): KeptRecord => {
    kept.set(record.agent.id, Object.freeze(record), record.bytes);
    return record;
  };

  const find = (agentId: string): KeptRecord | undefined => {
    const known = kept.get(agentId);
    if (known) return known;
    const stored = store.get(agentId);
    if (stored === undefined) return undefined;
    const { version, createdAt, updatedAt } = stored;
    return keep({ ...agentOf(stored), etag: etagOf(version), createdAt, updatedAt });
  };
  const get = (agentId: string): AgentRecord => {
    const record = find(agentId);
    if (record === undefined) throw new ContextdError('not_found', 'There is no agent with this id.');
    return record;
  };

  return Object.freeze({
    find,
    get,
    list: () =>
      store.list().map(({ id, summary, version, createdAt, updatedAt }) => {
        return { id, ...(JSON.parse(summary) as Summary), createdAt, updatedAt, etag: etagOf(version) };
      }),

    write(agentId, expected, change) {
      const before = find(agentId);
      checkVersion(before, expected);
      const agent = change(before?.agent);
      const split = splitAgent(agent, before);
      if (before !== undefined && split === before) return { record: before, created: false };
      if (split.bytes > agentBounds.documentBytes)
        throw new ContextdError(
          'limit_exceeded',
          `An agent may not have more than ${agentBounds.documentBytes} bytes.`,
        );
      if (before === undefined && store.list().length >= agentBounds.agents)
        throw new ContextdError('limit_exceeded', `There may not be more than ${agentBounds.agents} agents.`);
      const updatedAt = new Date(clock.now()).toISOString();
      const createdAt = before?.createdAt ?? updatedAt;
      const { document, items } = split;
      const summary = JSON.stringify(summaryOf(agent));
      const version = store.put({ id: agentId, summary, document, items, createdAt, updatedAt }, before?.items);
      const record = keep({ ...split, etag: etagOf(version), createdAt, updatedAt });
      onChange(agentId, before === undefined ? 'created' : 'updated');
      return { record, created: before === undefined };
    },

    remove(agentId, expected) {
      checkVersion(get(agentId), expected);
      store.remove(agentId);
      kept.remove(agentId);
      onChange(agentId, 'deleted');
    },
  });
}

function summaryOf({ name, description, mountedDirectory, rules, references, mcpServers }: Agent): Summary {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(mountedDirectory === undefined ? {} : { mountedDirectory }),
    rules: rules?.length ?? 0,
    references: references?.length ?? 0,
    mcpServers: Object.keys(mcpServers ?? {}).length,
  };
}

function checkVersion(before: AgentRecord | undefined, expected: ExpectedVersion): void {
  if (expected(before?.etag)) return;
  const present = before === undefined ? 'There is no agent with this id.' : `The present version is "${before.etag}".`;
  throw new ContextdError('version_mismatch', present);
}
