/** Whatever becomes of the daemon, nothing of its MCP servers is left (S-32). `CONTEXTD_LONG=1`: all rounds the row asks for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createMcpLauncher } from '../../src/adapters/mcp/launcher.ts';
import type { McpLaunch } from '../../src/ports/mcp-launcher.ts';
import { type Answer, type RequestOptions, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { helper } from '../support/helpers.ts';
import { isRunning } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

const standIn = helper('stand-in-server');
const rounds = sized(5, 200, 1);
const servers = sized(1, 20);
/** Daemons at the same time, each with a workspace of its own. */
const lanes = Math.min(rounds, sized(5, 2));
const directory = temporaryDirectory();
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

type Place = { workspace: string; marks: string; count: number };

/** A workspace whose servers each start a child, which starts another in a group of its own; none minds SIGTERM. */
function createWorkspace(name: string, count = servers): Place {
  const workspace = join(directory, name);
  const marks = join(workspace, 'marks');
  mkdirSync(join(workspace, '.context'), { recursive: true });
  mkdirSync(marks);
  const mcpServers = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `server${at}`,
      { command: process.execPath, args: [standIn, 'tree', marks] },
    ]),
  );
  writeFileSync(join(workspace, '.context/config.json'), JSON.stringify({ mcpServers }));
  return { workspace, marks, count };
}

/** Approves and starts all servers; returns the process ids of all their trees. */
async function startServers(daemon: TestDaemon, place: Place): Promise<number[]> {
  /** Comes again when it is told to: so many processes that begin at once make the daemon late. */
  const ask = async (path: string, options?: RequestOptions): Promise<Answer> => {
    const answer = await until(async () => {
      const received = await daemon.request(path, options);
      const waitSeconds = received.headers['retry-after'];
      if (received.status !== 503 || waitSeconds === undefined) return received;
      await delay(Number(waitSeconds) * 1_000);
      return undefined;
    }, 60_000);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer;
  };
  const { body } = await ask(`/v1/mcp/servers?${new URLSearchParams({ mountedDirectory: place.workspace })}`);
  const listed = (body as { servers: { id: string; fingerprint: string }[] }).servers;
  expect(listed).toHaveLength(place.count);
  for (const { fingerprint } of listed) await ask('/v1/mcp/approvals', { body: { fingerprint } });
  await Promise.all(listed.map(({ id }) => ask(`/v1/mcp/servers/${id}/start`, { method: 'POST' })));
  await until(() => readdirSync(place.marks).length === 3 * place.count, 60_000);
  return readdirSync(place.marks).map(Number);
}

const survivors = (pids: readonly number[]): number[] => pids.filter(isRunning);

/** All rounds, divided among so many that run at the same time. */
async function inLanes(run: (lane: number, turns: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane, Math.ceil((rounds - lane) / lanes))));
}

describe('the end of the daemon', () => {
  // Each of the two ends a daemon that the other began after.
  it(
    `S-32 leaves nothing after SIGTERM, nor after SIGKILL and the next start, ${rounds} times each`,
    {
      timeout: rounds * 120_000,
    },
    () =>
      inLanes(async (lane, turns) => {
        const stateDirectory = join(directory, `state${lane}`);
        for (let turn = 0; turn < turns; turn += 1) {
          const killed = createWorkspace(`killed${lane}.${turn}`);
          const first = await startDaemon({ grantRoots: [killed.workspace], stateDirectory });
          const left = await startServers(first, killed);
          first.process.child.kill('SIGKILL');
          await first.process.exited;
          expect(survivors(left).length).toBeGreaterThan(0);
          const ended = createWorkspace(`ended${lane}.${turn}`);
          const next = await startDaemon({ grantRoots: [ended.workspace], stateDirectory });
          await until(() => survivors(left).length === 0, 10_000 + 2_000 * (lanes - 1));
          const pids = await startServers(next, ended);
          expect(survivors(pids)).toHaveLength(3 * servers);
          next.process.child.kill('SIGTERM');
          await until(() => survivors(pids).length === 0, 6_000 + 2_000 * (lanes - 1));
          expect((await next.process.exited).code).toBe(0);
          await Promise.all([first.stop(), next.stop()]);
        }
      }),
  );

  it('S-32 leaves nothing when a second signal ends it at once', { timeout: 60_000 }, async () => {
    const place = createWorkspace('hurry', 3);
    const daemon = await startDaemon({ grantRoots: [place.workspace] });
    const pids = await startServers(daemon, place);
    daemon.process.child.kill('SIGTERM');
    await until(() => daemon.process.output.stderr.includes('stopping'));
    daemon.process.child.kill('SIGTERM');
    await daemon.process.exited;
    // It neither waited for the servers nor until the time for that was over.
    expect(daemon.process.output.stderr).not.toMatch(/"stopped"|requests were still running/u);
    await until(() => survivors(pids).length === 0);
    await daemon.stop();
  });
});

