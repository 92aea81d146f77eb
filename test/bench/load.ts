/** The load generator, a process of its own. Standard input: a `Load` as JSON; standard output: a `LoadResult`. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

/** Each connection sends one of `bodies` over and over; every answer must be 200 and the bytes of `expectedFile`. */
export type Load = {
  url: string;
  headers: Record<string, string>;
  bodies: string[];
  expectedFile: string;
  connections: number;
  seconds: number;
};
export type LoadResult = { requests: number; perSecond: number; p99Ms: number; wrong: number };

const load = JSON.parse(readFileSync(0, 'utf8')) as Load;
const expected = readFileSync(load.expectedFile, 'utf8');
let clients = 0;
const result = await autocannon({
  url: load.url,
  method: 'POST',
  headers: load.headers,
  connections: load.connections,
  duration: load.seconds,
  setupClient(client) {
    client.setBody(load.bodies[clients % load.bodies.length] as string);
    clients += 1;
  },
  verifyBody: (body) => body === expected,
});
const answered = result['2xx'];
process.stdout.write(
  JSON.stringify({
    requests: answered,
    perSecond: answered / result.duration,
    p99Ms: result.latency.p99,
    wrong: result.non2xx + result.errors + result.timeouts + result.mismatches,
  } satisfies LoadResult),
);
