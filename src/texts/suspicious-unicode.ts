/**
 * Finds characters with which a text can say something different to a model than to its reader (S-65). Characters that
 * a script or an emoji needs are not reported.
 */

import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { findConfusables } from './confusables.ts';
import { createPositions } from './source-tree.ts';
import { specialRuns } from './special-runs.ts';

type SuspiciousKind =
  | 'bidi_control'
  | 'zero_width'
  | 'joiner'
  | 'tag_character'
  | 'variation_selector'
  | 'invisible_operator'
  | 'deprecated_format'
  | 'hangul_filler'
  | 'soft_hyphen'
  | 'grapheme_joiner'
  | 'interlinear_annotation'
  | 'vowel_separator'
  | 'music_format'
  | 'shorthand_format'
  | 'blank_pattern'
  | 'control_character'
  | 'ignorable'
  | 'confusable';

/** `offset` counts UTF-16 code units from 0, `line` and `column` from 1; `codePoint` is written `U+202E`. */
type SuspiciousCharacter = {
  kind: SuspiciousKind;
  offset: number;
  line: number;
  column: number;
  codePoint: string;
};

/** The first findings by offset, how many there are, and how many of each kind. */
type SuspiciousUnicode = {
  findings: SuspiciousCharacter[];
  total: number;
  counts: Partial<Record<SuspiciousKind, number>>;
};

/** First and last code point of each kind. Other ignorable characters are `ignorable`. */
const ranges: readonly (readonly [first: number, last: number, kind: SuspiciousKind])[] = [
  [0x00, 0x1f, 'control_character'],
  [0x7f, 0x9f, 'control_character'],
  [0xad, 0xad, 'soft_hyphen'],
  [0x34f, 0x34f, 'grapheme_joiner'],
  [0x61c, 0x61c, 'bidi_control'],
  [0x115f, 0x1160, 'hangul_filler'],
  [0x180b, 0x180d, 'variation_selector'],
  [0x180e, 0x180e, 'vowel_separator'],
  [0x180f, 0x180f, 'variation_selector'],
  [0x200b, 0x200b, 'zero_width'],
  [0x200c, 0x200d, 'joiner'],
  [0x200e, 0x200f, 'bidi_control'],
  [0x202a, 0x202e, 'bidi_control'],
  [0x2060, 0x2060, 'zero_width'],
  [0x2061, 0x2064, 'invisible_operator'],
  [0x2066, 0x2069, 'bidi_control'],
  [0x206a, 0x206f, 'deprecated_format'],
  [0x2800, 0x2800, 'blank_pattern'],
  [0x3164, 0x3164, 'hangul_filler'],
  [0xfe00, 0xfe0f, 'variation_selector'],
  [0xfeff, 0xfeff, 'zero_width'],
  [0xffa0, 0xffa0, 'hangul_filler'],
  [0xfff9, 0xfffc, 'interlinear_annotation'],
  [0x1bca0, 0x1bca3, 'shorthand_format'],
  [0x1d173, 0x1d17a, 'music_format'],
  [0xe0000, 0xe007f, 'tag_character'],
  [0xe0100, 0xe01ef, 'variation_selector'],
];

/** Scripts whose letters look like Latin ones. */
const lookAlike = /[\p{sc=Cyrl}\p{sc=Grek}]/u;
const candidate = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffc[\p{Cc}--[\t\n\f\r]]]/gv;

/** Scripts in which joiners shape letters. */
const joiningLetter =
  /^(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Adlm}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Bali}\p{scx=Java}\p{scx=Cakm}]$/u;
/** Scripts that put zero-width spaces where other scripts put spaces. */
const unspacedLetter =
  /^[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Java}\p{scx=Bali}\p{scx=Lana}\p{scx=Talu}]$/u;
/** The Arabic letter mark belongs to these scripts, but is not a letter. */
const rightToLeftLetter =
  /(?=[\p{L}\p{N}])[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Mand}\p{scx=Samr}]/u;
