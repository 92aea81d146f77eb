/** Which places in the home directory are there (FM-05). */
import { expect, it } from 'vitest';
import { createHomePlaces } from '../../src/access/home-places.ts';
import type { Files } from '../../src/ports/ports.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles } from '../support/memory-files.ts';

const paths = ['.one/rules', '.one/skills', '.two/rules'];

it('FM-05 S-71 a place is found again after the disk failed to tell of it', async () => {
  const clock = createFakeClock();
  const files = createMemoryFiles({ '/home/.one/rules/a.md': 'a' }, { homeDirectory: '/home', clock });
  clock.advance(10_000);
  let fails = true;
  const stat: Files['stat'] = async (path) =>
    fails && path !== '/home' ? { ok: false, code: 'io_error' } : files.stat(path);
  const find = createHomePlaces({ files: { ...files, stat }, clock, paths });
  expect(await find()).toEqual([]);
  fails = false;
  expect(await find()).toEqual(['/home/.one/rules']);
  // Home itself, and what is asked for in the only directory that is there.
  files.resetCounters();
  expect(await find()).toEqual(['/home/.one/rules']);
  expect(files.stats).toBe(3);
  files.write('/home/.two/rules/b.md', 'b');
  expect(await find()).toEqual(['/home/.one/rules', '/home/.two/rules']);
});
