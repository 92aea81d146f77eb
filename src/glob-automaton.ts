/**
 * Matches a path against all alternatives of a glob at once: the extended Shift-And automaton of Navarro and Raffinot.
 * Every token of every alternative is one bit; a set bit means «what was read so far leads to before this token». A path
 * of n characters costs n steps of at most 2¹² / 32 words each, whatever the pattern: nothing backtracks (S-52).
 */
import { foldCodePoint } from './fold-case.ts';
import { type Alternative, type CharacterClass, isLiteral, type Range, token } from './glob-syntax.ts';

/** Reads a folded text: `match` when it matches, `alive` when something longer that begins with it may, else `dead`. */
export type Automaton = (text: string) => 'match' | 'alive' | 'dead';

/** Builds the automaton. `isAbsolute` puts a `/` before every alternative; a last literal segment also covers what is below it. */
export function createAutomaton(
  alternatives: readonly Alternative[],
  isAbsolute: boolean,
  classes: readonly CharacterClass[],
): Automaton {
  const tokens: number[] = [];
  const starts: number[] = [];
  const accepting: number[] = [];
  for (const { segments } of alternatives) {
    starts.push(tokens.length);
    if (isAbsolute) tokens.push(token.slash);
    segments.forEach((segment, at) => {
      const isLast = at === segments.length - 1;
      if (segment[0] === token.globstar) tokens.push(...(isLast ? contents : segment));
      else
        tokens.push(
          ...segment.map((each) => (each < 0 ? each : foldCodePoint(each))),
          ...(isLast ? [] : [token.slash]),
        );
      if (!isLast || !isLiteral(segment)) return;
      accepting.push(tokens.length);
      tokens.push(token.slash, ...contents);
    });
    accepting.push(tokens.length);
    tokens.push(token.end);
  }

  const words = Math.ceil(tokens.length / 32);
  const bitsOf = (positions: Iterable<number>): Int32Array => {
    const bits = new Int32Array(words);
    for (const position of positions) setBit(bits, position);
    return bits;
  };
  const bitsWhere = (test: (each: number) => boolean) =>
    bitsOf([...tokens.keys()].filter((at) => test(tokens[at] as number)));
  const stars = bitsWhere((each) => each === token.star);
  const globstars = bitsWhere((each) => each === token.globstar);
  const loops = bitsWhere((each) => each === token.star || each === token.globstar);
  const accept = bitsOf(accepting);
  const start = bitsOf(starts);
  // A `**` may stand for no segment, then a `*` for no character.
  for (const loop of [globstars, stars])
    for (let at = 0; at < tokens.length; at += 1) if (hasBit(start, at) && hasBit(loop, at)) setBit(start, at + 1);

  const rowOf = createRows(tokens, bitsWhere, classes);
  const state = new Int32Array(words);

  return (text) => {
    state.set(start);
    let isAlive = words > 0;
    let isSegmentStart = true;
    for (let at = 0; at < text.length && isAlive; ) {
      let symbol = text.codePointAt(at) as number;
      at += symbol > 0xffff ? 2 : 1;
      if (isSegmentStart && symbol === 0x2e && text[at] === '.' && (at + 1 === text.length || text[at + 1] === '/')) {
        symbol = token.parent;
        at += 1;
      }
      isSegmentStart = symbol === token.slash;
      isAlive = step(rowOf(symbol), symbol === token.slash, symbol >= 0 && !isSegmentStart ? loops : globstars);
    }
    if (!isAlive) return 'dead';
    for (let word = 0; word < words; word += 1) if ((state[word] as number) & (accept[word] as number)) return 'match';
    return 'alive';
  };

  /** Reads one symbol: `row` are the tokens it satisfies, `staying` the tokens that may go on after it. */
  function step(row: Int32Array, isSlash: boolean, staying: Int32Array): boolean {
    let [carry, globstarCarry, starCarry, any] = [0, 0, 0, 0];
    for (let word = 0; word < words; word += 1) {
      const before = state[word] as number;
      if ((before | carry | globstarCarry | starCarry) === 0) continue;
      const moved = before & (row[word] as number);
      let after = (moved << 1) | carry | (before & (staying[word] as number)) | globstarCarry | starCarry;
      carry = moved >>> 31;
      if (isSlash) {
        const skipped = after & (globstars[word] as number);
        after |= skipped << 1;
        globstarCarry = skipped >>> 31;
      }
      const passed = after & (stars[word] as number);
      after |= passed << 1;
      starCarry = passed >>> 31;
      state[word] = after;
      any |= after;
    }
    return any !== 0;
  }
}

const contents = [token.globstar, token.star];

function setBit(bits: Int32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

function hasBit(bits: Int32Array, at: number): boolean {
  return ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0;
}

/**
 * Which tokens a symbol satisfies. Rows are made when first needed; symbols that no class tells apart share one, so that
 * there are never more rows than the pattern has characters and class boundaries.
 */
function createRows(
  tokens: readonly number[],
  bitsWhere: (test: (each: number) => boolean) => Int32Array,
  classes: readonly CharacterClass[],
): (symbol: number) => Int32Array {
  const literals = new Set(tokens.filter((each) => each >= 0 || each === token.parent));
  const folded = classes.map(({ negated, ranges }) => ({ negated, ranges: ranges.flatMap(foldRange) }));
  const isIn = (symbol: number, each: number): boolean => {
    const found = folded[token.firstClass - each];
    return (
      found !== undefined && found.ranges.some(([first, last]) => first <= symbol && symbol <= last) !== found.negated
    );
  };
  const bounds = folded.flatMap(({ ranges }) => ranges.flatMap(([first, last]) => [first, last + 1]));
  const boundaries = Float64Array.from(new Set(bounds)).sort();
  const rows = new Map<number, Int32Array>();
  const asciiRows: (Int32Array | undefined)[] = [];
  return (symbol) => asciiRows[symbol] ?? find(symbol);

  function find(symbol: number): Int32Array {
    const isWild = symbol >= 0 && symbol !== token.slash;
    const key = literals.has(symbol) || !isWild ? symbol : -10 - countUpTo(boundaries, symbol);
    const row = rows.get(key) ?? make(symbol, isWild);
    rows.set(key, row);
    if (symbol >= 0 && symbol < 128) asciiRows[symbol] = row;
    return row;
  }

  function make(symbol: number, isWild: boolean): Int32Array {
    const satisfied = new Map<number, boolean>();
    return bitsWhere((each) => {
      if (each === symbol) return true;
      if (!isWild || each >= 0) return false;
      if (each > token.firstClass) return each === token.anyOne;
      const known = satisfied.get(each) ?? isIn(symbol, each);
      satisfied.set(each, known);
      return known;
    });
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

/** What a range covers among folded characters: as written, its ends folded, and its capital ASCII letters in lower case. */
function foldRange([first, last]: Range): Range[] {
  const ranges: Range[] = [
    [first, last],
    [Math.max(first, 0x41) + 32, Math.min(last, 0x5a) + 32],
  ];
  if (first === last || first > 0x7f) ranges.push([foldCodePoint(first), foldCodePoint(last)]);
  return ranges.filter(([from, to]) => from <= to);
}
