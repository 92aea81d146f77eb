/** Servers as processes of their own: started, found, weighed, ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonEnvironment, daemonNodeOptions } from '../../src/bin/daemon/node-options.ts';
import { stateNames } from '../../src/bin/state/state-directory.ts';
import { entryPath } from '../support/daemon.ts';
import { freePort } from '../support/loopback.ts';

const patienceMs = 30_000;

/** `startMs`: from the spawn to the first good answer of `/health`. */
export type MeasuredServer = { pid: number; url: string; startMs: number; stop(): Promise<void> } & AsyncDisposable;

/** Starts the daemon as `contextd start` does, with `directory` as its home; what it logs is below that. */
export async function startContextd(
  directory: string,
  grantRoot: string,
  { entry = entryPath, environment = {} }: { entry?: string; environment?: Record<string, string> } = {},
): Promise<MeasuredServer & { authorization: string }> {
  const port = await freePort();
  const stateDirectory = join(directory, 'state');
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const args = ['serve', '--port', `${port}`, '--state-dir', stateDirectory, '--grant-root', grantRoot];
  const command = [...daemonNodeOptions, entry, ...args];
  const logFile = join(stateDirectory, stateNames.log);
  const server = await start(command, {
    port,
    directory,
    logFile,
    environment: { ...daemonEnvironment, ...environment },
  });
  const { token } = JSON.parse(readFileSync(join(stateDirectory, 'daemon.json'), 'utf8')) as { token: string };
  return { ...server, authorization: `Bearer ${token}` };
}

/** Starts one of the baselines beside this file. Its first argument is the port. */
export async function startBaseline(directory: string, file: string, ...args: string[]): Promise<MeasuredServer> {
  const port = await freePort();
  const command = [join(import.meta.dirname, file), `${port}`, ...args];
  return start(command, { port, directory, logFile: join(directory, 'output.log') });
}

type Place = { port: number; directory: string; logFile: string; environment?: Readonly<Record<string, string>> };

async function start(
  args: readonly string[],
  { port, directory, logFile, environment }: Place,
): Promise<MeasuredServer> {
  const log = openSync(logFile, 'a', 0o600);
  const url = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...environment },
    stdio: ['ignore', log, log],
  });
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || performance.now() - begun > patienceMs) {
      child.kill('SIGKILL');
      throw new Error(`${args[0]} does not answer: ${readFileSync(logFile)}`);
    }
    await delay(2);
  }
  const startMs = performance.now() - begun;
  const end = () => stop(child);
  return { pid: child.pid as number, url, startMs, stop: end, [Symbol.asyncDispose]: end };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Runs node to its end, with what the project has installed; the time from the spawn, in milliseconds. */
export async function runNode(
  args: readonly string[],
  place: { cwd: string; env: Record<string, string>; input?: string } = { cwd: import.meta.dirname, env: {} },
): Promise<number> {
  const { cwd, env, input } = place;
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'ignore', 'inherit'],
  });
  child.stdin?.end(input);
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`node ${args.join(' ')} fails`);
  return performance.now() - begun;
}

function isHealthy(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${url}/health`, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    }).on('error', () => resolve(false));
  });
}

/** Resident memory of a process in MiB. Linux only, as is `processorMs`. */
export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+) kB$/mu.exec(status)?.[1]) / 1024;
}

/** Processor time that a process and its threads have used, in milliseconds (steps of ten). */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
