/** What can still be removed when the disk is full (S-71). */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createReserve } from '../../../src/adapters/sqlite/reserve.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { ContextdError } from '../../../src/errors.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

let directory: string;
let path: string;
let unmount: (() => void) | undefined;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'contextd.db');
});
afterEach(() => {
  unmount?.();
  unmount = undefined;
});

const full = () => new ContextdError('storage_full', 'The disk is full.');
const isKept = () => existsSync(`${path}.reserve`);

it('S-71 S-08 keeps 4 MiB, for the owner alone, where a daemon keeps the database', async () => {
  await createSqliteStore(path).close();
  expect(isKept()).toBe(false);
  await createSqliteStore(path, { heal: true }).close();
  const { size, mode, ino } = statSync(`${path}.reserve`);
  expect([size, mode & 0o777]).toEqual([4 * 1024 * 1024, 0o600]);
  await createSqliteStore(path, { heal: true }).close();
  expect(statSync(`${path}.reserve`).ino).toBe(ino);
});

it('S-71 gives the room to what removes something, once, and takes it back', async () => {
  const database = openDatabase(path);
  const reserve = createReserve(database, `${path}.reserve`);
  const seen: boolean[] = [];
  const work = async () => {
    seen.push(isKept());
    if (seen.length % 2 === 1) throw full();
    return 'removed';
  };
  for (let times = 0; times < 2; times += 1) {
    expect(await reserve.removing(work)).toBe('removed');
    expect(isKept()).toBe(true);
  }
  expect(seen).toEqual([true, false, true, false]);
  const refused = reserve.removing(work, () => false);
  await expect(refused).rejects.toMatchObject({ code: 'storage_full' });
  const always = async () => {
    throw full();
  };
  await expect(reserve.removing(always)).rejects.toThrow('The disk is full.');
  expect(seen).toHaveLength(5);
  database.close();
});

it('S-71 gives the room to removals that come together, until the last of them has ended', async () => {
  const database = openDatabase(path);
  const reserve = createReserve(database, `${path}.reserve`);
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const kept: boolean[] = [];
  const removal = (wait?: Promise<void>) => {
    let tries = 0;
    return reserve.removing(async () => {
      tries += 1;
      if (tries === 1) throw full();
      await wait;
      kept.push(isKept());
    });
  };
  const slow = removal(mayEnd);
  await Promise.all([removal(), removal()]);
  end();
  await slow;
  expect([kept, isKept()]).toEqual([[false, false, false], true]);
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

it('S-71 on a disk that is full to the last byte, all can be read and removed, and then there is room again', async (context) => {
  if (!mountSmallDisk()) context.skip();
  const store = createSqliteStore(path, { heal: true });
  const { supplementary } = store;
  const addedAt = '2026-01-01T00:00:00.000Z';
  const add = (id: number) =>
    supplementary.append('/w', { id: `${id}`, kind: 'file', path: `/${id}/${'x'.repeat(4_000)}`, addedAt });
  let added = 0;
  const fill = async () => {
    for (; added < 10_000; added += 1) await add(added);
  };
  await expect(fill()).rejects.toThrow('The disk of the state directory is full.');
  expect(() => writeFileSync(join(directory, 'other'), Buffer.alloc(8 * 1024 * 1024))).toThrow('ENOSPC');
  expect(await supplementary.list('/w')).toHaveLength(added);
  const together = Array.from({ length: 10 }, (_, id) => supplementary.remove(`${id}`));
  expect(await Promise.all(together)).toEqual(Array(10).fill('/w'));
  for (let id = 10; id < added; id += 1) expect(await supplementary.remove(`${id}`), `${id} of ${added}`).toBe('/w');
  expect(await supplementary.list('/w')).toEqual([]);
  await add(0);
  await supplementary.replace('/w', []);
  await store.close();
});

it('S-71 on a full disk, what comes beside a write that is too large is removed all the same', async (context) => {
  if (!mountSmallDisk()) context.skip();
  const store = createSqliteStore(path, { heal: true });
  const { supplementary } = store;
  const addedAt = '2026-01-01T00:00:00.000Z';
  await supplementary.append('/w', { id: 'a', kind: 'file', path: '/w/a', addedAt });
  const large = supplementary.write(async (writer) => {
    for (let id = 0; id < 4_000; id += 1)
      await writer.append('/w', { id: `${id}`, kind: 'file', path: `/${id}/${'x'.repeat(4_000)}`, addedAt });
  });
  const removing = supplementary.write((writer) => writer.remove('a'));
  await expect(large).rejects.toMatchObject({ code: 'storage_full' });
  expect(await removing).toBe('/w');
  expect(await supplementary.list('/w')).toEqual([]);
  await store.close();
});
