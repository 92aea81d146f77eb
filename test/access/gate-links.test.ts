/** The gate decides by the name that it is asked for, so it opens no link by that name (S-37, S-50). */
import { expect, it } from 'vitest';
import type { ContentPolicy } from '../../src/access/content-policy.ts';
import { createGate, type Gate } from '../../src/access/gate.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles } from '../support/memory-files.ts';

const policies = {
  decide: async () => ({ allowed: true, reason: { code: 'no_policy' } }),
} as unknown as ContentPolicy;
const reach = { roots: [{ path: '/p', realPath: '/p' }], followSymlinks: false };
const reading = { ...reach, policies, maxBytes: 100 };
const isOneOfMany = true;

it.each<[string, (gate: Gate) => Promise<{ ok: boolean }>]>([
  ['a read', (gate) => gate.read('/p/link.md', reading)],
  ['a read of many', (gate) => gate.read('/p/link.md', { ...reading, isOneOfMany })],
  ['a read below a linked folder', (gate) => gate.read('/p/linked/config.md', reading)],
  ['a read of settings', (gate) => gate.readSettings('/p/linked/config.md', reading)],
  ['a read of a policy', (gate) => gate.readPolicy('/p/linked/config.md', reading)],
  ['a listing', (gate) => gate.list('/p/linked', reach)],
  ['a listing of many', (gate) => gate.list('/p/linked', { ...reach, isOneOfMany })],
  ['a hash', (gate) => gate.hash('/p/link.md', { ...reach, maxMs: 1_000 })],
])('S-37 S-50 %s leads to no sensitive file by a link that has another name', async (_, ask) => {
  const clock = createFakeClock();
  const files = createMemoryFiles(
    { '/p/.env': 'KEY=1', '/p/.ssh/config.md': 'KEY=2' },
    { homeDirectory: '/home', clock },
  );
  files.symlink('/p/link.md', '/p/.env');
  files.symlink('/p/linked', '/p/.ssh');
  expect(await ask(createGate({ files, clock, maxEntries: 100 }))).toMatchObject({ ok: false, code: 'symlink' });
  expect(files.opened).toEqual([]);
});

it.each<[string, (gate: Gate, followSymlinks: boolean) => Promise<{ ok: boolean }>]>([
  ['file', (gate, followSymlinks) => gate.read('/p/linked/a.md', { ...reading, followSymlinks })],
  ['directory', (gate, followSymlinks) => gate.list('/p/linked/deep', { ...reach, followSymlinks })],
])('S-37 a %s that was read through a link is not given to who follows none', async (_, ask) => {
  const clock = createFakeClock();
  const files = createMemoryFiles(
    { '/p/there/a.md': 'A', '/p/there/deep/b.md': 'B' },
    { homeDirectory: '/home', clock },
  );
  files.symlink('/p/linked', '/p/there');
  clock.advance(60_000);
  const gate = createGate({ files, clock, maxEntries: 100 });
  for (let time = 0; time < 2; time += 1) {
    expect(await ask(gate, true)).toMatchObject({ ok: true });
    expect(await ask(gate, false)).toMatchObject({ ok: false, code: 'symlink' });
  }
});

it.each(['/outside', '/p/moved'])(
  'S-37 CC-36 a file is not given any more if its directory moves to %s and a link takes its place',
  async (elsewhere) => {
    const clock = createFakeClock();
    const files = createMemoryFiles({ '/p/docs/deep/a.md': 'A' }, { homeDirectory: '/home', clock });
    clock.advance(60_000);
    const gate = createGate({ files, clock, maxEntries: 100 });
    const ask = () => gate.read('/p/docs/deep/a.md', reading);
    expect(await ask()).toMatchObject({ ok: true });
    files.rename('/p/docs', elsewhere);
    files.symlink('/p/docs', elsewhere);
    clock.advance(60_000);
    expect(await ask()).toMatchObject({ ok: false });
  },
);

it('S-37 a file that was read in a directory that was mounted through a link is not given without this link', async () => {
  const clock = createFakeClock();
  const files = createMemoryFiles({ '/p/there/a.md': 'A' }, { homeDirectory: '/home', clock });
  files.symlink('/p/linked', '/p/there');
  clock.advance(60_000);
  const gate = createGate({ files, clock, maxEntries: 100 });
  const mounted = [...reach.roots, { path: '/p/linked', realPath: '/p/there' }];
  expect(await gate.read('/p/linked/a.md', { ...reading, roots: mounted })).toMatchObject({ ok: true });
  expect(await gate.read('/p/linked/a.md', reading)).toMatchObject({ ok: false, code: 'symlink' });
});
