/** What of the items fits into a budget: whole ones first, then what can be cut at its joints (CC-35, RT-05). */
import { overBudget } from '../budget/token-budget.ts';
import type { ContextItem, ContextKind, OmittedContext } from './context-result.ts';

/** Those that go last come first. */
const byImportance: readonly ContextKind[] = [
  'rule',
  'reference',
  'tool',
  'supplementary',
  'tab',
  'changes',
  'definition',
  'file',
  'search',
  'map',
];

/** A piece takes no more than this part of what is left, so that the kinds behind it have room. */
const pieceShare = 0.5;
/** Each costs a count of all that it is cut of. */
const mostCuts = 32;

/** Items of a kind are in the order of their importance. `cut` gives the longest beginning that has at most `maxTokens`. */
export async function fitItems<Item extends ContextItem>(
  items: readonly Item[],
  { maxTokens, cut }: { maxTokens: number; cut(item: Item, maxTokens: number): Promise<Item | undefined> },
): Promise<{ kept: ReadonlyMap<Item, Item>; omitted: OmittedContext[] }> {
  const kept = new Map<Item, Item>();
  const gone: Item[] = [];
  let left = maxTokens;
  let cuts = 0;
  for (const kind of byImportance) {
    const tooLarge: Item[] = [];
    for (const item of items.filter((each) => each.kind === kind)) {
      if (item.tokens > left) {
        tooLarge.push(item);
        continue;
      }
      kept.set(item, item);
      left -= item.tokens;
    }
    for (const item of tooLarge) {
      const piece = cuts < mostCuts ? await cut(item, Math.floor(left * pieceShare)) : undefined;
      cuts += 1;
      if (piece === undefined) gone.push(item);
      else {
        kept.set(item, piece);
        left -= piece.tokens;
      }
    }
  }
  const omitted = gone.map(({ kind, name, path, tokens }) => ({
    ...{ kind, name, ...(path === undefined ? {} : { path }) },
    reason: overBudget(maxTokens, maxTokens - left),
    tokens,
  }));
  return { kept, omitted };
}
