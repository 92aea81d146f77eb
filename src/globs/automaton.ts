/**
 * Matches a path against all alternatives of a glob at once: the extended Shift-And automaton of Navarro and Raffinot.
 * Each token of each alternative is one bit. A set bit means that the characters so far match everything before this
 * token. A path of n characters takes at most n passes over these bits for any pattern, because nothing backtracks
 * (S-52).
 */
import { foldCodePoint } from './fold-case.ts';
import { type Alternative, type CharacterClass, isLiteral, type Range, token } from './syntax.ts';

/**
 * `run` reads a folded text. `match`: it matches. `alive`: a longer text that begins with it can match. `dead`:
 * neither. `weight`: about the bytes that it takes when all its rows are made.
 */
type Automaton = { run(text: string): 'match' | 'alive' | 'dead'; readonly weight: number };

/**
 * `isAbsolute`: puts a `/` before every alternative. `isOneName`: a last segment that is plain text does not match what
 * is below it.
 */
type Reading = { isAbsolute?: boolean; isCaseSensitive?: boolean; isOneName?: boolean };

/** Builds the automaton. */
export function createAutomaton(
  alternatives: readonly Alternative[],
  classes: readonly CharacterClass[],
  reading: Reading,
): Automaton {
  const { tokens, starts, accepting } = layOut(alternatives, reading);
  /** Where each token stands. */
  const positions = Map.groupBy(tokens.keys(), (at) => tokens[at] as number);
  const words = Math.ceil(tokens.length / 32);
  const bitsOf = (...lists: (readonly number[] | undefined)[]): Int32Array => {
    const bits = new Int32Array(words);
    for (const list of lists)
      for (const at of list ?? []) bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
    return bits;
  };
  const stars = bitsOf(positions.get(token.star));
  const globstars = bitsOf(positions.get(token.globstar));
  const loops = bitsOf(positions.get(token.star), positions.get(token.globstar));
  const contents = bitsOf(positions.get(token.contents));
  const none = bitsOf();
  const accept = bitsOf(accepting);
  // A `**` can match no segment, and then a `*` no character.
  const behindGlobstars = starts.filter((at) => tokens[at] === token.globstar).map((at) => at + 1);
  const behindStars = [...starts, ...behindGlobstars].filter((at) => tokens[at] === token.star).map((at) => at + 1);
  const start = bitsOf(starts, behindGlobstars, behindStars);
  const { rowOf, maxRows } = createRows(positions, bitsOf, classesOf(classes, reading));
  const state = new Int32Array(words);
  // The sizes of a token, a row and a class were measured (test/globs/globs-weight.test.ts).
  const weight = 4_000 + 40 * tokens.length + (250 + 4 * words) * maxRows + 400 * classes.length;

  return { run, weight };

  function run(text: string) {
    state.set(start);
    if (text.length > 0 && meets(contents)) return 'match';
    let isSegmentStart = true;
    for (let at = 0; at < text.length; ) {
      let symbol = text.charCodeAt(at);
      if (symbol >= 0xd800 && symbol < 0xdc00) symbol = text.codePointAt(at) as number;
      at += symbol > 0xffff ? 2 : 1;
      if (isSegmentStart && symbol === 0x2e && text[at] === '.' && (at + 1 === text.length || text[at + 1] === '/')) {
        symbol = token.parent;
        at += 1;
      }
      isSegmentStart = symbol === token.slash;
      const staying = isSegmentStart || symbol === token.parent ? globstars : loops;
      if (!step(rowOf(symbol), staying, isSegmentStart ? globstars : none)) return 'dead';
      if (isSegmentStart && at < text.length && meets(contents)) return 'match';
    }
    return meets(accept) ? 'match' : words > 0 ? 'alive' : 'dead';
  }

  function meets(bits: Int32Array): boolean {
    for (let word = 0; word < words; word += 1) if ((state[word] as number) & (bits[word] as number)) return true;
    return false;
  }

  /**
   * Reads one symbol. `row`: the tokens that it satisfies. `staying`: tokens that can continue after it. `skippable`:
   * tokens that can be skipped then. Returns false if nothing can match any more.
   */
  function step(row: Int32Array, staying: Int32Array, skippable: Int32Array): boolean {
    let carry = 0;
    let any = 0;
    for (let word = 0; word < words; word += 1) {
      const before = state[word] as number;
      const moved = before & (row[word] as number);
      let after = (moved << 1) | carry | (before & (staying[word] as number));
      const skipped = after & (skippable[word] as number);
      after |= skipped << 1;
      const passed = after & (stars[word] as number);
      after |= passed << 1;
      // After a `*` there is no other token that can be skipped, so one carry is enough for all three.
      carry = (moved | skipped | passed) >>> 31;
      state[word] = after;
      any |= after;
    }
    return any !== 0;
  }
}

