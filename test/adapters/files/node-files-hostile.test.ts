import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, lstatSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRealDisk, type Disk } from '../../support/disks.ts';
import type { Outcome, Task } from '../../support/read-files.ts';
import { sized } from '../../support/test-size.ts';

const races = sized(3_000, 30_000, 400);

const onLinux = process.platform === 'linux' && existsSync('/proc/self/fd');
const nobody = 65534;

describe('createNodeFiles on a hostile disk', () => {
  let disk: Disk;
  let ws: string;
  const workers: Worker[] = [];
  const children: ChildProcess[] = [];

  beforeEach(() => {
    disk = createRealDisk();
    ws = `${disk.base}/ws`;
    disk.makeDirectory(ws);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill();
    await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
  });

  const reach = ({ root = ws, followSymlinks = false } = {}) => ({
    roots: [{ path: root, realPath: root }],
    followSymlinks,
  });
  const list = (path: string, options = {}) => disk.files.list(path, { ...reach(options), maxEntries: 10_000 });
  const read = (path: string, options = {}) => disk.files.read(path, { ...reach(options), maxBytes: 1024 * 1024 });
  /** The text that was read, or `!` and the code of the refusal. */
  async function textOf(path: string, options = {}): Promise<string> {
    const content = await read(path, options);
    return content.ok ? Buffer.from(content.bytes).toString() : `!${content.code}`;
  }

  /** Repeats `body` in another thread until the test ends; resolves when it runs. `fs` and `ws` are in its scope. */
  async function disturb(setUp: string, body: string): Promise<void> {
    const code = `const fs = require('node:fs'); const ws = ${JSON.stringify(ws)}; let round = 0; ${setUp};
      require('node:worker_threads').parentPort.postMessage('ready');
      for (;;) { round += 1; ${body} }`;
    const worker = new Worker(code, { eval: true });
    workers.push(worker);
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  }

  /** Runs `test/support/read-files.ts`, with at most so many file descriptors. */
  function readElsewhere(task: Task, { descriptors }: { descriptors?: number } = {}): Outcome {
    const script = fileURLToPath(new URL('../../support/read-files.ts', import.meta.url));
    const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `;
    const command = `${limit}exec "$0" "$1"`;
    const output = execFileSync('sh', ['-c', command, process.execPath, script], {
      input: JSON.stringify(task),
      timeout: 20_000,
    });
    return JSON.parse(output.toString()) as Outcome;
  }

  it('S-40 FIFOs, a socket and a link to a device hang nothing', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `fifo-${i}`);
    for (const name of names) disk.fifo(`${ws}/${name}`);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${ws}/socket`, resolve));
    disk.symlink(`${ws}/zero`, '/dev/zero');
    disk.write(`${ws}/good.md`, 'good');
    try {
      const listing = await list(ws);
      expect(listing).toMatchObject({ ok: true, entries: { length: 11 } });
      // Twice as many as libuv has threads: had one of them blocked, `good.md` would wait for ever.
      const hostile = await Promise.all([...names, 'socket'].map((name) => textOf(`${ws}/${name}`)));
      expect(new Set(hostile)).toEqual(new Set(['!not_regular_file']));
      expect(await textOf(`${ws}/zero`)).toBe('!symlink');
      expect(await textOf(`${ws}/zero`, { followSymlinks: true })).toBe('!outside_roots');
      const parallel = [...Array(100).keys()].map((i) => textOf(`${ws}/${i % 2 ? 'good.md' : names[i % 8]}`));
      expect((await Promise.all(parallel)).filter((text) => text === 'good')).toHaveLength(50);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it.skipIf(!onLinux)(
    `S-39 delivers no byte from outside in ${races} looks while a directory and a link change places`,
    async () => {
      disk.write(`${ws}/d/a.md`, 'inside');
      disk.write(`${disk.base}/outside/a.md`, 'OUTSIDE');
      disk.write(`${disk.base}/outside/outside.md`, 'OUTSIDE');
      disk.symlink(`${ws}/link`, '../outside');
      await disturb(
        `const swap = (a, b) => { fs.renameSync(ws + '/d', ws + a); fs.renameSync(ws + b, ws + '/d') };`,
        `swap('/away', '/link'); swap('/link', '/away'); for (let i = 0; i < (round % 97) * 50; i++);`,
      );
      const counts = new Map<string, number>();
      const count = (text: string) => counts.set(text, (counts.get(text) ?? 0) + 1);
      for (let i = 0; i < races; i += 3) {
        const followSymlinks = i % 2 === 0;
        const [first, second, listing] = await Promise.all([
          textOf(`${ws}/d/a.md`, { followSymlinks }),
          textOf(`${ws}/d/a.md`),
          list(`${ws}/d`, { followSymlinks }),
        ]);
        count(first);
        count(second);
        if (listing.ok) expect(listing.entries).toEqual([{ name: 'a.md', kind: 'file' }]);
      }
      expect(counts.get('OUTSIDE')).toBeUndefined();
      expect(counts.get('inside')).toBeGreaterThanOrEqual(sized(100, 1_000, 13));
      expect(counts.size, 'nothing was ever swapped').toBeGreaterThan(1);
    },
  );

  it.skipIf(!onLinux)('S-41 never delivers what the kernel makes up', async () => {
    const child = spawn('sleep', ['60'], { env: { ...process.env, CANARY: 'canary-of-the-environment' } });
    children.push(child);
    const environment = `/proc/${child.pid}/environ`;
    await expect.poll(() => readFileSync(environment, 'utf8')).toContain('canary-of-the-environment');
    disk.symlink(`${ws}/environment`, environment);
    disk.symlink(`${ws}/process`, `/proc/${child.pid}`);
    disk.symlink(`${ws}/version`, '/sys/kernel');
    for (const followSymlinks of [false, true]) {
      for (const root of ['/', ws]) {
        const options = { root, followSymlinks };
        for (const name of ['environment', 'process/environ']) {
          expect(await textOf(`${ws}/${name}`, options)).toMatch(/^!(symlink|outside_roots|pseudo_file)$/);
        }
        expect((await list(`${ws}/version`, options)).ok).toBe(false);
      }
      for (const path of [environment, '/proc/self/environ', '/proc/kmsg', '/dev/zero', '/sys/kernel/uevent_seqnum']) {
        expect(await textOf(path, { root: '/', followSymlinks })).toBe('!pseudo_file');
      }
      // Granted by name it is still no file, wherever the kernel's file system is mounted.
      expect(await textOf(environment, { root: '/proc', followSymlinks })).toBe('!pseudo_file');
      expect(await list('/proc', { root: '/proc', followSymlinks })).toEqual({ ok: false, code: 'pseudo_file' });
      expect(await list('/sys/kernel', { root: '/sys', followSymlinks })).toEqual({ ok: false, code: 'pseudo_file' });
    }
  });

  it('S-42 reads no more than the limit of a huge or growing file', async () => {
    const limit = 1024 * 1024;
    disk.write(`${ws}/sparse.md`, 'x');
    truncateSync(`${ws}/sparse.md`, 10 * 1024 ** 3);
    const sparse = await read(`${ws}/sparse.md`);
    expect(sparse).toMatchObject({ ok: true, size: 10 * 1024 ** 3, truncated: true, bytes: { length: limit } });
    if (sparse.ok) expect(sparse.bytes.buffer.byteLength).toBeLessThanOrEqual(limit + 1);

    disk.write(`${ws}/growing.md`, 'x'.repeat(limit));
    await disturb('', `fs.appendFileSync(ws + '/growing.md', 'y'.repeat(10)); if (round > 1e5) break;`);
    await expect.poll(() => lstatSync(`${ws}/growing.md`).size).toBeGreaterThan(limit);
    for (let i = 0; i < 20; i += 1) {
      const growing = await read(`${ws}/growing.md`);
      expect(growing).toMatchObject({ ok: true, truncated: true, bytes: { length: limit } });
    }
  });

  it.skipIf(!onLinux)('S-44 lists odd names as they are and marks the one that is not UTF-8', async () => {
    const names = [
      'a\nb.md',
      'a\u202Eb.md',
      'e\u0301.md',
      '\u00e9.md',
      '\u{1F600}.md',
      '__proto__.md',
      'con.md',
      '\uFFFD.md',
    ];
    names.push('x'.repeat(255), '\\', ' ', 'x (deleted)', '-rf', '*');
    for (const name of names) disk.write(`${ws}/${name}`, `text of ${name}`);
    writeFileSync(Buffer.concat([Buffer.from(`${ws}/bad`), Buffer.from([0xff])]), 'bad');
    const listing = await list(ws);
    if (!listing.ok) throw new Error(listing.code);
    const bad = listing.entries.filter(({ undecodable }) => undecodable);
    expect(bad).toEqual([{ name: 'bad\uFFFD', kind: 'file', undecodable: true }]);
    const good = listing.entries.filter((entry) => !entry.undecodable).map(({ name }) => name);
    expect(good).toEqual(names.toSorted());
    for (const name of names) expect(await textOf(`${ws}/${name}`)).toBe(`text of ${name}`);
    expect(await textOf(`${ws}/bad\uFFFD`)).toBe('!not_found');
  });

  it.skipIf(process.platform === 'win32')('CC-05 S-47 refuses what permissions forbid and delivers the rest', () => {
    const asRoot = process.getuid?.() === 0;
    for (const path of ['good.md', 'secret.md', 'foreign.md', 'no/a.md', 'names/a.md', 'through/a.md']) {
      disk.write(`${ws}/${path}`, 'text');
      if (asRoot && path !== 'foreign.md') chownSync(`${ws}/${path}`, nobody, nobody);
    }
    chmodSync(disk.base, 0o755);
    chmodSync(`${ws}/secret.md`, 0o000);
    chmodSync(`${ws}/foreign.md`, asRoot ? 0o600 : 0o000);
    const directories = { no: 0o000, names: 0o444, through: 0o111 };
    for (const [name, mode] of Object.entries(directories)) chmodSync(`${ws}/${name}`, mode);
    try {
      const task = {
        root: ws,
        reads: ['good.md', 'secret.md', 'foreign.md', 'no/a.md', 'names/a.md', 'through/a.md'].map((n) => `${ws}/${n}`),
        lists: [ws, ...Object.keys(directories).map((name) => `${ws}/${name}`)],
      };
      const { reads, lists } = readElsewhere(asRoot ? { ...task, userId: nobody } : task);
      expect(reads).toEqual(['text', '!unreadable', '!unreadable', '!unreadable', '!unreadable', 'text']);
      const names = ['foreign.md', 'good.md', 'names', 'no', 'secret.md', 'through'];
      expect(lists).toEqual([names, '!unreadable', ['a.md'], '!unreadable']);
    } finally {
      for (const name of Object.keys(directories)) chmodSync(`${ws}/${name}`, 0o755);
    }
  });

  it('S-48 delivers one version whole, or none, while files are replaced, renamed and deleted', async () => {
    const lines = 5000;
    disk.write(`${ws}/replaced.md`, '0\n'.repeat(lines));
    await disturb(
      `const text = () => (String(round % 10) + '\\n').repeat(${lines});`,
      `fs.writeFileSync(ws + '/new', text()); fs.renameSync(ws + '/new', ws + '/replaced.md');
       fs.writeFileSync(ws + '/new', text()); fs.renameSync(ws + '/new', ws + '/moved.md');
       fs.renameSync(ws + '/moved.md', ws + '/gone.md'); fs.unlinkSync(ws + '/gone.md');`,
    );
    const versions = new Set<string>();
    let delivered = 0;
    for (let i = 0; i < 2000; i += 1) {
      const name = ['replaced.md', 'moved.md', 'gone.md', 'replaced.md'][i % 4];
      const text = await textOf(`${ws}/${name}`);
      if (text.startsWith('!')) continue;
      delivered += 1;
      versions.add(text.slice(0, 1));
      if (text !== `${text.slice(0, 1)}\n`.repeat(lines)) expect.fail(`mixed or half content of ${name}`);
      if (i % 100 === 0) expect((await list(ws)).ok).toBe(true);
    }
    expect(delivered).toBeGreaterThan(100);
    expect(versions.size, 'nothing was ever replaced').toBeGreaterThan(1);
  });

  it.skipIf(!onLinux)('S-49 reads thousands of files with few descriptors and gives them all back', () => {
    const paths = Array.from({ length: 5000 }, (_, i) => `${ws}/${i}.md`);
    for (const path of paths) writeFileSync(path, path);
    const task: Task = { root: ws, reads: paths, lists: [ws] };
    // With 64 there are enough for 16 at once; with 5 left most have to wait for one.
    for (const each of [task, { ...task, freeDescriptors: 5 }]) {
      const outcome = readElsewhere(each, { descriptors: 64 });
      expect(outcome.reads).toEqual(each.reads);
      expect(outcome.lists[0]).toHaveLength(5000);
      expect(outcome.descriptorsAfter).toBe(outcome.descriptorsBefore);
    }
  });

  it.skipIf(!onLinux)('S-49 gives up soon when no descriptor ever becomes free', () => {
    disk.write(`${ws}/a.md`, 'a');
    const reads = Array.from({ length: 1000 }, () => `${ws}/a.md`);
    const outcome = readElsewhere({ root: ws, reads, lists: [], freeDescriptors: 0 }, { descriptors: 64 });
    expect(new Set(outcome.reads)).toEqual(new Set(['!io_error']));
    expect(outcome.descriptorsAfter).toBe(outcome.descriptorsBefore);
  });
});
