import { expect, it } from 'vitest';
import { createGate } from '../../src/access/gate.ts';
import { walkTree } from '../../src/access/walk.ts';
import type { World } from '../../src/access/world.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles, type MemoryFiles } from '../support/memory-files.ts';

function worldOf(files: MemoryFiles, root: string, followSymlinks: boolean): World {
  const { limits } = defaultEngineSettings;
  return {
    gate: createGate({ files, clock: createFakeClock(), maxEntries: limits.entries }),
    reach: { roots: [{ path: root, realPath: root }], followSymlinks, policies: { notice() {} } },
    limits,
    entriesLeft: limits.entries,
    isLate: () => false,
    leftOut: { entries: 0, depth: 0, walkMs: 0, owners: 0, includes: 0, excludes: 0 },
  } as unknown as World;
}
const choose = { enter: () => true, accept: (path: string) => path.endsWith('.md') };

it.each(['/', '/p'])('CC-04 reports a file below %s once, also if a link leads to its directory', async (root) => {
  const top = root === '/' ? '' : root;
  const files = createMemoryFiles({ [`${top}/a/x.md`]: 'x' }, { homeDirectory: '/home', clock: createFakeClock() });
  files.symlink(`${top}/b`, `${top}/a`);
  const { found } = await walkTree(root, worldOf(files, root, true), choose);
  expect(found).toEqual([{ path: `${top}/a/x.md` }]);
});

it.each([true, false])('CC-04 passes over what Emacs puts beside a file that is edited (links: %s)', async (follow) => {
  const files = createMemoryFiles({ '/p/x.md': 'x' }, { homeDirectory: '/home', clock: createFakeClock() });
  files.symlink('/p/.#x.md', 'ada@host.4711:1762000000');
  const { found } = await walkTree('/p', worldOf(files, '/p', follow), choose);
  expect(found).toEqual([{ path: '/p/x.md' }]);
  // Another link with such a name is reported like any other.
  files.symlink('/p/.#y.md', '/p/x.md');
  const again = await walkTree('/p', worldOf(files, '/p', false), choose);
  expect(again.found).toContainEqual({ path: '/p/.#y.md', refusal: 'symlink' });
  // So is one that leads in a circle.
  files.symlink('/p/.#z.md', '/p/.#z.md');
  const last = await walkTree('/p', worldOf(files, '/p', follow), choose);
  expect(last.found).toContainEqual({ path: '/p/.#z.md', refusal: 'symlink', ...(follow && { linkIs: 'nowhere' }) });
});
