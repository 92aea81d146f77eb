/**
 * The real binary in a temporary state directory and a temporary home, for tests that need a process. The environment of
 * the tests is not passed on, so that nothing of the machine shows in an answer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonEnvironment, daemonNodeOptions } from '../../src/bin/daemon/node-options.ts';
import { noteAnswer } from './documented-answers.ts';
import { runInShared } from './run-command.ts';
import { temporaryDirectory } from './temporary-files.ts';

/** The entry that a clone runs. */
export const sourceEntry = join(import.meta.dirname, '../../src/bin/contextd.ts');
/** The entry that tests start: that of the built program where there is one. */
export const entryPath = process.env.CONTEXTD_TESTED_PROGRAM ?? sourceEntry;

/** Each test has a home of its own, where nothing compiled is kept; kept here it halves what a process takes to start. */
export const compileCache = join(import.meta.dirname, '../../node_modules/.cache/contextd-tests');

/** For tests about what a process keeps in its own state directory. */
export const ownCompileCache = { NODE_COMPILE_CACHE: '' };

export type RunOptions = {
  env?: Record<string, string>;
  cwd?: string;
  nodeOptions?: string[];
  /** Another entry than that of a clone. */
  entry?: string;
  /** A program with its first arguments, in the place of Node.js and an entry. */
  command?: readonly string[];
  input?: string;
  /** Standard error goes to the end of this file, and not into the output. */
  stderrFile?: string;
  /** A command, with arguments, that runs the process as the rest of its arguments. */
  through?: readonly string[];
  /** Runs as this user, whom modes bind; only the superuser can ask for it. */
  userId?: number;
};
/** For tests that must see whether a command ends by itself. */
export const ownProcess: RunOptions = { input: '' };
export type Run = { code: number | null; stdout: string; stderr: string };
export type RunningProcess = { child: ChildProcess; output: Run; exited: Promise<Run> };

function environmentOf(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: compileCache, ...env };
}

/** Starts `contextd <args>`; `output` grows as the process writes, `exited` gives all of it with the exit code. */
export function spawnContextd(args: readonly string[], options: RunOptions): RunningProcess {
  const stderr = options.stderrFile === undefined ? undefined : openSync(options.stderrFile, 'a', 0o600);
  const program = options.command ?? [process.execPath, ...(options.nodeOptions ?? []), options.entry ?? entryPath];
  const own = [...program, ...args];
  const command = [...(options.through ?? []), ...own];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: options.cwd ?? tmpdir(),
    env: environmentOf(options.env),
    stdio: ['pipe', 'pipe', stderr ?? 'pipe'],
    ...(options.userId === undefined ? {} : { uid: options.userId, gid: options.userId }),
  });
  if (stderr !== undefined) closeSync(stderr);
  const output: Run = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input);
  const exited = once(child, 'close').then(([code]) => {
    output.code = code as number | null;
    return output;
  });
  return { child, output, exited };
}

/** Runs `contextd <args>` to its end, in a process of its own if the options say anything about the process. */
export function runContextd(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { env, cwd = tmpdir(), ...ofProcess } = options;
  const isPlain = entryPath !== sourceEntry && Object.keys(ofProcess).length === 0;
  const asked = { entry: entryPath, args, cwd, env: environmentOf(env) };
  return (isPlain ? runInShared(asked) : undefined) ?? spawnContextd(args, options).exited;
}

/** Waits until `condition` gives something else than `undefined` or `false`; fails after `timeoutMs`. */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 30_000): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false && value !== null) return value;
    if (Date.now() > end) throw new Error(`still waiting after ${timeoutMs} ms for ${condition}`);
    await delay(20);
  }
}

/** An answer of the daemon: `body` is parsed when it is JSON. */
export type Answer = { status: number; headers: Record<string, unknown>; body: unknown; text: string };
export type RequestOptions = { method?: string; body?: unknown; headers?: Record<string, string> };

