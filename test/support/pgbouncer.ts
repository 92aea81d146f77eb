/**
 * A real PgBouncer in transaction mode, between tests and their PostgreSQL: each transaction gets another connection. It ends
 * with the process that started it, however that ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { until } from './daemon.ts';
import { freePort } from './loopback.ts';
import { serverUser } from './postgres-server.ts';
import { hasPostgres } from './shared-postgres.ts';

const howToGetIt = 'PgBouncer is not on this machine: apt-get install pgbouncer';

/** Debian does not put it into the `PATH` of users. */
const program = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((directory) => join(directory, 'pgbouncer'))
  .find((path) => existsSync(path));

/** Whether tests with it can run. In CI they must. */
export const hasPooler = ((): boolean => {
  if (hasPostgres && program !== undefined) return true;
  if (process.env.CONTEXTD_REQUIRE_POSTGRES !== undefined) throw new Error(howToGetIt);
  return false;
})();

/** What the title of a skipped suite says. */
export const behindPooler = hasPooler ? 'behind PgBouncer' : `skipped: ${howToGetIt}`;

export type Pooler = AsyncDisposable & {
  /** The same address by way of the pooler. */
  through(address: string): string;
};

/** Before the server of `address`; few connections serve all, one after the other. */
export async function startPooler(address: string): Promise<Pooler> {
  const user = await serverUser();
  const directory = mkdtempSync(join(tmpdir(), 'contextd-pgbouncer-'));
  const port = await freePort();
  const { hostname, port: serverPort, username } = new URL(address);
  const users = join(directory, 'users.txt');
  writeFileSync(users, `"${username}" ""\n`);
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 3',
    'max_client_conn = 200',
    // So that what one transaction leaves on a connection is not there for the next.
    'server_round_robin = 1',
  ];
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, `${settings.join('\n')}\n`);
  if (user.uid !== undefined)
    for (const path of [directory, users, file]) chownSync(path, user.uid, user.gid as number);
  // What runs behind reads from nowhere otherwise.
  const script = 'exec 3<&0; "$@" & pooler=$!; (read -r _ <&3; kill -TERM $pooler) & wait $pooler';
  const wrapper = spawn('/bin/sh', ['-c', script, 'sh', program ?? '', '-q', file], {
    ...user,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log = '';
  wrapper.stdin.on('error', () => {});
  wrapper.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await until(async () => (await answers(port)) || wrapper.exitCode !== null);
  if (wrapper.exitCode !== null) throw new Error(`PgBouncer did not start: ${log}`);
  return {
    through(to) {
      const url = new URL(to);
      url.port = String(port);
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      wrapper.stdin.end();
      if (wrapper.exitCode === null) await once(wrapper, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
