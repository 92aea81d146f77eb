/**
 * Finds words that mix Latin letters with look-alikes of other scripts, such as `pаypal` with a Cyrillic `а` (S-65).
 */

/** No match begins with a mark, so that no mark is checked twice. */
const meeting = /\p{sc=Latn}\p{M}*[\p{sc=Cyrl}\p{sc=Grek}]|(?!\p{M})[\p{sc=Cyrl}\p{sc=Grek}]\p{M}*\p{sc=Latn}/gu;
const wordEnd = /[\p{L}\p{M}]*/uy;
const foreign = /[\p{sc=Cyrl}\p{sc=Grek}]/gu;

/** Letters that look like a Latin letter, and are not symbols of a science. */
const lookAlikes = new Set('аеорсухіјѕԁһԛԝӏёїАВЕКМНОРСТУХІЈЅԚԜӀЁЇοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ');
/** Letters that look like a Latin letter, but are also symbols, as in `NFκB` or `hν`. Suspicious only inside a word. */
const symbols = new Set('ανικρυ');

/** Enough to say that a text is full of them. */
const maxFound = 10_000;

/** Offsets (UTF-16 code units) of the first look-alike of each such word, of the first 10,000 words. */
export function findConfusables(text: string): number[] {
  const found: number[] = [];
  meeting.lastIndex = 0;
  let from = 0;
  for (let match = meeting.exec(text); match !== null && found.length < maxFound; match = meeting.exec(text)) {
    const start = wordStart(text, match.index, from);
    wordEnd.lastIndex = match.index;
    // A numeral such as ⅰ is Latin but not a letter. If a word begins with one, it ends there.
    from = match.index + Math.max(match[0].length, wordEnd.exec(text)?.[0].length ?? 0);
    meeting.lastIndex = from;
    const word = text.slice(start, from);
    const [first] = word.matchAll(foreign);
    if (first !== undefined && isMisleading(word)) found.push(start + first.index);
  }
  return found;
}

/**
 * Not misleading: words with letters that only the other script has (`email’ы`, `IPшник`), and acronyms with an ending
 * (`JSONа`).
 */
function isMisleading(word: string): boolean {
  const letters = word.match(foreign) ?? [];
  if (/^[A-Z]{2,}\p{sc=Cyrl}{1,3}$/u.test(word) && word.endsWith(word.toLowerCase().slice(-1))) return false;
  if (letters.every((letter) => lookAlikes.has(letter))) return true;
  if (!letters.every((letter) => lookAlikes.has(letter) || symbols.has(letter))) return false;
  return /^\p{sc=Latn}.*\p{sc=Latn}$/u.test(word) && (word.match(/[a-z]/gu)?.length ?? 0) >= 3;
}

function wordStart(text: string, index: number, from: number): number {
  let start = index;
  while (start > from && /[\p{L}\p{M}]/u.test(text[start - 1] as string)) start -= 1;
  return start;
}
