import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FileRefusal, Root } from '../../src/ports/ports.ts';
import { createForeignDisk, createMemoryDisk, createRealDisk, type Disk } from '../support/disks.ts';
import { sized } from '../support/test-size.ts';

describe.each([
  { name: 'memory', createDisk: createMemoryDisk },
  { name: 'node', createDisk: createRealDisk },
  { name: 'node without /proc/self/fd', createDisk: createForeignDisk },
])('Files: $name', ({ createDisk }) => {
  let disk: Disk;
  let ws: string;
  let root: Root;

  beforeEach(() => {
    disk = createDisk();
    ws = `${disk.base}/ws`;
    root = { path: ws, realPath: ws };
    disk.makeDirectory(ws);
  });

  const read = (path: string, { roots = [root], followSymlinks = false, maxBytes = 1000 } = {}) =>
    disk.files.read(path, { roots, followSymlinks, maxBytes });
  const list = (path: string, { roots = [root], followSymlinks = false, maxEntries = 1000 } = {}) =>
    disk.files.list(path, { roots, followSymlinks, maxEntries });

  /** The text that was read, or `!` and the code of the refusal. */
  async function textOf(path: string, options = {}): Promise<string> {
    const content = await read(path, options);
    return content.ok ? Buffer.from(content.bytes).toString() : `!${content.code}`;
  }
  /** The names that were listed, or `!` and the code of the refusal. */
  async function namesIn(path: string, options = {}): Promise<string[] | string> {
    const listing = await list(path, options);
    return listing.ok ? listing.entries.map(({ name }) => name) : `!${listing.code}`;
  }
  async function statOf(path: string) {
    const stat = await disk.files.stat(path);
    if (!stat.ok) throw new Error(stat.code);
    return stat;
  }
  const refused = (code: FileRefusal['code']): FileRefusal => ({ ok: false, code });

  it('CC-03 the home directory is absolute and normalised', () => {
    expect(disk.files.homeDirectory()).toMatch(/^\/$|^\/.*[^/]$/);
  });

  it('tells files, directories, links, other things and nothing apart', async () => {
    disk.write(`${ws}/a.md`, 'abc');
    disk.symlink(`${ws}/link`, 'nowhere');
    disk.fifo(`${ws}/fifo`);
    expect(await disk.files.stat(`${ws}/a.md`)).toMatchObject({ ok: true, kind: 'file', size: 3 });
    expect((await statOf(ws)).kind).toBe('directory');
    expect((await statOf(`${ws}/link`)).kind).toBe('symlink');
    expect((await statOf(`${ws}/fifo`)).kind).toBe('other');
    for (const path of [`${ws}/none`, `${ws}/none/a`, `${ws}/a.md/b`, `${ws}/a\0b`, `${ws}/${'x'.repeat(5000)}`]) {
      expect(await disk.files.stat(path)).toEqual(refused('not_found'));
    }
  });

  it('looks at a path soon as at any time', async () => {
    disk.write(`${ws}/f`, 'f');
    const paths = [ws, `${ws}/f`, `${ws}/none`, `${ws}/f/below`, `${ws}/a\0`];
    for (const path of paths) expect(await disk.files.statSoon(path)).toEqual(await disk.files.stat(path));
  });

  it('CC-36 changes the signature of a file with each write, replacement and change of mode', async () => {
    const signatures: string[] = [];
    const note = async () => signatures.push((await statOf(`${ws}/a.md`)).signature);
    disk.write(`${ws}/a.md`, 'one');
    await note();
    await note();
    expect(signatures[0]).toBe(signatures[1]);
    disk.write(`${ws}/a.md`, 'four');
    await note();
    disk.write(`${ws}/b.md`, 'five');
    disk.rename(`${ws}/b.md`, `${ws}/a.md`);
    await note();
    disk.setMode(`${ws}/a.md`, 0o600);
    await note();
    expect(new Set(signatures).size).toBe(4);
  });

  it('CC-36 changes the signature of a directory when an entry comes, goes or is renamed', async () => {
    const signatures = [(await statOf(ws)).signature];
    const note = async () => signatures.push((await statOf(ws)).signature);
    disk.write(`${ws}/a.md`, 'a');
    await note();
    disk.rename(`${ws}/a.md`, `${ws}/b.md`);
    await note();
    disk.remove(`${ws}/b.md`);
    await note();
    expect(new Set(signatures).size).toBe(4);
  });

  it('S-43 delivers every byte as it is, with the stat of what was read', async () => {
    const bytes = Uint8Array.from([0xef, 0xbb, 0xbf, 13, 10, 0, ...Array(256).keys()]);
    disk.write(`${ws}/a.md`, bytes);
    expect(await read(`${ws}/a.md`)).toEqual({
      ok: true,
      bytes,
      size: bytes.length,
      truncated: false,
      stat: await statOf(`${ws}/a.md`),
    });
    disk.write(`${ws}/empty.md`, '');
    expect(await read(`${ws}/empty.md`)).toMatchObject({
      ok: true,
      bytes: new Uint8Array(),
      size: 0,
      truncated: false,
    });
  });

  it('S-42 stops at the limit and says so only when there is more', async () => {
    disk.write(`${ws}/a.md`, 'x'.repeat(10_000));
    for (const [maxBytes, length, truncated] of [
      [10_001, 10_000, false],
      [10_000, 10_000, false],
      [9_999, 9_999, true],
      [0, 0, true],
    ] as const) {
      const content = await read(`${ws}/a.md`, { maxBytes });
      expect(content).toMatchObject({ ok: true, size: 10_000, truncated, bytes: { length } });
    }
    disk.write(`${ws}/empty.md`, '');
    expect(await read(`${ws}/empty.md`, { maxBytes: 0 })).toMatchObject({ ok: true, truncated: false });
  });

  it('S-18 hashes whole files of any size, within its time and the roots only', async () => {
    const hash = (path: string, { roots = [root], followSymlinks = false, maxMs = 10_000 } = {}) =>
      disk.files.hash(path, { roots, followSymlinks, maxMs });
    const large = Buffer.alloc(1024 * 1024 + 1, 'abc');
    for (const bytes of [Buffer.from(''), Buffer.from('abc'), large]) {
      disk.write(`${ws}/a`, bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(await hash(`${ws}/a`)).toEqual({ ok: true, sha256, stat: await statOf(`${ws}/a`) });
    }
    expect(await hash(`${ws}/a`, { maxMs: -1 })).toEqual({ ok: false, code: 'too_slow' });
    disk.write(`${disk.base}/out`, 'outside');
    disk.symlink(`${ws}/link`, 'a');
    disk.symlink(`${ws}/away`, '../out');
    disk.fifo(`${ws}/fifo`);
    expect(await hash(`${ws}/link`, { followSymlinks: true })).toMatchObject({ ok: true });
    for (const [path, code] of [
      [`${ws}/link`, 'symlink'],
      [`${ws}/away`, 'symlink'],
      [`${disk.base}/out`, 'outside_roots'],
      [`${ws}/fifo`, 'not_regular_file'],
      [ws, 'not_regular_file'],
      [`${ws}/none`, 'not_found'],
    ] as const)
      expect([path, await hash(path)]).toEqual([path, refused(code)]);
    expect(await hash(`${ws}/away`, { followSymlinks: true })).toEqual(refused('outside_roots'));
  });

  it('S-48 a read that begins after a write sees it, and earlier content stays as it was', async () => {
    disk.write(`${ws}/a.md`, 'one');
    const first = await read(`${ws}/a.md`);
    disk.write(`${ws}/a.md`, 'two');
    expect(await textOf(`${ws}/a.md`)).toBe('two');
    expect(first).toMatchObject({ bytes: new TextEncoder().encode('one') });
  });

  it('lists entries by code units, with their kinds and the stat of the directory', async () => {
    for (const name of ['b', 'B', 'a', '.a', '\u{1F600}', '\uFF5E', '__proto__', 'e\u0301', '\u00e9']) {
      disk.write(`${ws}/${name}`, '');
    }
    disk.makeDirectory(`${ws}/d`);
    disk.symlink(`${ws}/l`, 'd');
    disk.fifo(`${ws}/p`);
    const listing = await list(ws);
    if (!listing.ok) throw new Error(listing.code);
    expect(listing.entries.map(({ name }) => name)).toEqual([
      '.a',
      'B',
      '__proto__',
      'a',
      'b',
      'd',
      'e\u0301',
      'l',
      'p',
      '\u00e9',
      '\u{1F600}',
      '\uFF5E',
    ]);
    const kinds = Object.fromEntries(listing.entries.map(({ name, kind }) => [name, kind]));
    expect(kinds).toMatchObject({ a: 'file', d: 'directory', l: 'symlink', p: 'other' });
    expect(listing).toMatchObject({ truncated: false, stat: await statOf(ws) });
    disk.makeDirectory(`${ws}/empty`);
    expect(await list(`${ws}/empty`)).toMatchObject({ entries: [], truncated: false });
  });

  it('CC-06 cuts a listing at the limit and says so only when there is more', async () => {
    for (const name of ['c', 'a', 'b']) disk.write(`${ws}/${name}`, '');
    expect(await list(ws, { maxEntries: 4 })).toMatchObject({ truncated: false });
    expect(await list(ws, { maxEntries: 3 })).toMatchObject({ truncated: false, entries: { length: 3 } });
    expect(await list(ws, { maxEntries: 2 })).toMatchObject({
      truncated: true,
      entries: [{ name: 'a' }, { name: 'b' }],
    });
    expect(await list(ws, { maxEntries: 0 })).toMatchObject({ truncated: true, entries: [] });
  });

  it('S-40 refuses what is no regular file and what is no directory, without blocking', async () => {
    disk.makeDirectory(`${ws}/d`);
    disk.fifo(`${ws}/fifo`);
    disk.write(`${ws}/a.md`, '');
    expect(await textOf(`${ws}/d`)).toBe('!not_regular_file');
    expect(await textOf(`${ws}/fifo`)).toBe('!not_regular_file');
    expect(await namesIn(`${ws}/a.md`)).toBe('!not_directory');
    expect(await namesIn(`${ws}/fifo`)).toBe('!not_directory');
    for (const path of [`${ws}/none`, `${ws}/a.md/b`, `${ws}/a\0b`, `${ws}/${'x'.repeat(300)}`]) {
      expect(await textOf(path)).toBe('!not_found');
      expect(await namesIn(path)).toBe('!not_found');
    }
  });

  it('S-34 refuses what does not lie in a root by whole components', async () => {
    disk.write(`${disk.base}/ws-evil/a.md`, 'evil');
    disk.write(`${disk.base}/a.md`, 'outside');
    disk.write(`${ws}/a.md`, 'inside');
    const outside = [
      '/ws-evil/a.md',
      '/a.md',
      '',
      '/w',
      '/ws/../a.md',
      '/ws/./a.md',
      '//ws/a.md',
      '/ws/a.md/',
      '/ws/..',
    ];
    for (const path of [...outside.map((each) => disk.base + each), '/etc/passwd', 'a.md', '', '..', '/', '~/a.md']) {
      expect([path, await textOf(path)]).toEqual([path, '!outside_roots']);
      expect([path, await namesIn(path)]).toEqual([path, '!outside_roots']);
    }
    expect(await textOf(`${ws}/a.md`)).toBe('inside');
    expect(await textOf(`${ws}/a.md`, { roots: [] })).toBe('!outside_roots');
    for (const name of ['%2e%2e', ' ', 'a.md ', "a.md'", '\\..\\..\\a.md', 'C:\\', '...']) {
      expect(await textOf(`${ws}/${name}`)).toBe('!not_found');
    }
  });

  it('S-34 delivers nothing from outside, whatever the path is made of', async () => {
    disk.write(`${disk.base}/a.md`, 'outside');
    disk.write(`${disk.base}/ws-evil/a.md`, 'outside');
    disk.write(`${ws}/a.md`, 'inside');
    disk.write(`${ws}/d/a.md`, 'inside');
    disk.symlink(`${ws}/up`, '..');
    disk.symlink(`${ws}/d/out.md`, '../../a.md');
    disk.symlink(`${ws}/d/in`, '../d');
    const segment = fc.constantFrom('a.md', 'd', 'up', 'in', 'out.md', '..', 'ws-evil', 'ws', '.', '', 'x\0');
    const path = fc.array(segment, { maxLength: 4 }).map((segments) => [ws, ...segments].join('/'));
    let delivered = 0;
    await fc.assert(
      fc.asyncProperty(path, fc.boolean(), async (path, followSymlinks) => {
        const text = await textOf(path, { followSymlinks });
        expect(text).toMatch(/^inside$|^!/);
        if (text === 'inside') delivered += 1;
        const names = await namesIn(path, { followSymlinks });
        expect(names).not.toContain('ws-evil');
      }),
      {
        numRuns: sized(2_000, 2_000, 400),
        seed: 34,
        examples: [
          [`${ws}/a.md`, false],
          [`${ws}/d/in/a.md`, true],
        ],
      },
    );
    expect(delivered).toBeGreaterThan(1);
  });

  it('CC-04 S-37 refuses every link when links are not followed', async () => {
    disk.write(`${ws}/d/a.md`, 'inside');
    disk.write(`${disk.base}/out/a.md`, 'outside');
    disk.symlink(`${ws}/file`, 'd/a.md');
    disk.symlink(`${ws}/dir`, 'd');
    disk.symlink(`${ws}/outfile`, '../out/a.md');
    disk.symlink(`${ws}/outdir`, `${disk.base}/out`);
    disk.symlink(`${ws}/dangling`, 'none');
    for (const name of ['file', 'outfile', 'dangling', 'dir', 'outdir']) {
      expect(await textOf(`${ws}/${name}`)).toBe('!symlink');
      expect(await namesIn(`${ws}/${name}`)).toBe('!symlink');
    }
    expect(await textOf(`${ws}/dir/a.md`)).toBe('!symlink');
    expect(await textOf(`${ws}/outdir/a.md`)).toBe('!outside_roots');
    expect(await textOf(`${ws}/outdir/none`)).toBe('!not_found');
  });

  it('CC-04 S-37 follows links on request, but only to targets in a root', async () => {
    disk.write(`${ws}/d/a.md`, 'inside');
    disk.write(`${disk.base}/out/a.md`, 'outside');
    disk.write(`${disk.base}/granted/a.md`, 'granted');
    disk.symlink(`${ws}/link-0`, 'd/a.md');
    for (let i = 1; i < 30; i += 1) disk.symlink(`${ws}/link-${i}`, `link-${i - 1}`);
    disk.symlink(`${ws}/dir`, `${ws}/d`);
    disk.symlink(`${ws}/outfile`, '../out/a.md');
    disk.symlink(`${ws}/outdir`, '../out');
    disk.symlink(`${ws}/passwd`, '/etc/passwd');
    disk.symlink(`${ws}/granted`, '../granted');
    disk.symlink(`${ws}/dangling`, 'none');
    const granted = { path: `${disk.base}/granted`, realPath: `${disk.base}/granted` };
    const options = { roots: [root, granted], followSymlinks: true };
    expect(await textOf(`${ws}/link-29`, options)).toBe('inside');
    expect(await textOf(`${ws}/dir/a.md`, options)).toBe('inside');
    expect(await namesIn(`${ws}/dir`, options)).toEqual(['a.md']);
    expect(await textOf(`${ws}/granted/a.md`, options)).toBe('granted');
    expect(await textOf(`${ws}/granted/a.md`, { followSymlinks: true })).toBe('!outside_roots');
    for (const name of ['outfile', 'outdir/a.md', 'outdir']) {
      expect(await textOf(`${ws}/${name}`, options)).toBe('!outside_roots');
    }
    expect(await namesIn(`${ws}/outdir`, options)).toBe('!outside_roots');
    expect(await textOf(`${ws}/passwd`, options)).toMatch(/^!(outside_roots|not_found)$/);
    expect(await textOf(`${ws}/dangling`, options)).toBe('!not_found');
    const kinds = await list(ws, options);
    expect(kinds).toMatchObject({ entries: expect.arrayContaining([{ name: 'dir', kind: 'symlink' }]) });
  });

  it('CC-04 S-38 ends on loops of links', async () => {
    disk.write(`${ws}/a.md`, 'inside');
    disk.symlink(`${ws}/self`, '.');
    disk.symlink(`${ws}/x`, 'y');
    disk.symlink(`${ws}/y`, 'x');
    const followSymlinks = true;
    expect(await textOf(`${ws}/self/self/self/a.md`, { followSymlinks })).toBe('inside');
    expect(await disk.files.realPath(`${ws}/self/self`)).toEqual({ ok: true, realPath: ws });
    for (const path of [`${ws}/x`, `${ws}/x/a.md`]) {
      expect(await textOf(path, { followSymlinks })).toBe('!symlink');
      expect(await textOf(path)).toBe('!symlink');
      expect(await disk.files.realPath(path)).toEqual(refused('symlink'));
    }
    expect(await disk.files.stat(`${ws}/x/a.md`)).toEqual(refused('symlink'));
  });

  it('reaches a root that is a link itself by both of its paths', async () => {
    disk.write(`${ws}/d/a.md`, 'inside');
    disk.symlink(`${disk.base}/link`, 'ws');
    const linked = { path: `${disk.base}/link`, realPath: ws };
    expect(await textOf(`${disk.base}/link/d/a.md`, { roots: [linked] })).toBe('inside');
    expect(await textOf(`${ws}/d/a.md`, { roots: [linked] })).toBe('inside');
    expect(await namesIn(`${disk.base}/link`, { roots: [linked] })).toEqual(['d']);
    expect(await textOf(`${disk.base}/link/d/a.md`)).toBe('!outside_roots');
    expect(await disk.files.realPath(`${disk.base}/link/d`)).toEqual({ ok: true, realPath: `${ws}/d` });
    expect(await disk.files.realPath(`${disk.base}/none`)).toEqual(refused('not_found'));
    expect(await disk.files.realPath(`${disk.base}/a\0`)).toEqual(refused('not_found'));
  });

  it('tries every root that contains the path', async () => {
    disk.write(`${disk.base}/elsewhere/a.md`, 'elsewhere');
    disk.write(`${ws}/b.md`, 'inside');
    disk.symlink(`${ws}/sub`, '../elsewhere');
    const sub = { path: `${ws}/sub`, realPath: `${disk.base}/elsewhere` };
    for (const roots of [
      [root, sub],
      [sub, root],
    ]) {
      expect(await textOf(`${ws}/sub/a.md`, { roots })).toBe('elsewhere');
      expect(await textOf(`${ws}/b.md`, { roots })).toBe('inside');
      expect(await textOf(`${ws}/sub/none`, { roots })).toBe('!not_found');
    }
    // The link that `sub` was is now a directory of the workspace.
    disk.remove(`${disk.base}/elsewhere/a.md`);
    disk.remove(`${ws}/sub`);
    disk.write(`${ws}/sub/a.md`, 'inside');
    expect(await textOf(`${ws}/sub/a.md`, { roots: [root, sub] })).toBe('inside');
  });

  it('S-41 keeps what the kernel makes up out of the root /', async () => {
    const roots = [{ path: '/', realPath: '/' }];
    disk.write(`${ws}/a.md`, 'inside');
    expect(await textOf(`${ws}/a.md`, { roots })).toBe('inside');
    expect(await textOf('/dev/null', { roots })).toBe('!pseudo_file');
    expect(await namesIn('/dev', { roots })).toBe('!pseudo_file');
  });

  it('CC-05 S-47 refuses what permissions forbid', async ({ skip }) => {
    skip(!disk.enforcesModes, 'permissions do not bind this user');
    disk.write(`${ws}/secret.md`, 'secret');
    disk.write(`${ws}/no/a.md`, 'a');
    disk.write(`${ws}/names/a.md`, 'a');
    disk.write(`${ws}/through/a.md`, 'a');
    disk.setMode(`${ws}/secret.md`, 0o000);
    disk.setMode(`${ws}/no`, 0o000);
    disk.setMode(`${ws}/names`, 0o400);
    disk.setMode(`${ws}/through`, 0o100);
    try {
      expect(await textOf(`${ws}/secret.md`)).toBe('!unreadable');
      expect(await namesIn(`${ws}/no`)).toBe('!unreadable');
      expect(await disk.files.stat(`${ws}/no/a.md`)).toEqual(refused('unreadable'));
      expect(await namesIn(`${ws}/names`)).toEqual(['a.md']);
      expect(await textOf(`${ws}/names/a.md`)).toBe('!unreadable');
      expect(await namesIn(`${ws}/through`)).toBe('!unreadable');
      expect(await textOf(`${ws}/through/a.md`)).toBe('a');
      expect((await statOf(`${ws}/secret.md`)).kind).toBe('file');
    } finally {
      for (const name of ['no', 'names', 'through']) disk.setMode(`${ws}/${name}`, 0o700);
    }
  });
});
