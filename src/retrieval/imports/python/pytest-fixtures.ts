/**
 * Fixtures of pytest: a test gets them by the names of its parameters, without an import of its own, from `conftest.py`
 * and from what that imports or names as a plugin (RT-02).
 */

import type { Steps } from '../../../pace/turns.ts';
import type { ImportTarget, Lookup } from '../import.ts';
import { directoriesAbove, firstFile } from '../places.ts';
import { bracketed, eachLine, quotedIn } from '../plain-reading.ts';
import { readModuleNames } from './module-names.ts';

type Workspace = {
  lookup: Lookup;
  /** The files of a module that a file imports. */
  filesOf(specifier: string, importer: string): Promise<readonly string[]>;
};

/** The files with the fixtures of a test, nearest first. None for other files. */
export async function fixturesFor(
  names: readonly string[],
  path: string,
  { lookup, filesOf }: Workspace,
): Promise<ImportTarget[]> {
  if (!/\/(?:test_[^/]*|[^/]*_test|conftest)\.py$/u.test(path)) return [];
  const targets: ImportTarget[] = [];
  const wanted = new Set(names);
  const searched = new Set<string>();
  const search = async (file: string): Promise<void> => {
    if (searched.has(file)) return;
    searched.add(file);
    const { fixtures, modules } = (await lookup.deriveSource(file, readSource)) ?? nothing;
    const here = [...wanted].filter((name) => fixtures.has(name));
    const functions = here.map((name) => fixtures.get(name) ?? name);
    if (here.length > 0) targets.push({ path: file, names: functions, guessed: true });
    for (const name of here) wanted.delete(name);
    if (wanted.size === 0) return;
    const giving = new Set([...wanted, '*'].flatMap((name) => [...(modules.get(name) ?? [])]));
    giving.delete('');
    for (const specifier of giving) for (const each of await filesOf(specifier, file)) await search(each);
  };
  for (const directory of directoriesAbove(path, lookup)) {
    const file = await firstFile([`${directory}/conftest.py`], lookup);
    if (file !== undefined) await search(file);
  }
  return targets;
}

type Source = {
  /** The functions that are fixtures, by the names that tests know. */
  fixtures: ReadonlyMap<string, string>;
  /** As of `readModuleNames`. Plugins are imported as a whole. */
  modules: ReadonlyMap<string, ReadonlySet<string>>;
};
const nothing: Source = { fixtures: new Map(), modules: new Map() };

function* readSource(text: string): Steps<Source> {
  const plugins = quotedIn([
    ...bracketed(text, /^pytest_plugins {0,9}= {0,9}\[/gmu, ']'),
    ...bracketed(text, /^pytest_plugins {0,9}= {0,9}\(/gmu, ')'),
    ...bracketed(text, /^pytest_plugins {0,9}= {0,9}(?=["'])/gmu, '\n'),
  ]);
  const modules = new Map(yield* readModuleNames(text));
  modules.set('*', new Set([...(modules.get('*') ?? []), ...plugins]));
  return { fixtures: yield* readFixtures(text), modules };
}

function* readFixtures(text: string): Steps<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let given: string | undefined;
  let isFixture = false;
  yield* eachLine(text, (whole) => {
    const line = whole.trim().slice(0, longestLine);
    const [, name] = /^(?:async )?def (\w+)/u.exec(line) ?? [];
    if (name === undefined) {
      if (line.startsWith('@') && line.replaceAll('usefixtures', '').includes('fixture')) isFixture = true;
      if (isFixture) given = /\bname\s?=\s?["'](\w+)["']/u.exec(line)?.[1] ?? given;
      return true;
    }
    if (isFixture) found.set(given ?? name, name);
    isFixture = false;
    given = undefined;
    return true;
  });
  return found;
}

const longestLine = 300;
