/** Which text of an item is indexed, and how it is cut (SS-01, SS-02). */

import { fixedLimits } from '../settings.ts';
import { type FoundSecret, findSecrets } from '../texts/find-secrets.ts';
import { maskSecrets } from '../texts/mask.ts';
import type { SearchItem } from './search-item.ts';

const limits = fixedLimits.search;

/** Changes when items are cut differently. Vectors of another version are not used. */
export const chunkerVersion = 'paragraphs-1';

/** A heading begins a new chunk if the chunk before it has at least this length. So an edit moves only a few cuts. */
const shortSection = 200;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** `name: description`, and for a rule or reference its text, two lines below. */
export function indexedText({ type, name, description, text }: SearchItem): string {
  const title = description.trim() === '' ? name : `${name}: ${description}`;
  return type === 'tool' || text.trim() === '' ? title : `${title}\n\n${text}`;
}

/** The chunks of an item, in order; at least one unless everything is blank. */
export function chunkItem(item: SearchItem): string[] {
  return chunkText(indexedText(item));
}

/**
 * The same chunks with known forms of secrets masked, as an embedding server gets them (S-88). Secrets are searched in
 * the whole text, because a cut can divide a secret, and its parts would not be recognised.
 */
export function maskedChunks(item: SearchItem): string[] {
  const text = indexedText(item);
  const secrets = findSecrets(text);
  let first = 0;
  return cutsOf(text).map(({ start, end }) => {
    while ((secrets[first]?.end ?? end) <= start) first += 1;
    const within: FoundSecret[] = [];
    for (let at = first; (secrets[at]?.start ?? end) < end; at += 1) {
      const secret = secrets[at] as FoundSecret;
      within.push({ ...secret, start: Math.max(0, secret.start - start), end: Math.min(end, secret.end) - start });
    }
    return maskSecrets(text.slice(start, end), within);
  });
}

/**
 * Chunks of at most 500 characters, in order and without surrounding white space; only white space at the cuts is left
 * out. Paragraphs are packed; one that is too long is cut between sentences, and a longer sentence between words.
 */
export function chunkText(text: string): string[] {
  return cutsOf(text).map(({ start, end }) => text.slice(start, end));
}

type Cut = { start: number; end: number };

function cutsOf(text: string): Cut[] {
  const cuts: Cut[] = [];
  let start = 0;
  let end = 0;
  for (const piece of pieces(text)) {
    const isHeading = text[piece.start] === '#' && end - start >= shortSection;
    if (end > start && (isHeading || piece.end - start > limits.chunkCharacters)) {
      cuts.push({ start, end });
      start = end;
    }
    if (start === end) start = piece.start;
    end = piece.end;
  }
  if (end > start) cuts.push({ start, end });
  return cuts;
}

/** Consecutive pieces of at most 500 characters, without surrounding white space. Blank pieces are left out. */
function* pieces(text: string): Generator<Cut> {
  for (let at = 0; at < text.length; ) {
    const end = endOfParagraph(text, at);
    const paragraph = withoutSpace(text, at, end);
    if (paragraph.end - paragraph.start > limits.chunkCharacters) yield* sentencesOf(text, at, end);
    else if (paragraph.end > paragraph.start) yield paragraph;
    at = end;
  }
}

function* sentencesOf(text: string, from: number, to: number): Generator<Cut> {
  for (const { index, segment } of sentences.segment(text.slice(from, to))) {
    const start = from + index;
    const end = start + segment.length;
    const sentence = withoutSpace(text, start, end);
    if (sentence.end - sentence.start > limits.chunkCharacters) {
      let at = start;
      for (const part of words(segment)) {
        const cut = withoutSpace(text, at, at + part.length);
        if (cut.end > cut.start) yield cut;
        at += part.length;
      }
    } else if (sentence.end > sentence.start) yield sentence;
  }
}

/** The index after the next blank line. The line before it may end just before `from`. */
function endOfParagraph(text: string, from: number): number {
  let before = text.indexOf('\n', Math.max(0, from - 1));
  while (before >= 0) {
    const next = text.indexOf('\n', before + 1);
    if (next < 0) break;
    if (withoutSpace(text, before + 1, next).start === next) return next + 1;
    before = next;
  }
  return text.length;
}

/** A part of a text without surrounding white space. Of a blank part, `start` and `end` are its end. */
function withoutSpace(text: string, from: number, to: number): Cut {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return { start, end };
}

function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return /\s/u.test(String.fromCharCode(code));
}

/** A long sentence, cut at the last white space that fits, or where no character is broken. */
function* words(sentence: string): Generator<string> {
  let start = 0;
  while (sentence.length - start > limits.chunkCharacters) {
    const space = lastSpace(sentence, start, start + limits.chunkCharacters);
    const end = space > start ? space : unbroken(sentence, start + limits.chunkCharacters);
    yield sentence.slice(start, end);
    start = end;
  }
  yield sentence.slice(start);
}

/** The end of the last white space that begins before `before`; -1 without one. */
function lastSpace(text: string, from: number, before: number): number {
  for (let at = before - 1; at > from; at -= 1) if (/\s/u.test(text.charAt(at))) return at + 1;
  return -1;
}

/** The last place at or before `at` that does not divide a surrogate pair, or a character and its marks or joiners. */
function unbroken(text: string, at: number): number {
  for (let end = at; end > at - 40; end -= 1) {
    const isJoined =
      /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u.test(text.slice(end, end + 2)) || text[end - 1] === '\u200d';
    if (!isJoined && !isLowSurrogate(text, end)) return end;
  }
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
