/**
 * Byte-pair encoding that only counts. Merging the pairs of a run without a break takes quadratic time (gpt-tokenizer: ten
 * seconds for 100,000 times one letter). So a text is counted in pieces that end where every encoding breaks anyway. A run
 * of more than 1,024 characters without such a place is cut there, which can change the count by a few tokens.
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

/** Counts the tokens of a text. `words` is the expression of an encoding that finds what is encoded each by itself. */
export function createCounter(table: TokenTable, words: RegExp): (text: string) => number {
  const encoder = new TextEncoder();
  /** The bytes of a word; where its parts start, and its end; the rank of each part with the next one. */
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
    for (let at = 0; at < length; at += 1) ranks[at] = rankOfPair(at);
    for (;;) {
      const lowest = lowestOf(parts - 1);
      if (ranks[lowest] === noRank) return parts;
      starts.copyWithin(lowest + 1, lowest + 2, parts + 1);
      ranks.copyWithin(lowest + 1, lowest + 2, parts);
      parts -= 1;
      ranks[lowest] = rankOfPair(lowest);
      if (lowest > 0) ranks[lowest - 1] = rankOfPair(lowest - 1);
    }

    function rankOfPair(at: number): number {
      return at + 2 > parts ? noRank : table.rankOf(bytes, starts[at] as number, starts[at + 2] as number);
    }
  }

  /** The place of the first lowest rank of the first `count`; the last place if there is none. */
  function lowestOf(count: number): number {
    let lowest = count;
    for (let at = 0; at < count; at += 1) if ((ranks[at] as number) < (ranks[lowest] as number)) lowest = at;
    return lowest;
  }
}
