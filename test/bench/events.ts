/** From a write to its event, and what listeners cost those who ask. */
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Listener, listenFor } from '../support/listener.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { startContextd } from './processes.ts';
import { measureLoad, settleMs } from './throughput.ts';
import { writeChain } from './workspaces.ts';

const writes = 80;
const rounds = 9;
const listeners = 50;
const manyListeners = 1_000;
const writesToMany = 10;

export async function measureEvents(directory: string): Promise<Figure[]> {
  const home = join(directory, 'home');
  const mountedDirectory = join(directory, 'workspace');
  mkdirSync(home);
  const request = writeChain(mountedDirectory);
  await delay(settleMs);
  await using contextd = await startContextd(home, mountedDirectory);
  const { url, authorization } = contextd;
  const load = {
    url: `${url}/v1/context/resolve`,
    headers: { authorization, 'content-type': 'application/json' },
    bodies: [JSON.stringify(request)],
    expectedFile: join(directory, 'answer.json'),
    connections: 10,
    seconds: 2,
  };
  const ask = async (): Promise<Buffer> => {
    const answer = await fetch(load.url, { method: 'POST', headers: load.headers, body: load.bodies[0] as string });
    return Buffer.from(await answer.arrayBuffer());
  };
  await ask();

  const path = join(mountedDirectory, '.context', 'rule-0.md');
  const first = await listenFor({ url, authorization });
  await delay(settleMs);
  const latencies: number[] = [];
  for (let n = 0; n <= writes; n += 1) {
    const told = first.next(path);
    await writeFile(path, `---\ntrigger: always\n---\nRule of round ${n}\n`);
    const written = performance.now();
    const elapsed = (await told) - written;
    // The first one compiles code.
    if (n > 0) latencies.push(elapsed);
    // So that a write does not fall into what is left of the window before.
    await delay(20 + (n % 7) * 5);
  }
  first.close();
  const many = await measureMany({ url, authorization, path });
  const p95 = latencies.sort((a, b) => a - b)[Math.ceil(latencies.length * 0.95) - 1] ?? Number.NaN;

  await delay(settleMs);
  await writeFile(load.expectedFile, await ask());
  const alone = async (): Promise<number> => (await measureLoad(contextd, load)).perSecond;
  const watched = async (): Promise<number> => {
    const streams = await Promise.all(Array.from({ length: listeners }, () => listenFor({ url, authorization })));
    await delay(500);
    const perSecond = await alone();
    for (const { close } of streams) close();
    await delay(500);
    return perSecond;
  };
  const pairs = (await inTurns(rounds + 1, watched, alone)).slice(1);
  return [
    figureOf({
      name: 'from a write to its event, p95 against 100 ms',
      unit: 'ms',
      rounds: [[p95, 100]],
      atMost: 1,
      note: `median ${latencies[latencies.length >> 1]?.toFixed(1)} ms, of ${latencies.length} writes`,
    }),
    many,
    figureOf({
      name: `resolve with ${listeners} listeners, against none`,
      unit: 'requests/s',
      rounds: pairs,
      atLeast: 0.95,
    }),
  ];
}

/** From a write to the last of its events, for all but one of a hundred listeners. */
async function measureMany(daemon: { url: string; authorization: string; path: string }): Promise<Figure> {
  const { url, authorization, path } = daemon;
  const streams: Listener[] = [];
  while (streams.length < manyListeners)
    streams.push(...(await Promise.all(Array.from({ length: 50 }, () => listenFor({ url, authorization })))));
  const latencies: number[] = [];
  for (let n = 0; n <= writesToMany; n += 1) {
    const told = streams.map((stream) => stream.next(path));
    await writeFile(path, `---\ntrigger: always\n---\nRule for many, round ${n}\n`);
    const written = performance.now();
    const arrived = await Promise.all(told);
    if (n > 0) latencies.push(...arrived.map((at) => at - written));
    await delay(200);
  }
  for (const { close } of streams) close();
  await delay(500);
  const p99 = latencies.sort((a, b) => a - b)[Math.ceil(latencies.length * 0.99) - 1] ?? Number.NaN;
  const name = `from a write to its event for ${manyListeners} listeners, p99 against 100 ms`;
  return figureOf({ name, unit: 'ms', rounds: [[p99, 100]], atMost: 1, note: 'all listeners are in one process' });
}
