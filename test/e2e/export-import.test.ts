/** All state through the command line: exported with and without a daemon, and imported whole or not at all. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrations } from '../../src/adapters/sqlite/schema.ts';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { runContextd, sendRequest, spawnContextd, startDaemon, until } from '../support/daemon.ts';
import {
  createOlderDatabase,
  goldenHeader,
  goldenLinesNow,
  goldenPath,
  goldenText,
  sealExport,
} from '../support/exports.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let state: string;
let file: string;
beforeEach(() => {
  directory = temporaryDirectory();
  state = join(directory, 'state');
  file = join(directory, 'export.jsonl');
});

const run = (...args: string[]) => runContextd([...args, '--state-dir', state], { env: { HOME: directory } });
const importGolden = (...args: string[]) => run('import', goldenPath, ...args);
const rowsOf = (text: string) => text.split('\n').slice(1, -2);
const goldenNow = goldenLinesNow.map((line) => JSON.stringify(line));
/** What lies in the state directory and would be lost. */
const stateFiles = () =>
  readdirSync(state)
    .filter((name) => name.startsWith('contextd.db') && !name.endsWith('.reserve'))
    .sort();

/** Makes a process kill itself just before, or after, it does what `KILL_AT` names. */
function writeKiller(where: string): string {
  const preload = join(where, 'preload.mjs');
  const text = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { DatabaseSync, StatementSync } from 'node:sqlite';
    const reach = (step) => {
      if (step === process.env.KILL_AT) process.kill(process.pid, 'SIGKILL');
    };
    const around = (object, name, before, after = () => undefined) => {
      const original = object[name];
      object[name] = function (...args) {
        reach(before(...args));
        const result = original.apply(this, args);
        reach(after(...args));
        return result;
      };
    };
    let rows = 0;
    around(StatementSync.prototype, 'run', () => 'row ' + rows++);
    around(DatabaseSync.prototype, 'exec', (sql) => sql, (sql) => sql === 'COMMIT' ? 'committed' : undefined);
    around(fs, 'fsyncSync', () => 'fsync');
    around(fs, 'linkSync', () => 'link');
    around(fs, 'renameSync', () => 'rename', () => 'renamed');
    syncBuiltinESMExports();`;
  writeFileSync(preload, text);
  return preload;
}

/** Makes files that get another name fail with `RENAME_FAULT`. */
function writeFaultyRename(where: string): string {
  const preload = join(where, 'faulty-rename.mjs');
  const text = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.renameSync = () => {
      throw Object.assign(new Error('fault'), { code: process.env.RENAME_FAULT, syscall: 'rename' });
    };
    syncBuiltinESMExports();`;
  writeFileSync(preload, text);
  return preload;
}

