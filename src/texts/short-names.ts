/** Finds items by the end of their name (CC-28). */
import { once } from '../pace/once-for-each.ts';
import { afterLast } from './after-last.ts';
import { closestName } from './closest-name.ts';
import { compareText } from './compare-text.ts';

/** Enough to help after a typing error. More would take long. */
const maxCompared = 1_000;
const maxLookedFor = 4;
const maxNamed = 4;

export type ShortNames<Item> = Readonly<{
  /**
   * The item with a name that ends like this after a `/`, with or without extension. If there are several, two of them.
   */
  fitting(mention: string): Item[];
  /**
   * A sentence for a mention that fits several items, or none: it names these items, or the most similar name.
   * `before`: the number of earlier mentions of the request that fit nothing. Similar names are searched only for the
   * first ones.
   */
  hint(mention: string, before: number): string;
}>;

/** `namesOf`: the name of an item, which hints show, and then its paths. */
export function createShortNames<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => readonly string[],
): ShortNames<Item> {
  const indexed = once((): Index => createIndex(items.map(namesOf)));
  const find = (end: string, max: number): Item[] =>
    indexed()
      .find(end, max)
      .map((at) => items[at] as Item);
  const shown = (item: Item): string => `"${namesOf(item)[0]}"`;
  return {
    // Two are enough to know that there are several.
    fitting: (mention) => find(withoutAt(mention), 2),
    hint(mention, before) {
      const wanted = withoutAt(mention);
      const several = find(wanted, maxNamed + 1).map(shown);
      if (several.length > 1) return ` It could mean ${listed(several)}.`;
      if (mention.startsWith('/')) return '';
      const end = afterLast(wanted, '/');
      const same = find(end, maxNamed + 1);
      const nearest = same.length > 0 || before >= maxLookedFor ? undefined : closestName(end, indexed().lastParts);
      const near = (nearest === undefined ? same : find(nearest, maxNamed + 1)).map(shown);
      return near.length === 0 ? '' : ` Did you mean ${listed(near)}?`;
    },
  };
}

type Index = {
  /** The indices of at most `max` items with a name that ends like this. */
  find(end: string, max: number): number[];
  /** The last parts of the first names. */
  lastParts: readonly string[];
};

/** Sorts names by their parts from the last to the first, so that names with the same end are neighbours. */
function createIndex(names: readonly (readonly string[])[]): Index {
  const lastParts = new Set<string>();
  const sorted: { key: string; at: number }[] = [];
  for (const [at, ofOne] of names.entries())
    for (const form of formsOf(ofOne)) {
      if (lastParts.size < maxCompared) lastParts.add(afterLast(form, '/'));
      sorted.push({ key: backwards(form), at });
    }
  sorted.sort((a, b) => compareText(a.key, b.key));
  return {
    lastParts: [...lastParts],
    find(end, max) {
      if (afterLast(end, '/') === '') return [];
      const key = backwards(end);
      const found = new Set<number>();
      for (let at = firstFrom(sorted, key); found.size < max && sorted[at]?.key.startsWith(key); at += 1)
        found.add((sorted[at] as { at: number }).at);
      return [...found].sort((a, b) => a - b);
    },
  };
}

function backwards(name: string): string {
  return `${name.split('/').reverse().join('/')}/`;
}

/** The index of the first entry whose key is not less. */
function firstFrom(sorted: readonly { key: string }[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText((sorted[middle] as { key: string }).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In several tools, a mention begins with `@`. */
export function withoutAt(mention: string): string {
  return mention.startsWith('@') ? mention.slice(1) : mention;
}

/**
 * The forms in which an item can be mentioned. A form with an extension counts only if it is the end of a path of the
 * item.
 */
function formsOf(names: readonly string[]): Set<string> {
  const ownNames = new Set(names.slice(1).map((name) => afterLast(name, '/')));
  const isPath = (form: string): boolean => !extension.test(form) || ownNames.has(afterLast(form, '/'));
  const forms = names.flatMap(withoutExtension).filter((form) => afterLast(form, '/') !== '');
  return new Set(forms.filter((form) => isPath(form) || form.endsWith(instructions)));
}

const extension = /[^/]\.[a-z][a-z\d]*$/iu;
const instructions = '.instructions';

/** The name with and without extension. */
function withoutExtension(name: string): string[] {
  const stem = name.replace(/\.[^./]+$/u, '');
  return [name, stem, ...(stem.endsWith(instructions) ? [stem.slice(0, -instructions.length)] : [])];
}

function listed(names: readonly string[]): string {
  if (names.length > maxNamed) return `${names.slice(0, maxNamed).join(', ')} or others`;
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}
