/** Notices of changes between daemons that share a server. */
import { hash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { within } from '../../pace/within.ts';
import { RemoteChange, type RemoteListener } from '../../ports/store/remote-change.ts';
import type { Connections, Run } from './connections.ts';
import { NoConnectionLeft, Pooled, refusalOf } from './refusals.ts';

export type Notices = {
  /** If `run` is in a transaction, the notice is sent after its commit. */
  send(run: Run, changes: readonly RemoteChange[]): Promise<unknown>[];
  follow(listener: RemoteListener): () => void;
  close(): Promise<void>;
};

/** PostgreSQL accepts less than 8,000 bytes. */
const maxBytes = 7_000;
const beatMs = 5_000;
/** Max wait for a notice of this daemon to come back, which usually takes milliseconds. */
const hearingMs = 5_000;
const unheard =
  'Notices that are sent through it do not arrive: there is a pooler in between that gives each transaction another connection.';
const retryMs = { first: 100, max: 5_000 };

/** Listens from now on. Rejects if that is impossible, or if notices do not arrive. */
export async function openNotices(connections: Connections, schema: string): Promise<Notices> {
  const channel = channelOf(schema, connections.tenant);
  const origin = randomBytes(12).toString('base64url');
  /** Only this daemon listens to it. */
  const ownChannel = `contextd_${origin}`;
  const listeners = new Set<RemoteListener>();
  let heardOwn = (): void => {};
  const hear = (payload: string | undefined): void => {
    const notice = parseNotice(payload);
    if (notice?.origin === origin) return;
    for (const listener of listeners) {
      if (notice?.changes === undefined) listener.resync();
      else for (const change of notice.changes) listener.changed(change);
    }
  };
  const tell = (run: Run, to: string, payload: string) => run('SELECT pg_notify($2, $3), $1::text', to, payload);
  const listening = createListening(connections, {
    channels: { [channel]: hear, [ownChannel]: () => heardOwn() },
    /** A notice that is sent here must come back. */
    async probe() {
      const { promise, resolve } = Promise.withResolvers<true>();
      heardOwn = () => resolve(true);
      await tell(connections.read, ownChannel, '');
      if ((await within(hearingMs, promise)) === undefined) throw new Pooled('unavailable', unheard);
    },
    onAgain() {
      for (const listener of listeners) listener.resync();
    },
  });
  await listening.begin();
  return {
    send: (run, changes) => payloadsOf(origin, changes).map((payload) => tell(run, channel, payload)),
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: listening.close,
  };
}

/** The channel of all daemons of a tenant. */
function channelOf(schema: string, tenant: string): string {
  return `contextd_${hash('sha256', JSON.stringify([schema, tenant])).slice(0, 32)}`;
}

type ListeningParts = {
  /** Handlers, by the name of their channel. */
  channels: Record<string, (payload: string | undefined) => void>;
  /** Rejects if notices do not arrive. */
  probe(): Promise<void>;
  /** The connection was lost and is restored. */
  onAgain(): void;
};

/** A listening connection, which is replaced when it is lost. */
function createListening(connections: Connections, { channels, probe, onAgain }: ListeningParts) {
  const { reachability, isDirect } = connections;
  let isClosed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const noteLost = (refusal: Error): void => {
    reachability.noteDeaf(refusal);
    // Where the server has no connection left, the others can still be used, or notice it themselves.
    if (!isDirect && !(refusal instanceof NoConnectionLeft)) reachability.note(refusal, false);
  };
  // Checked even without requests, because other connections may have been lost.
  const noteLive = (): void => {
    if (!isDirect) reachability.noteReached();
    else if (!reachability.state().available) connections.read('SELECT').catch(() => {});
  };
  const listen = async (): Promise<void> => {
    const next = connections.createListener();
    const state = { lost: undefined as { error: unknown } | undefined };
    const lose = (error: unknown): void => {
      if (state.lost !== undefined) return;
      state.lost = { error };
      next.end().catch(() => {});
      if (isClosed) return;
      noteLost(refusalOf(error) as Error);
      clearTimeout(timer);
      if (client === next) retry(retryMs.first);
    };
    // A connection has events whether anybody waits for it or not.
    next.on('error', lose).on('end', () => lose(new Error('ended')));
    // A pooler may pass on notices for other daemons.
    next.on('notification', ({ channel, payload }) => channels[channel]?.(payload));
    try {
      await next.connect();
      // A standby accepts connections, but nobody can listen there.
      for (const channel of Object.keys(channels)) await next.query(`LISTEN "${channel}"`);
      noteLive();
      await probe();
      if (state.lost !== undefined) throw state.lost.error;
    } catch (error) {
      lose(error);
      // A lost connection receives nothing.
      throw state.lost?.error;
    }
    if (isClosed) return void next.end().catch(() => {});
    client = next;
    reachability.noteHearing();
    const beat = (): void => {
      timer = setTimeout(() => next.query('SELECT 1').then(live, lose), beatMs).unref();
    };
    const live = (): void => {
      noteLive();
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
        retry(Math.min(retryMs.max, 2 * ms));
        return;
      }
      onAgain();
    };
    // A random delay, so that not all daemons connect at once.
    setTimeout(again, ms * (0.5 + Math.random())).unref();
  };
  return {
    begin: listen,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

/**
 * As few payloads as their size allows. A single change that is too large becomes a notice that only says that
 * something changed.
 */
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

/**
 * `changes` is absent if the notice only says that something changed. Undefined for a notice that contextd did not
 * write.
 */
function parseNotice(payload = ''): { origin: string; changes?: RemoteChange[] } | undefined {
  try {
    const { origin, changes } = JSON.parse(payload) as { origin: string; changes?: unknown[] };
    if (changes === undefined) return { origin };
    // A newer contextd may report changes that this one does not know.
    return { origin, changes: changes.flatMap((each) => RemoteChange.safeParse(each).data ?? []) };
  } catch {
    return undefined;
  }
}