describe('contextd export', () => {
  it('S-72 takes over what a daemon that was killed left of a damaged database', async () => {
    await importGolden('--trust');
    const path = join(state, 'contextd.db');
    const interrupt = () => {
      renameSync(path, `${path}.salvaged`);
      writeFileSync(`${path}.corrupt-20260101T000000Z`, 'x'.repeat(4_096));
    };
    interrupt();
    const before = stateFiles();
    expect(await importGolden('--dry-run')).toMatchObject({ code: 64, stderr: expect.stringContaining('--replace') });
    expect(stateFiles()).toEqual(before);
    expect(await importGolden()).toMatchObject({ code: 64, stderr: expect.stringContaining('--replace') });
    interrupt();
    expect((await run('export', file)).code).toBe(0);
    expect(rowsOf(readFileSync(file, 'utf8'))).toEqual(goldenNow);
    interrupt();
    expect(await importGolden('--replace')).toMatchObject({ code: 0, stdout: expect.stringContaining('kept') });
  });

  it('S-72 does not take the journal of a removed database for that of the imported one', async () => {
    const path = join(state, 'contextd.db');
    mkdirSync(state, { mode: 0o700 });
    const store = createSqliteStore(path);
    await store.roots.add({ path: '/removed', grantedAt: '2026-01-01T00:00:00.000Z' });
    const journal = readFileSync(`${path}-wal`);
    await store.close();
    rmSync(path);
    writeFileSync(`${path}-wal`, journal);
    expect((await importGolden('--trust')).code).toBe(0);
    expect(rowsOf((await run('export', '-')).stdout)).toEqual(goldenNow);
    const [aside, ...others] = stateFiles().filter((name) => name !== 'contextd.db');
    expect([aside, others]).toEqual([expect.stringMatching(/\.before-import-[^.]+-wal$/u), []]);
  });

  it.each([
    ['ENOSPC', 'The disk of the state directory is full. Free some space and try again.'],
    ['EIO', 'The database cannot be read or written: the disk reports an error.'],
  ])('S-72 says what the disk reports if a file cannot take its place: %s', async (code, message) => {
    await importGolden('--trust');
    const path = join(state, 'contextd.db');
    const env = { HOME: directory, RENAME_FAULT: code };
    const nodeOptions = ['--import', writeFaultyRename(directory)];
    const faulty = (...args: string[]) => runContextd([...args, '--state-dir', state], { env, nodeOptions });
    const refusal = { code: 69, stderr: expect.stringContaining(message) };
    expect(await faulty('import', goldenPath, '--replace')).toMatchObject(refusal);
    renameSync(path, `${path}.salvaged`);
    expect(await faulty('export', '-')).toMatchObject(refusal);
    expect(await faulty('import', goldenPath, '--replace')).toMatchObject(refusal);
    expect(rowsOf((await run('export', '-')).stdout)).toEqual(goldenNow);
  });

  it('is the same while a daemon runs and while none does, and can be imported', async () => {
    await importGolden('--trust');
    await using daemon = await startDaemon({ stateDirectory: state });
    const live = await daemon.cli(['export', file]);
    expect([live.code, live.stderr]).toEqual([0, '']);
    expect(live.stdout).toContain('1 agent, 1 added file or folder, 1 session');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(rowsOf(readFileSync(file, 'utf8'))).toEqual(goldenNow);
    await daemon.stop();
    const still = await run('export', '-');
    expect(rowsOf(still.stdout)).toEqual(goldenNow);
    // From standard input, into a directory that does not exist yet.
    const moved = join(directory, 'moved');
    const imported = await runContextd(['import', '-', '--trust', '--state-dir', moved], { input: still.stdout });
    expect([imported.code, imported.stderr]).toEqual([0, '']);
    const again = await runContextd(['export', '-', '--state-dir', moved]);
    expect(rowsOf(again.stdout)).toEqual(goldenNow);
  });

  it('never overwrites without --force, and leaves nothing half written', async () => {
    await importGolden();
    writeFileSync(file, 'precious');
    const refused = await run('export', file);
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('exists already')]);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect((await run('export', file, '--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('contextd-export');
    const target = join(directory, 'target');
    const link = join(directory, 'link');
    writeFileSync(target, 'precious');
    symlinkSync(target, link);
    expect((await run('export', link, '--force')).code).toBe(64);
    expect((await run('export', directory, '--force')).code).toBe(64);
    expect((await run('export', join(directory, 'missing', 'x'))).code).toBe(64);
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readdirSync(directory).sort()).toEqual(['export.jsonl', 'link', 'state', 'target']);
  });

  it('says when there is nothing, and what to do about a damaged database', async () => {
    expect(await run('export', file)).toMatchObject({ code: 64, stderr: expect.stringContaining('nothing to export') });
    expect(existsSync(state)).toBe(false);
    await importGolden();
    const database = readFileSync(join(state, 'contextd.db'));
    database.fill(7, 4_096 * 3, 4_096 * 4);
    writeFileSync(join(state, 'contextd.db'), database);
    const damaged = await run('export', file);
    expect([damaged.code, damaged.stderr]).toEqual([69, expect.stringContaining('damaged')]);
    expect(existsSync(file)).toBe(false);
  });

  it('S-15 is not for tokens of agents', async () => {
    await using daemon = await startDaemon({ stateDirectory: state });
    const { stdout } = await daemon.cli(['token']);
    const headers = { authorization: `Bearer ${stdout.trim()}` };
    expect(await sendRequest(`${daemon.url}/v1/export`, { headers })).toMatchObject({ status: 403 });
    const answer = await daemon.request('/v1/export');
    expect(answer.headers['content-type']).toBe('application/jsonl; charset=utf-8');
    expect(answer.text.endsWith('\n')).toBe(true);
  });
});

