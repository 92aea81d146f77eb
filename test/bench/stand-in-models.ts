/**
 * Stand-ins for search by meaning, since a real model cannot be part of this repository. One compares sequences of
 * characters; the others know the answer and bury it in noise, so much that they find it often, at times, or never.
 */
import { createHash } from 'node:crypto';
import { bestChunks } from '../../src/search/best-chunks.ts';
import { chunkItem } from '../../src/search/chunk.ts';
import type { SemanticIndex } from '../../src/search/search.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import type { Question } from './relevance-set.ts';

type ScoreChunk = (query: string, item: SearchItem, chunk: number) => number;

const chunkCounts = new WeakMap<SearchItem, number>();

function countChunks(item: SearchItem): number {
  const count = chunkCounts.get(item) ?? chunkItem(item).length;
  chunkCounts.set(item, count);
  return count;
}

function createStandIn(scoreOf: ScoreChunk): SemanticIndex {
  /** By question, of the same items: each is asked for its chunks alone, and together with words. */
  const known = new WeakMap<readonly SearchItem[], Map<string, number[][]>>();
  const scoresOf = (query: string, items: readonly SearchItem[]): number[][] => {
    const byQuery = known.get(items) ?? new Map<string, number[][]>();
    known.set(items, byQuery);
    const scores =
      byQuery.get(query) ??
      items.map((item) => Array.from({ length: countChunks(item) }, (_, chunk) => scoreOf(query, item, chunk)));
    byQuery.set(query, scores);
    return scores;
  };
  return {
    async match(query, items) {
      const scores = scoresOf(query, items);
      const counts = scores.map(({ length }) => length);
      return { ok: true, matches: bestChunks(Float32Array.from(scores.flat()), counts) };
    },
  };
}

/** Similarities of unrelated texts have this mean and spread, as those of small sentence models have. */
const unrelated = { mean: 0.12, spread: 0.08 };

/** The chunk that begins an item answers it by `signal` spreads more than all others. */
function createOracle(
  questions: readonly Question[],
  { signal, mean, spread, draw }: { signal: number; mean: number; spread: number; draw: number },
): SemanticIndex {
  const expected = new Map(questions.map(({ text, expected }) => [text, expected]));
  return createStandIn((query, { name }, chunk) => {
    const answer = chunk === 0 && expected.get(query) === name ? signal : 0;
    return Math.max(-1, Math.min(1, mean + spread * (answer + noiseOf(`${draw} ${signal} ${query} ${name} ${chunk}`))));
  });
}

/**
 * The same for the same text, with the long tails that real models have: as Student's distribution with 12 degrees of
 * freedom. Of 499 texts about other things than a question, the nearest is 3.4 spreads above the median, or 5 at times.
 */
function noiseOf(text: string): number {
  const hash = createHash('sha256').update(text).digest();
  const radius = Math.sqrt(-2 * Math.log((hash.readUInt32LE(0) + 1) / 2 ** 32 / 1.000001));
  const normal = radius * Math.cos(2 * Math.PI * (hash.readUInt32LE(4) / 2 ** 32));
  return normal + (normal ** 3 + normal) / 48;
}

type Vector = ReadonlyMap<string, number>;

/** Cosines of sequences of three and four characters, rare ones counting more. */
function createCharacterModel(items: readonly SearchItem[]): SemanticIndex {
  const chunks = items.flatMap((item) => chunkItem(item).map((text, at) => ({ key: `${item.name} ${at}`, text })));
  const having = new Map<string, number>();
  for (const { text } of chunks)
    for (const part of countParts(text).keys()) having.set(part, (having.get(part) ?? 0) + 1);
  const vectorOf = (text: string): Vector => {
    const weighted = [...countParts(text)].map(([part, count]): [string, number] => [
      part,
      (1 + Math.log(count)) * Math.log(1 + chunks.length / (1 + (having.get(part) ?? 0))),
    ]);
    const length = Math.hypot(...weighted.map(([, weight]) => weight)) || 1;
    return new Map(weighted.map(([part, weight]) => [part, weight / length]));
  };
  const vectors = new Map(chunks.map(({ key, text }) => [key, vectorOf(text)]));
  const questions = new Map<string, Vector>();
  return createStandIn((query, { name }, chunk) => {
    const question = questions.get(query) ?? vectorOf(query);
    questions.set(query, question);
    let cosine = 0;
    for (const [part, weight] of question) cosine += weight * (vectors.get(`${name} ${chunk}`)?.get(part) ?? 0);
    return cosine;
  });
}

function countParts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[a-z0-9]+/gu))
    for (const size of [3, 4])
      for (let at = 0; at + size <= word.length + 2; at += 1) {
        const part = `_${word}_`.slice(at, at + size);
        counts.set(part, (counts.get(part) ?? 0) + 1);
      }
  return counts;
}

/** By name; of those that depend on chance `draws` each, with other noise. */
export function createStandIns(
  items: readonly SearchItem[],
  questions: readonly Question[],
  draws: number,
): Record<string, SemanticIndex[]> {
  const oracles = (strength: { signal: number; mean: number; spread: number }): SemanticIndex[] =>
    Array.from({ length: draws }, (_, draw) => createOracle(questions, { ...strength, draw }));
  return {
    'character sequences': [createCharacterModel(items)],
    'knows, little noise': oracles({ ...unrelated, signal: 5 }),
    'knows, some noise': oracles({ ...unrelated, signal: 3.6 }),
    'knows, much noise': oracles({ ...unrelated, signal: 2.4 }),
    'knows, close together': oracles({ mean: 0.75, spread: 0.023, signal: 3.6 }),
    'noise, far apart': oracles({ ...unrelated, signal: 0 }),
    'noise, close together': oracles({ mean: 0.9, spread: 0.015, signal: 0 }),
  };
}
