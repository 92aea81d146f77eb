/**
 * Figure 8 of docs/threats.md: what the daemon holds for long. Per commit half of it, all at once, and every answer right in the end; at the
 * size of a release each load alone for ten minutes too, in the times that were promised, for which nothing may run beside it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { stateNames } from '../../src/bin/state/state-directory.ts';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { measureLoad, settleMs } from '../bench/throughput.ts';
import { writeChain } from '../bench/workspaces.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { keepAliveClient } from '../support/keep-alive-client.ts';
import { type Listener, listenFor } from '../support/listener.ts';
import { tellMeasured } from '../support/measured.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { isTorture, sized } from '../support/test-size.ts';

/**
 * `resolves` and `messages` a second; `readers` of events, who are told of two changes a second. At the full number of
 * resolves, connections ask again as soon as they are answered, and the number is the least.
 */
type Load = { resolves: number; messages: number; readers: number };
/** `count` is of requests, or of what readers were told; the time is from when it was due, was sent, or was written. */
type Held = { count: number; p99Ms: number };
type Place = { daemon: TestDaemon; directory: string; request: ResolveRequest };

const seconds = sized(8, 600, 3);
/** Unmeasured: code is compiled. */
const warmUpSeconds = isTorture ? 5 : 1;
const connections = 50;
const changesPerSecond = 2;
/** For a machine that is busy with other things; at the size of a release the times below are held. */
const patienceMs = 30_000;
/** Milliseconds for all but one of a hundred. */
const promisedMs: Load = { resolves: 20, messages: 50, readers: 100 };
/** Per commit: how far behind a machine may fall that is half as fast, beside what measures it. */
const lateMs = 20_000;
const full: Load = { resolves: 5_000, messages: 1_000, readers: 1_000 };
const none: Load = { resolves: 0, messages: 0, readers: 0 };
const half: Load = { resolves: full.resolves / 2, messages: full.messages / 2, readers: full.readers / 2 };
const alone = Object.entries(full).map(([name, amount]) => ({ ...none, [name]: amount }));
const loads: Load[] = isTorture ? [...alone, half] : [half];

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

/** What the title says of a load. */
function inWords({ resolves, messages, readers }: Load): string {
  return [
    resolves === full.resolves
      ? `at least ${resolves} resolves a second, ${connections} connections asking again when answered`
      : '',
    resolves > 0 && resolves < full.resolves ? `${resolves} resolves a second` : '',
    messages > 0 ? `${messages} stored messages a second` : '',
    readers > 0 ? `${readers} readers of events` : '',
  ]
    .filter((part) => part !== '')
    .join(' with ');
}

for (const load of loads)
  it(`S-67 S-77 ${isTorture ? 'holds' : 'answers all of'} ${inWords(load)}, for ${seconds} s`, {
    timeout: 3 * seconds * 1_000 + 120_000,
  }, async (context) => {
    const request = writeChain(join(directory, 'workspace'));
    await delay(settleMs);
    const stateDirectory = join(directory, 'state');
    mkdirSync(stateDirectory, { mode: 0o700 });
    const log = join(stateDirectory, stateNames.log);
    await using daemon = await startDaemon({
      grantRoots: [directory],
      args: ['--offline'],
      stateDirectory,
      stderrFile: log,
    });
    const parts = (Object.keys(load) as (keyof Load)[]).filter((name) => load[name] > 0);
    const held = await Promise.all(
      parts.map(async (name) => ({
        name,
        ...(await holders[name]({ daemon, directory, request }, load[name])),
      })),
    );
    const seen = held.map(({ name, count, p99Ms }) => `${count} ${name}, p99 ${p99Ms.toFixed(1)} ms`).join('; ');
    tellMeasured(context, seen);
    for (const { name, count, p99Ms } of held) {
      expect(count, seen).toBeGreaterThanOrEqual(load[name] * seconds * (name === 'readers' ? changesPerSecond : 1));
      expect(p99Ms, seen).toBeLessThanOrEqual(isTorture ? promisedMs[name] : lateMs);
    }
    const { body: status } = await daemon.request('/v1/status');
    expect(status).toMatchObject({ log, requests: { shed: 0, failed: 0 } });
  });

const holders: { [name in keyof Load]: (place: Place, amount: number) => Promise<Held> } = {
  async resolves({ daemon, directory, request }, perSecond) {
    const { text } = await daemon.request('/v1/context/resolve', { body: request });
    const expectedFile = join(directory, 'answer.json');
    writeFileSync(expectedFile, text);
    const load = {
      url: `${daemon.url}/v1/context/resolve`,
      bodies: [JSON.stringify(request)],
      expectedFile,
      headers: { ...authorizationOf(daemon), 'content-type': 'application/json' },
      connections,
      ...(perSecond !== full.resolves && { perSecond }),
    };
    const server = { pid: daemon.process.child.pid as number };
    await measureLoad(server, { ...load, seconds: warmUpSeconds });
    const { requests, p99Ms } = await measureLoad(server, { ...load, seconds });
    return { count: requests, p99Ms };
  },

  async messages({ daemon }, perSecond) {
    using client = keepAliveClient({ url: daemon.url, ...authorizationOf(daemon) }, connections);
    await client.send('PUT', '/v1/agents/a', { name: 'A' });
    const latencies: number[] = [];
    const begun = performance.now();
    let sent = 0;
    const store = async (): Promise<void> => {
      let id = '';
      for (let stored = 0; ; stored += 1) {
        const due = (sent * 1_000) / perSecond;
        if (due >= (warmUpSeconds + seconds) * 1_000) return;
        sent += 1;
        await delay(Math.max(0, begun + due - performance.now()));
        // So that none grows for as long as this lasts.
        if (stored % 200 === 0) id = JSON.parse(await client.send('POST', '/v1/sessions', { agentId: 'a' })).id;
        const appendMessages = [{ role: 'user', content: 'x'.repeat(200) }];
        await client.send('PATCH', `/v1/sessions/${id}`, { appendMessages });
        if (due >= warmUpSeconds * 1_000) latencies.push(performance.now() - begun - due);
      }
    };
    await Promise.all(Array.from({ length: connections }, store));
    return heldOf(latencies);
  },

  async readers({ daemon, directory }, count) {
    const watched = join(directory, 'watched');
    mkdirSync(join(watched, '.context'), { recursive: true });
    await daemon.request('/v1/context/resolve', { body: { mountedDirectory: watched } });
    const listeners: Listener[] = [];
    while (listeners.length < count)
      listeners.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(50, count - listeners.length) }, () =>
            listenFor({ url: daemon.url, ...authorizationOf(daemon) }, patienceMs),
          ),
        )),
      );
    const latencies: number[] = [];
    const begun = performance.now();
    for (let change = 0; change < (warmUpSeconds + seconds) * changesPerSecond; change += 1) {
      await delay(Math.max(0, begun + (change * 1_000) / changesPerSecond - performance.now()));
      // By turns, so that a second event of one is not taken for that of the next.
      const path = join(watched, `.context/rule-${change % 2}.md`);
      const told = Promise.all(listeners.map(({ next }) => next(path)));
      writeFileSync(path, `---\ntrigger: always\n---\nRule ${change}\n`);
      const written = performance.now();
      for (const at of await told) if (change >= warmUpSeconds * changesPerSecond) latencies.push(at - written);
    }
    for (const { close } of listeners) close();
    return heldOf(latencies);
  },
};

function authorizationOf({ token }: TestDaemon): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function heldOf(latencies: number[]): Held {
  const sorted = latencies.sort((a, b) => a - b);
  return { count: sorted.length, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}
