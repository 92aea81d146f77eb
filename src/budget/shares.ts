/** How imports and what a query finds share the tokens that nothing else uses (RT-05). */

type Counted = { tokens: number };

/** What is found has this part of the room, as far as it needs it; what one does not use the other may. */
const foundShare = 1 / 3;
/** Of the room for imports, one gets no more than this part before the others had their turn. */
const largestShare = 1 / 4;
/** So much is not large. */
const neverLarge = 400;

/** What imports may take of `room` before what is found is in. */
export function roomOfImports(room: number, found: readonly Counted[]): number {
  const asked = found.reduce((sum, { tokens }) => sum + tokens, 0);
  return room - Math.min(asked, Math.floor(room * foundShare));
}

/** What one import may take of their room at first. */
export function maxOfImport(room: number): number {
  return Math.max(neverLarge, Math.floor(room * largestShare));
}

/**
 * What of `room` each import gets, by their importance: no more than may be at first, then what is left over. One that gets
 * nothing is not there.
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
