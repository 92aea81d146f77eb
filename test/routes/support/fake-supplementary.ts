/** The real verbs about supplementary context, over a few files in memory and a store that forgets. */
import { createEndingFiles } from '../../../src/access/ending-files.ts';
import { absolutePath } from '../../../src/context/normalize-request.ts';
import type { EngineCore } from '../../../src/engine-core.ts';
import { createWorlds } from '../../../src/policy/worlds.ts';
import { defaultEngineSettings } from '../../../src/settings.ts';
import { createFileIndex } from '../../../src/supplementary/file-index.ts';
import { createKeptLists } from '../../../src/supplementary/kept-lists.ts';
import { createSupplementaryVerbs, type SupplementaryVerbs } from '../../../src/supplementary/supplementary-verbs.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryFiles } from '../../support/memory-files.ts';
import { createMemoryStore } from '../../support/memory-store.ts';
import { type Called, observedVerbs } from './observed-verbs.ts';

const home = '/home/ada';

/** Everything in `/home/ada` is granted. */
export function createFakeSupplementary(called: Called): SupplementaryVerbs {
  const clock = createFakeClock();
  const files = createMemoryFiles(
    { [`${home}/project/src/button.ts`]: 'export {};\n' },
    { homeDirectory: home, clock },
  );
  const store = createMemoryStore();
  const settings = defaultEngineSettings;
  const worlds = createWorlds({
    files: createEndingFiles(files),
    clock,
    rootStore: store.roots,
    settings,
    grantedRoots: [home],
  });
  const core: Partial<EngineCore> = {
    store,
    clock,
    settings,
    homeDirectory: home,
    createWorld: worlds.createWorld,
    async openWorkspace(asWritten) {
      const mountedDirectory = absolutePath(asWritten, '/mountedDirectory', home);
      return { mountedDirectory, world: await worlds.createWorld(mountedDirectory) };
    },
    publish() {},
  };
  const lists = createKeptLists({ store: store.supplementary, realPath: files.realPath });
  const supplementary = createSupplementaryVerbs(core as EngineCore, {
    index: createFileIndex({ clock }),
    lists,
    remember() {},
  });
  return observedVerbs('supplementary', supplementary, called);
}
