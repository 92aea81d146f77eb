import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createNodeFiles } from '../../../src/adapters/files/node-files.ts';
import { createRealDisk, type Disk } from '../../support/disks.ts';

describe('createNodeFiles', () => {
  let disk: Disk;
  let reach: { roots: { path: string; realPath: string }[]; followSymlinks: boolean };

  beforeEach(() => {
    disk = createRealDisk();
    reach = { roots: [{ path: disk.base, realPath: disk.base }], followSymlinks: false };
  });

  it('CC-03 takes the home directory of the user, or the one it is given', () => {
    expect(createNodeFiles().homeDirectory()).toBe(homedir());
    expect(createNodeFiles({ homeDirectory: '/home/./user/' }).homeDirectory()).toBe('/home/user');
  });

  it('CC-36 changes the signature even when size and modification time are kept', async () => {
    const path = `${disk.base}/a.md`;
    disk.write(path, 'one');
    const longAgo = new Date('2020-01-01T00:00:00Z');
    utimesSync(path, longAgo, longAgo);
    const before = await disk.files.stat(path);
    writeFileSync(path, 'two');
    utimesSync(path, longAgo, longAgo);
    const after = await disk.files.stat(path);
    if (!before.ok || !after.ok) throw new Error('no stat');
    expect(after.signature).not.toBe(before.signature);
    // The modification time lies; the kernel's own change time does not.
    expect(after.changedAtMs).toBe(Math.floor(statSync(path).ctimeMs));
  });

  it('CC-36 sees one file replaced by another of the same size', async () => {
    disk.write(`${disk.base}/a.md`, 'one');
    disk.write(`${disk.base}/b.md`, 'two');
    const before = await disk.files.stat(`${disk.base}/a.md`);
    renameSync(`${disk.base}/b.md`, `${disk.base}/a.md`);
    expect(await disk.files.stat(`${disk.base}/a.md`)).not.toEqual(before);
  });

  /** The turns of the event loop while `work` runs. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await work();
    clearImmediate(timer);
    return turns;
  }

  it.each(['stat', 'failed read'] as const)(
    'does not hold the event loop, however often a %s follows another',
    async (what) => {
      disk.write(`${disk.base}/a.md`, 'a');
      disk.symlink(`${disk.base}/link.md`, 'a.md');
      await disk.files.stat(disk.base);
      await new Promise((resolve) => setTimeout(resolve, 10));
      const [times, step] = {
        stat: [50_000, () => disk.files.stat(`${disk.base}/a.md`)] as const,
        'failed read': [3_000, () => disk.files.read(`${disk.base}/link.md`, { ...reach, maxBytes: 10 })] as const,
      }[what];
      const turns = await turnsDuring(async () => {
        for (let i = 0; i < times; i += 1) await step();
      });
      expect(turns).toBeGreaterThan(0);
    },
  );

  it('S-48 waits for a writer that is between two calls', async () => {
    const path = `${disk.base}/written.md`;
    disk.write(path, 'half');
    // Once the mounts are known and the code is compiled, a read is quicker than the writer.
    await disk.files.read(path, { ...reach, maxBytes: 100 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    await disk.files.read(path, { ...reach, maxBytes: 100 });
    disk.write(path, 'half');
    // As long as the wait between two reads, and begun before it.
    setTimeout(() => disk.write(path, 'half and half'), 1);
    const read = await disk.files.read(path, { ...reach, maxBytes: 100 });
    expect(read.ok && Buffer.from(read.bytes).toString()).toBe('half and half');
  });

  it('does not hold the event loop while it hashes a large file', async () => {
    disk.write(`${disk.base}/large`, 'x'.repeat(16 * 1024 * 1024));
    // A file that changed just now is hashed twice, with a wait between.
    await new Promise((resolve) => setTimeout(resolve, 150));
    const hash = () => disk.files.hash(`${disk.base}/large`, { ...reach, maxMs: 10_000 });
    await hash();
    expect(await turnsDuring(hash)).toBeGreaterThan(8);
  });

  it('S-45 lists a directory too large to take in at once, and stops at the limit', async ({ skip }) => {
    const names = Array.from({ length: 3500 }, (_, i) => `${'n'.repeat(40)}-${String(i).padStart(5, '0')}`);
    for (const name of names) writeFileSync(`${disk.base}/${name}`, '');
    skip(statSync(disk.base).size <= 64 * 1024, 'this file system does not tell the size of a directory');
    const all = await disk.files.list(disk.base, { ...reach, maxEntries: 3500 });
    if (!all.ok) throw new Error(all.code);
    expect(all.truncated).toBe(false);
    expect(all.entries.map(({ name }) => name)).toEqual(names);
    const some = await disk.files.list(disk.base, { ...reach, maxEntries: 3499 });
    if (!some.ok) throw new Error(some.code);
    expect(some).toMatchObject({ truncated: true, entries: { length: 3499 } });
    expect(some.entries.map(({ name }) => name)).toEqual(some.entries.map(({ name }) => name).sort());
  });

  it('works one file at a time when it may open only one', async () => {
    disk.write(`${disk.base}/a.md`, 'a');
    const files = createNodeFiles({ parallelOpens: 1 });
    const reads = Array.from({ length: 50 }, () => files.read(`${disk.base}/a.md`, { ...reach, maxBytes: 10 }));
    const contents = await Promise.all([...reads, files.list(disk.base, { ...reach, maxEntries: 10 })]);
    expect(contents.every(({ ok }) => ok)).toBe(true);
  });

  it.skipIf(!existsSync('/dev/shm'))('S-41 serves a workspace in shared memory', async () => {
    const directory = mkdtempSync('/dev/shm/contextd-');
    try {
      writeFileSync(join(directory, 'a.md'), 'a');
      const options = { roots: [{ path: directory, realPath: directory }], followSymlinks: false };
      expect(await disk.files.read(join(directory, 'a.md'), { ...options, maxBytes: 10 })).toMatchObject({ ok: true });
      expect(await disk.files.list(directory, { ...options, maxEntries: 10 })).toMatchObject({ ok: true });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it.skipIf(!existsSync('/proc/self/fd'))('S-49 closes what it opened, whatever the outcome', async () => {
    disk.write(`${disk.base}/a.md`, 'a');
    disk.makeDirectory(`${disk.base}/d`);
    disk.symlink(`${disk.base}/link`, 'd');
    disk.fifo(`${disk.base}/fifo`);
    const opened = () => readdirSync('/proc/self/fd').length;
    const before = opened();
    for (const name of ['a.md', 'd', 'link', 'link/x', 'fifo', 'none', 'a\0']) {
      await disk.files.read(`${disk.base}/${name}`, { ...reach, maxBytes: 10 });
      await disk.files.list(`${disk.base}/${name}`, { ...reach, maxEntries: 10 });
    }
    expect(opened()).toBe(before);
  });
});
