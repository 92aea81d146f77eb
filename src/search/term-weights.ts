/** How much each word of a question counts, by how rare it is, and how much all of them can tell (SS-07). */
import type { Question } from './question.ts';

/** Documents in which a term is imagined to be missing, so that among few documents each word still tells something. */
const imaginedDocuments = 20;
/** Of the words of a question that no document has, at most so many count as missing: a message is not only a question. */
const unknownWords = 3;

/**
 * `weights`: of all terms; with those of words that no document has they are 1. `evidence`: how much it tells when all of
 * that is found, which is more for many words, and for words that documents have. The exponent was chosen such that chance
 * gives as much among few documents as among many.
 */
export type TermWeights = Readonly<{ weights: Float64Array; evidence: number }>;

/**
 * An identifier counts as one word, which its parts share; one that no document has does not count by its parts either,
 * which are there by chance. `having`: how many of the documents have each term.
 */
export function weighTerms(
  { wholes }: Pick<Question, 'wholes'>,
  having: readonly number[],
  documents: number,
): TermWeights {
  const total = documents + imaginedDocuments;
  const rarity = (count: number): number => Math.log(1 + (total - count + 0.5) / (count + 0.5));
  const greatest = new Float64Array(wholes.length);
  const sums = new Float64Array(wholes.length);
  for (const [term, whole] of wholes.entries()) {
    const count = having[term] as number;
    if (count === 0 || having[whole] === 0) continue;
    greatest[whole] = Math.max(greatest[whole] as number, rarity(count));
    sums[whole] = (sums[whole] as number) + rarity(count);
  }
  const known = greatest.reduce((sum, weight) => sum + weight, 0);
  const unknown = wholes.filter((whole, term) => whole === term && having[term] === 0).length;
  const ideal = known + Math.min(unknown, unknownWords) * rarity(0);
  const weights = Float64Array.from(wholes, (whole, term) => {
    if (sums[whole] === 0 || having[term] === 0) return 0;
    return ((greatest[whole] as number) * rarity(having[term] as number)) / (sums[whole] as number) / ideal;
  });
  return { weights, evidence: Math.sqrt(known) / rarity(0) ** 1.25 };
}
