/** What of the items fits into a budget: whole ones first, then what can be cut at its joints (CC-35, RT-05). */
import { allotImports, roomOfImports } from '../budget/shares.ts';
import { overBudget } from '../budget/token-budget.ts';
import type { ContextItem, ContextKind, OmittedContext } from './context-result.ts';

/** What was asked for by its name or its scope, in the order in which it is served. */
const explicit: readonly (readonly ContextKind[])[] = [
  // Among these, which goes last is decided for all of them together (CC-35).
  ['rule', 'reference'],
  ['tool'],
  ['supplementary'],
  ['tab'],
  ['changes'],
];

/** A piece takes no more than this part of what is left, unless what stands behind it needs less than the rest. */
const pieceShare = 0.5;
/** Each costs a count of all that it is cut of. */
const maxCuts = 32;

type Cut<Item> = (item: Item, maxTokens: number) => Promise<Item | undefined>;

/**
 * Items of a kind are in the order of their importance. `cut` gives the longest beginning that has at most `maxTokens`.
 * Imports and what is found share what the explicit kinds leave; the map has the rest.
 */
export async function fitItems<Item extends ContextItem>(
  items: readonly Item[],
  { maxTokens, cut }: { maxTokens: number; cut: Cut<Item> },
): Promise<{ kept: ReadonlyMap<Item, Item>; omitted: OmittedContext[] }> {
  const room = createRoom(maxTokens, cut);
  const of = (...kinds: ContextKind[]): Item[] => items.filter(({ kind }) => kinds.includes(kind));
  const imports = of('definition', 'file');
  const found = of('search');
  const map = of('map');
  for (const [at, kinds] of explicit.entries())
    await room.fill(of(...kinds), [...of(...explicit.slice(at + 1).flat()), ...imports, ...found, ...map]);
  const allotted = allotImports(imports, roomOfImports(room.left(), found));
  for (const [item, max] of allotted) await room.put(item, max);
  const cutOff = imports.filter((item) => !room.kept.has(item));
  await room.fill(found, [...cutOff, ...map]);
  await room.fill(cutOff, map);
  await room.fill(map, []);
  const gone = [...explicit.flatMap((kinds) => of(...kinds)), ...imports, ...found, ...map].filter(
    (item) => !room.kept.has(item),
  );
  const omitted = gone.map(({ kind, name, path, tokens }) => ({
    ...{ kind, name, ...(path === undefined ? {} : { path }) },
    reason: overBudget(maxTokens, maxTokens - room.left()),
    tokens,
  }));
  return { kept: room.kept, omitted };
}

function createRoom<Item extends ContextItem>(maxTokens: number, cut: Cut<Item>) {
  const kept = new Map<Item, Item>();
  let left = maxTokens;
  let cuts = 0;
  /** All of an item, or a piece of it with at most so many tokens. */
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
    /** Those that fit, then pieces of the others. `behind`: what is served after them. */
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
