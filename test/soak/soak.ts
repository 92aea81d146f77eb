/**
 * Leaves a daemon running under a mix of requests, readers of events, changing files, and helpers that are killed, and says
 * whether it stays as it was (security.md, section 3, figures 8 and 10; S-83).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { daemonNodeOptions } from '../../src/bin/node-options.ts';
import { startDaemon, type TestDaemon, temporaryDirectory, until } from '../support/daemon.ts';
import { writeSmallModel } from '../support/model/model-directory.ts';
import { embedderProcesses } from '../support/processes.ts';
import { type Answers, prepareMix } from './mix.ts';
import { openReaders } from './readers.ts';
import { churn, writeWorkspace } from './workspace.ts';

export type SoakOptions = {
  seconds: number;
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

/** Memory of the daemon itself, without its children. */
export type Sample = {
  seconds: number;
  rssBytes: number;
  heapUsedBytes: number;
  descriptors: number;
  children: number;
};

export type SoakResult = {
  requests: number;
  answers: Answers;
  /** Connections that broke and requests without an answer within 10 s. */
  errors: number;
  timeouts: number;
  latencyMs: Record<'p50' | 'p90' | 'p99' | 'p99_9' | 'max', number>;
  /** 5xx but 503 with `Retry-After`. */
  failures: number;
  shed: number;
  events: number;
  endedStreams: number;
  fileChanges: number;
  embedderKills: number;
  serverRestarts: number;
  samples: Sample[];
  /** Least squares over the second half of the run, bytes for ten minutes. */
  rssSlopeBytes: number;
  descriptors: { before: number; after: number };
};

const standIn = join(import.meta.dirname, '../support/mcp-servers/stand-in-server.ts');

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const directories = [temporaryDirectory(), temporaryDirectory()] as const;
  const [workspace, model] = directories;
  try {
    writeSmallModel(model);
    writeWorkspace(workspace, { files: 60, server: { command: process.execPath, args: [standIn, 'well'] } });
    await using daemon = await startDaemon({
      grantRoots: [workspace],
      args: ['--model-dir', model],
      nodeOptions: [...daemonNodeOptions],
    });
    return await run(daemon, workspace, options);
  } finally {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  }
}

async function run(daemon: TestDaemon, workspace: string, options: SoakOptions): Promise<SoakResult> {
  const mix = await prepareMix(daemon, { workspace, sessions: 20 });
  const serverId = await approveServer(daemon, workspace);
  // Everything that is made once is there before anything is compared.
  for (const { method, path, body } of mix.requests.slice(0, 200))
    await daemon.request(path, { method, ...(body === undefined ? {} : { body: JSON.parse(body) }) });
  const pid = daemon.process.child.pid as number;
  await until(() => embedderProcesses(pid).length > 0);
  const before = descriptorsOf(pid);

  const begun = performance.now();
  const passed = () => (performance.now() - begun) / 1000;
  const isOver = () => passed() >= options.seconds;
  const readers = openReaders(daemon.url, { token: daemon.token, count: options.readers });
  const samples: Sample[] = [];
  const sampling = every(options.sampleEverySeconds, isOver, async () => {
    const { memory } = (await daemon.request('/v1/status')).body as {
      memory: { rssBytes: number; heapUsedBytes: number };
    };
    const sample = {
      seconds: Math.round(passed()),
      rssBytes: memory.rssBytes,
      heapUsedBytes: memory.heapUsedBytes,
      descriptors: descriptorsOf(pid),
      children: childrenOf(pid),
    };
    samples.push(sample);
    options.onSample?.(sample);
  });
  const killing = every(options.killEverySeconds, isOver, () => {
    for (const embedder of embedderProcesses(pid)) process.kill(embedder, 'SIGKILL');
  });
  const restarting = every(options.killEverySeconds, isOver, () =>
    daemon.request(`/v1/mcp/servers/${serverId}/restart`, { method: 'POST' }),
  );
  const replacing = every(options.sessionEverySeconds, isOver, mix.replaceSession);
  const [load, fileChanges, embedderKills, serverRestarts] = await Promise.all([
    autocannon({
      url: daemon.url,
      connections: 20,
      duration: options.seconds,
      overallRate: options.rate,
      requests: mix.requests,
    }),
    churn(workspace, isOver),
    killing,
    restarting,
    sampling,
    replacing,
  ]);
  const { events, ends } = readers.counts;
  readers.close();
  await daemon.request('/v1/search', { body: { mountedDirectory: workspace, query: 'log', mode: 'semantic' } });
  const after = await until(() => {
    const now = descriptorsOf(pid);
    return Math.abs(now - before) <= 5 ? now : undefined;
  }).catch(() => descriptorsOf(pid));

  const statuses = Object.values(mix.answers);
  const failures = statuses.flatMap((counts) =>
    Object.entries(counts).map(([status, count]) => (Number(status) >= 500 && status !== '503' ? count : 0)),
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return {
    requests: load.requests.total,
    answers: mix.answers,
    errors: load.errors,
    timeouts: load.timeouts,
    latencyMs: pick(load.latency),
    failures: sum(failures) + sum(statuses.map(({ refusedWithoutWait = 0 }) => refusedWithoutWait)),
    shed: sum(statuses.map((counts) => (counts[503] ?? 0) - (counts.refusedWithoutWait ?? 0))),
    events,
    endedStreams: ends,
    fileChanges,
    embedderKills,
    serverRestarts,
    samples,
    rssSlopeBytes: slope(samples.filter(({ seconds }) => seconds >= options.seconds / 2)) * 600,
    descriptors: { before, after },
  };
}

async function approveServer(daemon: TestDaemon, workspace: string): Promise<string> {
  const { body } = await daemon.request(`/v1/mcp/servers?${new URLSearchParams({ mountedDirectory: workspace })}`);
  const [server] = (body as { servers: { id: string; fingerprint: string }[] }).servers;
  if (server === undefined) throw new Error('The server of the workspace is not listed.');
  await daemon.request('/v1/mcp/approvals', { body: { fingerprint: server.fingerprint } });
  await daemon.request(`/v1/mcp/servers/${server.id}/start`, { method: 'POST' });
  return server.id;
}

/** Works at once and then again and again; returns how often. */
async function every(seconds: number, isOver: () => boolean, work: () => unknown): Promise<number> {
  let times = 0;
  for (; ; times += 1) {
    const next = performance.now() + seconds * 1000;
    while (performance.now() < next && !isOver()) await delay(100);
    if (isOver()) return times;
    await work();
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

/** Bytes a second. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const time = mean(({ seconds }) => seconds);
  const memory = mean(({ rssBytes }) => rssBytes);
  const both = samples.reduce((sum, each) => sum + (each.seconds - time) * (each.rssBytes - memory), 0);
  const square = samples.reduce((sum, each) => sum + (each.seconds - time) ** 2, 0);
  return square === 0 ? 0 : both / square;
}
