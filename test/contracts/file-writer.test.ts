/** Every `FileWriter` replaces whole files, only where nothing but the expected lies (AP-09; S-34, S-39 … S-41, S-48). */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNodeFileWriter } from '../../src/adapters/files/node-file-writer.ts';
import type { FileWriter } from '../../src/ports/ports.ts';
import { createMemoryFileWriter } from '../support/memory-file-writer.ts';
import { createMemoryFiles } from '../support/memory-files.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

type Disk = {
  base: string;
  writer: FileWriter;
  write(path: string, text: string): void;
  read(path: string): Promise<string | undefined>;
  makeDirectory(path: string): void;
  symlink(path: string, target: string): void;
  fifo(path: string): void;
  remove(): void;
};

function realDisk(): Disk {
  const base = temporaryDirectory();
  return {
    base,
    writer: createNodeFileWriter(),
    write: (path, text) => writeFileSync(path, text),
    read: async (path) => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
    makeDirectory: (path) => void mkdirSync(path, { recursive: true }),
    symlink: (path, target) => symlinkSync(target, path),
    fifo: (path) => void execFileSync('mkfifo', [path]),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function memoryDisk(): Disk {
  const base = '/disk';
  const files = createMemoryFiles({ '/disk/': '' });
  const roots = [{ path: '/', realPath: '/' }];
  return {
    base,
    writer: createMemoryFileWriter(files),
    write: files.write,
    async read(path) {
      const content = await files.read(path, { roots, followSymlinks: true, maxBytes: 1e6 });
      return content.ok ? new TextDecoder().decode(content.bytes) : undefined;
    },
    makeDirectory: files.makeDirectory,
    symlink: files.symlink,
    fifo: files.fifo,
    remove: () => {},
  };
}

describe.each([
  { name: 'memory', createDisk: memoryDisk },
  { name: 'node', createDisk: realDisk },
])('FileWriter: $name', ({ createDisk }) => {
  let disk: Disk;
  let ws: string;

  beforeEach(() => {
    disk = createDisk();
    ws = join(disk.base, 'ws');
    disk.makeDirectory(ws);
  });
  afterEach(() => disk.remove());

  const replace = (path: string, text: string, expected?: string) =>
    disk.writer.replace(path, new TextEncoder().encode(text), {
      roots: [{ path: ws, realPath: ws }],
      maxBytes: 1_000,
      isExpected: (present) => (present && new TextDecoder().decode(present)) === expected,
    });

  it('AP-09 writes where nothing lies, and where the expected lies', async () => {
    expect(await replace(`${ws}/a`, 'one')).toEqual({ ok: true });
    expect(await replace(`${ws}/a`, 'two', 'one')).toEqual({ ok: true });
    expect(await disk.read(`${ws}/a`)).toBe('two');
  });

  it('AP-09 leaves alone what is not expected', async () => {
    expect(await replace(`${ws}/a`, 'one', 'something')).toEqual({ ok: false, code: 'changed' });
    disk.write(`${ws}/a`, 'present');
    expect(await replace(`${ws}/a`, 'one')).toEqual({ ok: false, code: 'changed' });
    expect(await replace(`${ws}/a`, 'one', 'other')).toEqual({ ok: false, code: 'changed' });
    expect(await disk.read(`${ws}/a`)).toBe('present');
  });

  it('FM-14 S-34 S-40 makes the directory of a file where it is told to, one and never behind a link', async () => {
    const write = (path: string, makesDirectory: boolean) =>
      disk.writer.replace(path, new TextEncoder().encode('one'), {
        roots: [{ path: ws, realPath: ws }],
        maxBytes: 1_000,
        makesDirectory,
        isExpected: (present) => present === undefined,
      });
    expect(await write(`${ws}/new/a`, false)).toEqual({ ok: false, code: 'not_found' });
    expect(await write(`${ws}/new/a`, true)).toEqual({ ok: true });
    expect(await write(`${ws}/new/b`, true)).toEqual({ ok: true });
    expect(await disk.read(`${ws}/new/a`)).toBe('one');
    expect(await write(`${ws}/x/y/a`, true)).toEqual({ ok: false, code: 'not_found' });
    disk.makeDirectory(`${disk.base}/outside`);
    disk.symlink(`${ws}/out`, `${disk.base}/outside`);
    disk.symlink(`${ws}/nowhere`, `${disk.base}/gone`);
    for (const path of [`${ws}/out/a`, `${ws}/out/deep/a`, `${ws}/nowhere/a`, `${disk.base}/gone/a`])
      expect((await write(path, true)).ok, path).toBe(false);
    for (const path of ['outside/a', 'outside/deep/a', 'gone/a'])
      expect(await disk.read(`${disk.base}/${path}`)).toBeUndefined();
  });

  it('AP-09 S-39 S-40 removes a regular file that is what is expected, and nothing else', async () => {
    const remove = (path: string, expected?: string) =>
      disk.writer.remove(path, {
        roots: [{ path: ws, realPath: ws }],
        maxBytes: 1_000,
        isExpected: (present) => (present && new TextDecoder().decode(present)) === expected,
      });
    disk.write(`${ws}/a`, 'one');
    disk.write(`${ws}/b`, 'one');
    disk.write(`${disk.base}/x`, 'one');
    disk.symlink(`${ws}/link`, `${ws}/b`);
    disk.makeDirectory(`${ws}/directory`);
    disk.symlink(`${ws}/way`, disk.base);
    expect(await remove(`${ws}/a`, 'two')).toEqual({ ok: false, code: 'changed' });
    expect(await remove(`${ws}/directory`, 'one')).toEqual({ ok: false, code: 'not_regular_file' });
    for (const path of [`${ws}/link`, `${ws}/way/x`, `${disk.base}/x`, `${ws}/none`])
      expect((await remove(path, 'one')).ok, path).toBe(false);
    expect(await remove(`${ws}/a`, 'one')).toEqual({ ok: true });
    expect(await disk.read(`${ws}/a`)).toBeUndefined();
    expect(await disk.read(`${ws}/b`)).toBe('one');
    expect(await disk.read(`${disk.base}/x`)).toBe('one');
  });

  it('S-34 writes nothing outside the roots', async () => {
    disk.makeDirectory(`${disk.base}/ws-evil`);
    for (const path of [`${disk.base}/x`, `${disk.base}/ws-evil/x`, `${ws}/../x`, 'x'])
      expect(await replace(path, 'one'), path).toEqual({ ok: false, code: 'outside_roots' });
    expect(await disk.read(`${disk.base}/x`)).toBeUndefined();
  });

  it('S-39 follows no link, neither at the path nor on the way', async () => {
    disk.makeDirectory(`${disk.base}/out`);
    disk.write(`${disk.base}/out/target`, 'precious');
    disk.write(`${ws}/inside`, 'precious');
    disk.symlink(`${ws}/a`, `${disk.base}/out/target`);
    disk.symlink(`${ws}/b`, `${ws}/inside`);
    disk.symlink(`${ws}/dangling`, `${disk.base}/out/new`);
    disk.symlink(`${ws}/way`, `${disk.base}/out`);
    for (const name of ['a', 'b', 'dangling', 'way/target', 'way/new']) {
      for (const expected of ['precious', undefined])
        expect((await replace(`${ws}/${name}`, 'one', expected)).ok, name).toBe(false);
    }
    expect(await disk.read(`${disk.base}/out/target`)).toBe('precious');
    expect(await disk.read(`${ws}/inside`)).toBe('precious');
    expect(await disk.read(`${disk.base}/out/new`)).toBeUndefined();
  });

  it('S-40 replaces neither directories nor pipes, and never waits for one', async () => {
    disk.makeDirectory(`${ws}/directory`);
    disk.fifo(`${ws}/pipe`);
    expect(await replace(`${ws}/directory`, 'one')).toEqual({ ok: false, code: 'not_regular_file' });
    expect(await replace(`${ws}/pipe`, 'one')).toEqual({ ok: false, code: 'not_regular_file' });
  });

  it('AP-09 says that the directory is not there, or is none', async () => {
    disk.write(`${ws}/file`, 'x');
    expect((await replace(`${ws}/none/a`, 'one')).ok).toBe(false);
    expect((await replace(`${ws}/file/a`, 'one')).ok).toBe(false);
  });
});

describe('on a real disk', () => {
  let disk: Disk;
  beforeEach(() => {
    disk = realDisk();
  });
  afterEach(() => disk.remove());
  const options = (isExpected: (present?: Uint8Array) => boolean) => ({
    roots: [{ path: disk.base, realPath: disk.base }],
    maxBytes: 1_000,
    isExpected,
  });

  it('AP-09 keeps the mode, takes a new file, and leaves nothing else behind', async () => {
    const path = join(disk.base, 'a');
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    const { ino } = lstatSync(path);
    expect(
      await disk.writer.replace(
        path,
        Buffer.from('new'),
        options(() => true),
      ),
    ).toEqual({ ok: true });
    expect(lstatSync(path).mode & 0o777).toBe(0o640);
    expect(lstatSync(path).ino).not.toBe(ino);
    await disk.writer.replace(
      path,
      Buffer.from('never'),
      options(() => false),
    );
    expect(readdirSync(disk.base)).toEqual(['a']);
  });

  it.each([
    [0o755, 0o644],
    [0o2775, 0o664],
    [0o700, 0o600],
    [0o1777, 0o664],
  ])(
    'AP-09 a new file in a directory of mode %i may be read by whom the directory may, whatever the umask',
    async (mode, expected) => {
      chmodSync(disk.base, mode);
      const umask = process.umask(0o077);
      try {
        const path = join(disk.base, 'a');
        await disk.writer.replace(
          path,
          Buffer.from('new'),
          options((bytes) => bytes === undefined),
        );
        expect(lstatSync(path).mode & 0o777).toBe(expected);
      } finally {
        process.umask(umask);
      }
    },
  );

  it('AP-09 of many who expect nothing exactly one writes', async () => {
    const path = join(disk.base, 'a');
    const outcomes = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        disk.writer.replace(
          path,
          Buffer.from(`${index}`),
          options((present) => present === undefined),
        ),
      ),
    );
    const winners = outcomes.flatMap(({ ok }, index) => (ok ? [`${index}`] : []));
    expect(winners).toEqual([readFileSync(path, 'utf8')]);
    expect(readdirSync(disk.base)).toEqual(['a']);
  });

  it('S-48 whoever exchanges a directory for a link meanwhile moves no write outside', async () => {
    const out = temporaryDirectory();
    mkdirSync(join(disk.base, 'd'));
    const swap = () => {
      rmSync(join(disk.base, 'd'), { recursive: true });
      symlinkSync(out, join(disk.base, 'd'));
      return true;
    };
    // The last moment before the file is put in its place.
    await disk.writer.replace(join(disk.base, 'd/a'), Buffer.from('x'), options(swap));
    expect(readdirSync(out)).toEqual([]);
  });
});
