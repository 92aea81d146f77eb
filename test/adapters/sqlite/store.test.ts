import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkSqliteVersion } from '../../../src/adapters/sqlite/database.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { ContextdError } from '../../../src/errors.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const grantedAt = '2026-01-01T00:00:00.000Z';
let directory: string;
let path: string;

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'contextd.db');
});
afterEach(() => vi.restoreAllMocks());

/** The code of the `ContextdError` that `work` throws; its message must not name the file. */
function refusalOf(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ContextdError);
    const { code, message } = error as ContextdError;
    expect(message).not.toContain(directory);
    return { code, message };
  }
  throw new Error('nothing was thrown');
}

describe('createSqliteStore', () => {
  it('S-68 keeps data when it is opened again', async () => {
    const first = createSqliteStore(path);
    await first.roots.add({ path: '/a', grantedAt });
    await first.close();
    const second = createSqliteStore(path);
    expect(await second.roots.list()).toEqual([{ path: '/a', grantedAt }]);
    await second.close();
  });

  it('S-68 has a write on the disk when the verb returns', async () => {
    const store = createSqliteStore(path);
    await store.roots.add({ path: '/a', grantedAt });
    // What a crash at this moment would leave: the file and its journal.
    const copy = join(directory, 'copy.db');
    for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    await store.close();
    const recovered = createSqliteStore(copy);
    expect(await recovered.roots.list()).toEqual([{ path: '/a', grantedAt }]);
    await recovered.close();
  });

  it.each([
    ['removed', () => rmSync(path)],
    ['left without its journal', () => rmSync(`${path}-wal`)],
    [
      'replaced',
      () => {
        copyFileSync(path, `${path}.other`);
        renameSync(`${path}.other`, path);
      },
    ],
  ])('S-72 refuses writes while its file is %s, says so, and can still be exported', async (_name, change) => {
    const store = createSqliteStore(path, { heal: true });
    await store.roots.add({ path: '/a', grantedAt });
    expect(await store.warnings()).toEqual([]);
    change();
    const message = expect.stringContaining('contextd export');
    await expect(store.roots.add({ path: '/b', grantedAt })).rejects.toMatchObject({ code: 'unavailable', message });
    expect(await store.warnings()).toMatchObject([{ code: 'database_removed', message, path }]);
    let text = '';
    for await (const part of store.export({ writtenBy: 'a test', createdAt: grantedAt })) text += part;
    expect(text).toContain('"path":"/a"');
    expect(text).not.toContain('"path":"/b"');
    await store.close();
  });

  it('S-69 syncs each commit, and S-70 keeps every other process out', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = createSqliteStore(path);
    const database = exec.mock.contexts[0] as DatabaseSync;
    const pragma = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(['journal_mode', 'synchronous', 'trusted_schema', 'busy_timeout', 'locking_mode'].map(pragma)).toEqual([
      'wal',
      2,
      0,
      2000,
      'exclusive',
    ]);
    const other = new DatabaseSync(path, { timeout: 0 });
    expect(() => other.prepare('SELECT * FROM granted_roots').all()).toThrow('locked');
    other.close();
    await store.close();
  });

  it('S-70 refuses SQLite before 3.51.3', () => {
    for (const version of ['3.51.2', '3.9.9', '2.99.9', '']) {
      expect(refusalOf(() => checkSqliteVersion(version))).toMatchObject({ code: 'unavailable' });
    }
    for (const version of ['3.51.3', '3.53.0', '4.0.0']) expect(() => checkSqliteVersion(version)).not.toThrow();
  });

  it.each([{}, { heal: true }])(
    'S-70 opens no database with SQLite before 3.51.3, and leaves it as it is: %j',
    async (options) => {
      await createSqliteStore(path).close();
      const before = readFileSync(path);
      const { value: version } = Object.getOwnPropertyDescriptor(process.versions, 'sqlite') as { value: string };
      const pretend = (value: string) =>
        Object.defineProperty(process.versions, 'sqlite', { value, configurable: true, enumerable: true });
      pretend('3.51.2');
      try {
        for (const place of [path, ':memory:']) {
          const { code, message } = refusalOf(() => createSqliteStore(place, options));
          expect([code, message]).toEqual(['unavailable', expect.stringContaining('SQLite 3.51.2')]);
        }
      } finally {
        pretend(version);
      }
      expect(readFileSync(path)).toEqual(before);
      expect(readdirSync(directory)).toEqual(['contextd.db']);
      await createSqliteStore(path, options).close();
    },
  );

  it('S-71 says when the disk is full, goes on reading, and recovers', async () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    const store = createSqliteStore(path);
    const database = exec.mock.contexts[0] as DatabaseSync;
    const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
    database.exec(`PRAGMA max_page_count=${pages + 8}`);
    let added = 0;
    const add = () => store.roots.add({ path: `/${String(added).padStart(1000, '0')}`, grantedAt });
    const addMany = async () => {
      for (; added < 1000; added += 1) await add();
    };
    await expect(addMany()).rejects.toMatchObject({ code: 'storage_full' });
    expect(added).toBeGreaterThan(0);
    expect(await store.roots.list()).toHaveLength(added);
    database.exec('PRAGMA max_page_count=100000');
    expect(await add()).toBe(true);
    expect(await store.roots.list()).toHaveLength(added + 1);
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    await store.close();
  });

  it('S-71 what could neither be committed nor undone is neither seen nor part of what is written next', async () => {
    const original = DatabaseSync.prototype.exec;
    let failing: readonly string[] = [];
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (!failing.includes(sql)) return original.call(this, sql);
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    });
    const store = createSqliteStore(path);
    const item = { id: 'a', kind: 'file' as const, path: '/a', addedAt: grantedAt };
    failing = ['COMMIT', 'ROLLBACK'];
    await expect(store.supplementary.replace('/w', [item])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.sessions.write((writer) => writer.deleteSession('a'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(store.roots.add({ path: '/a', grantedAt })).rejects.toMatchObject({ code: 'unavailable' });
    failing = [];
    expect(await store.supplementary.list('/w')).toEqual([]);
    expect(await store.roots.add({ path: '/a', grantedAt })).toBe(true);
    await store.supplementary.replace('/w', [item]);
    await store.close();
    const again = createSqliteStore(path);
    expect([await again.roots.list(), await again.supplementary.list('/w')]).toEqual([
      [{ path: '/a', grantedAt }],
      [item],
    ]);
    await again.close();
  });

  it('S-71 is closed again when it cannot be set up, and says why', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(() => {
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    });
    expect(refusalOf(() => createSqliteStore(path)).code).toBe('unavailable');
    prepare.mockRestore();
    await createSqliteStore(path).close();
  });

  it('S-08 keeps the database and its journal to the owner, whatever the umask and an earlier mode', async () => {
    const umask = process.umask(0);
    try {
      writeFileSync(path, '');
      chmodSync(path, 0o666);
      const store = createSqliteStore(path);
      await store.roots.add({ path: '/a', grantedAt });
      const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]);
      expect(modes).toEqual([
        ['contextd.db', 0o600],
        ['contextd.db-wal', 0o600],
      ]);
      await store.close();
    } finally {
      process.umask(umask);
    }
  });

  it('S-08 does not write through a planted link', () => {
    const target = join(directory, 'target');
    writeFileSync(target, 'precious', { mode: 0o644 });
    symlinkSync(target, path);
    expect(refusalOf(() => createSqliteStore(path)).code).toBe('unavailable');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(statSync(target).mode & 0o777).toBe(0o644);
  });

  it('refuses the database of a newer contextd and leaves it as it is', async () => {
    await createSqliteStore(path).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version=999');
    database.close();
    const before = readFileSync(path);
    const refusal = refusalOf(() => createSqliteStore(path));
    expect(refusal.code).toBe('unavailable');
    expect(refusal.message).toMatch(/newer contextd .*999/);
    expect(readFileSync(path)).toEqual(before);
  });

  it('S-72 refuses what is not a database, and leaves it as it is', () => {
    const garbage = 'no database '.repeat(1000);
    writeFileSync(path, garbage);
    expect(refusalOf(() => createSqliteStore(path)).code).toBe('unavailable');
    expect(readFileSync(path, 'utf8')).toBe(garbage);
  });

  it('says when its directory is missing or something else lies there', () => {
    expect(refusalOf(() => createSqliteStore(join(directory, 'missing', 'contextd.db'))).code).toBe('unavailable');
    expect(refusalOf(() => createSqliteStore(directory)).code).toBe('unavailable');
  });
});
