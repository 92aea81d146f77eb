/** A program in the language of a client that does what is written to it, beside a home and a project of its own. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileCache, entryPath, runContextd, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

export const clientsDirectory = join(import.meta.dirname, '../../clients');
export const driversDirectory = join(import.meta.dirname, 'drivers');

/** Whether a program is there and says that it is. */
export const isInstalled = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

export type ContextItem = { kind: string; name: string; content: string };
/** What a program tells about one step. `failure`: no daemon could be asked. */
export type Told = {
  answer?: { items: ContextItem[] } & Record<string, unknown>;
  problem?: { status: number; code: string; detail: string; pointer?: string | null; text: string };
  failure?: string;
  /** The answer itself, as text, and its header `ETag`. */
  opened?: { etag: string | null; text: string };
  event?: { type: string; changes?: { path: string; change: string }[] };
};
export type Step =
  | { do: 'context'; request: Record<string, unknown>; grant: boolean }
  | { do: 'request'; method: string; path: string; body?: unknown }
  | { do: 'open'; method: string; path: string; body?: unknown; headers?: Record<string, string> }
  | { do: 'follow' };

export type Place = {
  home: string;
  project: string;
  /** The command `contextd` is on the path, and the daemon takes a free port. */
  env: Record<string, string>;
  stateDirectory: string;
  discovery(): { url: string; socket?: string; token: string; pid: number };
  /** Ends the daemon as a crash does, and waits until it is gone. */
  kill(): Promise<void>;
  cli(...args: string[]): ReturnType<typeof runContextd>;
  /** The command fails until it is mended. `input`: what it had as standard input. */
  breakCommand(): { wasTried(): boolean; input(): string; mend(): void };
  remove(): Promise<void>;
};

/** A project with an `AGENTS.md`, and a home in which no daemon runs. `stateName` names the state directory. */
export function createPlace(stateName = 'state'): Place {
  const home = temporaryDirectory();
  const project = join(home, "Ada's shop");
  const stateDirectory = join(home, stateName);
  for (const directory of [project, join(home, 'bin')]) mkdirSync(directory);
  writeFileSync(join(project, 'AGENTS.md'), 'Prices are in cents.\n');
  writeFileSync(join(project, 'cart.py'), 'total = 0\n');
  const command = join(home, 'bin/contextd');
  const works = `#!/bin/sh\nexec '${process.execPath}' '${entryPath}' "$@"\n`;
  writeFileSync(command, works, { mode: 0o755 });
  const env = {
    HOME: home,
    NODE_COMPILE_CACHE: compileCache,
    CONTEXTD_PORT: '0',
    CONTEXTD_STATE_DIR: stateDirectory,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
  };
  const discovery = () => JSON.parse(readFileSync(join(stateDirectory, 'daemon.json'), 'utf8'));
  const kill = async () => {
    const { pid, url } = discovery();
    // One that was killed before has left its file, and another process may have its number now.
    if (isDaemonOf(stateDirectory, pid)) process.kill(pid, 'SIGKILL');
    await until(async () => !(await isListening(url)));
  };
  return {
    home,
    project,
    env,
    stateDirectory,
    discovery,
    kill,
    cli: (...args) => runContextd(args, { env }),
    breakCommand() {
      const tried = join(home, 'tried');
      const tell = `readlink /proc/self/fd/0 > '${tried}.new' && mv '${tried}.new' '${tried}'`;
      writeFileSync(command, `#!/bin/sh\n${tell}\nexit 69\n`);
      return {
        wasTried: () => existsSync(tried),
        input: () => readFileSync(tried, 'utf8').trim(),
        mend: () => writeFileSync(command, works),
      };
    },
    async remove() {
      if (existsSync(join(stateDirectory, 'daemon.json'))) await kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function isDaemonOf(stateDirectory: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(`--state-dir=${stateDirectory}`);
  } catch {
    return false;
  }
}

/** Threads of a process that was killed can hold its port for a moment longer. */
function isListening(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}

export type ClientProgram = AsyncDisposable & {
  /** What it tells about the step. */
  does(step: Step): Promise<Told>;
  /** Begins to follow events, of which it tells by itself. */
  follows(): void;
  /** The next event that `isWanted`. */
  event(isWanted: (event: NonNullable<Told['event']>) => boolean): Promise<NonNullable<Told['event']>>;
  /** Everything that it wrote on standard error. */
  complaints(): string;
  /** What the program has as standard input. */
  input(): string;
};

/** Starts one. Fails with what it wrote on standard error where it ends before it has told what is awaited. */
export function startProgram(command: readonly string[], env: Record<string, string>): ClientProgram {
  const [program = '', ...args] = command;
  const child: ChildProcessWithoutNullStreams = spawn(program, args, { env });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const told: Told[] = [];
  const news = new EventEmitter();
  let hasEnded = false;
  let end = '';
  createInterface(child.stdout).on('line', (line) => {
    told.push(JSON.parse(line) as Told);
    news.emit('line');
  });
  child.on('close', (code, signal) => {
    hasEnded = true;
    end = `${code ?? signal}`;
    news.emit('line');
  });
  const take = async (isWanted: (each: Told) => boolean): Promise<Told> => {
    for (;;) {
      const at = told.findIndex(isWanted);
      if (at >= 0) return told.splice(at, 1)[0] as Told;
      if (hasEnded) throw new Error(`the program has ended with ${end}: ${complaints}`);
      await once(news, 'line');
    }
  };
  const write = (step: Step) => child.stdin.write(`${JSON.stringify(step)}\n`);
  return {
    does(step) {
      write(step);
      return take(({ event }) => event === undefined);
    },
    follows: () => void write({ do: 'follow' }),
    event: async (isWanted) =>
      (await take(({ event }) => event !== undefined && isWanted(event))).event as NonNullable<Told['event']>,
    complaints: () => complaints,
    input: () => readlinkSync(`/proc/${child.pid}/fd/0`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      while (!hasEnded) await once(news, 'line');
    },
  };
}
