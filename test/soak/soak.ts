/**
 * Leaves a daemon running under a mix of requests, readers of events, changing files, and helpers that are killed, and says
 * whether it stays as it was (docs/threats.md, figure 10; S-83).
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { Observed } from '../../routes/status.ts';
import { startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { helper } from '../support/helpers.ts';
import { writeSmallModel } from '../support/model/model-directory.ts';
import { embedderProcesses } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { countAnswers, middleOfEachMinute, minOfEachMinute, type Slope, slopeOf } from './checks.ts';
import { type Answers, demandGood, prepareMix } from './mix.ts';
import { openReaders } from './readers.ts';
import { churn, writeWorkspace } from './workspace.ts';

export type SoakOptions = {
  seconds: number;
  /** So many of them, in which memory grows to what it needs: its slope is taken after them. */
  warmUpSeconds: number;
  /** Requests a second. */
  rate: number;
  /** Streams of events. */
  readers: number;
  /** Seconds between two kills of the embedder, and between two restarts of the MCP server. */
  killEverySeconds: number;
  /** Seconds after which the oldest of 20 sessions is replaced by another. */
  sessionEverySeconds: number;
  sampleEverySeconds: number;
  onSample?: (sample: Sample) => void;
};

/** Of the daemon itself, without its children. */
export type Sample = {
  seconds: number;
  rssBytes: number;
  heapUsedBytes: number;
  /** With `externalBytes`, to tell where memory went that was not given back. */
  heapTotalBytes: number;
  externalBytes: number;
  eventLoop: Observed['eventLoop'];
  descriptors: number;
  children: number;
};

/** With what was asked for, which tells what there should have been. */
export type SoakResult = Pick<SoakOptions, 'seconds' | 'rate' | 'readers'> & {
  /** Those that were answered. */
  requests: number;
  answers: Answers;
  /** Connections that broke, and requests without an answer within 10 s. */
  errors: number;
  /** Of these the latter. */
  timeouts: number;
  /** From when a request was sent. One that was not sent, because none was answered, is missing in `requests`. */
  latencyMs: Record<'p50' | 'p90' | 'p99' | 'p99_9' | 'max', number>;
  /** Neither good nor shed. */
  failures: number;
  /** 503 with `Retry-After`. */
  shed: number;
  events: number;
  /** Of these the ones that tell of changed context files. */
  fileEvents: number;
  endedStreams: number;
  fileChanges: number;
  /** How often the embedder was to be killed, and the MCP server to be restarted. */
  turns: number;
  /** Processes that were there and were killed. */
  embedderKills: number;
  /** Restarts that were answered 200. */
  serverRestarts: number;
  samples: Sample[];
  /** Of the middle of each minute after the warm-up; `undefined` when these are less than ten. */
  rssSlope: Slope | undefined;
  /** The same of the least heap in use of each minute: tells a leak from what V8 holds in reserve. */
  heapSlope: Slope | undefined;
  descriptors: BeforeAfter;
  children: BeforeAfter;
  /** After the last kill and the last restart. */
  recovered: { searchByMeaning: boolean; mcpServer: string };
};

type BeforeAfter = { before: number; after: number };

const standIn = helper('stand-in-server');

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const directories = [temporaryDirectory(), temporaryDirectory()] as const;
  const [workspace, model] = directories;
  try {
    writeSmallModel(model);
    writeWorkspace(workspace, { files: 60, server: { command: process.execPath, args: [standIn, 'well'] } });
    await using daemon = await startDaemon({
      grantRoots: [workspace],
      args: ['--model-dir', model],
    });
    return await run(daemon, workspace, options);
  } finally {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  }
}

