/** The section of a text that a question is about, where the headings say which one it is. */
import { maxPieces, sectionsOf } from '../context/joints.ts';
import { atOnce } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { queryTerms } from './question.ts';
import { termsOf } from './terms.ts';

/** `text` begins with the line of the heading, and has what is below it too. */
export type Section = { heading: string; text: string };

/** Fewer words are chance, unless the heading has no other. */
const minWords = 2;
const longestHeading = 200;
const { soughtCharacters, wholeCharacters } = fixedLimits.search;

/**
 * The section whose heading has more words of the question than that of any other. Nothing where two have as many, where
 * they are too few, or where the section is too long. Of a very long text only the beginning is looked at.
 */
export function findSection(query: string, text: string): Section | undefined {
  const asked = new Set(queryTerms(query).filter((term) => /\P{N}/u.test(term)));
  const pieces = atOnce(sectionsOf(text.slice(0, soughtCharacters)));
  const headings = pieces.map(headingOf);
  const counts = headings.map(({ terms }) => terms.filter((term) => asked.has(term)).length);
  const most = Math.max(0, ...counts);
  const at = counts.indexOf(most);
  const found = headings[at];
  // Beyond so many pieces the last one is all that is left.
  if (at === maxPieces) return undefined;
  if (found === undefined || most === 0 || counts.lastIndexOf(most) !== at) return undefined;
  if (most < minWords && found.terms.length > most) return undefined;
  let end = at + 1;
  while (end < pieces.length && (headings[end]?.level ?? 0) > found.level) end += 1;
  const section = pieces.slice(at, end).join('');
  // The last one may go on.
  if (end === pieces.length && text.length > soughtCharacters) return undefined;
  return section.length <= wholeCharacters ? { heading: found.words, text: section } : undefined;
}

/** Of what stands before the first one: no words, and above all others. */
function headingOf(piece: string): { level: number; words: string; terms: string[] } {
  const [line = ''] = piece.slice(0, longestHeading).split('\n', 1);
  const level = /^ {0,3}(#{1,6})(?:\s|$)/u.exec(line)?.[1]?.length ?? 0;
  if (level === 0) return { level, words: '', terms: [] };
  const words = line.trim().slice(level).trim();
  // One character can be written as eighteen.
  return { level, words, terms: [...new Set(termsOf(words.normalize('NFKC').slice(0, longestHeading)))] };
}
