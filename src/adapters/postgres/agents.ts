import type { AgentReader, AgentWriter, StoredItem } from '../../ports/store/agent.ts';
import {
  agentColumns,
  agentValues,
  createAgentReader,
  hashOfItem,
  headColumns,
  itemChanges,
} from '../../ports/store/agent-rows.ts';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Job } from './job.ts';
import type { Subject } from './subject.ts';

/** Agents in PostgreSQL, with the same rows as in SQLite. */
export function createPostgresAgents(schema: string, damaged: DamagedRows): Subject<AgentReader, AgentWriter> {
  const from = `FROM ${schema}.agents WHERE tenant = $1`;
  const items = createItemRows(schema);
  const { readHead, readHeads, readWhole } = createAgentReader(damaged);
  return {
    lock: 'agents',
    reads: {
      // Sorted by code units, as everywhere else.
      list: async ({ run }) =>
        readHeads((await run(`SELECT ${headColumns} ${from}`)).rows).sort((a, b) => compareText(a.id, b.id)),
      async get({ run }, id) {
        // One statement, so that the agent and its items are of the same moment.
        const { rows } = await run(
          `SELECT ${headColumns}, document, (${items.asJson}) AS list ${from} AND id = $2`,
          id,
        );
        return readWhole(rows[0], () => items.read(`${rows[0]?.list}`));
      },
      head: async ({ run }, id) => readHead((await run(`SELECT ${headColumns} ${from} AND id = $2`, id)).rows[0]),
    },
    writes: {
      async put(job, agent, before) {
        const { version, values } = agentValues(agent);
        items.write(job, agent.id, { now: agent.items, before });
        const { rows } = await job.run(
          `INSERT INTO ${schema}.agents (tenant, ${agentColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           ON CONFLICT (tenant, id) DO UPDATE SET summary = excluded.summary, version = excluded.version,
             created_at = excluded.created_at, updated_at = excluded.updated_at, hash = excluded.hash,
             document = excluded.document, items = excluded.items
           RETURNING xmax::text AS before`,
          ...values,
        );
        const change = rows[0]?.before === '0' ? 'created' : 'updated';
        job.changes.push({ type: 'agent-changed', agentId: agent.id, change });
        return version;
      },
      async remove(job, id) {
        items.write(job, id, { now: [] });
        const { count } = await job.run(`DELETE ${from} AND id = $2`, id);
        if (count === 1) job.changes.push({ type: 'agent-changed', agentId: id, change: 'deleted' });
        return count === 1;
      },
    },
  };
}

/** The rules and references of agents, one row each. */
function createItemRows(schema: string) {
  const table = `${schema}.agent_items`;
  const remove = (job: Job, id: string, item: StoredItem): void =>
    job.send(
      `DELETE FROM ${table} WHERE tenant = $1 AND agent_id = $2 AND kind = $3 AND name = $4`,
      id,
      item.kind,
      item.name,
    );
  const put = (job: Job, id: string, items: readonly StoredItem[]): void => {
    const column = (name: 'kind' | 'name' | 'position' | 'json') => items.map((item) => item[name]);
    job.send(
      `INSERT INTO ${table} (tenant, agent_id, kind, name, position, item, hash)
       SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[])
       ON CONFLICT (tenant, agent_id, kind, name) DO UPDATE SET position = excluded.position, item = excluded.item,
         hash = excluded.hash`,
      ...[id, column('kind'), column('name'), column('position'), column('json')],
      items.map((item) => hashOfItem(id, item)),
    );
  };
  return {
    asJson: `SELECT json_agg(json_build_array(kind, name, item.position, item.item)
        ORDER BY kind DESC, item.position)::text FROM ${table} AS item WHERE item.tenant = $1 AND agent_id = $2`,
    read(list: string): StoredItem[] {
      const rows = (JSON.parse(list) ?? []) as [StoredItem['kind'], string, number, string][];
      return rows.map(([kind, name, position, json]) =>
        Object.freeze({ kind, name, position, json, bytes: Buffer.byteLength(json) }),
      );
    },
    /** Without `before`, deletes all stored items first. */
    write(
      job: Job,
      id: string,
      { now, before }: { now: readonly StoredItem[]; before?: readonly StoredItem[] | undefined },
    ) {
      const changes = itemChanges(now, before);
      if (before === undefined) job.send(`DELETE FROM ${table} WHERE tenant = $1 AND agent_id = $2`, id);
      for (const item of changes.removed) remove(job, id, item);
      if (changes.put.length > 0) put(job, id, changes.put);
    },
  };
}
