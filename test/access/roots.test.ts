/** Which directories are granted (CC-33). */
import { describe, expect, it } from 'vitest';
import { createEndingFiles } from '../../src/access/ending-files.ts';
import { createRootVerbs } from '../../src/access/roots.ts';
import { until } from '../support/daemon.ts';
import { dieBelow } from '../support/dead-mount.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles } from '../support/memory-files.ts';
import { createMemoryStore } from '../support/memory-store.ts';

function openRoots(startRoots: readonly string[] = [], globalDirectories: readonly string[] = []) {
  const clock = createFakeClock();
  const files = createMemoryFiles({ '/a/x': '', '/b/x': '' }, { homeDirectory: '/home', clock });
  const store = createMemoryStore().roots;
  const asked = { lists: 0, fails: false };
  const counting = {
    ...store,
    async list() {
      asked.lists += 1;
      if (asked.fails) throw new Error('the disk');
      return store.list();
    },
  };
  const places = { startRoots, globalDirectories, homePlaces: async () => [] };
  const roots = createRootVerbs({ files: createEndingFiles(files), store: counting, clock, ...places });
  const paths = async () => (await roots.list()).map(({ path }) => path);
  return { roots, paths, asked, files, store };
}

describe('granted roots', () => {
  it('CC-33 CC-36 are read once, and again after each change', async () => {
    const { roots, paths, asked } = openRoots();
    expect([await paths(), await paths(), asked.lists]).toEqual([[], [], 1]);
    const [granted, meanwhile] = [roots.grant('/a'), paths()];
    await granted;
    await meanwhile;
    expect(await paths()).toEqual(['/a']);
    await roots.grant('/b');
    expect(await paths()).toEqual(['/a', '/b']);
    await roots.revoke('/a');
    expect(await paths()).toEqual(['/b']);
    const { lists } = asked;
    expect([await paths(), asked.lists]).toEqual([['/b'], lists]);
  });

  it('CC-33 S-71 are read again when they could not be read', async () => {
    const { paths, asked } = openRoots();
    asked.fails = true;
    await expect(paths()).rejects.toThrow('the disk');
    asked.fails = false;
    expect(await paths()).toEqual([]);
  });

  it('AN-03 CC-33 are one for two names of one place, whichever was granted first', async () => {
    for (const [first, second] of [
      ['/a', '/link'],
      ['/link', '/a'],
      ['/link', '/other'],
    ] as const) {
      const { roots, paths, files } = openRoots();
      files.symlink('/link', '/a');
      files.symlink('/other', 'a');
      const { root } = await roots.grant(first);
      expect(await roots.grant(second)).toEqual({ root, created: false });
      expect(await roots.grant(first)).toEqual({ root, created: false });
      expect(await paths()).toEqual([first]);
      await roots.revoke(second);
      expect(await paths()).toEqual([]);
      expect((await roots.locate()).length).toBe(0);
      await expect(roots.revoke(first)).rejects.toMatchObject({
        code: 'not_found',
        message: `No root is granted under this name: ${first}`,
      });
    }
  });

  it('AN-03 CC-33 are one for two names that are granted at the same time', async () => {
    const { roots, files, store } = openRoots();
    files.symlink('/link', '/a');
    const granted = await Promise.all([roots.grant('/a'), roots.grant('/link'), roots.grant('/a')]);
    const [first] = await store.list();
    const root = { ...first, origin: 'stored' };
    expect(granted).toEqual([true, false, false].map((created) => ({ root, created })));
    expect(await store.list()).toEqual([first]);
    const ended = await Promise.allSettled([roots.revoke('/link'), roots.revoke('/a'), roots.grant('/link')]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await store.list()).map(({ path }) => path)).toEqual(['/link']);
  });

  it('AN-03 S-37 stay where they are when a link is changed by whose name they were granted again', async () => {
    const { roots, paths, files } = openRoots();
    const places = async () => (await roots.locate()).map(({ realPath }) => realPath).sort();
    const leadTo = (target: string) => {
      files.remove('/link');
      files.symlink('/link', target);
    };
    files.symlink('/link', '/a');
    await roots.grant('/a');
    await roots.grant('/link');
    leadTo('/b');
    expect(await places()).toEqual(['/a']);
    await expect(roots.revoke('/link')).rejects.toMatchObject({ code: 'not_found' });
    await roots.revoke('/a');

    leadTo('/a');
    await roots.grant('/link');
    await roots.grant('/a');
    leadTo('/b');
    expect(await places()).toEqual(['/a', '/b']);
    expect(await paths()).toEqual(['/a', '/link']);
    await roots.revoke('/b');
    expect(await places()).toEqual(['/a']);
  });

  it('AN-03 CC-33 are revoked by either name where both were stored, and where the directory is gone', async () => {
    const { roots, paths, files, store } = openRoots();
    files.symlink('/link', '/a');
    files.makeDirectory('/a/deep');
    const grantedAt = '2026-01-05T08:31:00.000Z';
    for (const path of ['/a/deep', '/link/deep']) await store.add({ path, grantedAt });
    expect(await paths()).toEqual(['/link/deep']);
    files.remove('/a/deep');
    await roots.revoke('/link/deep');
    expect(await store.list()).toEqual([]);
  });

  it('AN-03 CC-33 given at start are there by any name, and stay', async () => {
    for (const [given, other] of [
      ['/a', '/link'],
      ['/link', '/a'],
    ] as const) {
      const { roots, paths, files, store } = openRoots([given]);
      files.symlink('/link', '/a');
      for (let times = 0; times < 2; times += 1)
        expect(await roots.grant(other)).toEqual({
          root: { path: '/a', grantedAt: expect.any(String), origin: 'stored' },
          created: false,
        });
      expect((await store.list()).map(({ path }) => path)).toEqual(['/a']);
      expect(await paths()).toEqual([given]);
      await expect(roots.revoke(other)).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('AN-03 CC-33 given at start are granted for good by the same name, too', async () => {
    const { roots, store } = openRoots(['/a']);
    const root = { path: '/a', grantedAt: expect.any(String), origin: 'stored' };
    for (let times = 0; times < 2; times += 1) expect(await roots.grant('/a')).toEqual({ root, created: false });
    expect((await store.list()).map(({ path }) => path)).toEqual(['/a']);
    expect(await roots.list()).toEqual([root]);
    await expect(roots.revoke('/a')).rejects.toMatchObject({ code: 'conflict' });
    expect(await roots.list()).toEqual([{ path: '/a', origin: 'start' }]);
  });

  it('AN-03 S-37 granted for good stay where they are when a link is changed that was given at start', async () => {
    const { roots, paths, files } = openRoots(['/link']);
    files.symlink('/link', '/a');
    await roots.grant('/a');
    files.remove('/link');
    files.symlink('/link', '/b');
    expect(await paths()).toEqual(['/link', '/a']);
    await roots.revoke('/a');
    expect(await paths()).toEqual(['/link']);
  });

  it('AN-03 CC-33 are granted beside the global context, which is no grant, by either name', async () => {
    for (const [global, granted] of [
      ['/link', '/a'],
      ['/a', '/link'],
      ['/a', '/a'],
    ] as const) {
      const { roots, files, store } = openRoots([], [global]);
      files.symlink('/link', '/a');
      const root = { path: granted, grantedAt: expect.any(String) };
      expect(await roots.grant(granted)).toEqual({ root: { ...root, origin: 'stored' }, created: true });
      expect(await roots.grant(granted)).toEqual({ root: { ...root, origin: 'stored' }, created: false });
      expect(await store.list()).toEqual([root]);
      const globals = [{ path: global, origin: 'global' }];
      expect(await roots.list()).toEqual([...globals, { ...root, origin: 'stored' }]);
      await roots.revoke(granted);
      expect(await roots.list()).toEqual(globals);
      await expect(roots.revoke(granted)).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('AN-03 CC-33 given at start stay when what was granted for good by another name is taken back', async () => {
    for (const [given, other] of [
      ['/a', '/link'],
      ['/link', '/a'],
    ] as const) {
      const { roots, paths, files, store } = openRoots([given]);
      files.symlink('/link', '/a');
      await store.add({ path: other, grantedAt: '2026-01-05T08:31:00.000Z' });
      await expect(roots.revoke(other)).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.list()).toEqual([]);
      expect(await paths()).toEqual([given]);
    }
  });

  it('CC-33 are absolute directories that are there', async () => {
    const { roots, paths } = openRoots();
    for (const [path, code] of [
      ['a', 'invalid_request'],
      ['/a/x', 'invalid_request'],
      ['/none', 'not_found'],
    ] as const)
      await expect(roots.grant(path), path).rejects.toMatchObject({ code });
    await expect(roots.revoke('a')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(roots.revoke('/a')).rejects.toMatchObject({ code: 'not_found' });
    expect(await paths()).toEqual([]);
  });

  it('AN-03 CC-33 are listed, granted and revoked while a mount does not answer', async () => {
    const { roots, paths, files, store } = openRoots(['/dead/start']);
    const mount = dieBelow('/dead', files);
    for (const path of ['/dead/1', '/dead/2', '/b']) await store.add({ path, grantedAt: '2026-01-05T08:31:00.000Z' });
    expect(await paths()).toEqual(['/dead/start', '/b', '/dead/1', '/dead/2']);
    expect(await roots.grant('/a')).toMatchObject({ root: { path: '/a' }, created: true });
    await expect(roots.grant('/dead/new')).rejects.toMatchObject({ code: 'unavailable' });
    await roots.revoke('/b');
    // Another root that does not answer may be the same place, also when it is asked again.
    for (let times = 0; times < 2; times += 1)
      await expect(roots.revoke('/dead/2')).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('/dead/1'),
      });
    await expect(roots.revoke('/dead/start')).rejects.toMatchObject({ code: 'conflict' });
    expect(await paths()).toEqual(['/dead/start', '/a', '/dead/1']);
    const revoking = roots.revoke('/dead/1');
    const removed = until(async () => `${(await store.list()).map(({ path }) => path)}` === '/a');
    // So may one that was given at start.
    await expect(revoking).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('/dead/start'),
    });
    await removed;
    // One that has not ended is enough for all roots on the mount.
    expect(mount.looks()).toBe(1);
  });

  it('AN-03 S-40 are not looked at again while a look at them does not end, and then they are', async () => {
    const { roots, paths, files, store } = openRoots();
    files.symlink('/dead', '/a');
    for (const path of ['/a', '/dead']) await store.add({ path, grantedAt: '2026-01-05T08:31:00.000Z' });
    const mount = dieBelow('/dead', files);
    for (let times = 0; times < 3; times += 1) {
      expect(await paths()).toEqual(['/a', '/dead']);
      expect((await roots.locate()).map(({ realPath }) => realPath)).toEqual(['/a', '/dead']);
      await expect(roots.grant('/dead')).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(mount.looks()).toBe(1);
    await mount.comeBack();
    expect(await paths()).toEqual(['/dead']);
    expect((await roots.locate()).map(({ realPath }) => realPath)).toEqual(['/a', '/a']);
  });
});
