import { describe, expect, it } from 'vitest';
import { createFakeClock } from './fake-clock.ts';
import { createMemoryFiles } from './memory-files.ts';

const reach = { roots: [{ path: '/ws', realPath: '/ws' }], followSymlinks: false };

describe('createMemoryFiles', () => {
  it('counts calls and notes what was opened, refusals left out', async () => {
    const files = createMemoryFiles({ '/ws/d/a.md': 'a', '/ws/empty/': '', '/outside/b.md': 'b' });
    files.symlink('/ws/link', '/outside');
    await files.read('/ws/d/a.md', { ...reach, maxBytes: 10 });
    await files.read('/ws/link/b.md', { ...reach, maxBytes: 10 });
    await files.read('/outside/b.md', { ...reach, maxBytes: 10 });
    await files.list('/ws/empty', { ...reach, maxEntries: 10 });
    await files.stat('/outside/b.md');
    await files.realPath('/ws/link');
    expect(files).toMatchObject({ reads: 3, lists: 1, stats: 1, realPaths: 1, opened: ['/ws/d/a.md', '/ws/empty'] });
    files.resetCounters();
    expect(files).toMatchObject({ reads: 0, lists: 0, stats: 0, realPaths: 0, opened: [] });
  });

  it('takes change times from the clock; a signature changes with each write even when it stands still', async () => {
    const clock = createFakeClock(1000);
    const files = createMemoryFiles({ '/ws/a.md': 'one' }, { clock });
    const signatures = new Set<string>();
    for (const text of ['one', 'two', 'two']) {
      files.write('/ws/a.md', text);
      const stat = await files.stat('/ws/a.md');
      expect(stat).toMatchObject({ ok: true, changedAtMs: 1000 });
      if (stat.ok) signatures.add(stat.signature);
    }
    expect(signatures.size).toBe(3);
    clock.advance(50);
    files.write('/ws/a.md', 'three');
    expect(await files.stat('/ws/a.md')).toMatchObject({ changedAtMs: 1050 });
  });

  it('lists a name that is not UTF-8, which cannot be opened', async () => {
    const files = createMemoryFiles({ '/ws/b.md': 'b' }, { homeDirectory: '/home/ada' });
    files.addUndecodable('/ws/a\uFFFD.md');
    expect(await files.list('/ws', { ...reach, maxEntries: 10 })).toMatchObject({
      entries: [
        { name: 'a\uFFFD.md', kind: 'file', undecodable: true },
        { name: 'b.md', kind: 'file' },
      ],
    });
    expect(await files.read('/ws/a\uFFFD.md', { ...reach, maxBytes: 10 })).toEqual({ ok: false, code: 'not_found' });
    expect(files.homeDirectory()).toBe('/home/ada');
  });

  it('tells a test of its mistakes', () => {
    const files = createMemoryFiles({ '/ws/a.md': 'a' });
    expect(() => files.remove('/ws/b.md')).toThrow('does not exist');
    expect(() => files.rename('/ws/b.md', '/ws/c.md')).toThrow('does not exist');
    expect(() => files.write('/ws/a.md/b.md', '')).toThrow('not a directory');
    expect(() => files.write('/ws', '')).toThrow('not a file');
  });
});
