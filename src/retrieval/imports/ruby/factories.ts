/** Factories of FactoryBot: a test names them, and they are in `factories` of the directory of tests (RT-02). */

import { baseName, relativePath } from '../../../access/paths.ts';
import type { Steps } from '../../../pace/turns.ts';
import { fixedLimits } from '../../../settings.ts';
import type { ImportTarget, Lookup } from '../import.ts';
import { directoriesAbove, directoriesIn } from '../places.ts';
import { eachLineBeginning } from '../plain-reading.ts';

const limits = fixedLimits.projects.ruby;

/** The files that define the factories, which are named as symbols (`:user`). None for files that are no tests. */
export async function factoriesFor(names: readonly string[], path: string, lookup: Lookup): Promise<ImportTarget[]> {
  if (!/(?:^|\/)(?:spec|test|features)\//u.test(relativePath(lookup.mountedDirectory, path))) return [];
  const wanted = new Set(names);
  const found = new Map<string, Set<string>>();
  for (const file of likelyFirst(await factoryFiles(path, lookup), names)) {
    if (wanted.size === 0) break;
    const defined = await lookup.deriveSource(file, readFactories);
    for (const name of [...wanted].filter((each) => defined?.has(each))) {
      wanted.delete(name);
      found.set(file, (found.get(file) ?? new Set()).add(defined?.get(name) ?? name));
    }
  }
  return [...found].map(([file, factories]) => ({ path: file, names: [...factories], guessed: true }));
}

/** In the places where FactoryBot looks, nearest first. */
async function factoryFiles(path: string, lookup: Lookup): Promise<string[]> {
  const files = new Set<string>();
  for (const above of directoriesAbove(path, lookup))
    for (const place of ['spec', 'test', '.']) {
      const directory = place === '.' ? above : `${above}/${place}`;
      if (!(await lookup.namesIn(directory)).some((name) => /^factories(?:\.rb)?$/u.test(name))) continue;
      const whole = `${directory}/factories`;
      files.add(`${whole}.rb`);
      for (const folder of [whole, ...(await directoriesIn(whole, lookup))])
        for (const name of await lookup.namesIn(folder)) if (name.endsWith('.rb')) files.add(`${folder}/${name}`);
      if (files.size >= limits.looks) return [...files].slice(0, limits.looks);
    }
  return [...files];
}

/** Most files have the name of their factory: `users.rb`, `user_factory.rb`, `categories.rb`. */
function likelyFirst(files: readonly string[], names: readonly string[]): string[] {
  const wanted = new Set(names);
  const isLikely = (file: string): boolean => {
    const name = `:${baseName(file).replace(/(?:_factory|_factories)?\.rb$/u, '')}`;
    return [name, name.replace(/e?s$/u, ''), name.replace(/s$/u, ''), name.replace(/ies$/u, 'y')].some((each) =>
      wanted.has(each),
    );
  };
  const { likely = [], others = [] } = Object.groupBy(files, (file) => (isLikely(file) ? 'likely' : 'others'));
  return [...likely, ...others].slice(0, limits.factories);
}

/** By the name of a factory, the name of the one that it is in: both are `:user`, with the other names of a factory. */
function* readFactories(text: string): Steps<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let outer: { name: string; indent: number } | undefined;
  yield* eachLineBeginning(text, longestLine, (line) => {
    const [, space = '', name] = /^( {0,40})factory[ (]{1,4}(:\w{1,100})/u.exec(line) ?? [];
    if (name === undefined) return true;
    if (outer === undefined || space.length <= outer.indent) outer = { name, indent: space.length };
    const [, aliases = ''] = /\baliases: {0,4}\[([^\]]{0,200})/u.exec(line) ?? [];
    for (const each of [name, ...(aliases.match(/:\w+/gu) ?? [])]) found.set(each, outer.name);
    return true;
  });
  return found;
}

const longestLine = 300;