async function run(daemon: TestDaemon, workspace: string, options: SoakOptions): Promise<SoakResult> {
  const mix = await prepareMix(daemon, { workspace, sessions: 20 });
  const { id: serverId } = await startServer(daemon, workspace);
  // Everything that is made once is there before anything is compared.
  for (const { method, path, body } of mix.requests.slice(0, 200))
    demandGood(await daemon.request(path, { method, ...(body === undefined ? {} : { body: JSON.parse(body) }) }));
  const pid = daemon.process.child.pid as number;
  await until(() => searchesByMeaning(daemon, workspace));
  const before = { descriptors: descriptorsOf(pid), children: childrenOf(pid) };

  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1000;
  const isOver = () => passed() >= options.seconds;
  const readers = openReaders(daemon.url, { token: daemon.token, count: options.readers });
  const samples: Sample[] = [];
  const sampling = every(options.sampleEverySeconds, isOver, async () => {
    const { status, body } = await mix.send('status', '/v1/status');
    if (status !== 200) return;
    const { memory, eventLoop } = body as Observed;
    const sample = {
      seconds: Math.round(passed()),
      ...memory,
      eventLoop,
      descriptors: descriptorsOf(pid),
      children: childrenOf(pid),
    };
    samples.push(sample);
    options.onSample?.(sample);
  });
  let [embedderKills, serverRestarts] = [0, 0];
  const killing = every(options.killEverySeconds, isOver, () => {
    for (const embedder of embedderProcesses(pid)) if (hasKilled(embedder)) embedderKills += 1;
  });
  const restarting = every(options.killEverySeconds, isOver, async () => {
    const { status } = await mix.send('restart a server', `/v1/mcp/servers/${serverId}/restart`, { method: 'POST' });
    if (status === 200) serverRestarts += 1;
  });
  const replacing = every(options.sessionEverySeconds, isOver, mix.replaceSession);
  const [load, fileChanges, turns] = await Promise.all([
    autocannon({
      url: daemon.url,
      // At a low rate each would wait for long, with the address of a session that has ended.
      connections: Math.min(20, Math.ceil(options.rate)),
      duration: options.seconds,
      overallRate: options.rate,
      // It would take a rate of 5 a second for one a millisecond, and count an answer after 900 ms 900 times.
      ignoreCoordinatedOmission: true,
      requests: mix.requests,
    }),
    churn(workspace, isOver),
    killing,
    restarting,
    sampling,
    replacing,
  ]);
  const { events, fileEvents, ends } = readers.counts;
  readers.close();
  const searchByMeaning = await until(() => searchesByMeaning(daemon, workspace), 30_000).catch(() => false);
  const mcpServer = await serverOf(daemon, workspace).then(({ state }) => state, String);
  const after = {
    descriptors: await settled(() => descriptorsOf(pid), { before: before.descriptors, within: 5 }),
    children: await settled(() => childrenOf(pid), { before: before.children, within: 1 }),
  };
  const warm = samples.filter(({ seconds }) => seconds >= options.warmUpSeconds);
  const rss = warm.map(({ seconds, rssBytes }) => ({ seconds, bytes: rssBytes }));
  const heap = warm.map(({ seconds, heapUsedBytes }) => ({ seconds, bytes: heapUsedBytes }));
  const { seconds, rate } = options;
  return {
    seconds,
    rate,
    readers: options.readers,
    requests: load.requests.total,
    answers: mix.answers,
    errors: load.errors,
    timeouts: load.timeouts,
    latencyMs: pick(load.latency),
    ...countAnswers(mix.answers),
    events,
    fileEvents,
    endedStreams: ends,
    fileChanges,
    turns,
    embedderKills,
    serverRestarts,
    samples,
    rssSlope: slopeOf(middleOfEachMinute(rss)),
    heapSlope: slopeOf(minOfEachMinute(heap)),
    descriptors: { before: before.descriptors, after: after.descriptors },
    children: { before: before.children, after: after.children },
    recovered: { searchByMeaning, mcpServer },
  };
}

type Server = { id: string; fingerprint: string; state: string };

async function serverOf(daemon: TestDaemon, workspace: string): Promise<Server> {
  const query = new URLSearchParams({ mountedDirectory: workspace });
  const [server] = (demandGood(await daemon.request(`/v1/mcp/servers?${query}`)) as { servers: Server[] }).servers;
  if (server === undefined) throw new Error('The server of the workspace is not listed.');
  return server;
}

async function startServer(daemon: TestDaemon, workspace: string): Promise<Server> {
  const { id, fingerprint } = await serverOf(daemon, workspace);
  demandGood(await daemon.request('/v1/mcp/approvals', { body: { fingerprint } }));
  return demandGood(await daemon.request(`/v1/mcp/servers/${id}/start`, { method: 'POST' })) as Server;
}

/** Whether a text that was never asked for is searched by its meaning, which only a living embedder can do. */
async function searchesByMeaning(daemon: TestDaemon, workspace: string): Promise<boolean> {
  const body = { mountedDirectory: workspace, query: `failure ${randomUUID()}`, mode: 'semantic' };
  const answer = await daemon.request('/v1/search', { body });
  const { semantic } = answer.body as { semantic?: { status: string; engine: string } };
  return answer.status === 200 && semantic?.status === 'ready' && semantic.engine === 'semantic';
}

/** The number once it is near what it was before, or what it is when that takes too long. */
function settled(count: () => number, { before, within }: { before: number; within: number }): Promise<number> {
  return until(() => {
    const now = count();
    return Math.abs(now - before) <= within ? now : undefined;
  }).catch(count);
}

/** Works again and again; returns how often. */
async function every(seconds: number, isOver: () => boolean, work: () => unknown): Promise<number> {
  const begun = performance.now();
  for (let times = 0; ; times += 1) {
    const next = begun + (times + 1) * seconds * 1000;
    while (performance.now() < next && !isOver()) await delay(100);
    if (isOver()) return times;
    await work();
  }
}

/** False when it was gone already. */
function hasKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function childrenOf(pid: number): number {
  const all = execFileSync('ps', ['-eo', 'ppid='], { encoding: 'utf8' }).split('\n');
  return all.filter((parent) => Number(parent) === pid).length;
}

function pick({ p50, p90, p99, p99_9, max }: SoakResult['latencyMs']): SoakResult['latencyMs'] {
  return { p50, p90, p99, p99_9, max };
}
