/** Cuts an item that is too large, at a sensible place. */
import { hash } from 'node:crypto';
import type { TokenCounts } from '../budget/token-counts.ts';
import { blocksOf, linesOf, maxPieces } from '../context/joints.ts';
import { splitOffNote } from '../context/offered-part.ts';
import { createPause, inTurns } from '../pace/turns.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { ContextItem } from './context-result.ts';
import { contentIn, type Rendering, renderItem } from './render-items.ts';

/** A smaller piece is useless. */
const minTokens = 100;
/** If coarse pieces fill less than this share of the space, the next piece is cut into finer pieces. */
const minShare = 1 / 3;
/** Joined pieces can have a few more tokens than the sum of the single pieces. So the cut is corrected this often. */
const corrections = 3;
const piecesAtOnce = 64;
/** Marks where the rest is left out. */
const mark = '…\n';

type Cutting = {
  rendering: Rendering;
  encoding: TokenEncoding;
  tokenCounts: TokenCounts;
  /** The coarsest pieces of the content: sections, or definitions. */
  piecesOf(item: ContextItem): Promise<readonly string[]>;
  /** Whether the caller no longer needs the answer. */
  isOver(): boolean;
};
type Split = (text: string) => Promise<readonly string[]>;
type Beginning = { text: string; tokens: number };

/** Returns the longest beginning of an item with at most some tokens, or `undefined` if it would be useless. */
export function createCut(cutting: Cutting) {
  /** `held` stays even if it is after the cut, if there is space for it and a beginning. */
  return async <Item extends ContextItem & { held?: string | undefined }>(
    item: Item,
    maxTokens: number,
  ): Promise<Item | undefined> => {
    if (maxTokens < minTokens) return undefined;
    const [said, note] = item.part === undefined ? [item.content, ''] : splitOffNote(item.content);
    const cut = await cutAt(item, { said, end: note, maxTokens }, cutting);
    const { held = '' } = item;
    const at = said.indexOf(held);
    if (cut === undefined || at <= 0 || cut.content.includes(held)) return cut;
    const isEnd = said.length <= at + held.length;
    const end = `${held}${held.endsWith('\n') ? '' : '\n'}${isEnd ? '' : mark}`;
    return (await cutAt(item, { said: said.slice(0, at), end, maxTokens }, cutting)) ?? cut;
  };
}

/** A beginning of `said`, and `end` after it. */
async function cutAt<Item extends ContextItem>(
  item: Item,
  { said, end, maxTokens }: { said: string; end: string; maxTokens: number },
  cutting: Cutting,
): Promise<Item | undefined> {
  const { rendering, piecesOf, isOver } = cutting;
  const rendered = (content: string): string => renderItem({ ...item, content }, rendering);
  const [frame = 0] = await countTokens([rendered(mark + end)], cutting);
  const coarsest: Split = () => piecesOf({ ...item, content: said });
  const finer = [blocksOf, linesOf].map(
    (split): Split =>
      (text) =>
        inTurns(split(text), createPause()),
  );
  for (let [correction, room] = [0, maxTokens - frame]; correction < corrections && !isOver(); correction += 1) {
    const { text } = await beginningOf(said, [coarsest, ...finer], { room, cutting });
    if (text === '') return undefined;
    const content = `${withMark(text)}${end}`;
    const [tokens = 0] = await countTokens([rendered(content)], cutting);
    const whole = { wholeTokens: item.wholeTokens ?? item.tokens, sha256: hash('sha256', content), truncated: true };
    if (tokens <= maxTokens) return { ...item, ...whole, content, tokens };
    room -= (tokens - maxTokens) * 2 + 8;
  }
  return undefined;
}

/** As many of the coarsest pieces as have room, then finer pieces of the next one if much room is left. */
async function beginningOf(
  text: string,
  [split, ...finer]: readonly Split[],
  { room, cutting }: { room: number; cutting: Cutting },
): Promise<Beginning> {
  const kept: Beginning = { text: '', tokens: 0 };
  if (split === undefined) return kept;
  for (let rest = text; rest !== ''; ) {
    const pieces = await split(rest);
    const { taken, tokens } = await takePieces(pieces, room - kept.tokens, cutting);
    kept.text += pieces.slice(0, taken).join('');
    kept.tokens += tokens;
    const next = pieces[taken] ?? '';
    // If there are too many pieces, the last one is the whole rest.
    const isRest = taken === maxPieces && next !== '';
    rest = isRest ? next : '';
    if (isRest || next === '' || kept.tokens >= room * minShare) continue;
    const inner = await beginningOf(next, finer, { room: room - kept.tokens, cutting });
    return { text: kept.text + inner.text, tokens: kept.tokens + inner.tokens };
  }
  return kept;
}

/** The first pieces that have at most `room` tokens together. */
async function takePieces(
  pieces: readonly string[],
  room: number,
  cutting: Cutting,
): Promise<{ taken: number; tokens: number }> {
  let [taken, tokens] = [0, 0];
  while (taken < pieces.length && !cutting.isOver()) {
    const some = pieces.slice(taken, taken + piecesAtOnce).map((piece) => contentIn(piece, cutting.rendering));
    for (const each of await countTokens(some, cutting)) {
      if (tokens + each > room) return { taken, tokens };
      tokens += each;
      taken += 1;
    }
  }
  return { taken, tokens };
}

async function countTokens(texts: readonly string[], { tokenCounts, encoding }: Cutting): Promise<readonly number[]> {
  const keyed = texts.map((text) => ({ key: hash('sha256', text), text }));
  return (await tokenCounts.count(keyed, encoding)).counts;
}

/** Adds the mark, unless the text already ends with one. */
function withMark(text: string): string {
  if (text.trimEnd().endsWith(`\n${mark.trimEnd()}`)) return `${text.trimEnd()}\n`;
  return `${text}${text.endsWith('\n') ? '' : '\n'}${mark}`;
}
