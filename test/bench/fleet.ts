/** Messages of many sessions, stored by several daemons in one PostgreSQL, beside one daemon with SQLite. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { keepAliveClient } from '../support/keep-alive-client.ts';
import { findPostgres, howToGetPostgres, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { startContextd } from './processes.ts';

const sessions = 200;
const rounds = 3;
const fleets = [1, 5, 10, 20];
const each = 5;
const content = 'x'.repeat(200);

type Measured = { perSecond: number; p99Ms: number; refused: number };
type Side = AsyncDisposable & { measure(): Promise<Measured> };

export async function measureFleet(directory: string): Promise<Figure[]> {
  if (findPostgres() === undefined) throw new Error(howToGetPostgres);
  // As a server is run: each commit waits for the disk, as it does with SQLite.
  await using server = await startPostgres({ settings: ['fsync=on', 'shared_buffers=256MB', 'max_wal_size=2GB'] });
  await using alone = await startSide(directory, { daemons: 1 });
  const figures: Figure[] = [];
  for (const daemons of fleets) {
    await using fleet = await startSide(directory, { daemons, store: await server.createDatabase() });
    const p99Ms: [number, number][] = [];
    const ours: number[] = [];
    const baseline: number[] = [];
    let refused = 0;
    const pairs = await inTurns(
      rounds,
      async () => {
        const measured = await fleet.measure();
        ours.push(measured.p99Ms);
        refused += measured.refused;
        return measured.perSecond;
      },
      async () => {
        const measured = await alone.measure();
        baseline.push(measured.p99Ms);
        return measured.perSecond;
      },
    );
    for (const [round, value] of ours.entries()) p99Ms.push([value, baseline[round] ?? Number.NaN]);
    const note = `baseline: one daemon with SQLite; ${refused} refused and sent again; ${await describe(server)}`;
    const name = `messages stored, ${daemons} daemon${daemons === 1 ? '' : 's'} on PostgreSQL, ${sessions} sessions`;
    figures.push(
      figureOf({ name, unit: 'writes/s', rounds: pairs, note }),
      figureOf({ name: '  p99', unit: 'ms', rounds: p99Ms }),
    );
  }
  return figures;
}

/** Where the limit lies: what the server waited for. */
async function describe(server: PostgresServer): Promise<string> {
  const commits = await server.sql("SELECT sum(xact_commit) FROM pg_stat_database WHERE datname LIKE 'test%'");
  const syncs = await server.sql('SELECT wal_sync FROM pg_stat_wal');
  const connections = await server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'contextd%'");
  return `${connections} connections, ${commits} commits and ${syncs} syncs so far`;
}

async function startSide(directory: string, { daemons, store }: { daemons: number; store?: string }): Promise<Side> {
  const environment: Record<string, string> = store === undefined ? {} : { CONTEXTD_STORE: store };
  const started: Awaited<ReturnType<typeof startContextd>>[] = [];
  for (let n = 0; n < daemons; n += 1) {
    const home = join(directory, `${daemons}-${store === undefined ? 'alone' : 'fleet'}-${n}`);
    mkdirSync(home);
    started.push(await startContextd(home, home, { environment }));
  }
  const clients = started.map((daemon) => keepAliveClient(daemon, Math.min(100, Math.ceil(sessions / daemons))));
  const clientOf = (session: number) => clients[session % clients.length] as (typeof clients)[number];
  /** What is refused, because too much waits, is sent again: its time goes on. */
  const send = async (session: number, ...request: [method: string, path: string, body: object]): Promise<string> => {
    for (;;) {
      try {
        return await clientOf(session).send(...request);
      } catch {
        refused += 1;
        await delay(100);
      }
    }
  };
  let refused = 0;
  await send(0, 'PUT', '/v1/agents/a', { name: 'A' });
  const ids = await Promise.all(
    Array.from({ length: sessions }, async (_, n) => {
      const { id } = JSON.parse(await send(n, 'POST', '/v1/sessions', { agentId: 'a' })) as { id: string };
      return id;
    }),
  );
  const measure = async (count = each): Promise<Measured> => {
    refused = 0;
    const times: number[] = [];
    const begun = performance.now();
    await Promise.all(
      ids.map(async (id, session) => {
        for (let n = 0; n < count; n += 1) {
          const asked = performance.now();
          await send(session, 'PATCH', `/v1/sessions/${id}`, { appendMessages: [{ role: 'user', content }] });
          times.push(performance.now() - asked);
        }
      }),
    );
    const perSecond = (times.length * 1_000) / (performance.now() - begun);
    return { perSecond, refused, p99Ms: times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN };
  };
  // Code is compiled, and connections are opened.
  await measure(1);
  return {
    measure: () => measure(),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client[Symbol.dispose]();
      await Promise.all(started.map((daemon) => daemon.stop()));
    },
  };
}
