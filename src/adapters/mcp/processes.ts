/** The processes of MCP servers: starts them, and ends them with everything that they started (S-32). */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { McpError, type McpLaunch } from '../../ports/mcp-launcher.ts';
import { fixedLimits } from '../../settings.ts';

/**
 * A variable in the environment of every server, which its child processes inherit: `<hash of the state
 * directory>:<random>`.
 */
const markerName = 'CONTEXTD_MCP';

export type StopTimes = {
  /** Time from the end of input until SIGTERM. */
  closeMs: number;
  /** Time from SIGTERM until SIGKILL. */
  termMs: number;
  pollMs: number;
};
export const stopTimes: StopTimes = { ...fixedLimits.mcpServers, pollMs: 50 };
/** A process that survives SIGKILL for this long cannot be ended. */
const killMs = 1_000;

export type ServerProcess = Readonly<{
  child: ChildProcessWithoutNullStreams;
  /**
   * Ends the process and its descendants, gently first. Resolves when nothing is left. Repeated calls share one run.
   */
  end(): Promise<void>;
}>;

type McpProcesses = Readonly<{
  /**
   * Throws `McpError` `refused`, and `cancelled` after `dispose`. If the program cannot be run, the child emits
   * `error`.
   */
  start(launch: McpLaunch & { transport: 'stdio' }): ServerProcess;
  /** Ends servers that earlier daemons of the same state directory left running. Returns the number of processes. */
  sweep(): Promise<number>;
  dispose(): Promise<void>;
}>;

/**
 * A process as in /proc. A negative `pid` means a group. `startTime` tells two processes with the same number apart.
 */
type Seen = { pid: number; parent: number; group: number; startTime: string; marker: string };

export function createMcpProcesses(stateDirectory: string, times: StopTimes): McpProcesses {
  const stateHash = hash('sha256', stateDirectory).slice(0, 32);
  const trees = new Map<string, { group: number; end(): Promise<void> }>();
  const look = createLook();
  let isDisposed = false;

  // If the process ends suddenly, there is no time for a gentle end.
  const killAll = () => {
    if (trees.size === 0) return;
    const groups = new Set([...trees.values()].map(({ group }) => group));
    for (const seen of [...readProcesses()].filter(({ marker, group }) => trees.has(marker) || groups.has(group)))
      signal(seen.pid, 'SIGKILL');
    for (const group of groups) signal(-group, 'SIGKILL');
  };
  process.on('exit', killAll);

  return Object.freeze({
    start(launch) {
      refuseUnusable(launch);
      if (isDisposed) throw new McpError({ code: 'cancelled', detail: 'The daemon is stopping.' });
      const marker = `${stateHash}:${randomBytes(16).toString('hex')}`;
      const { command, args, cwd, env } = launch;
      const child = spawn(command, args, {
        cwd,
        env: { ...env, [markerName]: marker },
        detached: true,
        shell: false,
        stdio: 'pipe',
      });
      // If input can no longer be written, the end of the process shows it.
      child.stdin.on('error', () => {});
      const group = child.pid;
      if (group === undefined) return { child, end: async () => {} };
      let ending: Promise<void> | undefined;
      const run = async () => {
        const isOwn = (seen: Seen) => seen.marker === marker || seen.group === group;
        // A process without the mark, in a group of its own, is found only while its parent runs.
        const before = new Set((await look(isOwn, group)).map(identityOf));
        child.stdin.end();
        const find = () => look((seen) => isOwn(seen) || before.has(identityOf(seen)), group);
        for (let waitedMs = 0; waitedMs < times.closeMs && !hasExited(child); waitedMs += times.pollMs)
          await delay(times.pollMs);
        await endFound(find, times);
        child.stdout.destroy();
        child.stderr.destroy();
        trees.delete(marker);
      };
      const end = () => (ending ??= run());
      trees.set(marker, { group, end });
      return { child, end };
    },

    async sweep() {
      const own = ancestors();
      const isLeft = ({ marker, pid }: Seen) =>
        marker.startsWith(`${stateHash}:`) && !trees.has(marker) && !own.has(pid);
      return endFound(() => look(isLeft), times);
    },

    async dispose() {
      isDisposed = true;
      await Promise.all([...trees.values()].map(({ end }) => end()));
      process.off('exit', killAll);
    },
  } satisfies McpProcesses);
}

