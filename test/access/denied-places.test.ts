import { linkSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ContentPolicy } from '../../src/access/content-policy.ts';
import { createDeniedPlaces } from '../../src/access/denied-places.ts';
import { createGate, type Gate } from '../../src/access/gate.ts';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { createMemoryFiles } from '../support/memory-files.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const policies = {
  decide: async () => ({ allowed: true, reason: { code: 'default' } }),
} as unknown as ContentPolicy;

describe('a directory that is denied', () => {
  let directory: string;
  let gate: Gate;
  const reach = () => ({ roots: [{ path: directory, realPath: directory }], followSymlinks: true, maxBytes: 1_000 });
  beforeEach(() => {
    directory = temporaryDirectory();
    mkdirSync(join(directory, 'state'));
    writeFileSync(join(directory, 'state/daemon.json'), '{"token":"one"}');
    writeFileSync(join(directory, 'own.json'), '{}');
    gate = createGate({
      files: createNodeFiles(),
      clock: createSystemClock(),
      maxEntries: 100,
      deniedDirectories: [join(directory, 'state')],
    });
  });

  it('S-08 gives a hard link to none of its files as settings or hash, and others as before', async () => {
    linkSync(join(directory, 'state/daemon.json'), join(directory, 'link.json'));
    const asked = async (name: string) => {
      const path = join(directory, name);
      return [(await gate.readSettings(path, reach())).ok, (await gate.hash(path, { ...reach(), maxMs: 1_000 })).ok];
    };
    expect(await asked('link.json')).toEqual([false, false]);
    expect(await asked('own.json')).toEqual([true, true]);
    expect(await gate.readSettings(join(directory, 'link.json'), reach())).toEqual({
      ok: false,
      code: 'outside_roots',
    });
  });

  it('S-08 knows files that came into it after others were asked about', async () => {
    expect((await gate.readSettings(join(directory, 'own.json'), reach())).ok).toBe(true);
    writeFileSync(join(directory, 'state/new'), '{"token":"two"}');
    renameSync(join(directory, 'state/new'), join(directory, 'state/daemon.json'));
    linkSync(join(directory, 'state/daemon.json'), join(directory, 'late.json'));
    expect((await gate.readSettings(join(directory, 'late.json'), reach())).ok).toBe(false);
  });

  it('S-08 gives a hard link to one of its files to no search', async () => {
    const read = async (name: string) =>
      (await gate.read(join(directory, name), { ...reach(), policies, isOneOfMany: true })).ok;
    linkSync(join(directory, 'state/daemon.json'), join(directory, 'link.ts'));
    writeFileSync(join(directory, 'found.ts'), 'x');
    expect(await Promise.all(['found.ts', 'link.ts', 'own.json'].map(read))).toEqual([true, false, true]);
  });

  it('S-08 knows a file that came into it in the turn in which a search has looked at it', async () => {
    const clock = createSystemClock();
    const state = createMemoryFiles({ '/state/daemon.json': 'x', '/project/own.ts': 'x' });
    const places = createDeniedPlaces({ files: state, clock, directories: ['/state'] });
    const isDenied = async (path: string, changedAtMs = 0) => {
      const stat = await state.stat(path);
      if (!stat.ok) throw new Error(stat.code);
      return places.isDeniedAs('/project/linked.ts', { ...stat, changedAtMs });
    };
    expect(await isDenied('/project/own.ts')).toBe(false);
    state.write('/state/new.json', 'x');
    // A new name of a file changes its change time.
    expect(await isDenied('/state/new.json', clock.now())).toBe(true);
  });

  it('S-08 knows a file that came into it after another was asked about in the same turn', async () => {
    const state = createMemoryFiles({ '/state/daemon.json': 'x', '/project/own.ts': 'x' });
    const places = createDeniedPlaces({ files: state, clock: createSystemClock(), directories: ['/state'] });
    const isDenied = async (path: string) => {
      const opened = await state.stat(path);
      if (!opened.ok) throw new Error(opened.code);
      return places.isDeniedAs('/project/linked.ts', opened);
    };
    const own = isDenied('/project/own.ts');
    // Time for a look in memory, within the turn.
    for (let step = 0; step < 100; step++) await Promise.resolve();
    state.write('/state/new.json', 'x');
    // A disk whose clock is behind says that it changed long ago.
    expect(await Promise.all([own, isDenied('/state/new.json')])).toEqual([false, true]);
  });

  it.each([
    ['long ago', undefined],
    ['just now', createSystemClock()],
  ])(
    'S-08 is looked at once for all files of one turn that changed %s, and a search opens each at once',
    async (_, clock) => {
      const names = Array.from({ length: 40 }, (_, index) => `/project/found${index}.ts`);
      const content = Object.fromEntries([...names, '/state/daemon.json'].map((path) => [path, 'x']));
      const files = createMemoryFiles(content, { clock });
      const denying = createGate({ files, clock: createSystemClock(), maxEntries: 100, deniedDirectories: ['/state'] });
      const project = { roots: [{ path: '/project', realPath: '/project' }], followSymlinks: false, maxBytes: 1_000 };
      const read = async (path: string) => (await denying.read(path, { ...project, policies, isOneOfMany: true })).ok;
      expect(await Promise.all(names.map(read))).toEqual(names.map(() => true));
      expect(files.reads).toBe(names.length);
      // The directory, its file, and the project.
      expect([files.realPaths, files.lists, files.stats]).toEqual([1, 1, 3]);
    },
  );

  describe('S-08 S-46 the directories above what is opened', () => {
    const deep = `/project${'/d'.repeat(500)}`;
    const clock = createSystemClock();
    const open = () => {
      const files = createMemoryFiles({
        '/state/sub/daemon.json': 'x',
        [`${deep}/a.ts`]: 'x',
        [`${deep}/d/b.ts`]: 'x',
      });
      const mounted = new Map<string, string>();
      let fails = '';
      const stat = async (path: string) =>
        path === fails ? ({ ok: false, code: 'io_error' } as const) : files.stat(mounted.get(path) ?? path);
      const places = createDeniedPlaces({ files: { ...files, stat }, clock, directories: ['/state'] });
      const isDenied = async (path: string): Promise<boolean> => {
        // A new turn of the event loop.
        await new Promise(setImmediate);
        const opened = await files.stat(path);
        if (!opened.ok) throw new Error(opened.code);
        return places.isDeniedAs(path, opened);
      };
      const failAt = (path: string) => (fails = path);
      return { files, mounted, isDenied, failAt };
    };

    it('are looked at once while they are as they were', async () => {
      const { files, isDenied } = open();
      expect(await isDenied(`${deep}/a.ts`)).toBe(false);
      files.resetCounters();
      expect(await isDenied(`${deep}/a.ts`)).toBe(false);
      expect(await isDenied(`${deep}/d/b.ts`)).toBe(false);
      // The directory of each, what was new, and the file itself; the state directory for each.
      expect(files.stats).toBeLessThan(12);
    });

    it('are looked at again where a denied directory was mounted since', async () => {
      const { mounted, isDenied } = open();
      expect(await isDenied(`${deep}/a.ts`)).toBe(false);
      mounted.set(deep, '/state/sub');
      expect(await isDenied(`${deep}/a.ts`)).toBe(true);
      mounted.delete(deep);
      expect(await isDenied(`${deep}/a.ts`)).toBe(false);
    });

    it('are looked at again when other directories are denied', async () => {
      const { files, mounted, isDenied } = open();
      expect(await isDenied(`${deep}/a.ts`)).toBe(false);
      files.makeDirectory('/state/new');
      mounted.set('/project/d', '/state/new');
      expect(await isDenied(`${deep}/a.ts`)).toBe(true);
    });

    it('are looked at again after the disk failed to tell of one', async () => {
      const { mounted, isDenied, failAt } = open();
      mounted.set('/project/d/d', '/state');
      failAt('/project/d/d');
      expect(await isDenied(`${deep}/a.ts`)).toBe(false);
      failAt('');
      expect(await isDenied(`${deep}/a.ts`)).toBe(true);
    });
  });

  it.each(['realPath', 'stat', 'list'] as const)(
    'S-08 S-71 knows its files while the disk fails to tell of them by "%s"',
    async (verb) => {
      const state = join(directory, 'state');
      const disk = createNodeFiles();
      let fails = false;
      const failing = (path: string, ...asked: never[]) =>
        fails && path.startsWith(state)
          ? Promise.resolve({ ok: false, code: 'io_error' })
          : (disk[verb] as (path: string, ...asked: never[]) => unknown)(path, ...asked);
      const files = { ...disk, [verb]: failing };
      const denying = createGate({ files, clock: createSystemClock(), maxEntries: 100, deniedDirectories: [state] });
      linkSync(join(state, 'daemon.json'), join(directory, 'link.json'));
      expect((await denying.readSettings(join(directory, 'own.json'), reach())).ok).toBe(true);
      fails = true;
      expect(await denying.readSettings(join(directory, 'link.json'), reach())).toMatchObject({
        code: 'outside_roots',
      });
    },
  );
});
