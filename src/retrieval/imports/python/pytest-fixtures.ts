/** Fixtures of pytest: a test gets them by the names of its parameters, from `conftest.py`, without an import (RT-02). */

import type { ImportTarget, Lookup } from '../import.ts';
import { directoriesAbove, firstFile, namesIn } from '../places.ts';

/** The files with the fixtures of a test, nearest first. None for other files. */
export async function fixturesFor(names: readonly string[], path: string, lookup: Lookup): Promise<ImportTarget[]> {
  if (!/\/(?:test_[^/]*|[^/]*_test|conftest)\.py$/u.test(path)) return [];
  const targets: ImportTarget[] = [];
  const wanted = new Set(names);
  for (const directory of directoriesAbove(path, lookup)) {
    const file = await firstFile([`${directory}/conftest.py`], lookup);
    const defined = file && file !== path ? await lookup.deriveSource(file, readFunctions) : undefined;
    const here = [...wanted].filter((name) => defined?.has(name));
    if (file !== undefined && here.length > 0) targets.push({ path: file, names: here, guessed: true });
    for (const name of here) wanted.delete(name);
  }
  return targets;
}

const readFunctions = (text: string) => namesIn(text, /\bdef\s{1,20}(\w{1,200})/gu);
