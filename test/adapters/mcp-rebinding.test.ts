/** A name that changes its address between two questions (S-27). The resolver is played, nothing else. */
import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:http';
import { expect, it, vi } from 'vitest';
import { createGuardedFetch } from '../../src/adapters/mcp/fetch.ts';
import type { McpFailure } from '../../src/ports/mcp-launcher.ts';
import { listenOnLoopback } from '../support/loopback.ts';

const answers: LookupAddress[][] = [];
vi.mock('node:dns', () => ({
  lookup: (_name: string, _options: unknown, callback: (error: null, found: LookupAddress[]) => void) =>
    queueMicrotask(() => callback(null, answers.shift() ?? [])),
}));

it('S-27 judges the address it connects to, each time a name is looked up', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.setHeader('connection', 'close').end('{}');
  });
  const port = await listenOnLoopback(server);
  const failures: McpFailure[] = [];
  const { fetch, dispose } = createGuardedFetch({
    headers: {},
    ownPort: () => 1,
    onFailure: (failure) => failures.push(failure),
    answerMs: 1_000,
    isAccepted: () => false,
  });
  const good = { address: '127.0.0.1', family: 4 };
  const url = `http://some.example:${port}/`;

  answers.push([good]);
  expect((await fetch(url)).status).toBe(200);
  for (const bad of [
    [{ address: '169.254.169.254', family: 4 }],
    [good, { address: 'fe80::1', family: 6 }],
    [{ address: '::ffff:169.254.169.254', family: 6 }, good],
  ]) {
    answers.push(bad);
    await expect(fetch(url)).rejects.toMatchObject({ failure: { code: 'refused' } });
  }
  expect(requests).toBe(1);
  expect(failures.map(({ code }) => code)).toEqual(['refused', 'refused', 'refused']);
  dispose();
  server.close();
});
