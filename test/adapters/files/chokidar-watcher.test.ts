/** The watcher on a real disk (SY-03, S-55): what it sees below context directories, and what it leaves alone. */
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChokidarWatcher } from '../../../src/adapters/files/chokidar-watcher.ts';
import type { ChokidarOptions } from '../../../src/adapters/files/watch-state.ts';
import { createWatchedPlaces, type Disk } from '../../../src/events/watched-places.ts';
import type { SeenChange, Watch, WatchTrouble } from '../../../src/ports/ports.ts';
import { until } from '../../support/daemon.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';
import { watchedInodes } from '../../support/watched-inodes.ts';

let base: string;
let watch: Watch | undefined;
let seen: SeenChange[];
let troubles: WatchTrouble[];
const at = (path: string) => join(base, path);
const write = (path: string, text = 'text') => writeFileSync(at(path), text);
const make = (path: string) => mkdirSync(at(path), { recursive: true });
const saw = (path: string, change: SeenChange['change']) =>
  until(() => seen.some((each) => each.path === at(path) && each.change === change)).catch(() => {
    throw new Error(`${path} was not ${change}; seen: ${seen.map((each) => `${each.change} ${each.path}`)}`);
  });

/** Watches what answers for `project/src/app` depend on, and waits until it does. */
async function start(options: ChokidarOptions = {}): Promise<Watch> {
  const places = createWatchedPlaces({ depth: 16 });
  const asked = {
    mountedDirectory: at('project'),
    workingDirectory: at('project/src/app'),
    clientContextPath: '.context',
    globalContextPath: at('home'),
    sources: [],
  };
  const directories = await places.add(asked, wholeDisk);
  await delay(50);
  watch = createChokidarWatcher({ pollMs: 200, ...options }).watch({
    decide: places.decide,
    maxDirectories: 2_000,
    onChange: (change) => seen.push(change),
    onTrouble: (trouble) => troubles.push(trouble),
  });
  watch.add(directories, Date.now());
  await until(() => (watch?.directories ?? 0) >= 5);
  await delay(100);
  seen = [];
  return watch;
}

/** All of it is granted, and in no repository. */
const wholeDisk: Disk = {
  realPathOf: async (path) => path,
  realPathAnywhere: async (path) => path,
  directoriesAbove: async () => [],
};

beforeEach(() => {
  base = temporaryDirectory();
  seen = [];
  troubles = [];
  make('project/.context/sub');
  make('project/src/app');
  make('home');
  write('project/.context/a.md');
  write('project/.context/config.json', '{}');
});
afterEach(async () => {
  await watch?.close();
  watch = undefined;
});

describe('changes', () => {
  it('SY-03 sees files and configurations being written, replaced, renamed and deleted', async () => {
    await start();
    write('project/.context/a.md', 'other');
    await saw('project/.context/a.md', 'changed');
    write('project/.context/config.json', '{"x":1}');
    await saw('project/.context/config.json', 'changed');
    write('project/.context/sub/b.md');
    await saw('project/.context/sub/b.md', 'added');
    renameSync(at('project/.context/sub/b.md'), at('project/.context/c.md'));
    await saw('project/.context/sub/b.md', 'removed');
    await saw('project/.context/c.md', 'added');
    seen = [];
    write('project/.context/new.tmp', 'replaced');
    renameSync(at('project/.context/new.tmp'), at('project/.context/c.md'));
    await saw('project/.context/c.md', 'changed');
    rmSync(at('project/.context/c.md'));
    await saw('project/.context/c.md', 'removed');
    expect(troubles).toEqual([]);
  });

  it('SY-03 sees a rewrite that keeps size and modification time', async () => {
    await start();
    const { atime, mtime } = statSync(at('project/.context/a.md'));
    write('project/.context/a.md', 'TEXT');
    utimesSync(at('project/.context/a.md'), atime, mtime);
    await saw('project/.context/a.md', 'changed');
  });

  it.each(['project/src', 'project/src/app'])('SY-03 sees a new context directory in %s', async (owner) => {
    await start();
    make(`${owner}/.context/deep`);
    write(`${owner}/.context/deep/x.md`);
    await saw(`${owner}/.context`, 'added');
    await saw(`${owner}/.context/deep/x.md`, 'added');
    write(`${owner}/.context/deep/x.md`, 'more');
    await saw(`${owner}/.context/deep/x.md`, 'changed');
  });

  it('SY-03 sees context directories, and directories on the way to them, come and go', async () => {
    await start();
    rmSync(at('project/.context'), { recursive: true });
    await saw('project/.context', 'removed');
    make('project/.context');
    write('project/.context/again.md');
    await saw('project/.context/again.md', 'added');
    rmSync(at('project/src'), { recursive: true });
    await delay(100);
    make('prepared/app/.context');
    write('prepared/app/.context/moved.md');
    renameSync(at('prepared'), at('project/src'));
    await saw('project/src/app/.context/moved.md', 'added');
    write('project/src/app/.context/moved.md', 'more');
    await saw('project/src/app/.context/moved.md', 'changed');
  });

  it('SY-03 sees the mounted directory and the global one when they appear, and never what lies above', async () => {
    await start();
    make('home/.context');
    write('home/.context/mine.md');
    await saw('home/.context/mine.md', 'added');
    renameSync(at('project'), at('away'));
    await saw('project/.context', 'removed');
    expect(watchedInodes()).not.toContain(statSync(base).ino);
    renameSync(at('away'), at('project'));
    await saw('project/.context/a.md', 'added');
  });

  it('SY-03 tells what happened since the directory was asked about', async () => {
    const places = createWatchedPlaces({ depth: 16 });
    const place = { workingDirectory: at('project'), clientContextPath: '.context', globalContextPath: at('home') };
    const asked = { ...place, sources: [] };
    const directories = await places.add({ ...asked, mountedDirectory: at('project') }, wholeDisk);
    await delay(100);
    const askedAtMs = Date.now();
    write('project/.context/sub/late.md');
    write('project/.context/a.md', 'another');
    watch = createChokidarWatcher().watch({
      decide: places.decide,
      maxDirectories: 10,
      onChange: (change) => seen.push(change),
      onTrouble: (trouble) => troubles.push(trouble),
    });
    watch.add(directories, askedAtMs);
    const told = () => seen.map(({ path, change }) => `${change} ${path}`).sort();
    await expect
      .poll(told)
      .toEqual([
        `added ${at('project/.context/sub/late.md')}`,
        `changed ${at('project/.context/a.md')}`,
        `changed ${at('project/.context/sub')}`,
      ]);
  });
});

