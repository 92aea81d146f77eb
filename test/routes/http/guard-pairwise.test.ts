/** Figure 1 of docs/threats.md: every operation × host × origin × token × content type, each pair of values. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sized } from '../../support/test-size.ts';
import {
  consoleHost,
  goodHosts,
  goodOrigins,
  hostileHosts,
  hostileOrigins,
  isForConsole,
  wrongContentTypes,
  wrongTokens,
} from '../support/hostile-headers.ts';
import {
  createListeningApp,
  type ListeningApp,
  type Operation,
  operationsOf,
  token,
  versionHeaders,
} from '../support/listening-app.ts';
import { openRawConnection, requestText } from '../support/raw-http.ts';

type Header = readonly [name: string, value: string];
/** One value of one factor: the header lines to send, and the status that answers it unless an earlier factor objects. */
type Level = { headers: readonly Header[]; refusedWith?: number; isConsole?: true };

let test: ListeningApp;
beforeAll(async () => {
  test = await createListeningApp();
});
afterAll(() => test.app.close());

/** In the order in which the guard objects. The first level of each factor is a good one. */
function factorsOf(port: number): Level[][] {
  const lines = (name: string, values: readonly string[], refusedWith?: number): Level[] =>
    values.map((value) => ({ headers: [[name, value]], ...(refusedWith && { refusedWith }) }));
  return [
    [
      ...lines('Host', goodHosts(port)),
      { headers: [['Host', consoleHost(port)]], isConsole: true },
      ...lines('Host', hostileHosts(port), 403),
      { headers: [], refusedWith: 400 },
      {
        headers: [
          ['Host', `localhost:${port}`],
          ['host', `localhost:${port}`],
        ],
        refusedWith: 400,
      },
    ],
    [
      { headers: [] },
      ...lines('Origin', goodOrigins(port)),
      { headers: [['Origin', `http://${consoleHost(port)}`]], isConsole: true },
      // The first is that of the console.
      ...lines('Origin', hostileOrigins(port).slice(1), 403),
      ...lines('Sec-Fetch-Site', ['cross-site', 'same-site'], 403),
    ],
    [...lines('Authorization', [`Bearer ${token}`]), ...wrongTokens.map((headers) => ({ headers, refusedWith: 401 }))],
    [
      ...lines('Content-Type', ['application/json', 'application/json; charset=UTF-8']),
      ...lines('Content-Type', wrongContentTypes, 415),
    ],
  ];
}

/** Every pair of levels of every two factors, the others once good and once taken in turn. */
function* combinations(factors: readonly Level[][]): Generator<Level[]> {
  let turn = 0;
  for (const [first, firstLevels] of factors.entries())
    for (const [second, secondLevels] of factors.entries()) {
      if (second <= first) continue;
      for (const firstLevel of firstLevels)
        for (const secondLevel of secondLevels)
          for (const others of ['good', 'in turn']) {
            turn += 1;
            yield factors.map((levels, index) => {
              if (index === first) return firstLevel;
              if (index === second) return secondLevel;
              return levels[others === 'good' ? 0 : turn % levels.length] as Level;
            });
          }
    }
}

/** So many of all combinations there are, evenly spread; the full cross of all factors is millions. */
function* spread(factors: readonly Level[][], count: number, from: number): Generator<Level[]> {
  const total = factors.reduce((product, levels) => product * levels.length, 1);
  for (let at = 0; at < count; at += 1) {
    let rest = (from + Math.floor((at * total) / count)) % total;
    yield factors.map((levels) => {
      const level = levels[rest % levels.length] as Level;
      rest = Math.floor(rest / levels.length);
      return level;
    });
  }
}

function expectedRefusal(operation: Operation, levels: Level[]): number | undefined {
  const [host, origin, authorization, contentType] = levels as [Level, Level, Level, Level];
  const unauthorized = operation.isPublic ? undefined : authorization.refusedWith;
  const isElsewhere = operation.operationId === 'createConsoleSession' && !host.isConsole;
  return (
    host.refusedWith ??
    (host.isConsole && !isForConsole(operation) ? 403 : undefined) ??
    origin.refusedWith ??
    (origin.headers.length > 0 && host.isConsole !== origin.isConsole ? 403 : undefined) ??
    unauthorized ??
    (operation.body === undefined ? undefined : contentType.refusedWith) ??
    (isElsewhere ? 403 : undefined)
  );
}

/** Beside each pair of values, so many of their combinations. */
const crossed = sized(0, 250_000);
/** Of the pairs of values each operation gets one of so many, another than its neighbours; a pair of it with any value is kept. */
const stride = sized(11, 1);

it(`S-01 S-03 S-04 S-06 accepts none of ten thousand unauthorised requests, and ${crossed} more`, {
  timeout: 120_000 + crossed,
}, async () => {
  const operations = operationsOf(test.app);
  const factors = factorsOf(test.port);
  const share = Math.ceil(crossed / operations.length);
  const all = [...combinations(factors)];
  const combinationsOf = (operation: number) => all.filter((_, index) => (index + operation) % stride === 0);
  for (const at of operations.keys()) expect(new Set(combinationsOf(at).flat())).toEqual(new Set(factors.flat()));
  const requests = operations.flatMap((operation, at) =>
    [...combinationsOf(at), ...spread(factors, share, at * 7_919)].map((levels) => {
      const { method, target, body } = operation;
      // Without a body there is no content type to send.
      const own = levels.slice(0, body === undefined ? 3 : 4).flatMap((level) => level.headers);
      const headers = [...own, ...versionHeaders(operation)];
      return { request: { method, target, headers, body }, expected: expectedRefusal(operation, levels) };
    }),
  );
  const wrong: unknown[] = [];

  async function sendAll(work: typeof requests): Promise<void> {
    const connection = await openRawConnection(test.port);
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { request, expected } = item;
      const { status } = await connection.exchange(requestText(request));
      const isRight = expected === undefined ? [200, 201, 202, 204, 404, 405].includes(status) : status === expected;
      if (!isRight) wrong.push({ ...request, status, expected });
    }
    connection.destroy();
  }
  const sendInParallel = (work: typeof requests) => Promise.all(Array.from({ length: 8 }, () => sendAll(work)));

  const unauthorised = requests.filter(({ expected }) => expected !== undefined);
  expect(unauthorised.length).toBeGreaterThan(10_000);
  await sendInParallel(unauthorised);
  expect(wrong).toEqual([]);
  expect(test.engine.calls).toEqual([]);
  expect(test.shutdowns()).toBe(0);

  await sendInParallel(requests.filter(({ expected }) => expected === undefined));
  expect(wrong).toEqual([]);
  expect(test.engine.calls.length).toBeGreaterThan(0);
});
