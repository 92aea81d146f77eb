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
