/** Which directories are granted (CC-33). */
import { describe, expect, it } from 'vitest';
import { createGrantedRoots } from '../../src/access/roots.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles } from '../support/memory-files.ts';
import { createMemoryStore } from '../support/memory-store.ts';

function openRoots() {
  const clock = createFakeClock();
  const files = createMemoryFiles({ '/a/x': '', '/b/x': '' }, { homeDirectory: '/home', clock });
  const store = createMemoryStore().roots;
  const asked = { lists: 0, fails: false };
  const counting = {
    ...store,
    async list() {
      asked.lists += 1;
      if (asked.fails) throw new Error('the disk');
      return store.list();
    },
  };
  const places = { startRoots: [], globalDirectories: [], homePlaces: async () => [] };
  const roots = createGrantedRoots({ files, store: counting, clock, ...places });
  const paths = async () => (await roots.list()).map(({ path }) => path);
  return { roots, paths, asked };
}

describe('granted roots', () => {
  it('CC-33 CC-36 are read once, and again after each change', async () => {
    const { roots, paths, asked } = openRoots();
    expect([await paths(), await paths(), asked.lists]).toEqual([[], [], 1]);
    const [granted, meanwhile] = [roots.grant('/a'), paths()];
    await granted;
    await meanwhile;
    expect(await paths()).toEqual(['/a']);
    await roots.grant('/b');
    expect(await paths()).toEqual(['/a', '/b']);
    await roots.revoke('/a');
    expect(await paths()).toEqual(['/b']);
    const { lists } = asked;
    expect([await paths(), asked.lists]).toEqual([['/b'], lists]);
  });

  it('CC-33 S-71 are read again when they could not be read', async () => {
    const { paths, asked } = openRoots();
    asked.fails = true;
    await expect(paths()).rejects.toThrow('the disk');
    asked.fails = false;
    expect(await paths()).toEqual([]);
  });
});
