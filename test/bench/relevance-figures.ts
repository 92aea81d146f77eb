/** What a search finds of a set of questions, and what it selects without being asked. */
import { textOfPart } from '../../src/context/offered-part.ts';
import type { Search } from '../../src/search/search.ts';
import type { SearchOptions } from '../../src/search/search-options.ts';
import type { Catalogue, Question } from './relevance-set.ts';

/** `top1` and `top5`: part of the questions whose item is first, or among the first five. `mrr`: mean of 1 / rank. */
export type Ranking = { top1: number; top5: number; mrr: number; errors: Record<'top1' | 'top5', number> };

/**
 * `found`: part of the questions whose item is selected; `selected`: items of one such question on average;
 * `falseSelections`: part of the unrelated questions that select anything.
 */
export type Selecting = {
  found: number;
  selected: number;
  falseSelections: number;
  errors: Record<'found' | 'falseSelections', number>;
};

/**
 * `searches` are of one kind and differ in their noise. The figures are the means over all searches and catalogues.
 * `errors` are standard errors.
 */
type Asked = { searches: readonly Search[]; catalogues: readonly Catalogue[]; options?: SearchOptions };

/** What one question selects: the place of its item or `Infinity`, and all scores, best first. */
type Answer = { question: Question; rank: number; scores: number[] };

async function ask({ searches, catalogues, options }: Asked): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const search of searches)
    for (const { items, questions } of catalogues)
      for (const question of questions) {
        const { results } = await search.search(question.text, items, options);
        const at = results.findIndex(({ item, score }) => item.name === question.expected && score > 0);
        const scores = results.map(({ score }) => score);
        answers.push({ question, rank: at < 0 ? Number.POSITIVE_INFINITY : at + 1, scores });
      }
  return answers;
}

/** Answers to one question depend on each other, so the error counts them together. */
function partOf<A extends { question: Question }>(
  answers: readonly A[],
  isPart: (answer: A) => boolean,
): { part: number; error: number } {
  const part = answers.filter(isPart).length / answers.length;
  const deviations = new Map<Question, number>();
  for (const answer of answers) {
    const deviation = (isPart(answer) ? 1 : 0) - part;
    deviations.set(answer.question, (deviations.get(answer.question) ?? 0) + deviation);
  }
  return { part, error: Math.hypot(...deviations.values()) / answers.length };
}

/** Ranks without any cut-off. */
export async function measureRanking({ options, ...asked }: Asked): Promise<Ranking> {
  const everything = { ...options, topK: 1000, topN: 200, minScore: 0 };
  const all = await ask({ ...asked, options: everything });
  const answers = all.filter(({ question }) => question.expected !== undefined);
  const [top1, top5] = [partOf(answers, ({ rank }) => rank === 1), partOf(answers, ({ rank }) => rank <= 5)];
  const mrr = answers.reduce((sum, { rank }) => sum + 1 / rank, 0) / answers.length;
  return { top1: top1.part, top5: top5.part, mrr, errors: { top1: top1.error, top5: top5.error } };
}

/**
 * Of one question on average: characters of all that is selected, and of what goes along of it; parts of the questions whose
 * item goes along whole, by a section, by its description.
 */
export type Delivery = { all: number; along: number; forms: Record<'whole' | 'section' | 'description', number> };

export async function measureDelivery({ searches, catalogues, options }: Asked): Promise<Delivery> {
  const delivery: Delivery = { all: 0, along: 0, forms: { whole: 0, section: 0, description: 0 } };
  const share = 1 / (searches.length * catalogues.reduce((sum, { questions }) => sum + questions.length, 0));
  for (const search of searches)
    for (const { items, questions } of catalogues)
      for (const question of questions) {
        const { results } = await search.search(question.text, items, { ...options, isWhole: () => false });
        for (const { item, part } of results) {
          const { name, description, text } = item;
          delivery.all += share * text.length;
          const wholeTokens = Math.ceil(text.length / 4);
          delivery.along += share * (part ? textOfPart(part, { name, description, wholeTokens }) : text).length;
          if (name === question.expected) delivery.forms[part?.part ?? 'whole'] += share;
        }
      }
  return delivery;
}

/** For each of the values of `minScore`, or without any for the one of the options. */
export async function measureSelecting(asked: Asked, minScores: readonly (number | undefined)[]): Promise<Selecting[]> {
  const options = minScores.every((value) => value === undefined) ? asked.options : { ...asked.options, minScore: 0 };
  const answers = await ask({ ...asked, ...(options && { options }) });
  return minScores.map((minScore = 0) => {
    const cut = answers.map(({ question, rank, scores }) => {
      const selected = scores.filter((score) => score >= minScore).length;
      return { question, selected, isFound: rank <= selected };
    });
    const about = cut.filter(({ question }) => question.expected !== undefined);
    const found = partOf(about, ({ isFound }) => isFound);
    const unrelated = cut.filter(({ question }) => question.expected === undefined);
    const falseSelections = partOf(unrelated, ({ selected }) => selected > 0);
    return {
      found: found.part,
      selected: about.reduce((sum, { selected }) => sum + selected, 0) / about.length,
      falseSelections: falseSelections.part,
      errors: { found: found.error, falseSelections: falseSelections.error },
    };
  });
}