describe('contextd import', () => {
  it('leaves decisions of trust out and says which, unless they are asked for', async () => {
    const careful = await importGolden();
    expect(careful.stdout).toContain('Left out, because they are decisions of trust: 1 granted root');
    for (const name of ['/tmp/golden/project', 'local', 'build agent']) expect(careful.stdout).toContain(name);
    expect((await run('export', '-')).stdout).not.toMatch(/"table":"(?:granted_roots|mcp_approvals|tokens)"/u);
    const trusting = await importGolden('--replace', '--trust', '--json');
    expect(JSON.parse(trusting.stdout)).toMatchObject({ trust: { takenOver: true, tokens: ['build agent'] } });
    expect(rowsOf((await run('export', '-')).stdout)).toEqual(goldenNow);
  });

  it('asks before it replaces, and keeps what was there', async () => {
    await importGolden('--trust');
    const before = readFileSync(join(state, 'contextd.db'));
    const empty = join(directory, 'empty.jsonl');
    writeFileSync(empty, sealExport(goldenHeader, []));
    const refused = await run('import', empty);
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('--replace')]);
    expect(readFileSync(join(state, 'contextd.db'))).toEqual(before);
    const { code, stdout } = await run('import', empty, '--replace', '--json');
    expect(code).toBe(0);
    const { keptAside } = JSON.parse(stdout) as { keptAside: string };
    expect(keptAside).toMatch(/contextd\.db\.before-import-\d{8}T\d{6}Z$/u);
    expect([readFileSync(keptAside), statSync(keptAside).mode & 0o777]).toEqual([before, 0o600]);
    expect(rowsOf((await run('export', '-')).stdout)).toEqual([]);
    // An empty state is nothing that would be lost.
    expect((await importGolden('--json')).code).toBe(0);
  });

  it('refuses while a daemon runs, and says how to go on', async () => {
    await using daemon = await startDaemon({ stateDirectory: state });
    const refused = await importGolden();
    expect([refused.code, refused.stderr]).toEqual([75, expect.stringContaining(daemon.url)]);
    expect(refused.stderr).toContain('contextd stop');
    // Looking is always possible.
    expect((await importGolden('--dry-run')).stdout).toContain('Would be imported');
  });

  it('changes nothing when it refuses a file, and says why with a code', async () => {
    await importGolden();
    const before = stateFiles().map((name) => [name, readFileSync(join(state, name))]);
    const newer = sealExport({ ...goldenHeader, schema: migrations.length + 1 }, []);
    const files: [string, number, string][] = [
      [goldenText.slice(0, -20), 64, 'cut off'],
      [goldenText.replace('Hello', 'Jello'), 64, 'checksum'],
      ['SQLite format 3\0', 64, 'not an export'],
      [newer, 78, 'newer contextd'],
    ];
    for (const [text, code, message] of files) {
      writeFileSync(file, text);
      const refused = await run('import', file, '--replace', '--trust');
      expect([refused.code, refused.stderr, refused.stdout]).toEqual([code, expect.stringContaining(message), '']);
      expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    }
    expect((await run('import', directory)).code).toBe(64);
    expect((await run('import', join(directory, 'missing'))).code).toBe(64);
    expect(stateFiles().map((name) => [name, readFileSync(join(state, name))])).toEqual(before);
  });

  it('replaces a database of an earlier version, which is kept as a whole', async () => {
    mkdirSync(state, { mode: 0o700 });
    createOlderDatabase(join(state, 'contextd.db'), 4);
    chmodSync(join(state, 'contextd.db'), 0o600);
    expect((await importGolden()).code).toBe(64);
    expect((await importGolden('--replace', '--trust')).code).toBe(0);
    expect(rowsOf((await run('export', '-')).stdout)).toEqual(goldenNow);
  });

  it('S-68 leaves the old state when it is killed at any step before its own takes that place, then the new one', async () => {
    await importGolden('--trust');
    const roots = Array.from({ length: 3_000 }, (_, n) => ({
      table: 'granted_roots',
      row: { path: `/r/${n}`, granted_at: '', hash: null },
    }));
    writeFileSync(file, sealExport(goldenHeader, roots));
    const preload = writeKiller(directory);
    const importAndKill = async (step: string) => {
      const args = ['import', file, '--replace', '--trust', '--state-dir', state];
      const env = { HOME: directory, KILL_AT: step };
      const { child, exited } = spawnContextd(args, { env, nodeOptions: ['--import', preload] });
      await exited;
      expect(child.signalCode, step).toBe('SIGKILL');
      return rowsOf((await run('export', '-')).stdout);
    };
    const steps = ['row 0', 'row 1500', 'row 2999', 'COMMIT', 'committed', 'fsync', 'link', 'rename'];
    for (const step of steps) expect(await importAndKill(step), step).toEqual(goldenNow);
    expect(await importAndKill('renamed')).toHaveLength(roots.length);
    // What a killed one left is in nobody's way.
    expect((await importGolden('--replace', '--trust')).code).toBe(0);
    expect(stateFiles().filter((name) => !name.includes('.before-import-'))).toEqual(['contextd.db']);
    await using daemon = await startDaemon({ stateDirectory: state });
    expect(await until(async () => (await daemon.request('/v1/sessions')).status)).toBe(200);
  });
});
