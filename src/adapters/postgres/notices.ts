/** What daemons tell each other of what they have changed, by the server that they share. */
import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { RemoteChange, type RemoteListener } from '../../ports/store/remote-change.ts';
import type { Connections, Run } from './connections.ts';
import { refusalOf } from './refusals.ts';

export type Notices = {
  /** In the transaction of `run`, if there is one: it is told after its commit. */
  send(run: Run, changes: readonly RemoteChange[]): Promise<unknown>[];
  follow(listener: RemoteListener): () => void;
  close(): Promise<void>;
};

/** PostgreSQL takes less than 8,000 bytes. */
const maxBytes = 7_000;
const beatMs = 5_000;
const retryMs = { first: 100, most: 5_000 };

/** Listens from now on. Rejects when that cannot begin. */
export async function openNotices(connections: Connections, schema: string): Promise<Notices> {
  const { tenant } = connections;
  const digest = hash('sha256', JSON.stringify([schema, tenant])).slice(0, 32);
  const channel = `contextd_${digest}`;
  const origin = randomBytes(12).toString('base64url');
  const listeners = new Set<RemoteListener>();
  let isClosed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const hear = (payload: string | undefined): void => {
    const notice = parseNotice(payload);
    if (notice?.origin === origin) return;
    for (const listener of listeners) {
      if (notice?.changes === undefined) listener.resync();
      else for (const change of notice.changes) listener.changed(change);
    }
  };
  const listen = async (): Promise<void> => {
    const next = connections.createClient();
    let isLost = false;
    const lose = (error: unknown): void => {
      if (isLost || isClosed) return;
      isLost = true;
      connections.reachability.note(refusalOf(error), false);
      clearTimeout(timer);
      next.end().catch(() => {});
      if (client === next) retry(retryMs.first);
    };
    // It is told of what becomes of a connection whether somebody waits for it or not.
    next.on('error', lose).on('end', () => lose(new Error('ended')));
    // Whoever pools connections may hand on what is told to others.
    next.on('notification', ({ channel: from, payload }) => {
      if (from === channel) hear(payload);
    });
    await begin(next, channel);
    client = next;
    connections.reachability.noteReached();
    const beat = (): void => {
      timer = setTimeout(() => next.query('SELECT 1').then(live, lose), beatMs).unref();
    };
    // Also where nobody asks: other connections may have been lost since.
    const live = (): void => {
      connections.reachability.noteReached();
      beat();
    };
    beat();
  };
  const retry = (ms: number): void => {
    const again = async (): Promise<void> => {
      if (isClosed) return;
      try {
        await listen();
      } catch {
        retry(Math.min(retryMs.most, 2 * ms));
        return;
      }
      for (const listener of listeners) listener.resync();
    };
    // Not all daemons at once.
    setTimeout(again, ms * (0.5 + Math.random())).unref();
  };
  await listen();
  return {
    send: (run, changes) =>
      payloadsOf(origin, changes).map((payload) => run('SELECT pg_notify($2, $3), $1::text', channel, payload)),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

/** A standby lets in who may not listen there. */
async function begin(client: pg.Client, channel: string): Promise<void> {
  try {
    await client.connect();
    await client.query(`LISTEN "${channel}"`);
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
}

/** As few as their size allows. One that is too large becomes one that says only that something changed. */
function payloadsOf(origin: string, changes: readonly RemoteChange[]): string[] {
  const payloads: string[] = [];
  let parts: string[] = [];
  let bytes = 0;
  const end = (): void => {
    if (parts.length > 0) payloads.push(`{"origin":"${origin}","changes":[${parts.join(',')}]}`);
    [parts, bytes] = [[], 0];
  };
  const texts = new Set(changes.map((change) => JSON.stringify(change)));
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1;
    if (size > maxBytes) return [JSON.stringify({ origin })];
    if (bytes + size > maxBytes) end();
    parts.push(text);
    bytes += size;
  }
  end();
  return payloads;
}

/** Without `changes` for what says only that something changed; undefined for what is not of contextd. */
function parseNotice(payload = ''): { origin: string; changes?: RemoteChange[] } | undefined {
  try {
    const { origin, changes } = JSON.parse(payload) as { origin: string; changes?: unknown[] };
    if (changes === undefined) return { origin };
    // A newer contextd may tell what this one does not know.
    return { origin, changes: changes.flatMap((each) => RemoteChange.safeParse(each).data ?? []) };
  } catch {
    return undefined;
  }
}
