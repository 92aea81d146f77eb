/** Chooses what fits into a budget: whole items first, then parts of items that can be cut (CC-35, RT-05). */
import { allotImports, roomOfImports } from '../budget/room-of-imports.ts';
import { overBudget } from '../budget/token-budget.ts';
import type { ContextItem, ContextKind, OmittedContext } from './context-result.ts';

/** Kinds that were requested by name or scope, in the order in which they get space. */
const explicit: readonly (readonly ContextKind[])[] = [
  // For these two kinds, one common order decides which goes last (CC-35).
  ['rule', 'reference'],
  ['tool'],
  ['supplementary'],
  ['tab'],
  ['changes'],
];
const others: readonly (readonly ContextKind[])[] = [['definition', 'file'], ['search'], ['map']];

/** A piece gets at most this share of the space that is left, unless the items after it need less than the rest. */
const pieceShare = 0.5;
/** Max cuts, because each counts the tokens of the whole item. */
const maxCuts = 32;

type Cut<Item> = (item: Item, maxTokens: number) => Promise<Item | undefined>;

/**
 * Items of one kind are in the order of their importance. `cut` returns the longest beginning with at most `maxTokens`.
 * Imports and search results share the space that the explicit kinds leave. The map gets the rest.
 */
export async function fitItems<Item extends ContextItem>(
  items: readonly Item[],
  { maxTokens, cut }: { maxTokens: number; cut: Cut<Item> },
): Promise<{ kept: ReadonlyMap<Item, Item>; omitted: OmittedContext[] }> {
  const room = createRoom(maxTokens, cut);
  const groups = [...explicit, ...others].map((kinds) => items.filter(({ kind }) => kinds.includes(kind)));
  const [imports = [], found = [], map = []] = groups.slice(explicit.length);
  for (const at of explicit.keys()) await room.fill(groups[at] ?? [], groups.slice(at + 1).flat());
  const allotted = allotImports(imports, roomOfImports(room.left(), found));
  for (const [item, max] of allotted) await room.put(item, max);
  const cutOff = imports.filter((item) => !room.kept.has(item));
  await room.fill(found, [...cutOff, ...map]);
  await room.fill(cutOff, map);
  await room.fill(map, []);
  const gone = groups.flat().filter((item) => !room.kept.has(item));
  const omitted = gone.map(({ kind, name, path, tokens }) => ({
    kind,
    name,
    path,
    reason: overBudget(maxTokens, maxTokens - room.left()),
    tokens,
  }));
  return { kept: room.kept, omitted };
}

function createRoom<Item extends ContextItem>(maxTokens: number, cut: Cut<Item>) {
  const kept = new Map<Item, Item>();
  let left = maxTokens;
  let cuts = 0;
  /** Keeps the whole item, or a piece of it with at most `max` tokens. */
  const put = async (item: Item, max: number): Promise<void> => {
    const isWhole = item.tokens <= max;
    const piece = isWhole ? item : cuts < maxCuts ? await cut(item, max) : undefined;
    if (!isWhole) cuts += 1;
    if (piece === undefined) return;
    kept.set(item, piece);
    left -= piece.tokens;
  };
  return {
    kept,
    left: () => left,
    put,
    /** Keeps items that fit, then pieces of the others. `behind`: items that get space after them. */
    async fill(wanted: readonly Item[], behind: readonly Item[]): Promise<void> {
      const tooLarge: Item[] = [];
      for (const item of wanted) {
        if (item.tokens > left) tooLarge.push(item);
        else await put(item, left);
      }
      let needed = [...tooLarge, ...behind].reduce((sum, { tokens }) => sum + tokens, 0);
      for (const item of tooLarge) {
        needed -= item.tokens;
        await put(item, Math.max(Math.floor(left * pieceShare), left - needed));
      }
    },
  };
}
