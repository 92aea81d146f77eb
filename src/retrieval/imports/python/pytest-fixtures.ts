/** Fixtures of pytest: a test gets them by the names of its parameters, from `conftest.py`, without an import (RT-02). */

import type { Steps } from '../../../pace/turns.ts';
import type { ImportTarget, Lookup } from '../import.ts';
import { directoriesAbove, eachLine, firstFile } from '../places.ts';

/** The files with the fixtures of a test, nearest first. None for other files. */
export async function fixturesFor(names: readonly string[], path: string, lookup: Lookup): Promise<ImportTarget[]> {
  if (!/\/(?:test_[^/]*|[^/]*_test|conftest)\.py$/u.test(path)) return [];
  const targets: ImportTarget[] = [];
  const wanted = new Set(names);
  for (const directory of directoriesAbove(path, lookup)) {
    const file = await firstFile([`${directory}/conftest.py`], lookup);
    const defined = file === undefined ? undefined : await lookup.deriveSource(file, readFixtures);
    const here = [...wanted].filter((name) => defined?.has(name));
    const functions = here.map((name) => defined?.get(name) ?? name);
    if (file !== undefined && here.length > 0) targets.push({ path: file, names: functions, guessed: true });
    for (const name of here) wanted.delete(name);
  }
  return targets;
}

/** The functions that are fixtures, by the names that tests know. */
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
