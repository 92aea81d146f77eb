/** Weighs each word of a question by how rare it is, and computes the evidence of all words together (SS-07). */
/**
 * This many imagined documents without the term are added, so that each word has some weight even among few documents.
 */
const imaginedDocuments = 20;
/**
 * Max words that no document has and that count as missing. A message also has words that are not about the question.
 */
const unknownWords = 3;

/**
 * `weights`: the weight of each term, as a share of all; 0 for terms that no document has. `evidence`: the evidence if
 * everything is found. It is higher for many words, and for words that documents have. Its exponent was chosen so that
 * chance gives the same evidence among few documents and among many.
 */
type TermWeights = Readonly<{ weights: Float64Array; evidence: number }>;

/**
 * An identifier counts as one word, whose weight its parts share. If no document has it, its parts do not count either,
 * because they match by chance. `wholes`: as in `Question`. `having`: number of documents with each term.
 */
export function weighTerms(wholes: readonly number[], having: readonly number[], documents: number): TermWeights {
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
