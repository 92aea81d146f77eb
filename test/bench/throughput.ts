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

/** The compiler of JavaScript decides otherwise in each process: one start is up to a tenth faster than another. */
const starts = 3;
const roundsOfStart = 2;
const seconds = 2;
const heldPerSecond = 5_000;
const heldP99Ms = 20;
const path = '/v1/context/resolve';

/** Files that were changed a moment ago are read again until their change time can be trusted. */
export const settleMs = 2_500;

/** `bodies`: sent in turn. `isHeld`: also measured at the rate that the daemon promises to hold. */
type Variant = { name: string; connections: number; bodies: string[]; atLeast: number; isHeld?: boolean };
/** Of all starts. `pairs`: requests a second of ours and of the baseline, one right after the other. */
type Seen = { pairs: [number, number][]; ours: Measured[]; baseline: Measured[]; paced: Measured[] };

export async function measureThroughput(directory: string): Promise<Figure[]> {
  const mountedDirectory = join(directory, 'workspace');
  const request = writeChain(mountedDirectory);
  await delay(settleMs);
  const body = JSON.stringify(request);
  // A budget that nothing exceeds makes requests differ and answers alike, so that no two of them share a run.
  const different = Array.from({ length: 50 }, (_, n) =>
    JSON.stringify({ ...request, budget: { maxTokens: 1_000_000 + n } }),
  );
  const variants: Variant[] = [
    { name: '50 connections', connections: 50, bodies: [body], atLeast: 0.8, isHeld: true },
    { name: '10 connections', connections: 10, bodies: [body], atLeast: 0.6 },
    { name: '1 connection', connections: 1, bodies: [body], atLeast: 0.5 },
    { name: '50 connections, all requests different', connections: 50, bodies: different, atLeast: 0.4 },
  ];
  const seen = new Map<Variant, Seen>(
    variants.map((variant) => [variant, { pairs: [], ours: [], baseline: [], paced: [] }]),
  );
  for (let start = 0; start < starts; start += 1) {
    const home = join(directory, `home-${start}`);
    mkdirSync(home);
    await measureStart({ home, mountedDirectory, body }, seen);
  }
  return [...seen].flatMap(([variant, ofVariant]) => figuresOfVariant(variant, ofVariant));
}

/** Starts both servers anew and measures all variants. */
async function measureStart(
  { home, mountedDirectory, body }: { home: string; mountedDirectory: string; body: string },
  all: ReadonlyMap<Variant, Seen>,
): Promise<void> {
  await using contextd = await startContextd(home, mountedDirectory);
  const headers = { authorization: contextd.authorization, 'content-type': 'application/json' };
  const answer = await fetch(`${contextd.url}${path}`, { method: 'POST', headers, body });
  const expectedFile = join(home, 'answer.json');
  writeFileSync(expectedFile, Buffer.from(await answer.arrayBuffer()));
  await using bare = await startBaseline(home, 'bare-route.ts', expectedFile);
  for (const [{ connections, bodies, isHeld = false }, seen] of all) {
    const load = { headers, bodies, expectedFile, connections, seconds };
    const measure = (server: MeasuredServer, pace: Pick<Load, 'perSecond'> = {}): Promise<Measured> =>
      measureLoad(server, { url: `${server.url}${path}`, ...load, ...pace });
    // Unmeasured: code is compiled, which takes about three seconds, and each of the different requests is answered once.
    for (const server of [contextd, bare, contextd, bare]) await measure(server);
    const perSecond = async (server: MeasuredServer, into: Measured[]): Promise<number> => {
      const measured = await measure(server);
      into.push(measured);
      return measured.perSecond;
    };
    const pairs = await inTurns(
      roundsOfStart,
      () => perSecond(contextd, seen.ours),
      () => perSecond(bare, seen.baseline),
    );
    seen.pairs.push(...pairs);
    for (let round = 0; isHeld && round < roundsOfStart; round += 1)
      seen.paced.push(await measure(contextd, { perSecond: heldPerSecond }));
  }
}

function figuresOfVariant(
  { name, atLeast, isHeld = false }: Variant,
  { pairs, ours, baseline, paced }: Seen,
): Figure[] {
  const p99 = (measured: readonly Measured[]): string => `${median(measured.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms`;
  return [
    figureOf({
      name: `resolve, ${name}`,
      unit: 'requests/s',
      rounds: pairs,
      atLeast,
      note: `p99 ${p99(ours)}, baseline ${p99(baseline)}`,
    }),
    ...(isHeld ? heldUnderLoad(ours, paced) : []),
    // Where the generator limits the baseline, the processor time that each server used still tells them apart.
    figureOf({
      name: '  in a second of the processor',
      unit: 'requests/s',
      rounds: ours.map(({ perProcessorSecond }, at) => [perProcessorSecond, baseline[at]?.perProcessorSecond ?? 0]),
    }),
  ];
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
