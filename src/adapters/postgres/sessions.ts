/**
 * Sessions and requests in PostgreSQL. A write locks the rows that it reads of a session until its end, so that numbers
 * have no gaps.
 */
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader, damage } from '../../ports/store/row-reader.ts';
import { keyOfJson, type PageBounds, type SessionReader, type SessionWriter } from '../../ports/store/session.ts';
import {
  changeColumns,
  changeKind,
  changeValues,
  requestColumns,
  requestKind,
  requestValues,
  rowBytes,
  sessionColumns,
  sessionKind,
  sessionValues,
  sizeOf,
  updatedSessionValues,
} from '../../ports/store/session-rows.ts';
import type { Row, Run } from './connections.ts';
import type { Job } from './job.ts';
import { ofLiveSessions, type SessionPurge } from './session-purge.ts';
import type { Subject } from './subject.ts';
import { readUses, stripes } from './uses.ts';

export function createPostgresSessions(
  schema: string,
  { damaged, purge }: { damaged: DamagedRows; purge: SessionPurge },
): Subject<SessionReader, SessionWriter> {
  return { reads: createReads(schema, damaged), writes: createWrites(schema, purge) };
}

const highest = Number.MAX_SAFE_INTEGER;

function createReads(schema: string, damaged: DamagedRows): Subject<SessionReader>['reads'] {
  const { readOne, readPage } = createRowReader(damaged);
  return {
    async count({ run }) {
      const { rows } = await run(`SELECT count(*) AS count FROM ${schema}.sessions WHERE tenant = $1`);
      return Number(rows[0]?.count);
    },
    async session({ run, job }, id) {
      const lock = job === undefined ? '' : ' FOR NO KEY UPDATE';
      const { rows } = await run(
        `SELECT ${sessionColumns} FROM ${schema}.sessions WHERE tenant = $1 AND id = $2${lock}`,
        id,
      );
      return readOne(rows[0], sessionKind);
    },
    async sessions({ run }, { before = highest, agentId, ownerId, ...bounds }) {
      const conditions = ['tenant = $1', 'position < $2'];
      if (agentId !== undefined) conditions.push('agent_id = $5');
      if (ownerId !== undefined) conditions.push(agentId === undefined ? 'owner_id = $5' : 'owner_id = $6');
      const where = `FROM ${schema}.sessions WHERE ${conditions.join(' AND ')}`;
      const others = [agentId, ownerId].filter((each) => each !== undefined);
      const order: Order = ['position', 'DESC'];
      const query = { columns: sessionColumns, where, first: before, others, order, size: 'state' } as const;
      const rows = await readBounded(run, query, bounds);
      return readPage(rows, bounds, sessionKind);
    },
    async owned({ run }, ownerId) {
      const { rows } = await run(
        `SELECT count(*) AS sessions, coalesce(sum(bytes), 0)::bigint AS bytes FROM ${schema}.sessions
         WHERE tenant = $1 AND owner_id = $2`,
        ownerId,
      );
      return { sessions: Number(rows[0]?.sessions), bytes: Number(rows[0]?.bytes) };
    },
    async changes({ run }, sessionId, { after, upTo = highest, only, newestFirst = false, ...bounds }) {
      const where = `FROM ${schema}.session_changes WHERE tenant = $1 AND sync_id > $2 AND session_id = $5 AND sync_id <= $6
        ${only === undefined ? '' : 'AND type = $7'}`;
      const order: Order = ['sync_id', newestFirst ? 'DESC' : 'ASC'];
      const others = only === undefined ? [sessionId, upTo] : [sessionId, upTo, only];
      const query = { columns: changeColumns, where, first: after, others, order, size: 'data' } as const;
      const rows = await readBounded(run, query, bounds);
      return readPage(rows, bounds, changeKind);
    },
    ...createRequestReads(schema, damaged),
    usage: ({ run }, agentId) => readUses(run, schema, agentId),
  };
}

function createRequestReads(
  schema: string,
  damaged: DamagedRows,
): Pick<Subject<SessionReader>['reads'], 'request' | 'requests' | 'texts'> {
  const { readOne, readPage } = createRowReader(damaged);
  const requests = `${schema}.session_requests`;
  return {
    async request({ run }, sessionId, id) {
      const { rows } = await run(
        `SELECT ${requestColumns} FROM ${requests} WHERE tenant = $1 AND session_id = $2 AND id = $3`,
        ...[sessionId, id],
      );
      return readOne(rows[0], requestKind);
    },
    async requests({ run }, { sessionId, agentId, after = 0, before = highest, ...bounds }) {
      const chosen = sessionId ?? agentId;
      const column = sessionId === undefined ? 'agent_id' : 'session_id';
      const where = `FROM ${requests} WHERE tenant = $1 AND position > $2 AND position < $5 AND ${ofLiveSessions(schema)}
        ${chosen === undefined ? '' : `AND ${column} = $6`}`;
      const order: Order = ['position', sessionId === undefined ? 'ASC' : 'DESC'];
      const others = chosen === undefined ? [before] : [before, chosen];
      const query = { columns: requestColumns, where, first: after, others, order, size: 'data' } as const;
      const rows = await readBounded(run, query, bounds);
      return readPage(rows, bounds, requestKind);
    },
    async texts({ run }, keys) {
      const { rows } = await run(
        `SELECT key, json FROM ${schema}.texts WHERE tenant = $1 AND key = ANY($2::text[])`,
        keys,
      );
      const found = new Map(rows.map(({ key, json }) => [`${key}`, `${json}`]));
      return new Map(
        keys.map((key) => {
          const json = found.get(key);
          if (json !== undefined && keyOfJson(json) === key) return [key, JSON.parse(json) as string];
          // A missing text belonged to a deleted session: a foreign key makes sure that every link has its text.
          if (json !== undefined) damaged.note('session texts', key);
          throw damage();
        }),
      );
    },
  };
}

