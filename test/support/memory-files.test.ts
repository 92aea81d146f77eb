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

  it('takes change times from the clock, in steps of two seconds, in which a write can keep the signature', async () => {
    const clock = createFakeClock(2_000);
    const files = createMemoryFiles({ '/ws/a.md': 'one' }, { clock });
    const lookAfter = async (ms: number, text: string) => {
      clock.advance(ms);
      files.write('/ws/a.md', text);
      const stat = await files.stat('/ws/a.md');
      return stat.ok ? { signature: stat.signature, changedAtMs: stat.changedAtMs } : undefined;
    };
    const first = await lookAfter(0, 'one');
    expect(first?.changedAtMs).toBe(2_000);
    expect(await lookAfter(1_999, 'two')).toEqual(first);
    expect((await lookAfter(0, 'three'))?.signature).not.toBe(first?.signature);
    expect(await lookAfter(1, 'two')).toMatchObject({ changedAtMs: 4_000 });
  });

  it('changes the signature with each write when it has no clock', async () => {
    const files = createMemoryFiles({ '/ws/a.md': 'one' });
    const before = await files.stat('/ws/a.md');
    files.write('/ws/a.md', 'two');
    expect(await files.stat('/ws/a.md')).not.toEqual(before);
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
