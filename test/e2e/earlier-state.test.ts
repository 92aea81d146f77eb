/** State that earlier versions have left: it is brought up to date, with a copy of what was there; never backwards. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { openDatabase } from '../../src/adapters/sqlite/database.ts';
import { versionSeal } from '../../src/adapters/sqlite/health.ts';
import { migrations } from '../../src/adapters/sqlite/schema.ts';
import { runContextd, startDaemon } from '../support/daemon.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { isTorture } from '../support/test-size.ts';

let home: string;
let stateDirectory: string;
let path: string;

beforeEach(() => {
  home = temporaryDirectory();
  stateDirectory = join(home, 'state');
  path = join(stateDirectory, 'contextd.db');
  mkdirSync(stateDirectory, { mode: 0o700 });
});

/** As the version with so many migrations has left it, with a root that was granted. */
function writeState(schema: number): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode=WAL');
  for (const migration of migrations.slice(0, schema)) database.exec(migration);
  database.prepare('INSERT INTO granted_roots (path, granted_at) VALUES (?, ?)').run(home, '2026-01-01T00:00:00.000Z');
  database.exec(`PRAGMA user_version=${schema}; PRAGMA application_id=${versionSeal(schema)}`);
  database.close();
}
function look(file: string): { schema: unknown; roots: unknown[] } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const schema = database.prepare('PRAGMA user_version').get()?.user_version;
    return {
      schema,
      roots: database
        .prepare('SELECT path FROM granted_roots')
        .all()
        .map((row) => row.path),
    };
  } finally {
    database.close();
  }
}
const copies = () => readdirSync(stateDirectory).filter((name) => name.includes('before-update'));

const all = Array.from({ length: migrations.length - 1 }, (_, at) => at + 1);
it.each(isTorture ? all : [1, migrations.length - 1])(
  'PK-03 a daemon starts with the state of schema %i, and keeps a copy of it',
  async (schema) => {
    writeState(schema);
    await using daemon = await startDaemon({ stateDirectory, env: { HOME: home } });
    const { body } = await daemon.request('/v1/roots');
    expect(body).toMatchObject({ roots: expect.arrayContaining([expect.objectContaining({ path: home })]) });
    await daemon.stop();
    expect(look(path)).toEqual({ schema: migrations.length, roots: [home] });
    expect(copies()).toEqual([expect.stringMatching(/^contextd\.db\.before-update-\d{8}T\d{6}Z$/u)]);
    expect(look(join(stateDirectory, copies()[0] ?? ''))).toEqual({ schema, roots: [home] });
  },
);

it('PK-03 state of this version is not copied, that of a newer one is refused in a sentence and left as it is', async () => {
  writeState(migrations.length);
  await (await startDaemon({ stateDirectory, env: { HOME: home } })).stop();
  expect(copies()).toEqual([]);
  const database = new DatabaseSync(path);
  const newer = migrations.length + 1;
  database.exec(`PRAGMA user_version=${newer}; PRAGMA application_id=${versionSeal(newer)}`);
  database.close();
  const env = { HOME: home };
  const { code, stderr } = await runContextd(['serve', '--port', '0', '--state-dir', stateDirectory], { env });
  expect(code).toBe(78);
  expect(stderr).toContain(
    `written by a newer contextd (its schema is ${newer}, this contextd knows ${migrations.length})`,
  );
  expect(stderr).toContain('delete contextd.db-wal and contextd.db-shm');
  expect(look(path).schema).toBe(newer);
});

it('PK-03 the copy is put back by the documented steps, also when the newer daemon was killed', async () => {
  writeState(migrations.length - 1);
  await using newer = await startDaemon({ stateDirectory, env: { HOME: home } });
  const other = join(home, 'other');
  mkdirSync(other);
  await newer.request('/v1/roots', { body: { path: other } });
  newer.process.child.kill('SIGKILL');
  await newer.process.exited;
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const guide = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const steps = guide.match(/^(?:rm -f|cp) contextd\.db.*$/gmu)?.join(' && ') ?? '';
  execFileSync('sh', ['-c', steps.replace('contextd.db.before-update-<time>', copies()[0] ?? '')], {
    cwd: stateDirectory,
  });
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(look(path)).toEqual({ schema: migrations.length - 1, roots: [home] });
  rmSync(join(stateDirectory, copies()[0] ?? ''));
  await using again = await startDaemon({ stateDirectory, env: { HOME: home } });
  const { roots } = (await again.request('/v1/roots')).body as { roots: { origin: string; path: string }[] };
  expect(roots.filter(({ origin }) => origin === 'stored')).toMatchObject([{ path: home }]);
});

