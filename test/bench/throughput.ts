/** Warm resolves over HTTP, side by side with a bare Fastify route that sends the same bytes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figureOf, inTurns, median } from './figures.ts';
import type { Load, LoadResult } from './load.ts';
import { type MeasuredServer, processorMs, startBaseline, startContextd } from './processes.ts';
import { writeChain } from './workspaces.ts';

const rounds = 5;
const seconds = 2;
const heldPerSecond = 5_000;
const heldP99Ms = 20;

/** Files that were changed a moment ago are read again until their change time can be trusted. */
export const settleMs = 2_500;

export async function measureThroughput(directory: string): Promise<Figure[]> {
  const home = join(directory, 'home');
  const mountedDirectory = join(directory, 'workspace');
  mkdirSync(home);
  const request = writeChain(mountedDirectory);
  await delay(settleMs);
  await using contextd = await startContextd(home, mountedDirectory);
  const path = '/v1/context/resolve';
  const headers = { authorization: contextd.authorization, 'content-type': 'application/json' };
  const body = JSON.stringify(request);
  const answer = await fetch(`${contextd.url}${path}`, { method: 'POST', headers, body });
  const expectedFile = join(directory, 'answer.json');
  writeFileSync(expectedFile, Buffer.from(await answer.arrayBuffer()));
  await using bare = await startBaseline(home, 'bare-route.ts', expectedFile);

  // A budget that nothing exceeds makes requests differ and answers alike, so that no two of them share a run.
  const different = Array.from({ length: 50 }, (_, n) =>
    JSON.stringify({ ...request, budget: { maxTokens: 1_000_000 + n } }),
  );
  const variants = [
    { name: '50 connections', connections: 50, bodies: [body], atLeast: 0.7, isHeld: true },
    { name: '10 connections', connections: 10, bodies: [body], atLeast: 0.6 },
    { name: '1 connection', connections: 1, bodies: [body], atLeast: 0.5 },
    { name: '50 connections, all requests different', connections: 50, bodies: different, atLeast: 0.4 },
  ];
  const figures: Figure[] = [];
  for (const { name, connections, bodies, atLeast, isHeld = false } of variants) {
    const measure = (server: MeasuredServer, pace: Pick<Load, 'perSecond'> = {}): Promise<Measured> =>
      measureLoad(server, {
        url: `${server.url}${path}`,
        headers,
        bodies,
        expectedFile,
        connections,
        seconds,
        ...pace,
      });
    // Unmeasured: code is compiled, which takes about three seconds, and each of the different requests is answered once.
    for (const server of [contextd, bare, contextd, bare]) await measure(server);
    const seen: { ours: Measured[]; baseline: Measured[] } = { ours: [], baseline: [] };
    const perSecond = async (server: MeasuredServer, into: Measured[]): Promise<number> => {
      const measured = await measure(server);
      into.push(measured);
      return measured.perSecond;
    };
    const pairs = await inTurns(
      rounds,
      () => perSecond(contextd, seen.ours),
      () => perSecond(bare, seen.baseline),
    );
    const paced: Measured[] = [];
    if (isHeld)
      for (let round = 0; round < rounds; round += 1) paced.push(await measure(contextd, { perSecond: heldPerSecond }));
    const p99 = (measured: readonly Measured[]): string =>
      `${median(measured.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`;
    figures.push(
      figureOf({
        name: `resolve, ${name}`,
        unit: 'requests/s',
        rounds: pairs,
        atLeast,
        note: `p99 ${p99(seen.ours)}, baseline ${p99(seen.baseline)}`,
      }),
      ...(isHeld ? heldUnderLoad(seen.ours, paced) : []),
      // Where the generator limits the baseline, the processor time that each server used still tells them apart.
      figureOf({
        name: '  in a second of the processor',
        unit: 'requests/s',
        rounds: seen.ours.map(({ perProcessorSecond }, at) => [
          perProcessorSecond,
          seen.baseline[at]?.perProcessorSecond ?? 0,
        ]),
      }),
    );
  }
  return figures;
}

/**
 * Against the load that the daemon promises to hold (figure 8 of docs/threats.md), for connections that ask again when they are
 * answered. At that rate nothing is promised of requests whose time counts from when they were due.
 */
function heldUnderLoad(most: readonly Measured[], paced: readonly Measured[]): Figure[] {
  return [
    figureOf({
      name: '  … against 5,000 a second',
      unit: 'requests/s',
      atLeast: 1,
      rounds: most.map(({ perSecond }) => [perSecond, heldPerSecond]),
    }),
    figureOf({
      name: '  … p99, against 20 ms',
      unit: 'ms',
      atMost: 1,
      rounds: most.map(({ p99Ms }) => [p99Ms, heldP99Ms]),
    }),
    figureOf({
      name: '  … p99 when 5,000 a second are due, against 20 ms',
      unit: 'ms',
      rounds: paced.map(({ p99Ms }) => [p99Ms, heldP99Ms]),
    }),
  ];
}

type Measured = LoadResult & { perProcessorSecond: number };

/** Puts the load on a server from a process of its own. */
export async function measureLoad(server: Pick<MeasuredServer, 'pid'>, load: Load): Promise<Measured> {
  const before = processorMs(server.pid);
  const generator = spawn(process.execPath, [join(import.meta.dirname, 'load.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  generator.stdin.end(JSON.stringify(load));
  const [output, [code]] = await Promise.all([text(generator.stdout), once(generator, 'exit')]);
  if (code !== 0) throw new Error(`the load generator failed at ${load.url}`);
  const result = JSON.parse(output) as LoadResult;
  return { ...result, perProcessorSecond: (result.requests * 1000) / (processorMs(server.pid) - before) };
}
