/** How the daemon finds its PostgreSQL, proves who it is, and knows who answers; and what it says where that fails. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openConnections, type PostgresConnection } from '../../src/adapters/postgres/connections.ts';
import { parseStore } from '../../src/bin/state/postgres-address.ts';
import { runContextd, sourceEntry, startDaemon, until } from '../support/daemon.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../support/shared-postgres.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const secret = 'hunter2canary';

describe.skipIf(!hasPostgres)(`the address of a store ${onPostgres}`, () => {
  let server: PostgresServer;
  let home: string;
  let authority: string;
  let database: string;

  beforeAll(async () => {
    home = temporaryDirectory();
    authority = join(home, 'server.crt');
    server = await startPostgres({
      settings: ['ssl=on'],
      hba: ['hostssl all contextd 127.0.0.1/32 scram-sha-256', 'hostnossl all contextd 127.0.0.1/32 reject'],
      prepare(data, { uid, gid }) {
        const key = join(data, 'server.key');
        const certificate = join(data, 'server.crt');
        const subject = ['-subj', '/CN=db.example', '-addext', 'subjectAltName=DNS:localhost'];
        const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
        execFileSync('openssl', ['req', ...made, ...subject], { stdio: 'ignore' });
        chmodSync(key, 0o600);
        if (uid !== undefined && gid !== undefined) for (const path of [key, certificate]) chownSync(path, uid, gid);
        execFileSync('cp', [certificate, authority]);
      },
    });
    database = await server.createDatabase();
    await server.sql(`ALTER ROLE contextd PASSWORD '${secret}'`);
  });
  afterAll(() => server.stop());

  const address = (change: (url: URL) => void = () => {}): string => {
    const url = new URL(database);
    url.hostname = 'localhost';
    url.password = secret;
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', authority);
    change(url);
    return url.href;
  };
  const runs = async (store: string, options: { args?: string[]; env?: Record<string, string> } = {}) => {
    await using daemon = await startDaemon({ ...options, env: { CONTEXTD_STORE: store, ...options.env } });
    // A busy machine may be too slow for the time that another connection has.
    await until(async () => (await daemon.request('/v1/agents')).status === 200);
    expect(daemon.process.output.stderr).not.toContain(secret);
  };
  const refusal = async (store: string, args: string[] = [], exitCode = 78): Promise<string> => {
    const state = temporaryDirectory();
    const command = ['serve', '--port', '0', '--state-dir', state, ...args];
    const { code, stderr } = await until(async () => {
      const ended = await runContextd(command, { env: { HOME: state, CONTEXTD_STORE: store } });
      // Not reached in time, as on a busy machine: a service manager tries again.
      return ended.code === 69 && exitCode !== 69 ? undefined : ended;
    });
    expect([code, stderr]).toEqual([exitCode, expect.not.stringContaining(secret)]);
    return stderr;
  };

  it('FT-06 takes the password from the address, a file or PGPASSFILE', async () => {
    const file = join(home, 'password');
    writeFileSync(file, `${secret}\n`);
    const bare = address((url) => {
      url.password = '';
    });
    const passFile = join(home, 'pgpass');
    writeFileSync(passFile, `localhost:${server.port}:*:contextd:${secret}\n`, { mode: 0o600 });
    const [, , , refused] = await Promise.all([
      runs(address()),
      runs(bare, { args: ['--store-password-file', file] }),
      runs(bare, { env: { PGPASSFILE: passFile } }),
      refusal(bare),
    ]);
    expect(refused).toMatch(/asks for a password.*--store-password-file/u);
  });

  it('FT-07 says so where the file of the password is empty by now, to a server that asks for one', async () => {
    const file = join(home, 'emptied');
    writeFileSync(file, secret);
    const store = address((url) => {
      url.password = '';
    });
    const place = { environment: {}, cwd: home, home };
    const connection = parseStore({ store, storePasswordFile: file }, place)?.connection as PostgresConnection;
    const connections = openConnections(connection, {
      tenant: 'one',
      maxConnections: 1,
      connectMs: 30_000,
      statementMs: 30_000,
    });
    try {
      writeFileSync(file, '\n');
      await expect(connections.take()).rejects.toThrow('The --store-password-file is empty.');
      rmSync(file);
      const detail = 'The --store-password-file cannot be read (ENOENT).';
      await expect.poll(() => connections.reachability.state(), { timeout: 30_000 }).toMatchObject({ detail });
    } finally {
      await connections.close();
    }
  });

  it('FT-06 S-89 asks who answers, and takes nobody else', async () => {
    const wrongName = address((url) => {
      url.hostname = '127.0.0.1';
    });
    const unknown = address((url) => url.searchParams.delete('sslrootcert'));
    const plain = address((url) => {
      url.search = '';
    });
    const refusals = await Promise.all([refusal(wrongName), refusal(unknown), refusal(plain)]);
    expect(refusals).toEqual([
      expect.stringContaining('certificate'),
      expect.stringContaining('certificate'),
      // Without TLS the server lets nobody in.
      expect.stringContaining('refuses this user: there is none, or pg_hba.conf'),
    ]);
    await Promise.all([
      runs(unknown.replace('verify-full', 'require')),
      runs(wrongName.replace('verify-full', 'verify-ca')),
    ]);
  });

  it('FT-06 S-90 refuses to start with what cannot be used, and says why', async () => {
    await server.sql('CREATE ROLE mighty LOGIN SUPERUSER');
    const cases: [change: object, why: string, exitCode?: number][] = [
      [{ password: 'wrong' }, 'refuses this user or its password'],
      [{ pathname: 'none' }, 'no such database'],
      [{ username: 'nobody' }, 'refuses this user: there is none, or pg_hba.conf'],
      // A server that is not there may come: a service manager tries again.
      [{ port: '1' }, 'ECONNREFUSED', 69],
      [{ hostname: 'db.invalid' }, 'cannot be reached', 69],
      // Row-level security does not bind one.
      [{ username: 'mighty', password: '' }, 'Use a user without these rights.\n'],
    ];
    const said = await Promise.all(
      cases.map(([change, , code]) =>
        refusal(
          address((url) => Object.assign(url, change)),
          [],
          code,
        ),
      ),
    );
    expect(said).toEqual(cases.map(([, why]) => expect.stringContaining(why)));
  });

  it('FT-06 S-90 says that a server offers no TLS', async () => {
    const plain = `${await createTestDatabase()}?sslmode=require`;
    expect(await refusal(plain)).toContain('PostgreSQL offers no TLS');
  });

  it('S-91 hands the password on where nobody can read it, and prints no service with it', async () => {
    const state = temporaryDirectory();
    const env = { HOME: state };
    onTestFinished(async () => void (await runContextd(['stop', '--state-dir', state], { env })));
    const started = await runContextd(['start', '--port', '0', '--state-dir', state, '--store', address()], { env });
    expect(started).toMatchObject({ code: 0, stderr: '' });
    const agents = await runContextd(['api', 'GET', '/v1/agents', '--state-dir', state], { env });
    expect(agents).toMatchObject({ code: 0, stdout: expect.stringContaining('"agents"') });
    const seen = execFileSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null || true'], { encoding: 'latin1' });
    expect(seen).toContain(state);
    expect(seen).not.toContain(secret);
    const printed = await runContextd(['service', 'print', '--systemd', '--store', address()], { env });
    expect(printed).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('--store-password-file') });
    expect(printed.stderr).not.toContain(secret);
    const bare = address((url) => {
      url.password = '';
    });
    const fitting = await runContextd(['service', 'print', '--systemd', '--store', bare, '--tenant', 'a'], { env });
    expect(fitting).toMatchObject({ code: 0, stdout: expect.stringContaining('--tenant=a') });
    expect(fitting.stdout).toContain('--store=postgres://contextd@localhost');
    expect(statSync(join(state, 'daemon.json')).mode & 0o777).toBe(0o600);
  });

  it('S-91 warns of a password on the command line, and never reads the file of one as context', async () => {
    const file = join(home, 'words.md');
    writeFileSync(file, `${secret}\n`);
    const bare = address((url) => {
      url.password = '';
    });
    await using careful = await startDaemon({
      args: ['--store-password-file', file],
      env: { CONTEXTD_STORE: bare },
      grantRoots: [home],
    });
    const retrieved = await careful.request('/v1/retrieve', {
      body: { mountedDirectory: home, openTabs: ['words.md'] },
    });
    expect(retrieved.status).toBe(200);
    expect(retrieved.text).not.toContain(secret);
    await using careless = await startDaemon({ args: ['--store', address()] });
    const { body } = await careless.request('/v1/status');
    expect((body as { warnings: { code: string }[] }).warnings.map(({ code }) => code)).toContain(
      'store_password_visible',
    );
  });

  it('FT-01 loads nothing of PostgreSQL where it is not used', async () => {
    const hook = `
      import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => (/node_modules.pg/u.test(url) && process.stderr.write('loads ' + url), next(url, context)) });`;
    const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
    await using alone = await startDaemon({ nodeOptions, entry: sourceEntry });
    await until(() => alone.process.output.stderr.includes('ready'));
    expect(alone.process.output.stderr).not.toContain('loads ');
    await using shared = await startDaemon({ nodeOptions, entry: sourceEntry, env: { CONTEXTD_STORE: address() } });
    expect(shared.process.output.stderr).toContain('loads ');
  });
});
