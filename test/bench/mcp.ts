/** Calls of tools through the launcher, beside the bare client of the SDK; and how awake the daemon is while servers misbehave. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMcpLauncher } from '../../src/adapters/mcp/launcher.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { type Figure, figureOf, inTurns } from './figures.ts';
import { residentMiB } from './processes.ts';

const calls = 300;
const rounds = 5;
const maxMs = 100;
const maxMiB = 64;
const watchedMs = 3_000;
const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const standIn = join(import.meta.dirname, '../support/mcp-servers/stand-in-server.ts');

export async function measureMcp(directory: string): Promise<Figure[]> {
  return [await measureCalls(directory), ...(await measureHealth(directory))];
}

async function measureCalls(directory: string): Promise<Figure> {
  const launcher = createMcpLauncher({ stateDirectory: directory, client: { name: 'bench', version: '0' } });
  const server = { command: process.execPath, args: [everything, 'stdio'], env: {}, cwd: directory };
  const handlers = { onEnd() {}, onListChanged() {} };
  const connection = await launcher.connect({ transport: 'stdio', ...server }, handlers);
  const client = new Client({ name: 'bench', version: '0' });
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }));
  const given = { message: 'x'.repeat(1_000) };
  const measure = async (call: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    for (let at = 0; at < calls; at += 1) await call();
    return ((performance.now() - begun) * 1_000) / calls;
  };
  const ours = () => measure(() => connection.callTool('echo', { arguments: given }));
  const bare = () => measure(() => client.callTool({ name: 'echo', arguments: given }));
  await ours();
  await bare();
  const pairs = await inTurns(rounds, ours, bare);
  await Promise.all([launcher.dispose(), client.close()]);
  return figureOf({ name: 'a call of a tool, beside the bare client', unit: 'µs', rounds: pairs, atMost: 1.25 });
}

/** Each server does one thing wrong; the daemon is asked for its health meanwhile, and before. */
async function measureHealth(directory: string): Promise<Figure[]> {
  const modes = {
    works: 'well',
    hangs: 'never-answers',
    floods: 'floods-notifications',
    crashes: 'exits',
    babbles: 'floods-stderr',
    'sends 100 MB without a line break': 'floods-bytes',
    'lists 10,000 tools': 'many-tools',
  };
  const workspace = join(directory, 'workspace');
  mkdirSync(join(workspace, '.context'), { recursive: true });
  const mcpServers = Object.fromEntries(
    Object.entries(modes).map(([name, mode]) => [name, { command: process.execPath, args: [standIn, mode, '1'] }]),
  );
  writeFileSync(join(workspace, '.context/config.json'), JSON.stringify({ mcpServers }));
  await using daemon = await startDaemon({ grantRoots: [workspace] });
  const path = `/v1/mcp/servers?${new URLSearchParams({ mountedDirectory: workspace })}`;
  const { servers } = (await daemon.request(path)).body as {
    servers: { id: string; name: string; fingerprint: string }[];
  };
  // What is loaded with the first server is not the work of those that misbehave.
  servers.sort((a, b) => Number(b.name === 'works') - Number(a.name === 'works'));
  await watchHealth(daemon);
  const pid = daemon.process.child.pid as number;
  const figures: Figure[] = [];
  for (const { id, name, fingerprint } of servers) {
    const idle = await watchHealth(daemon);
    const before = residentMiB(pid);
    let highest = before;
    const weighing = setInterval(() => {
      highest = Math.max(highest, residentMiB(pid));
    }, 20);
    await daemon.request('/v1/mcp/approvals', { body: { fingerprint } });
    const started = daemon.request(`/v1/mcp/servers/${id}/start`, { method: 'POST' });
    const busy = await watchHealth(daemon);
    await started;
    clearInterval(weighing);
    await daemon.request(`/v1/mcp/servers/${id}/stop`, { method: 'POST' });
    const figure = figureOf({
      name: `p99 of /health while ${name === 'works' ? 'the first server starts' : `a server ${name}`}, beside idle`,
      unit: 'ms',
      rounds: [[busy, idle]],
    });
    const memory = {
      name: `  … memory it costs the daemon, against ${maxMiB} MiB`,
      unit: 'MiB',
      rounds: [[highest - before, maxMiB] as const],
    };
    if (name === 'works') figures.push(figure, figureOf(memory));
    else
      figures.push(
        { ...figure, target: `≤ ${maxMs} ms`, met: figure.ours <= maxMs },
        figureOf({ ...memory, atMost: 1 }),
      );
  }
  return figures;
}

/** The 99th percentile of what an answer takes, in milliseconds. */
async function watchHealth(daemon: TestDaemon): Promise<number> {
  const taken: number[] = [];
  for (const end = performance.now() + watchedMs; performance.now() < end; ) {
    const begun = performance.now();
    const { status } = await daemon.request('/health');
    if (status !== 200) throw new Error(`status ${status}`);
    taken.push(performance.now() - begun);
    await delay(2);
  }
  return taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? Number.NaN;
}