describe('what is left alone', () => {
  it('S-32 sweeps its own leftovers, and no other process however alike', { timeout: 30_000 }, async () => {
    const stateDirectory = join(directory, 'own');
    const client = { name: 'test', version: '0' };
    const times = { closeMs: 100, termMs: 200, pollMs: 20 };
    const quiet = { onEnd() {}, onListChanged() {} };
    const launch = (marks: string) =>
      ({
        transport: 'stdio',
        command: process.execPath,
        args: [standIn, 'tree', marks],
        env: {},
        cwd: directory,
      }) as const;
    const marksOf = (name: string): string => {
      const marks = join(directory, name);
      mkdirSync(marks);
      return marks;
    };
    const startedIn = async (marks: string, count: number): Promise<number[]> => {
      await until(() => readdirSync(marks).length === count);
      return readdirSync(marks).map(Number);
    };
    // Without the marker, though all else is the same; and with that of another state directory.
    const decoyMarks = marksOf('decoy');
    children.push(
      spawn(process.execPath, [standIn, 'descendant', decoyMarks, '0'], { cwd: directory, env: {}, stdio: 'ignore' }),
    );
    const decoy = await startedIn(decoyMarks, 1);
    const other = createMcpLauncher({ stateDirectory: join(directory, 'other'), client, times });
    const otherMarks = marksOf('other-marks');
    await other.connect(launch(otherMarks), quiet);
    const others = await startedIn(otherMarks, 3);
    // What an earlier daemon left: this launcher is forgotten without an end.
    const ownMarks = marksOf('own-marks');
    const earlier = createMcpLauncher({ stateDirectory, client, times });
    await earlier.connect(launch(ownMarks), quiet);
    const own = await startedIn(ownMarks, 3);

    const launcher = createMcpLauncher({ stateDirectory, client, times });
    const liveMarks = marksOf('live-marks');
    await launcher.connect(launch(liveMarks), quiet);
    const live = await startedIn(liveMarks, 3);
    expect(await launcher.sweep()).toBe(3);
    expect(survivors(own)).toEqual([]);
    expect(survivors([...decoy, ...others, ...live])).toHaveLength(7);
    await launcher.dispose();
    expect(survivors(live)).toEqual([]);
    await other.dispose();
    expect(survivors(others)).toEqual([]);
    expect(survivors(decoy)).toHaveLength(1);
    await earlier.dispose();
  });

  it.each([
    ['whose parent has ended', 'orphaned'],
    ['that has another environment', 'unmarked'],
  ])('S-32 ends a process in a group of its own %s', async (_, kind) => {
    const marks = join(directory, kind);
    mkdirSync(marks);
    const times = { closeMs: 100, termMs: 200, pollMs: 20 };
    const launcher = createMcpLauncher({ stateDirectory: marks, client: { name: 'test', version: '0' }, times });
    const launch = {
      transport: 'stdio',
      command: process.execPath,
      args: [standIn, 'tree', marks, kind],
      env: {},
      cwd: directory,
    };
    const connection = await launcher.connect(launch as McpLaunch, { onEnd() {}, onListChanged() {} });
    await until(() => readdirSync(marks).length === 3);
    const pids = readdirSync(marks).map(Number);
    await until(() => survivors(pids).length === (kind === 'orphaned' ? 2 : 3));
    await connection.close();
    expect(survivors(pids)).toEqual([]);
    await launcher.dispose();
  });

  it('S-32 ends what a server leaves that ends at once by itself, in a group of its own without the mark', async () => {
    const marks = join(directory, 'left');
    mkdirSync(marks);
    const launcher = createMcpLauncher({ stateDirectory: marks, client: { name: 'test', version: '0' } });
    const args = [standIn, 'leaves-a-child', marks];
    const launch: McpLaunch = { transport: 'stdio', command: process.execPath, args, env: {}, cwd: directory };
    const connection = await launcher.connect(launch, { onEnd() {}, onListChanged() {} });
    await until(() => readdirSync(marks).length === 1);
    const pids = readdirSync(marks).map(Number);
    expect(survivors(pids)).toHaveLength(1);
    await connection.close();
    const left = survivors(pids);
    for (const pid of left) process.kill(pid);
    expect(left).toEqual([]);
    await launcher.dispose();
  });
});
