/** How imports and what a query finds share the tokens that nothing else uses (RT-05). */

type Counted = { tokens: number };

/** Search results get up to this part of the room. What one side does not use, the other may use. */
const foundShare = 1 / 3;
/** At first, one import gets at most this part of the room for imports. */
const largestShare = 1 / 4;
/** An import with at most this many tokens is never large. */
const neverLarge = 400;

/** How many tokens of `room` imports may use before the search results get theirs. */
export function roomOfImports(room: number, found: readonly Counted[]): number {
  const asked = found.reduce((sum, { tokens }) => sum + tokens, 0);
  return room - Math.min(asked, Math.floor(room * foundShare));
}

/** What one import may take of their room at first. */
export function maxOfImport(room: number): number {
  return Math.max(neverLarge, Math.floor(room * largestShare));
}

/**
 * How many tokens of `room` each import gets. First, each gets up to the maximum, in the order of importance. Then they
 * get the rest, in the same order. An import that gets nothing is not in the map.
 */
export function allotImports<Each extends Counted>(imports: readonly Each[], room: number): Map<Each, number> {
  const most = maxOfImport(room);
  const allotted = new Map<Each, number>();
  let left = room;
  for (const each of imports) {
    const asked = Math.min(each.tokens, most);
    if (asked > left) continue;
    allotted.set(each, asked);
    left -= asked;
  }
  for (const [each, had] of allotted) {
    const more = Math.min(each.tokens - had, left);
    allotted.set(each, had + more);
    left -= more;
  }
  return allotted;
}
