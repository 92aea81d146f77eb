/** What every `Watcher` does (ports.ts), on the real disk and in memory. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChokidarWatcher } from '../../src/adapters/files/chokidar-watcher.ts';
import type { SeenChange, Watch, Watcher, WatchTrouble } from '../../src/ports/ports.ts';
import { until } from '../support/daemon.ts';
import { createMemoryWatcher } from '../support/memory-watcher.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

type Setup = {
  watcher: Watcher;
  base: string;
  write(path: string): void;
  remove(path: string): void;
  makeDirectory(path: string): void;
};

function realSetup(): Setup {
  const base = temporaryDirectory();
  return {
    watcher: createChokidarWatcher({ pollMs: 100 }),
    base,
    write: (path) => writeFileSync(join(base, path), String(Math.random())),
    remove: (path) => rmSync(join(base, path), { recursive: true }),
    makeDirectory: (path) => void mkdirSync(join(base, path)),
  };
}

function memorySetup(): Setup {
  const watcher = createMemoryWatcher();
  const base = '/base';
  const known = new Set<string>();
  return {
    watcher,
    base,
    write(path) {
      watcher.change(`${base}/${path}`, known.has(path) ? 'changed' : 'added');
      known.add(path);
    },
    remove: (path) => watcher.change(`${base}/${path}`, 'removed'),
    makeDirectory: (path) => watcher.change(`${base}/${path}`, 'added', 'directory'),
  };
}

describe.each([
  ['chokidar', realSetup],
  ['memory', memorySetup],
])('watcher: %s', (name, setup) => {
  let subject: Setup;
  let watch: Watch;
  let seen: SeenChange[];
  let troubles: WatchTrouble[];

  const open = (maxDirectories = 100) =>
    subject.watcher.watch({
      maxDirectories,
      decide: (path, kind) => {
        if (path.includes('ignored')) return 'ignore';
        return kind === 'directory' && path.endsWith('way') ? 'pass' : 'report';
      },
      onChange: (change) => seen.push(change),
      onTrouble: (trouble) => troubles.push(trouble),
    });
  const at = (path: string) => join(subject.base, path);
  const saw = (path: string, change: SeenChange['change']) =>
    until(() => seen.some((each) => each.path === at(path) && each.change === change));

  beforeEach(async () => {
    subject = setup();
    // The base itself is older than what is asked for.
    await delay(50);
    seen = [];
    troubles = [];
    watch = open();
  });
  afterEach(async () => {
    await watch.close();
    if (name === 'chokidar') rmSync(subject.base, { recursive: true, force: true });
  });

  it('tells what is added, changed and removed', async () => {
    watch.add([subject.base], Date.now());
    await until(() => watch.directories === 1);
    subject.write('a.md');
    await saw('a.md', 'added');
    subject.write('a.md');
    await saw('a.md', 'changed');
    subject.remove('a.md');
    await saw('a.md', 'removed');
    subject.makeDirectory('folder');
    await saw('folder', 'added');
    expect(troubles).toEqual([]);
  });

  it('says nothing of what it was told to ignore or pass', async () => {
    watch.add([subject.base], Date.now());
    await until(() => watch.directories === 1);
    subject.write('ignored.md');
    subject.makeDirectory('way');
    subject.write('last.md');
    await saw('last.md', 'added');
    expect(seen.map(({ path }) => path)).toEqual([at('last.md')]);
  });

  it('does not tell twice when a directory is added twice', async () => {
    watch.add([subject.base], Date.now());
    watch.add([subject.base], Date.now());
    await until(() => watch.directories === 1);
    subject.makeDirectory('folder');
    await saw('folder', 'added');
    subject.makeDirectory('last');
    await saw('last', 'added');
    expect(seen).toHaveLength(2);
  });

  it('is silent after it was closed', async () => {
    watch.add([subject.base], Date.now());
    await until(() => watch.directories === 1);
    const second = open();
    second.add([subject.base], Date.now());
    await until(() => second.directories === 1);
    await second.close();
    subject.write('a.md');
    await saw('a.md', 'added');
    expect(seen).toHaveLength(1);
  });

  it('says when there are more directories than may be watched', async () => {
    const few = open(1);
    subject.makeDirectory('one');
    few.add([subject.base, at('one')], Date.now());
    await until(() => troubles.length > 0);
    expect(troubles).toEqual(['too_many_directories']);
    expect(few.directories).toBe(1);
    await few.close();
  });
});
