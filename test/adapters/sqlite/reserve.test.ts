/** What can still be removed when the disk is full (S-71). */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createReserve } from '../../../src/adapters/sqlite/reserve.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { ContextdError } from '../../../src/errors.ts';

let directory: string;
let path: string;
let unmount: (() => void) | undefined;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'contextd-')));
  path = join(directory, 'contextd.db');
});
afterEach(() => {
  unmount?.();
  unmount = undefined;
  rmSync(directory, { recursive: true });
});

const full = () => new ContextdError('storage_full', 'The disk is full.');
const isKept = () => existsSync(`${path}.reserve`);

it('S-71 S-08 keeps 4 MiB, for the owner alone, where a daemon keeps the database', () => {
  createSqliteStore(path).close();
  expect(isKept()).toBe(false);
  createSqliteStore(path, { heal: true }).close();
  const { size, mode, ino } = statSync(`${path}.reserve`);
  expect([size, mode & 0o777]).toEqual([4 * 1024 * 1024, 0o600]);
  createSqliteStore(path, { heal: true }).close();
  expect(statSync(`${path}.reserve`).ino).toBe(ino);
});

it('S-71 gives the room to what removes something, once, and takes it back', async () => {
  const database = openDatabase(path);
  const reserve = createReserve(database, `${path}.reserve`);
  const seen: boolean[] = [];
  const work = () => {
    seen.push(isKept());
    if (seen.length % 2 === 1) throw full();
    return 'removed';
  };
  expect(reserve.removing(work)).toBe('removed');
  expect(isKept()).toBe(true);
  expect(await reserve.removingLater(async () => work())).toBe('removed');
  expect(isKept()).toBe(true);
  expect(seen).toEqual([true, false, true, false]);
  const refused = reserve.removingLater(
    async () => work(),
    () => false,
  );
  await expect(refused).rejects.toMatchObject({ code: 'storage_full' });
  const always = () => {
    throw full();
  };
  expect(() => reserve.removing(always)).toThrow('The disk is full.');
  expect(seen).toHaveLength(5);
  database.close();
});

/** A disk of its own needs the superuser of a machine that lets him mount one. */
function mountSmallDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return false;
  }
  unmount = () => execFileSync('umount', ['-l', directory]);
  return true;
}

it('S-71 on a disk that is full to the last byte, all can be read and removed, and then there is room again', (context) => {
  if (!mountSmallDisk()) context.skip();
  const store = createSqliteStore(path, { heal: true });
  const { supplementary } = store;
  const addedAt = '2026-01-01T00:00:00.000Z';
  const add = (id: number) =>
    supplementary.append('/w', { id: `${id}`, kind: 'file', path: `/${id}/${'x'.repeat(4_000)}`, addedAt });
  let added = 0;
  const fill = () => {
    for (; added < 10_000; added += 1) add(added);
  };
  expect(fill).toThrow('The disk is full.');
  expect(() => writeFileSync(join(directory, 'other'), Buffer.alloc(8 * 1024 * 1024))).toThrow('ENOSPC');
  expect(supplementary.list('/w')).toHaveLength(added);
  for (let id = 0; id < added; id += 1) expect(supplementary.remove(`${id}`), `${id} of ${added}`).toBe('/w');
  expect(supplementary.list('/w')).toEqual([]);
  add(0);
  supplementary.replace('/w', []);
  store.close();
});
