/** Which items somebody means who writes only the end of a name (CC-28). */
import { closestName } from './closest-name.ts';

/** Enough to help with a slip; more would take long, and nobody reads them. */
const mostCompared = 1_000;
const mostLookedFor = 4;
const mostNamed = 4;

export type ShortNames<Item> = Readonly<{
  /** The items of which a name ends so at a `/`, with its extension or without. */
  fitting(mention: string): Item[];
  /**
   * Of what fits several items, or none: which they are, or which comes nearest; else nothing. `before`: how many mentions
   * of the same request mean nothing, too. What comes nearest is looked for only of the first.
   */
  hint(mention: string, before: number): string;
}>;

/** `namesOf`: names and paths of an item, the first of which is shown. */
export function createShortNames<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => readonly string[],
): ShortNames<Item> {
  type Known = { item: Item; forms: readonly string[] };
  let byEnd: Map<string, Known[]> | undefined;
  const known = (): Map<string, Known[]> => {
    if (byEnd) return byEnd;
    byEnd = new Map();
    for (const item of items) {
      const forms = [...new Set(namesOf(item).flatMap(formsOf))];
      for (const end of new Set(forms.map(lastPart))) {
        const before = byEnd.get(end);
        if (before) before.push({ item, forms });
        else byEnd.set(end, [{ item, forms }]);
      }
    }
    return byEnd;
  };
  const shown = (item: Item): string => `"${namesOf(item)[0]}"`;
  const fitting = (mention: string): Item[] => {
    const wanted = withoutAt(mention);
    const found = known().get(lastPart(wanted)) ?? [];
    return found.flatMap(({ item, forms }) => (forms.some((form) => endsWith(form, wanted)) ? [item] : []));
  };
  return {
    fitting,
    hint(mention, before) {
      const several = fitting(mention).map(shown);
      if (several.length > 1) return ` It could mean ${listed(several)}.`;
      if (mention.startsWith('/')) return '';
      const end = lastPart(withoutAt(mention));
      const ends = known().has(end) || before >= mostLookedFor ? [] : [...known().keys()].slice(0, mostCompared);
      const near = (known().get(closestName(end, ends) ?? end) ?? []).map(({ item }) => shown(item));
      return near.length === 0 ? '' : ` Did you mean ${listed(near)}?`;
    },
  };
}

/** As several tools have it, where a mention begins with `@`. */
export function withoutAt(mention: string): string {
  return mention.startsWith('@') ? mention.slice(1) : mention;
}

function formsOf(name: string): string[] {
  const stem = name.replace(/\.[^./]+$/u, '');
  return [name, stem, ...(stem.endsWith('.instructions') ? [stem.slice(0, -'.instructions'.length)] : [])];
}

function endsWith(form: string, end: string): boolean {
  return form === end || form.endsWith(`/${end}`);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  if (more > 0) return `${names.slice(0, mostNamed).join(', ')} or ${more} more`;
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}
