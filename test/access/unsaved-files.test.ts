/** New files that an editor has not saved yet, as the gate shows them together with those on disk. */
import { expect, it } from 'vitest';
import { createGate } from '../../src/access/gate.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles } from '../support/memory-files.ts';

const reach = { roots: [{ path: '/p', realPath: '/p' }], followSymlinks: false };

function openWith(...unsaved: string[]) {
  const clock = createFakeClock();
  const files = createMemoryFiles({ '/p/b.md': 'b', '/outside/x.md': 'x' }, { homeDirectory: '/home' });
  const texts = new Map(unsaved.map((path) => [path, 'né']));
  return { clock, files, gate: createGate({ files, clock, maxEntries: 100 }).withUnsaved(texts) };
}

it('RT-01 a new file and the new directories above it are there, and nothing else', async () => {
  const { gate, clock } = openWith('/p/new/deep/a.md');
  const changedAtMs = clock.now();
  expect(await gate.stat('/p/new/deep/a.md')).toMatchObject({ kind: 'file', size: 3, changedAtMs });
  expect(await gate.stat('/p/new/deep')).toMatchObject({ kind: 'directory', size: 0, changedAtMs });
  expect(await gate.realPath('/p/new/deep/a.md')).toEqual({ ok: true, realPath: '/p/new/deep/a.md' });
  for (const missing of ['/p/new/deep/b.md', '/p/ne', '/p/new/deep/a.md/x'])
    expect([await gate.stat(missing), await gate.realPath(missing)]).toMatchObject([
      { code: 'not_found' },
      { code: 'not_found' },
    ]);
});

it('RT-01 a listing has the new entries once, in order, and is not cut', async () => {
  const { gate } = openWith('/p/c.md', '/p/a/1.md', '/p/a/2.md', '/p/b.md');
  const [file, directory] = ['file', 'directory'];
  const entries = async (path: string) => {
    const listing = await gate.list(path, reach);
    return listing.ok ? listing.snapshot : listing;
  };
  expect(await entries('/p')).toMatchObject({
    entries: [
      { name: 'a', kind: directory },
      { name: 'b.md', kind: file },
      { name: 'c.md', kind: file },
    ],
    truncated: false,
  });
  expect(await entries('/p/a')).toEqual({
    path: '/p/a',
    entries: [
      { name: '1.md', kind: file },
      { name: '2.md', kind: file },
    ],
    truncated: false,
  });
  expect(await entries('/p/none')).toMatchObject({ code: 'not_found' });
});

it('CC-36 a directory is another one with a new file in it, and as on disk once that is saved', async () => {
  const { gate, files, clock } = openWith('/p/a.md');
  const onDisk = await files.stat('/p');
  expect(await gate.stat('/p')).toMatchObject({ changedAtMs: clock.now() });
  expect(await gate.stat('/p')).not.toMatchObject({ signature: onDisk.ok && onDisk.signature });
  files.write('/p/a.md', 'saved');
  expect(await gate.stat('/p')).toEqual(await files.stat('/p'));
  expect(await gate.stat('/p/a.md')).toEqual(await files.stat('/p/a.md'));
});

it('S-37 the name of a broken link is no new file', async () => {
  const { gate, files } = openWith('/p/link.md', '/p/linked/new.md');
  files.symlink('/p/link.md', '/outside/none.md');
  expect(await gate.realPath('/p/link.md')).toMatchObject({ ok: false });
  expect(await gate.stat('/p/link.md')).toMatchObject({ kind: 'symlink' });
  files.symlink('/p/linked', '/outside');
  expect(await gate.realPath('/p/linked/new.md')).toEqual({ ok: true, realPath: '/outside/new.md' });
});

it('AP-03 an unsaved file makes no repository', async () => {
  const { gate } = openWith('/p/sub/.git/config');
  expect(await gate.stat('/p/sub/.git')).toMatchObject({ code: 'not_found' });
});

it('RT-01 the gate reads the unsaved text of a new file, and of one on disk', async () => {
  const { gate, files } = openWith('/p/new/a.md', '/p/b.md');
  for (const path of ['/p/new/a.md', '/p/b.md'])
    expect(await gate.readSettings(path, { ...reach, maxBytes: 10 })).toMatchObject({
      snapshot: { path, text: 'né', bytes: 3, truncated: false },
    });
  expect(files.opened).toEqual([]);
  expect(await gate.readSettings('/p/b.md', { ...reach, maxBytes: 1 })).toMatchObject({
    snapshot: { text: 'n', truncated: true },
  });
});

it('RT-01 S-37 the gate reads the unsaved text of a new file where links are followed, but none outside', async () => {
  const { gate, files } = openWith('/p/new/a.md', '/p/in/c.md', '/p/out/a.md', '/p/broken.md');
  files.makeDirectory('/p/folder');
  files.symlink('/p/in', '/p/folder');
  files.symlink('/p/out', '/outside');
  files.symlink('/p/broken.md', '/p/none.md');
  const read = (path: string) => gate.readSettings(path, { ...reach, followSymlinks: true, maxBytes: 10 });
  for (const path of ['/p/new/a.md', '/p/in/c.md'])
    expect(await read(path), path).toMatchObject({ snapshot: { path, text: 'né' } });
  expect(await read('/p/out/a.md')).toMatchObject({ ok: false, code: 'outside_roots' });
  expect(await read('/p/broken.md')).toMatchObject({ ok: false, code: 'not_found' });
});

it('S-37 S-40 the gate reads no unsaved text by a link, of a directory, or outside', async () => {
  const { gate, files } = openWith(
    '/p/link.md',
    '/p/linked/a.md',
    '/p/out/a.md',
    '/p/folder',
    '/outside/x.md',
    '/p/.env',
  );
  files.symlink('/p/link.md', '/p/b.md');
  files.symlink('/p/linked', '/p/folder');
  files.symlink('/p/out', '/outside');
  files.makeDirectory('/p/folder');
  for (const [path, code] of [
    ['/p/link.md', 'symlink'],
    ['/p/linked/a.md', 'symlink'],
    ['/p/out/a.md', 'outside_roots'],
    ['/p/folder', 'not_regular_file'],
    ['/outside/x.md', 'outside_roots'],
    ['/p/.env', 'sensitive'],
  ] as const)
    expect(await gate.readSettings(path, { ...reach, maxBytes: 10 }), path).toMatchObject({ ok: false, code });
});
