/** The names that a module has at its top, and where it has them from (RT-02). */

import { baseName, parentPath } from '../../../access/paths.ts';
import type { Steps } from '../../../pace/turns.ts';
import type { Lookup } from '../import.ts';
import { eachLine } from '../plain-reading.ts';

const longestLine = 1_000;

/** Whether a package has the name in its `__init__.py`: `from .cart import cart` hides `cart.py`, which is beside. */
export async function hidesModule(init: string, name: string, lookup: Lookup): Promise<boolean> {
  const places = [...((await lookup.deriveSource(init, readModuleNames))?.get(name) ?? [])];
  const own = baseName(parentPath(init));
  // `from . import cart`, and in `shop` also `from shop import cart`, mean the module.
  return places.some(
    (place) => !/^\.{1,9}$/u.test(place) && (place.startsWith('.') || place.split('.').at(-1) !== own),
  );
}

/**
 * Names at the beginning of lines, each with the modules that it is imported from, or `''` if it is defined here. `*`
 * has the modules that are imported as a whole.
 */
export function* readModuleNames(text: string): Steps<ReadonlyMap<string, ReadonlySet<string>>> {
  const names = new Map<string, Set<string>>();
  let open: string | undefined;
  const add = (list: string, place: string): void => {
    for (const each of list.split(',')) {
      const words = each.trim().split(/\s/u);
      const name = words.at(-1) ?? '';
      if (name !== '') names.set(name, (names.get(name) ?? new Set()).add(place));
    }
  };
  let quote: string | undefined;
  yield* eachLine(text, (whole) => {
    if (quote !== undefined) {
      if (whole.includes(quote)) quote = undefined;
      return true;
    }
    const [opened] = whole.trimStart().startsWith('#') ? [] : (/"""|'''/u.exec(whole) ?? []);
    if (opened !== undefined && whole.split(opened).length % 2 === 0) quote = opened;
    const line = (whole.slice(0, longestLine).split('#', 1)[0] ?? '').trimEnd();
    if (open !== undefined) {
      add(line.replace(')', ''), open);
      if (line.includes(')')) open = undefined;
      return true;
    }
    const at = line.startsWith('from ') ? line.indexOf(' import ') : -1;
    if (at > 0) {
      const list = line.slice(at + ' import '.length);
      const place = line.slice('from '.length, at).trim();
      add(list.replaceAll(/[()\\]/gu, ''), place);
      if (list.includes('(') && !list.includes(')')) open = place;
      return true;
    }
    const declared = line.replace(/^(?:async )?(?:def|class) /u, '');
    const [name = ''] = /^\w+/u.exec(declared) ?? [];
    if (declared !== line || /^ ?[=:]/u.test(declared.slice(name.length))) add(name, '');
    return true;
  });
  return names;
}
