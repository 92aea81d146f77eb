/** Imports of a file in a tree as the engine resolves them: through the gate. */

import { createGate } from '../../../../src/access/gate.ts';
import type { World } from '../../../../src/access/world.ts';
import type { ImportTarget, Lookup } from '../../../../src/retrieval/imports/import.ts';
import { importResolverOf, languageOf } from '../../../../src/retrieval/imports/languages.ts';
import { createLookups } from '../../../../src/retrieval/lookup.ts';
import { fixedLimits } from '../../../../src/settings.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { createInProcessParser } from '../../../support/in-process-parser.ts';
import { createMemoryFiles, type MemoryFiles } from '../../../support/memory-files.ts';

export const root = '/home/ada/w';

export function filesOf(tree: Record<string, string>): MemoryFiles {
  const absolute = Object.entries(tree).map(([path, text]) => [path.startsWith('/') ? path : `${root}/${path}`, text]);
  return createMemoryFiles(Object.fromEntries(absolute), { homeDirectory: '/home/ada' });
}

type LookupOptions = { followSymlinks?: boolean; clock?: FakeClock; isOver?(): boolean };

export function openLookup(files: MemoryFiles, options: LookupOptions = {}): Lookup {
  const { clock = createFakeClock(), isOver = () => false } = options;
  const gate = createGate({ files, clock, maxEntries: 1_000 });
  const reach = { roots: [{ path: root, realPath: root }], followSymlinks: options.followSymlinks ?? false };
  const world: Pick<World, 'gate' | 'limits'> & { reach: object } = { gate, reach, limits: fixedLimits.request };
  return createLookups().open(root, { world: world as World, clock, isOver });
}

type Targets = Record<string, ImportTarget | string | undefined>;

/** The text, parsed, as in another process. The returned function resolves its imports, as in that of the engine. */
export async function importsIn(path: string, text: string): Promise<(lookup: Lookup) => Promise<Targets>> {
  const language = languageOf(path);
  const resolve = language && (await importResolverOf(language));
  if (language === undefined || resolve === undefined) throw new Error(`no rules for ${path}`);
  const { imports } = await createInProcessParser().parse({ language, text });
  return async (lookup) => {
    const resolved = await resolve(imports, { path: `${root}/${path}`, language }, lookup);
    return Object.fromEntries(
      resolved.map((each) => [each.statement.specifier, 'none' in each ? each.none : each.targets[0]]),
    );
  };
}

/** For each specifier, the first target or why there is none. */
export async function targetsOf(path: string, text: string, lookup: Lookup): Promise<Targets> {
  return (await importsIn(path, text))(lookup);
}