type Order = readonly [column: 'position' | 'sync_id', direction: 'ASC' | 'DESC'];
/** In `where`, `$2` is the value `first`, and the values `others` begin with `$5`. */
type Query = {
  columns: string;
  where: string;
  first: number;
  others: readonly unknown[];
  order: Order;
  size: 'data' | 'state';
};

/** Reads the rows of a page, and one row more if there are too many. */
async function readBounded(
  run: Run,
  { columns, where, first, others, order: [column, direction], size }: Query,
  { limit, maxBytes }: PageBounds,
): Promise<Row[]> {
  // A page ends by the size of texts in JavaScript. In UTF-8 they are up to three times as large. The second row is
  // always read.
  const { rows } = await run(
    `SELECT * FROM (
       SELECT *, sum(octet_length(${size}) / 3) OVER (ORDER BY position ${direction}
         ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS before
       FROM (SELECT ${columns} ${where} ORDER BY ${column} ${direction} LIMIT $3) AS asked
     ) AS sized WHERE coalesce(before, 0) <= $4 ORDER BY position ${direction}`,
    ...[first, limit + 1, Math.max(0, maxBytes), ...others],
  );
  return rows;
}

function createWrites(schema: string, purge: SessionPurge): Subject<SessionReader, SessionWriter>['writes'] {
  const stripe = Math.floor(Math.random() * stripes);
  const keepTexts = createTextKeeper(schema);
  return {
    async insertSession(job, session) {
      const { id: sessionId, lastSyncId, ownerId } = session;
      job.send(
        `INSERT INTO ${schema}.sessions (tenant, id, agent_id, parent_session_id, created_at, last_sync_id, messages, state,
           owner_id, bytes, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        ...sessionValues(session),
      );
      job.changes.push({ type: 'session-changed', sessionId, change: 'created', lastSyncId, ownerId });
    },
    async updateSession(job, session) {
      const { id: sessionId, lastSyncId, ownerId } = session;
      job.send(
        `UPDATE ${schema}.sessions SET last_sync_id = $3, messages = $4, state = $5, bytes = $6, hash = $7
         WHERE tenant = $1 AND id = $2`,
        ...[sessionId, ...updatedSessionValues(session)],
      );
      job.changes.push({ type: 'session-changed', sessionId, change: 'updated', lastSyncId, ownerId });
    },
    async insertChange(job, sessionId, change) {
      const values = changeValues(sessionId, change);
      job.send(
        `INSERT INTO ${schema}.session_changes (tenant, session_id, sync_id, type, at, data, hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        ...values,
      );
      return sizeOf(String(values.at(-2)));
    },
    async insertRequest(job, request, texts) {
      const values = requestValues(request);
      job.send(
        `INSERT INTO ${schema}.session_requests (tenant, id, session_id, agent_id, sync_id, reply_sync_id, created_at, data, hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        ...values,
      );
      return sizeOf(String(values.at(-2))) + (await keepTexts(job, request.sessionId, texts));
    },
    async updateRequest(job, request) {
      job.send(
        `UPDATE ${schema}.session_requests SET reply_sync_id = $3, hash = $4 WHERE tenant = $1 AND id = $2`,
        ...[request.id, request.replySyncId, requestValues(request).at(-1)],
      );
    },
    async countUses(job, request) {
      job.counted.push({ ...request, stripe });
    },
    deleteSession: (job, id) => purge.remove(job, id),
  };
}

/**
 * Stores the texts of a session, and resolves to their approximate bytes. All daemons store texts in the same order, so
 * that they do not wait for each other in a circle.
 */
function createTextKeeper(schema: string) {
  return async (job: Job, sessionId: string, texts: ReadonlyMap<string, string>): Promise<number> => {
    if (texts.size === 0) return 0;
    const keys = [...texts.keys()].sort();
    const json = new Map(keys.map((key) => [key, JSON.stringify(texts.get(key))]));
    // Sends only texts that the session does not have yet. It has most of them.
    const { rows: held } = await job.run(
      `SELECT key FROM ${schema}.session_texts WHERE tenant = $1 AND session_id = $2 AND key = ANY($3::text[])`,
      ...[sessionId, keys],
    );
    for (const { key } of held) json.delete(`${key}`);
    if (json.size === 0) return 0;
    const { rows: stored } = await job.run(
      `WITH kept AS (
         INSERT INTO ${schema}.texts (tenant, key, json) SELECT $1, * FROM unnest($3::text[], $4::text[])
         ON CONFLICT DO NOTHING RETURNING key
       ), linked AS (
         INSERT INTO ${schema}.session_texts (tenant, session_id, key) SELECT $1, $2, * FROM unnest($3::text[])
         ON CONFLICT DO NOTHING
       ) SELECT key FROM kept`,
      ...[sessionId, [...json.keys()], [...json.values()]],
    );
    const added = stored.reduce((sum, { key }) => sum + sizeOf(json.get(`${key}`) ?? '') - rowBytes, 0);
    return added + json.size * rowBytes;
  };
}
