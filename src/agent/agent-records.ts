/** Reads and writes stored agents. Each version of an agent is parsed only once (AG-05). */

import { ContextdError } from '../errors.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { ExpectedVersion } from '../ports/expected-version.ts';
import type { Clock } from '../ports/ports.ts';
import type { AgentHead, AgentReader, AgentStore } from '../ports/store/agent.ts';
import { fixedLimits } from '../settings.ts';
import type { KeyedHash } from '../texts/mask.ts';
import type { Agent, AgentSummary } from './agent.ts';
import { agentOf, type SplitAgent, splitAgent } from './agent-parts.ts';

const limits = fixedLimits.agents;

/** An agent with its secrets, and its version. It stays the same object while the agent is unchanged. */
export type AgentRecord = Readonly<{ agent: Agent; etag: string; createdAt: string; updatedAt: string }>;
type KeptRecord = AgentRecord & SplitAgent & Readonly<{ version: string }>;

export type AgentRecords = Readonly<{
  list(): Promise<AgentSummary[]>;
  find(agentId: string): Promise<AgentRecord | undefined>;
  /** Throws `not_found`. */
  get(agentId: string): Promise<AgentRecord>;
  /**
   * Stores the result of `change` for the present agent. `change` may be called more than once. If nothing changed,
   * writes nothing and sends no event. Throws `version_mismatch`, `limit_exceeded`, and errors of `change`.
   */
  write(
    agentId: string,
    expected: ExpectedVersion,
    change: (before: Agent | undefined) => Agent,
  ): Promise<{ record: AgentRecord; created: boolean }>;
  /** Like `write`, for an existing agent of any version. Throws `not_found`. */
  change(agentId: string, change: (before: AgentRecord) => Agent): Promise<AgentRecord>;
  /** Throws `not_found` and `version_mismatch`. */
  remove(agentId: string, expected: ExpectedVersion): Promise<void>;
}>;

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
  /** The stored version is a hash that also covers the secrets. So callers get only a keyed hash of it. */
  const etagOf = (version: string): string => keyed(`agent ${version}`);
  const keep = (record: KeptRecord): KeptRecord => {
    kept.set(record.agent.id, Object.freeze(record), record.bytes);
    return record;
  };

  /** Inside a write, `reader` is its writer. A kept record is used only if the store still has its version. */
  const find = async (agentId: string, reader: AgentReader = store): Promise<KeptRecord | undefined> => {
    const head = await reader.head(agentId);
    if (head === undefined) return undefined;
    const known = kept.get(agentId);
    if (known !== undefined && isOf(known, head)) return known;
    const stored = await reader.get(agentId);
    if (stored === undefined) return undefined;
    const { version, createdAt, updatedAt } = stored;
    return keep({ ...agentOf(stored), version, etag: etagOf(version), createdAt, updatedAt });
  };
  const get = async (agentId: string, reader?: AgentReader): Promise<KeptRecord> =>
    demandAgent(await find(agentId, reader));
  /** `make` returns the new agent for the present one, or throws. It may be called more than once. */
  const put = async (
    agentId: string,
    make: (before: KeptRecord | undefined) => Agent,
  ): Promise<{ record: AgentRecord; created: boolean }> => {
    const { record, before } = await store.write(async (writer) => {
      const before = await find(agentId, writer);
      const agent = make(before);
      const split = splitAgent(agent, before);
      if (before !== undefined && split === before) return { record: before, before };
      checkLimits(split, before === undefined ? (await writer.list()).length : undefined);
      const updatedAt = new Date(clock.now()).toISOString();
      const createdAt = before?.createdAt ?? updatedAt;
      const { document, items } = split;
      const summary = JSON.stringify(summaryOf(agent));
      const version = await writer.put({ id: agentId, summary, document, items, createdAt, updatedAt }, before?.items);
      return { record: { ...split, version, etag: etagOf(version), createdAt, updatedAt }, before };
    });
    if (record !== before) {
      keep(record);
      onChange(agentId, before === undefined ? 'created' : 'updated');
    }
    return { record, created: before === undefined };
  };

  return Object.freeze({
    find: (agentId) => find(agentId),
    get: (agentId) => get(agentId),
    list: async () =>
      (await store.list()).map(({ id, summary, version, createdAt, updatedAt }) => {
        return { id, ...(JSON.parse(summary) as Summary), createdAt, updatedAt, etag: etagOf(version) };
      }),
    write: (agentId, expected, change) =>
      put(agentId, (before) => {
        checkVersion(before, expected);
        return change(before?.agent);
      }),
    change: async (agentId, change) => (await put(agentId, (before) => change(demandAgent(before)))).record,

    async remove(agentId, expected) {
      await store.write(async (writer) => {
        const before = await get(agentId, writer);
        checkVersion(before, expected);
        await writer.remove(agentId);
      });
      kept.remove(agentId);
      onChange(agentId, 'deleted');
    },
  });
}

/** Throws `not_found`. */
function demandAgent(record: KeptRecord | undefined): KeptRecord {
  if (record === undefined) throw new ContextdError('not_found', 'There is no agent with this id.');
  return record;
}

function summaryOf({ name, description, mountedDirectory, rules, references, mcpServers }: Agent): Summary {
  return {
    name,
    description,
    mountedDirectory,
    rules: rules?.length ?? 0,
    references: references?.length ?? 0,
    mcpServers: Object.keys(mcpServers ?? {}).length,
  };
}

/** Throws `limit_exceeded`. `others`: for a new agent, the number of existing agents. */
function checkLimits({ bytes }: SplitAgent, others: number | undefined): void {
  if (bytes > limits.documentBytes)
    throw new ContextdError('limit_exceeded', `An agent may have at most ${limits.documentBytes} bytes.`);
  if (others !== undefined && others >= limits.count)
    throw new ContextdError('limit_exceeded', `There may be at most ${limits.count} agents.`);
}

function isOf(record: KeptRecord, { version, createdAt, updatedAt }: AgentHead): boolean {
  return record.version === version && record.createdAt === createdAt && record.updatedAt === updatedAt;
}

function checkVersion(before: AgentRecord | undefined, expected: ExpectedVersion): void {
  if (expected(before?.etag)) return;
  const present = before === undefined ? 'There is no agent with this id.' : `The present version is "${before.etag}".`;
  throw new ContextdError('version_mismatch', present);
}
