/**
 * A real PostgreSQL for tests. It runs as another user where the tests run as root, which it refuses, and ends with the
 * process that started it, however that ends.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './loopback.ts';
import { childProcesses, isRunning } from './processes.ts';

const run = promisify(execFile);

const superuser = 'postgres';
/** Owns the databases of tests. Row-level security binds it, as it does not bind the superuser. */
const owner = 'contextd';
/** What tests say that are skipped without it. */
export const howToGetPostgres = 'PostgreSQL is not on this machine: apt-get install postgresql-15';

/** Where its programs are; undefined where there are none. Debian does not put them into `PATH`. */
export function findPostgres(): string | undefined {
  const named = process.env.CONTEXTD_TEST_POSTGRES_BIN;
  const inPath = (process.env.PATH ?? '').split(delimiter).filter((path) => path !== '');
  const ofDebian = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const places = named === undefined ? [...inPath, ...ofDebian] : [named];
  return places.find((path) => ['initdb', 'postgres', 'psql'].every((name) => existsSync(join(path, name))));
}

export type PostgresServer = AsyncDisposable & {
  port: number;
  /** What is in it goes with the server. It belongs to the user that the server runs as. */
  directory: string;
  /** The address of an empty database that a user without special rights owns. No password is asked for. */
  createDatabase(): Promise<string>;
  /** Runs SQL as the superuser, and gives what it says, columns separated by `|`. */
  sql(statements: string, database?: string): Promise<string>;
  /** Ends it at once, as a crash of the machine would; what it has acknowledged stays. */
  kill(): Promise<void>;
  /** Starts it again, with the same port and data. */
  restart(settings?: readonly string[]): Promise<void>;
  /** Process id of the server that runs. */
  pid(): number;
  /** What it has written to its log. */
  log(): string;
  stop(): Promise<void>;
};

type ServerOptions = {
  /** Lines of `postgresql.conf`, such as `max_connections=20`. */
  settings?: readonly string[];
  /** Lines of `pg_hba.conf` that come before the one that lets everybody in. */
  hba?: readonly string[];
  /** Where the data lies; a temporary directory of its own when absent. */
  directory?: string;
  /** Is called before the first start, with the directory of the data. */
  prepare?(data: string, user: { uid?: number; gid?: number }): void;
};

const always = ['fsync=off', 'max_connections=300', 'shared_buffers=64MB', "listen_addresses='127.0.0.1'"];

/** Throws where there is none on this machine. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error(howToGetPostgres);
  const user = await serverUser();
  const directory = options.directory ?? realpathSync(mkdtempSync(join(tmpdir(), 'contextd-postgres-')));
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid as number);
  const data = join(directory, 'data');
  const how = { ...user, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const initial = ['-D', data, '-U', superuser, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await run(join(bin, 'initdb'), initial, how);
  options.prepare?.(data, user);
  const port = await freePort();
  const base = [...always, `port=${port}`, `unix_socket_directories='${directory}'`, ...(options.settings ?? [])];
  const running = { wrapper: undefined as ChildProcess | undefined, log: '', databases: 0 };
  const sql = async (statements: string, database = 'postgres') => {
    const args = ['-X', '-q', '-t', '-A', '-v', 'ON_ERROR_STOP=1', '-h', '127.0.0.1', '-p', `${port}`, '-U', superuser];
    const { stdout } = await run(join(bin, 'psql'), [...args, '-d', database, '-c', statements], how);
    return stdout.trim();
  };
  const start = async (more: readonly string[] = []) => {
    const settings = [...base, ...more].flatMap((each) => ['-c', each.replace(/='(.*)'$/u, '=$1')]);
    // The shell ends it when the end of its input says that the process which started it is gone.
    const script = '"$@" & server=$!; read -r _; kill -QUIT $server; wait $server';
    const command = ['-c', script, 'sh', join(bin, 'postgres'), '-D', data, ...settings];
    const wrapper = spawn('/bin/sh', command, { ...how, stdio: ['pipe', 'ignore', 'pipe'] });
    wrapper.stdin?.on('error', () => {});
    wrapper.stderr?.setEncoding('utf8').on('data', (text: string) => {
      running.log += text;
    });
    running.wrapper = wrapper;
    for (const end = Date.now() + 20_000; ; await delay(25)) {
      if (await sql('SELECT 1').catch(() => undefined)) return;
      if (wrapper.exitCode !== null || Date.now() > end) throw new Error(`PostgreSQL did not start: ${running.log}`);
    }
  };
  const end = async () => {
    const { wrapper } = running;
    if (wrapper === undefined) return;
    running.wrapper = undefined;
    wrapper.stdin?.end();
    if (wrapper.exitCode === null) await once(wrapper, 'exit');
  };
  const pid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
  writeHba(data, options.hba);
  await start();
  await sql(`CREATE ROLE ${owner} LOGIN`);
  const stop = async () => {
    await end();
    // Its files belong to another user, who may remove them.
    await run('rm', ['-rf', data], how);
    await run('rm', ['-rf', directory]);
  };
  return {
    port,
    directory,
    async createDatabase() {
      running.databases += 1;
      const name = `test_${running.databases}`;
      await sql(`CREATE DATABASE ${name} OWNER ${owner}`);
      return `postgres://${owner}@127.0.0.1:${port}/${name}`;
    },
    sql,
    async kill() {
      // Without it they still finish what they have begun.
      const children = childProcesses(pid(), '');
      process.kill(pid(), 'SIGKILL');
      await end();
      while (children.some(isRunning)) await delay(5);
    },
    async restart(settings) {
      await end();
      await start(settings);
    },
    pid,
    log: () => running.log,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function writeHba(data: string, lines: readonly string[] = []): void {
  if (lines.length === 0) return;
  const path = join(data, 'pg_hba.conf');
  writeFileSync(path, `${lines.join('\n')}\n${readFileSync(path, 'utf8')}`);
}

/** As whom servers run that refuse to run as the superuser; nothing where the tests do not. */
export async function serverUser(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((kind) => run('id', [kind, name]))).catch(() => undefined);
    if (ids !== undefined) return { uid: Number(ids[0]?.stdout), gid: Number(ids[1]?.stdout) };
  }
  throw new Error('There is no user that PostgreSQL could run as.');
}