it('PK-03 commands that read leave the state of an earlier version as it is, and export it', async () => {
  writeState(migrations.length - 1);
  const env = { HOME: home };
  const run = (...args: string[]) => runContextd([...args, '--state-dir', stateDirectory], { env });
  const resolved = await run('resolve', home, '--json');
  expect(JSON.parse(resolved.stdout).warnings).toContainEqual(
    expect.objectContaining({ code: 'database_of_earlier_version', path }),
  );
  const file = join(home, 'export.jsonl');
  expect(await run('export', file)).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain(`"path":"${home}"`);
  expect(await run('import', file, '--replace', '--dry-run')).toMatchObject({ code: 0 });
  expect(await run('import', file)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('there is state already'),
  });
  expect(copies()).toEqual([]);
  expect(look(path)).toEqual({ schema: migrations.length - 1, roots: [home] });
});

it('PK-03 an update that fails leaves everything as it was, and no copy', () => {
  writeState(migrations.length - 1);
  const writable = migrations as string[];
  writable.push('CREATE TABLE half (id TEXT); INSERT INTO nowhere VALUES (1)');
  try {
    expect(() => openDatabase(path, { heal: true })).toThrow('nowhere');
  } finally {
    writable.pop();
  }
  expect(copies()).toEqual([]);
  expect(look(path)).toEqual({ schema: migrations.length - 1, roots: [home] });
});

it('PK-03 "version --check" says what is of another version, and asks a registry only when it is named', async () => {
  const env = { HOME: home };
  const check = (...more: string[]) =>
    runContextd(['version', '--check', '--json', '--state-dir', stateDirectory, ...more], { env });
  writeState(3);
  const old = await check();
  expect({ code: old.code, ...JSON.parse(old.stdout) }).toMatchObject({
    code: 1,
    version: packageJson.version,
    schema: { stored: 3, known: migrations.length },
    findings: [expect.stringContaining('updates the database from schema 3')],
  });
  expect(look(path).schema).toBe(3);
  rmSync(path);
  expect((await check()).code).toBe(0);
  expect(existsSync(path)).toBe(false);

  let answer = { status: 200, text: JSON.stringify({ version: '99.0.0' }) };
  const asked: (string | undefined)[] = [];
  const registry = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(answer.status).end(answer.text);
  });
  const port = await listenOnLoopback(registry);
  const address = `http://127.0.0.1:${port}/npm`;
  try {
    const found = await check('--registry', address);
    expect({ code: found.code, ...JSON.parse(found.stdout) }).toMatchObject({ code: 1, newest: '99.0.0' });
    expect(found.stdout).toContain(`npm install -g --registry=${address} contextd@99.0.0`);
    expect(asked).toEqual(['/npm/contextd/latest']);
    for (const version of ['0.0.9', `${packageJson.version}-beta.1`, packageJson.version]) {
      answer = { status: 200, text: JSON.stringify({ version }) };
      expect(await check('--registry', address)).toMatchObject({ code: 0 });
    }
    for (answer of [
      { status: 404, text: '{}' },
      { status: 200, text: '{"version":"1.0.0; rm -rf /"}' },
      { status: 200, text: 'x'.repeat(2 * 1024 * 1024) },
    ])
      expect(await check('--registry', address)).toMatchObject({ code: 69, stdout: '' });
  } finally {
    registry.close();
  }
  expect(await check('--registry', 'ftp://example.com')).toMatchObject({ code: 64 });
  expect(await runContextd(['version', '--registry', address])).toMatchObject({ code: 64 });
});

it('PK-05 says in one line that it does not run on Windows', async () => {
  const pretend = `data:text/javascript,Object.defineProperty(process, 'platform', { value: 'win32' })`;
  const { code, stdout, stderr } = await runContextd(['resolve'], { nodeOptions: ['--import', pretend] });
  expect({ code, stdout, lines: stderr.trim().split('\n') }).toEqual({
    code: 78,
    stdout: '',
    lines: [expect.stringContaining('install it in WSL')],
  });
});