describe('what is left alone', () => {
  it('SY-03 says nothing of other files and of sensitive ones', async () => {
    await start();
    for (const path of ['project/main.ts', 'project/.context/.env', 'project/.context/x.png', 'project/src/app/y.md'])
      write(path);
    make('project/node_modules/.context');
    write('project/.context/last.md');
    await saw('project/.context/last.md', 'added');
    expect(seen.map(({ path }) => path)).toEqual([at('project/.context/last.md')]);
  });

  it('SY-03 follows no link, and watches nothing outside', async () => {
    make('outside/.context');
    write('outside/secret.md');
    symlinkSync(at('outside'), at('project/.context/link'));
    await start();
    symlinkSync(at('outside'), at('project/src/.context'));
    await saw('project/src/.context', 'added');
    rmSync(at('project/src/app'), { recursive: true });
    symlinkSync(at('outside'), at('project/src/app'));
    write('outside/secret.md', 'changed');
    write('outside/.context/secret.md', 'new');
    // Put in the place of a directory at once, a link is followed until that is noticed; then all begins again.
    await until(() => {
      write('project/.context/last.md', String(Math.random()));
      return seen.some(({ path }) => path === at('project/.context/last.md'));
    });
    expect(seen.filter(({ path }) => path.includes('secret'))).toEqual([]);
    const outside = ['outside', 'outside/.context', '', 'home'].map((path) => statSync(at(path)).ino);
    await until(() => !outside.some((inode) => watchedInodes().includes(inode)));
    await until(() => watchedInodes().includes(statSync(at('project/.context')).ino));
  });

  it('SY-03 loads chokidar when the first directory is watched', async () => {
    let loaded = 0;
    const load = () => {
      loaded += 1;
      return import('chokidar');
    };
    const empty = createChokidarWatcher({ load }).watch({
      decide: () => 'report',
      maxDirectories: 1,
      onChange() {},
      onTrouble() {},
    });
    empty.add([], 0);
    expect(loaded).toBe(0);
    empty.add([base], 0);
    await until(() => loaded === 1);
    await empty.close();
  });
});

describe('trouble', () => {
  it.each(['ENOSPC', 'EMFILE'])('S-55 polls when the system has no more watches (%s)', async (code) => {
    const opened: FSWatcher[] = [];
    class Refusing extends FSWatcher {
      constructor(options: ConstructorParameters<typeof FSWatcher>[0]) {
        super(options);
        opened.push(this);
        if (options?.backend === 'native')
          setTimeout(() => this.emit('error', Object.assign(new Error(), { code })), 20);
      }
    }
    const current = await start({ load: async () => ({ FSWatcher: Refusing }) });
    await until(() => troubles.length > 0);
    expect(troubles).toEqual(['polling']);
    expect(opened.map(({ closed, options }) => [options.backend, closed])).toEqual([
      ['native', true],
      ['polling', false],
    ]);
    write('project/.context/a.md', 'longer than before');
    await saw('project/.context/a.md', 'changed');
    make('project/src/.context');
    write('project/src/.context/b.md');
    await saw('project/src/.context/b.md', 'added');
    expect(current.directories).toBeGreaterThanOrEqual(5);
  });

  it('S-55 begins again when more happens at once than the kernel queues', async () => {
    await start();
    for (let index = 0; index < 9_000; index += 1) write(`project/.context/${index}.md`, '');
    await until(() => troubles.length > 0);
    expect(troubles).toEqual(['overflow']);
    seen = [];
    write('project/.context/8999.md', 'more');
    await saw('project/.context/8999.md', 'changed');
    make('project/src/.context');
    await saw('project/src/.context', 'added');
  });

  it('S-55 gives everything back when it is closed', async () => {
    const before = watchedInodes().length;
    const current = await start();
    expect(watchedInodes().length).toBeGreaterThan(before);
    await current.close();
    expect(watchedInodes()).toHaveLength(before);
  });
});