/** The tokens of all alternatives one after another, where each alternative starts, and where a match ends. */
function layOut(alternatives: readonly Alternative[], { isAbsolute, isCaseSensitive, isOneName }: Reading) {
  const tokens: number[] = [];
  const starts: number[] = [];
  const accepting: number[] = [];
  for (const { segments } of alternatives) {
    starts.push(tokens.length);
    if (isAbsolute === true) tokens.push(token.slash);
    for (const [at, segment] of segments.entries()) {
      for (const each of segment) tokens.push(each < 0 || isCaseSensitive === true ? each : foldCodePoint(each));
      if (segment[0] === token.globstar) continue;
      const isLast = at === segments.length - 1;
      if (isLast) accepting.push(tokens.length);
      // A last segment that is plain text can also be a directory, and matches everything below it.
      const coversBelow = isLiteral(segment) && isOneName !== true;
      if (!isLast || coversBelow) tokens.push(token.slash);
      if (isLast) tokens.push(coversBelow ? token.contents : token.end);
    }
    // At the end, `**` does not continue: after one more character, the path is below.
    if (tokens.at(-1) === token.globstar) tokens[tokens.length - 1] = token.contents;
  }
  return { tokens, starts, accepting };
}

/**
 * The tokens that each symbol satisfies. Rows are made when they are first needed. Symbols that no literal and no class
 * distinguishes share a row, so there are at most as many rows as the pattern has characters and class boundaries.
 */
function createRows(
  positions: ReadonlyMap<number, readonly number[]>,
  bitsOf: (...lists: (readonly number[] | undefined)[]) => Int32Array,
  classes: readonly CharacterClass[],
): { rowOf(symbol: number): Int32Array; maxRows: number } {
  const bounds = classes.flatMap(({ ranges }) => ranges.flatMap(([first, last]) => [first, last + 1]));
  const boundaries = Float64Array.from(new Set(bounds)).sort();
  const rows = new Map<number, Int32Array>();
  const asciiRows: (Int32Array | undefined)[] = [];
  const rowOf = (symbol: number) => asciiRows[symbol] ?? find(symbol);
  return { rowOf, maxRows: positions.size + boundaries.length + 3 };

  function find(symbol: number): Int32Array {
    const isWildcardFree = symbol === token.slash || symbol === token.parent;
    const key = isWildcardFree || positions.has(symbol) ? symbol : token.firstClass - countUpTo(boundaries, symbol);
    const row = rows.get(key) ?? bitsOf(positions.get(symbol), ...(isWildcardFree ? [] : wildcards(symbol)));
    rows.set(key, row);
    if (symbol >= 0 && symbol < 128) asciiRows[symbol] = row;
    return row;
  }

  function wildcards(symbol: number): (readonly number[] | undefined)[] {
    const satisfied = classes.map(({ negated, ranges }, n) => {
      const isInside = ranges.some(([first, last]) => first <= symbol && symbol <= last);
      return isInside === negated ? undefined : positions.get(token.firstClass - n);
    });
    return [positions.get(token.anyOne), ...satisfied];
  }
}

/** How many of the sorted numbers are at most `value`. */
function countUpTo(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function classesOf(classes: readonly CharacterClass[], { isCaseSensitive }: Reading): readonly CharacterClass[] {
  if (isCaseSensitive === true) return classes;
  return classes.map(({ negated, ranges }) => ({ negated, ranges: ranges.flatMap(foldRange) }));
}

/** The folded characters of a range: the range itself, its ends folded, and its ASCII capitals in lower case. */
function foldRange([first, last]: Range): Range[] {
  const ranges: Range[] = [
    [first, last],
    [Math.max(first, 0x41) + 32, Math.min(last, 0x5a) + 32],
  ];
  if (first > 0x7f) ranges.push([foldCodePoint(first), foldCodePoint(last)]);
  return ranges.filter(([from, to]) => from <= to);
}
