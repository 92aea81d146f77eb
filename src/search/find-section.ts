/** Finds the section of a text that a question is about, if the headings show it. */
import { maxPieces, sectionsOf } from '../context/joints.ts';
import { atOnce } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { queryTerms } from './question.ts';
import { hashesOf, hashOfTerm } from './terms.ts';

/** `text` begins with the heading, and includes the sections below it. */
type Section = { heading: string; text: string };

/** Fewer matching words count as chance, unless the heading has no other words. */
const minWords = 2;
const longestHeading = 200;
const { soughtCharacters, wholeCharacters } = fixedLimits.search;

/**
 * The section whose heading has more words of the question than any other heading. Undefined if two headings have
 * equally many, if they have too few, or if the section is too long. Only the beginning of a very long text is
 * searched.
 */
export function findSection(query: string, text: string): Section | undefined {
  const asked = new Set(queryTerms(query).flatMap((term) => (/\P{N}/u.test(term) ? [hashOfTerm(term)] : [])));
  const pieces = atOnce(sectionsOf(text.slice(0, soughtCharacters)));
  const headings = pieces.map(headingOf);
  const counts = headings.map(({ terms }) => terms.filter((term) => asked.has(term)).length);
  const max = Math.max(0, ...counts);
  const at = counts.indexOf(max);
  const found = headings[at];
  // If there are too many pieces, the last one is the whole rest.
  if (at === maxPieces) return undefined;
  if (found === undefined || max === 0 || counts.lastIndexOf(max) !== at) return undefined;
  if (max < minWords && found.terms.length > max) return undefined;
  let end = at + 1;
  while (end < pieces.length && (headings[end]?.level ?? 0) > found.level) end += 1;
  const section = pieces.slice(at, end).join('');
  // The section may continue after the searched beginning.
  if (end === pieces.length && text.length > soughtCharacters) return undefined;
  return section.length <= wholeCharacters ? { heading: found.words, text: section } : undefined;
}

/** The heading of a piece. Text before the first heading has no words and level 0. */
function headingOf(piece: string): { level: number; words: string; terms: number[] } {
  const [line = ''] = piece.slice(0, longestHeading).split('\n', 1);
  const level = /^ {0,3}(#{1,6})(?:\s|$)/u.exec(line)?.[1]?.length ?? 0;
  if (level === 0) return { level, words: '', terms: [] };
  const words = line.trim().slice(level).trim();
  // Normalizing can turn one character into eighteen.
  return { level, words, terms: [...new Set(hashesOf(words.normalize('NFKC').slice(0, longestHeading)))] };
}