const pictograph = /^\p{Extended_Pictographic}$/u;
const emojiModifier = /^[\ufe0f\p{Emoji_Modifier}]$/u;
/** Characters before a variation selector: digits of keycaps, and symbols and letters of scripts with variants. */
const hasVariants =
  /^(?:[0-9#*]|(?![\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}])[^\0-\x7f])$/u;
const subdivisionFlag = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu;

/** The max number of counted characters. It is enough to say that a text is full of them. */
const maxExamined = 50_000;

/** Searches a text. If most of it is plain, this takes little longer than reading each character. */
export function findSuspiciousUnicode(text: string): SuspiciousUnicode {
  const result: SuspiciousUnicode = { findings: [], total: 0, counts: {} };
  const special = specialRuns(text);
  const all = special.map((run) => run.text).join('');
  const confusables = lookAlike.test(all) ? findConfusables(text) : [];
  const found = [
    ...findInvisible(text, special, all),
    ...confusables.map((offset) => ({ kind: 'confusable' as const, offset })),
  ].sort((a, b) => a.offset - b.offset);
  const placeOf = createPositions(text);
  for (const { kind, offset } of found) {
    result.total += 1;
    result.counts[kind] = (result.counts[kind] ?? 0) + 1;
    if (result.findings.length >= fixedLimits.texts.hiddenCharacters) continue;
    const codePoint = `U+${(text.codePointAt(offset) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    result.findings.push({ kind, offset, ...placeOf(offset), codePoint });
  }
  return result;
}

/** One warning with the number of suspicious characters of each kind, and the places of the first ones. */
export function suspiciousUnicodeWarning(text: string, path: string): Warning | undefined {
  const { findings, total, counts } = findSuspiciousUnicode(text);
  const [first] = findings;
  if (first === undefined) return undefined;
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
  const places = findings.map(({ codePoint, offset }) => `${codePoint} at ${offset}`);
  const more = total > findings.length ? ', …' : '';
  const message = `${total} invisible or misleading characters (${kinds.join(', ')}), by offset: ${places.join(', ')}${more}. The text is delivered unchanged.`;
  return { code: 'suspicious_unicode', message, path, line: first.line, column: first.column };
}

/** Removes invisible and control characters, except those that a script or an emoji needs. */
export function removeInvisible(text: string): string {
  let kept = '';
  let end = 0;
  for (const { offset } of findInvisible(text)) {
    kept += text.slice(end, offset);
    end = offset + characterAt(text, offset).length;
  }
  return kept + text.slice(end);
}

function findInvisible(
  text: string,
  special = specialRuns(text),
  all = special.map((run) => run.text).join(''),
): { kind: SuspiciousKind; offset: number }[] {
  const found: { kind: SuspiciousKind; offset: number }[] = [];
  if (all.search(candidate) === -1) return found;
  const inFlags = new Set<number>();
  for (const run of special)
    for (const { index, 0: flag } of run.text.matchAll(subdivisionFlag))
      for (let at = index + 2; at < index + flag.length; at += 2) inFlags.add(run.offset + at);
  const context = { rightToLeft: rightToLeftLetter.test(all), braille: /[\u2801-\u28ff]/u.test(all), inFlags };
  let examined = 0;
  for (const run of special)
    for (const { index, 0: character } of run.text.matchAll(candidate)) {
      examined += 1;
      if (examined > maxExamined) return found;
      const offset = run.offset + index;
      const code = character.codePointAt(0) ?? 0;
      const kind = ranges.find(([first, last]) => code >= first && code <= last)?.[2] ?? 'ignorable';
      const place = {
        text,
        offset,
        before: characterBefore(text, offset),
        after: characterAt(text, offset + character.length),
      };
      if (!isUsual(character, kind, { ...place, ...context })) found.push({ kind, offset });
    }
  return found;
}

type Place = {
  text: string;
  offset: number;
  before: string;
  after: string;
  rightToLeft: boolean;
  braille: boolean;
  inFlags: ReadonlySet<number>;
};

/** Whether the script, the emoji or the notation around a character needs it. */
function isUsual(character: string, kind: SuspiciousKind, place: Place): boolean {
  const { before, after, offset } = place;
  const beside = (letter: RegExp): boolean => letter.test(before) || letter.test(after);
  switch (kind) {
    case 'bidi_control':
      return '\u200e\u200f\u061c'.includes(character) && place.rightToLeft;
    case 'joiner':
      return beside(joiningLetter) || (character === '\u200d' && pictograph.test(after) && followsPictograph(place));
    case 'zero_width':
      return character === '\ufeff' ? offset === 0 : character === '\u200b' && beside(unspacedLetter);
    case 'tag_character':
      return place.inFlags.has(offset);
    case 'variation_selector':
      if (character < '\u2000') return /^\p{sc=Mong}$/u.test(before);
      return character <= '\ufe0f' && character >= '\ufe00'
        ? hasVariants.test(before)
        : /^\p{Ideographic}$/u.test(before);
    case 'vowel_separator':
      return /^\p{sc=Mong}$/u.test(before);
    case 'hangul_filler':
      return beside(/^[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]$/u);
    case 'grapheme_joiner':
      return /^\p{M}$/u.test(after);
    case 'blank_pattern':
      return place.braille;
    case 'music_format':
      return beside(/^[\u{1d100}-\u{1d172}\u{1d17b}-\u{1d1ff}]$/u);
    case 'shorthand_format':
      return beside(/^[\u{1bc00}-\u{1bc9f}]$/u);
    default:
      return false;
  }
}

/** Whether an emoji, perhaps with a variation selector and a skin tone, stands before the offset. */
function followsPictograph({ text, offset, before }: Place): boolean {
  let at = offset;
  let character = before;
  for (let skipped = 0; skipped < 2 && emojiModifier.test(character); skipped += 1) {
    at -= character.length;
    character = characterBefore(text, at);
  }
  return pictograph.test(character);
}

function characterAt(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function characterBefore(text: string, offset: number): string {
  const pair = offset >= 2 ? characterAt(text, offset - 2) : '';
  return pair.length === 2 ? pair : text.slice(Math.max(0, offset - 1), offset);
}
