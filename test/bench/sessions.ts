/** Durable writes of sessions beside bare SQLite, over HTTP against the target, and what building a request takes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { createSearch, type Search } from '../../src/search/search.ts';
import { createTestSessions } from '../session/support/sessions.ts';
import { keepAliveClient } from '../support/keep-alive-client.ts';
import { type Figure, figureOf, inTurns, median } from './figures.ts';
import { startContextd } from './processes.ts';

const writers = 50;
const rounds = 5;
const content = 'x'.repeat(200);

export async function measureSessions(directory: string): Promise<Figure[]> {
  return [await measureStore(directory), ...(await measureHttp(directory)), ...(await measureBuilding(directory))];
}

/** Messages per second, each acknowledged after it is on disk. */
async function measureStore(directory: string): Promise<Figure> {
  const { agents, sessions, store } = createTestSessions({ store: createSqliteStore(join(directory, 'store.db')) });
  await agents.put('a', { name: 'A' });
  const ids = await Promise.all(
    Array.from({ length: writers }, async () => (await sessions.create({ agentId: 'a' })).id),
  );
  const ours = async (): Promise<number> => {
    const each = 60;
    const started = performance.now();
    await Promise.all(
      ids.map(async (id) => {
        for (let count = 0; count < each; count += 1)
          await sessions.patch(id, { appendMessages: [{ role: 'user', content }] });
      }),
    );
    return (writers * each * 1_000) / (performance.now() - started);
  };
  const bare = new DatabaseSync(join(directory, 'bare.db'));
  bare.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  bare.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, content TEXT NOT NULL) STRICT');
  const insert = bare.prepare('INSERT INTO messages (content) VALUES (?)');
  const baseline = (): number => {
    const count = 2_000;
    const started = performance.now();
    for (let n = 0; n < count; n += 1) insert.run(content);
    return (count * 1_000) / (performance.now() - started);
  };
  await ours();
  const pairs = await inTurns(rounds, ours, baseline);
  await store.close();
  bare.close();
  const note = 'baseline: one insert for each commit, the same pragmas';
  return figureOf({ name: `messages stored, ${writers} writers`, unit: 'writes/s', rounds: pairs, note });
}

/** Against 1,000 writes per second, and 50 ms for all but one of a hundred. */
async function measureHttp(directory: string): Promise<Figure[]> {
  const home = join(directory, 'home');
  mkdirSync(home);
  await using contextd = await startContextd(home, home);
  using client = keepAliveClient(contextd, writers);
  const { send } = client;
  await send('PUT', '/v1/agents/a', { name: 'A' });
  const ids = await Promise.all(
    Array.from({ length: writers }, async () => JSON.parse(await send('POST', '/v1/sessions', { agentId: 'a' })).id),
  );
  const measured: { perSecond: number; p99Ms: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const times: number[] = [];
    const each = 60;
    const started = performance.now();
    await Promise.all(
      ids.map(async (id) => {
        for (let count = 0; count < each; count += 1) {
          const asked = performance.now();
          await send('PATCH', `/v1/sessions/${id}`, { appendMessages: [{ role: 'user', content }] });
          times.push(performance.now() - asked);
        }
      }),
    );
    const perSecond = (times.length * 1_000) / (performance.now() - started);
    const p99Ms = times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
    // In the first one, code is compiled.
    if (round > 0) measured.push({ perSecond, p99Ms });
  }
  const note = 'baseline: the target; the client is in this process';
  return [
    figureOf({
      name: `messages stored over HTTP, ${writers} clients`,
      unit: 'writes/s',
      note,
      atLeast: 1,
      rounds: measured.map(({ perSecond }) => [perSecond, 1_000]),
    }),
    figureOf({
      name: '  p99',
      unit: 'ms',
      note,
      atMost: 1,
      rounds: measured.map(({ p99Ms }) => [p99Ms, 50]),
    }),
  ];
}

/** A request of an agent with 1,000 items of ten chunks each, stored and all; without embedding the message. */
async function measureBuilding(directory: string): Promise<Figure[]> {
  const sentence = (item: number, at: number) =>
    `Topic ${item % 97} of part ${at} says what module ${item} does there. `;
  const rules = Array.from({ length: 1_000 }, (_, item) => ({
    name: `r${item}`,
    description: `About module ${item}`,
    include: 'agent' as const,
    text: Array.from({ length: 10 }, (_, at) => sentence(item, at).repeat(8)).join('\n\n'),
  }));
  const fixed: Search['search'] = async (_query, items) => ({
    results: items.slice(0, 5).map((item) => ({
      item,
      score: 0.8,
      engine: 'semantic' as const,
      chunk: { index: 0, text: '' },
    })),
    semantic: { status: 'ready', engine: 'semantic' },
  });
  const kinds = [
    { name: 'fixed matches', search: fixed, options: {} },
    { name: 'keyword search', search: createSearch().search, options: { mode: 'keyword' as const } },
  ];
  const figures: Figure[] = [];
  for (const { name, search, options } of kinds) {
    const store = createSqliteStore(join(directory, `${name}.db`));
    const { agents, sessions } = createTestSessions({ store, search });
    await agents.put('a', { name: 'A', rules });
    const times: number[] = [];
    let id = '';
    for (let count = 0; count < 200; count += 1) {
      if (count % 20 === 0) id = (await sessions.create({ agentId: 'a' })).id;
      const started = performance.now();
      await sessions.request(id, { message: `What does module ${count} do?`, search: options });
      times.push(performance.now() - started);
    }
    await store.close();
    const note = 'baseline: the target for what is done besides searching, 3 ms';
    figures.push(
      figureOf({
        name: `a request over 1,000 items, ${name}`,
        unit: 'ms',
        note,
        atMost: 1,
        rounds: [[median(times.slice(50)), 3]],
      }),
    );
  }
  return figures;
}
