import { expect, it } from 'vitest';
import { createGate } from '../../src/access/gate.ts';
import { walkTree } from '../../src/access/walk.ts';
import type { World } from '../../src/access/world.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryFiles } from '../support/memory-files.ts';

it.each(['/', '/p'])('CC-04 reports a file below %s once, also if a link leads to its directory', async (root) => {
  const top = root === '/' ? '' : root;
  const clock = createFakeClock();
  const files = createMemoryFiles({ [`${top}/a/x.md`]: 'x' }, { homeDirectory: '/home', clock });
  files.symlink(`${top}/b`, `${top}/a`);
  const { limits } = defaultEngineSettings;
  const world = {
    gate: createGate({ files, clock, maxEntries: limits.entries }),
    reach: { roots: [{ path: root, realPath: root }], followSymlinks: true, policies: { notice() {} } },
    limits,
    entriesLeft: limits.entries,
    isLate: () => false,
    leftOut: { entries: 0, depth: 0, walkMs: 0, owners: 0, includes: 0, excludes: 0 },
  } as unknown as World;
  const { found } = await walkTree(root, world, { enter: () => true, accept: (path) => path.endsWith('.md') });
  expect(found).toEqual([{ path: `${top}/a/x.md` }]);
});