/** One request by `node:http`, which sends `Host` and `Origin` as given. */
export function sendRequest(url: string, options: RequestOptions = {}): Promise<Answer> {
  const payload = options.body === undefined ? undefined : JSON.stringify(options.body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: options.method ?? (payload === undefined ? 'GET' : 'POST'),
      agent: false,
      headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    });
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject).on('end', () => {
        const json = /[/+]json(?:;|$)/u.test(String(response.headers['content-type']));
        const [status, body] = [response.statusCode ?? 0, json ? JSON.parse(text) : undefined];
        const isProblem = String(response.headers['content-type']).startsWith('application/problem+json');
        if (isProblem) noteAnswer({ method: request.method, target: request.path, status, code: body.code });
        resolve({ status, headers: response.headers, body, text });
      });
    });
    request.end(payload);
  });
}

export type DaemonOptions = RunOptions & {
  /** More flags of `serve`. */
  args?: string[];
  grantRoots?: string[];
  /** Used and left in place; absent, a temporary one is made and removed by `stop`. */
  stateDirectory?: string;
};

export type TestDaemon = AsyncDisposable & {
  url: string;
  port: number;
  token: string;
  stateDirectory: string;
  /** The home directory of the process, empty at first; holds the global scope. */
  home: string;
  process: RunningProcess;
  /** A request with the token. `path` begins with `/`; a body makes it a POST. */
  request(path: string, options?: RequestOptions): Promise<Answer>;
  /** Runs a command of the CLI against this daemon. */
  cli(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Ends the process and removes what was made for it. */
  stop(): Promise<void>;
};

/** As `contextd start` runs it, on a free port; waits until it answers. Fails with its log when it does not start. */
export async function startDaemon(options: DaemonOptions = {}): Promise<TestDaemon> {
  const home = temporaryDirectory();
  if (options.userId !== undefined) chownSync(home, options.userId, options.userId);
  const stateDirectory = options.stateDirectory ?? join(home, 'state');
  const args = ['serve', '--port', '0', '--state-dir', stateDirectory, '--json'];
  // What nobody stopped, because a test failed or was killed, ends by itself.
  args.push('--parent-pid', String(process.pid), ...(options.args ?? []));
  for (const root of options.grantRoots ?? []) args.push('--grant-root', root);
  const env = { HOME: home, ...daemonEnvironment, ...options.env };
  const nodeOptions = [...daemonNodeOptions, ...(options.nodeOptions ?? [])];
  const running = spawnContextd(args, { ...options, env, nodeOptions });
  const removeHome = () => rmSync(home, { recursive: true, force: true });
  const started = await until(() => running.output.stdout.includes('\n') || running.output.code !== null).then(
    () => running.output.code === null,
    () => false,
  );
  if (!started) {
    running.child.kill('SIGKILL');
    const { stderrFile } = options;
    const log = stderrFile === undefined ? running.output.stderr : readFileSync(stderrFile, 'utf8');
    removeHome();
    throw new Error(`contextd did not start (exit ${running.output.code}): ${log}`);
  }
  const discovery = JSON.parse(readFileSync(join(stateDirectory, 'daemon.json'), 'utf8')) as {
    url: string;
    token: string;
  };
  const stop = async () => {
    running.child.kill('SIGTERM');
    const timer = setTimeout(() => running.child.kill('SIGKILL'), 8_000);
    await running.exited;
    clearTimeout(timer);
    removeHome();
  };
  return {
    url: discovery.url,
    port: Number(new URL(discovery.url).port),
    token: discovery.token,
    stateDirectory,
    home,
    process: running,
    request: (path, request = {}) =>
      sendRequest(`${discovery.url}${path}`, {
        ...request,
        headers: { authorization: `Bearer ${discovery.token}`, ...request.headers },
      }),
    cli: (command, run = {}) =>
      runContextd([...command, '--state-dir', stateDirectory], { ...run, env: { HOME: home, ...run.env } }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
