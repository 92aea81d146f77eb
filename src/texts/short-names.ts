/** Which items somebody means who writes only the end of a name (CC-28). */
import { afterLast } from './after-last.ts';
import { closestName } from './closest-name.ts';
import { compareText } from './compare-text.ts';

/** Enough to help with a slip; more would take long, and nobody reads them. */
const maxCompared = 1_000;
const maxLookedFor = 4;
const maxNamed = 4;

export type ShortNames<Item> = Readonly<{
  /** The one item of which a name ends so at a `/`, with its extension or without; of several, two; else none. */
  fitting(mention: string): Item[];
  /**
   * Of what fits several items, or none: which they are, or which comes nearest; else nothing. `before`: how many mentions
   * of the same request mean nothing, too. What comes nearest is looked for only of the first.
   */
  hint(mention: string, before: number): string;
}>;

/** `namesOf`: the name of an item, which is shown, then its paths. */
export function createShortNames<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => readonly string[],
): ShortNames<Item> {
  let index: Index | undefined;
  const indexed = (): Index => {
    index ??= createIndex(items.map(namesOf));
    return index;
  };
  const find = (end: string, max: number): Item[] =>
    indexed()
      .find(end, max)
      .map((at) => items[at] as Item);
  const shown = (item: Item): string => `"${namesOf(item)[0]}"`;
  return {
    // Two are as good as more.
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
  /** At most so many of those of which a name ends so. */
  find(end: string, max: number): number[];
  /** The first of them. */
  lastParts: readonly string[];
};

/** Names are sorted from their last part to their first, so that those which end alike stand together. */
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

/** Where the first key is that is no less. */
function firstFrom(sorted: readonly { key: string }[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText((sorted[middle] as { key: string }).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As several tools have it, where a mention begins with `@`. */
export function withoutAt(mention: string): string {
  return mention.startsWith('@') ? mention.slice(1) : mention;
}

/** With an extension a form is the end of a path: another one than that of the file could be that of any file. */
function formsOf(names: readonly string[]): Set<string> {
  const ownNames = new Set(names.slice(1).map((name) => afterLast(name, '/')));
  const isPath = (form: string): boolean => !extension.test(form) || ownNames.has(afterLast(form, '/'));
  const forms = names.flatMap(withoutExtension).filter((form) => afterLast(form, '/') !== '');
  return new Set(forms.filter((form) => isPath(form) || form.endsWith(instructions)));
}

const extension = /[^/]\.[a-z][a-z\d]*$/iu;
const instructions = '.instructions';

/** The name, and what it is without extension. */
function withoutExtension(name: string): string[] {
  const stem = name.replace(/\.[^./]+$/u, '');
  return [name, stem, ...(stem.endsWith(instructions) ? [stem.slice(0, -instructions.length)] : [])];
}

function listed(names: readonly string[]): string {
  if (names.length > maxNamed) return `${names.slice(0, maxNamed).join(', ')} or others`;
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}