function refuseUnusable({ command, args, cwd, env }: McpLaunch & { transport: 'stdio' }): void {
  const refuse = (detail: string) => new McpError({ code: 'refused', detail });
  for (const part of [command, ...args, cwd, ...Object.keys(env), ...Object.values(env)])
    if (part.includes('\0')) throw refuse('The command, an argument or a variable has a NUL character.');
  if (Object.keys(env).some((name) => name.includes('='))) throw refuse('The name of a variable has an equals sign.');
  if (/[\r\n]/u.test(command) || args.some((argument) => /[\r\n]/u.test(argument)))
    throw refuse('The command or an argument has a line break.');
  // These always run in a shell, and safe quoting for it is impossible.
  if (/\.(?:cmd|bat)[. ]*$/iu.test(command)) throw refuse('Batch files are not started; name the program itself.');
}

function hasExited({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}

type Find = () => Promise<Seen[]>;

/** Sends SIGTERM, then SIGKILL, to each process found, and also to new ones. Returns how many there were. */
async function endFound(find: Find, { termMs, pollMs }: StopTimes): Promise<number> {
  const met = new Set<string>();
  for (const [name, limitMs] of [
    ['SIGTERM', termMs],
    ['SIGKILL', killMs],
  ] as const) {
    const told = new Set<string>();
    const end = performance.now() + limitMs;
    do {
      const left = await find();
      // A process that forks and ends during the reading can be missed once, so this reads twice.
      if (left.length === 0 && (await find()).length === 0) return met.size;
      for (const each of left) {
        const identity = identityOf(each);
        met.add(identity);
        if (name === 'SIGTERM' && told.has(identity)) continue;
        told.add(identity);
        signal(each.pid, name);
      }
      await delay(pollMs);
    } while (performance.now() < end);
  }
  return met.size;
}

function identityOf({ pid, startTime }: Seen): string {
  return `${pid} ${startTime}`;
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * Finds processes by a test, and all their descendants. Callers at the same time share one reading of the process
 * table. Without /proc, only the process group `group` can be found.
 */
function createLook() {
  let reading: Promise<Seen[]> | undefined;
  const readAll = async (): Promise<Seen[]> => {
    const all: Seen[] = [];
    for (const seen of readProcesses()) {
      all.push(seen);
      if (all.length % 50 === 0) await nextTurn();
    }
    return all;
  };
  return async (isWanted: (seen: Seen) => boolean, group?: number): Promise<Seen[]> => {
    reading ??= readAll().finally(() => {
      reading = undefined;
    });
    const all = await reading;
    if (all.length === 0 && group !== undefined && signal(-group, 0))
      return [{ pid: -group, parent: 0, group, startTime: '', marker: '' }];
    const found = new Map(all.filter(isWanted).map((seen) => [seen.pid, seen]));
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const seen of all) if (found.has(seen.parent)) found.set(seen.pid, seen);
    }
    return [...found.values()];
  };
}

/** All processes except zombies. None without /proc. */
function* readProcesses(): Generator<Seen> {
  for (const name of existsSync('/proc/self/stat') ? readdirSync('/proc') : []) {
    if (!/^\d+$/u.test(name)) continue;
    const seen = readProcess(Number(name));
    if (seen !== undefined) yield seen;
  }
}

function readProcess(pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before the last parenthesis may contain anything.
    const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, parent: Number(parent), group: Number(group), startTime: rest[16] ?? '', marker: markerOf(pid) };
  } catch {
    // The process has ended.
    return undefined;
  }
}

function markerOf(pid: number): string {
  try {
    const variables = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const at = variables.indexOf(`\0${markerName}=`);
    return at === -1 ? '' : (variables.slice(at + markerName.length + 2).split('\0', 1)[0] ?? '');
  } catch {
    // A process of another user.
    return '';
  }
}

/** This process and the processes above it. One of them may be a server that started this daemon. */
function ancestors(): Set<number> {
  const found = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 0 && !found.has(pid); ) {
    found.add(pid);
    pid = readProcess(pid)?.parent;
  }
  return found;
}
