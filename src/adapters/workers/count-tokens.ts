/**
 * Byte-pair encoding that only counts. Merging pairs takes quadratic time (gpt-tokenizer: ten seconds for 100,000 times
 * one letter). So a text is counted in pieces that end where every encoding breaks anyway. Longer pieces are cut after
 * 1,024 characters, which can change the count by a few tokens.
 */
import { noRank, type TokenTable } from './token-table.ts';

const pieceLength = 256;
const longestRun = 1_024;
/** Every encoding breaks between a letter and a character that is not a letter, mark or apostrophe. */
const safeBreak = /\p{L}(?=[^\p{L}\p{M}'’])/gu;

/** The pieces of a text, in order and complete. */
export function* splitForCounting(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceLength, text.length);
    if (end < text.length) {
      const limit = Math.min(start + longestRun, text.length);
      safeBreak.lastIndex = end;
      const found = safeBreak.exec(text.slice(0, limit + 1));
      end = found ? safeBreak.lastIndex : limit;
      // Never between the halves of a surrogate pair.
      if (/[\uD800-\uDBFF]/u.test(text.charAt(end - 1)) && end < text.length) end += 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** Counts the tokens of a text. `words`: the expression of the encoding for parts that are encoded separately. */
export function createCounter(table: TokenTable, words: RegExp): (text: string) => number {
  const encoder = new TextEncoder();
  /** The bytes of a word; the starts of its parts, and its end; the rank of each part merged with the next one. */
  const bytes = new Uint8Array((longestRun + 1) * 3);
  const starts = new Uint16Array(bytes.length + 1);
  const ranks = new Float64Array(bytes.length);

  return (text) => {
    let tokens = 0;
    for (const piece of splitForCounting(text))
      for (const [word] of piece.matchAll(words)) tokens += countWord(encoder.encodeInto(word, bytes).written);
    return tokens;
  };

  function countWord(length: number): number {
    if (table.rankOf(bytes, 0, length) !== noRank) return 1;
    let parts = length;
    for (let at = 0; at <= length; at += 1) starts[at] = at;
    for (let at = 0; at < length; at += 1) ranks[at] = at + 2 > length ? noRank : table.rankOf(bytes, at, at + 2);
    for (;;) {
      const lowest = lowestOf(parts);
      if (lowest === noRank) return parts;
      parts = merge(lowest, parts);
    }
  }

  function lowestOf(parts: number): number {
    let lowest = noRank;
    for (let at = 0; at < parts; at += 1) if ((ranks[at] as number) < lowest) lowest = ranks[at] as number;
    return lowest;
  }

  /**
   * Merges the pairs of this rank from left to right in one pass. Stops when this creates a pair of a lower rank, which
   * must be merged next. Returns the number of remaining parts.
   */
  function merge(rank: number, parts: number): number {
    let isLowest = true;
    let to = 0;
    for (let from = 0; from < parts; to += 1) {
      starts[to] = starts[from] as number;
      if (!isLowest || ranks[from] !== rank) {
        ranks[to] = ranks[from] as number;
        from += 1;
        continue;
      }
      const before = to === 0 ? noRank : table.rankOf(bytes, starts[to - 1] as number, starts[from + 2] as number);
      if (to > 0) ranks[to - 1] = before;
      const next = from + 3 > parts ? noRank : table.rankOf(bytes, starts[from] as number, starts[from + 3] as number);
      ranks[to] = next;
      isLowest = before > rank && next > rank;
      from += 2;
    }
    starts[to] = starts[parts] as number;
    return to;
  }
}
