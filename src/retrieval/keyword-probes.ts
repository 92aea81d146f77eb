/**
 * A first check of many texts for a query: which contain its words, and how often. It is a hundred times cheaper than
 * counting all words of a text. The best files are then counted completely.
 */
import { queryTerms } from '../search/question.ts';

/**
 * The count of each term in a text, and its length in characters. `pairs`: how many of the terms that follow each other
 * in the query also do in the text, as a share.
 */
export type Probed = { counts: Uint16Array; length: number; pairs: number };

type Probes = {
  terms: readonly string[];
  /** Undefined if no term occurs. */
  probe(text: string): Probed | undefined;
};

/** A term is the stem of a word. Its last letter may differ in the text, so longer terms are searched without it. */
const minProbe = 3;
const maxCounted = 1_000;
/** Characters from a probe to the next one: the rest of a word, and what is between it and the next word. */
const maxBetween = 8;
const nameWeight = 3;

export function createProbes(query: string): Probes {
  const terms = queryTerms(query);
  const probes = terms.map((term) => (term.length > minProbe ? term.slice(0, -1) : term).toWellFormed());
  const isPlain = probes.every((probe) => /^[\x20-\x7e]*$/u.test(probe));
  // Of two probes with the same beginning, the longer one matches first. Then the shorter one occurs too.
  const byLength = [...new Set(probes)].sort((a, b) => b.length - a.length);
  const termsAt = new Map(
    byLength.map((found) => [found, probes.flatMap((probe, at) => (found.startsWith(probe) ? [at] : []))]),
  );
  // Terms have only letters and digits, so they need no escaping.
  const pattern = new RegExp(byLength.join('|'), isPlain ? 'gi' : 'giu');
  return {
    terms,
    probe(text) {
      if (terms.length === 0) return undefined;
      const counts = new Uint16Array(terms.length);
      const searched = isPlain ? text : text.normalize('NFKC');
      const pairs = new Set<number>();
      let found = 0;
      let before: readonly number[] = [];
      let end = 0;
      for (const { 0: match, index } of searched.matchAll(pattern)) {
        const places = termsAt.get(match.toLowerCase()) ?? [];
        for (const at of places) {
          counts[at] = (counts[at] as number) + 1;
          if (index - end <= maxBetween && before.includes(at - 1)) pairs.add(at);
        }
        before = places;
        end = index + match.length;
        found += 1;
        if (found >= maxCounted) break;
      }
      if (found === 0) return undefined;
      // A very frequent term must not hide a rare one, nor a pair of characters the one that it overlaps.
      const folded = isPlain && found < maxCounted ? '' : searched.toLowerCase();
      for (const [at, probe] of probes.entries())
        if (counts[at] === 0 && folded.includes(probe.toLowerCase())) counts[at] = 1;
      return { counts, length: text.length, pairs: pairs.size / Math.max(1, terms.length - 1) };
    },
  };
}

export type ProbedFile = { text: Probed | undefined; ofName: Probed | undefined };

/**
 * The best probed files, by their index, best first, with scores multiplied by their `share`. `having`: in how many
 * files each term occurs.
 */
export function bestProbed(
  files: readonly (ProbedFile & { share: number })[],
  { max, terms }: { max: number; terms: number },
): { best: number[]; having: number[] } {
  const { scores, having } = scoreProbed(files, terms);
  const sorted = scores
    .map((score, at) => ({ score: score * (files[at]?.share ?? 1), at }))
    .sort((a, b) => b.score - a.score || a.at - b.at);
  return { best: sorted.slice(0, max).map(({ at }) => at), having };
}

/** The share of the query in each file, from 0 to 1. */
export function scoreProbed(files: readonly ProbedFile[], terms: number): { scores: number[]; having: number[] } {
  const having = Array.from({ length: terms }, () => 0);
  let length = 0;
  for (const { text, ofName } of files) {
    length += text?.length ?? 0;
    for (let term = 0; term < terms; term += 1)
      if (text?.counts[term] || ofName?.counts[term]) having[term] = (having[term] as number) + 1;
  }
  const average = length / Math.max(1, files.length);
  const weights = having.map((count) => Math.log(1 + (files.length + 20) / (count + 0.5)));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const scores = files.map(({ text, ofName }) => {
    const longer = 0.4 + (0.6 * (text?.length ?? 0)) / Math.max(1, average);
    const score = weights.reduce((sum, weight, term) => {
      const times = (text?.counts[term] ?? 0) / longer + nameWeight * Math.min(1, ofName?.counts[term] ?? 0);
      return sum + (weight * times) / (times + 1);
    }, 0);
    return score / Math.max(Number.MIN_VALUE, all);
  });
  return { scores, having };
}
