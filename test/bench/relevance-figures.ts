/** What a search finds of a set of questions, and what it selects without being asked. */
import { textOfPart } from '../../src/context/offered-part.ts';
import type { Search } from '../../src/search/search.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import type { SearchOptions } from '../../src/search/search-options.ts';
import type { Question } from './relevance-set.ts';

/** `top1` and `top5`: part of the questions whose item is first, or among the first five. `mrr`: mean of 1 / rank. */
export type Ranking = { top1: number; top5: number; mrr: number };

/**
 * `found`: part of the questions whose item is selected; `selected`: items of one such question on average;
 * `falseSelections`: part of the unrelated questions that select anything.
 */
export type Selecting = { found: number; selected: number; falseSelections: number };

/** `searches` are of one kind and differ in their noise; the figures are the mean of theirs. */
type Asked = {
  searches: readonly Search[];
  items: readonly SearchItem[];
  questions: readonly Question[];
  options?: SearchOptions;
};

/** What one question selects: the place of its item or `Infinity`, and all scores, best first. */
type Answer = { question: Question; rank: number; scores: number[] };

async function ask({ searches, items, questions, options }: Asked): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const search of searches)
    for (const question of questions) {
      const { results } = await search.search(question.text, items, options);
      const at = results.findIndex(({ item, score }) => item.name === question.expected && score > 0);
      const scores = results.map(({ score }) => score);
      answers.push({ question, rank: at < 0 ? Number.POSITIVE_INFINITY : at + 1, scores });
    }
  return answers;
}

/** Ranks without any cut-off. */
export async function measureRanking({ options, ...asked }: Asked): Promise<Ranking> {
  const everything = { ...options, topK: 1000, topN: 200, minScore: 0 };
  const questions = asked.questions.filter(({ expected }) => expected !== undefined);
  const answers = await ask({ ...asked, questions, options: everything });
  const part = (most: number): number => answers.filter(({ rank }) => rank <= most).length / answers.length;
  const mrr = answers.reduce((sum, { rank }) => sum + 1 / rank, 0) / answers.length;
  return { top1: part(1), top5: part(5), mrr };
}

/**
 * Of one question on average: characters of all that is selected, and of what goes along of it; parts of the questions whose
 * item goes along whole, by a section, by its description.
 */
export type Delivery = { all: number; along: number; forms: Record<'whole' | 'section' | 'description', number> };

export async function measureDelivery({ searches, items, questions, options }: Asked): Promise<Delivery> {
  const delivery: Delivery = { all: 0, along: 0, forms: { whole: 0, section: 0, description: 0 } };
  const share = 1 / (searches.length * questions.length);
  for (const search of searches)
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
      return { isAbout: question.expected !== undefined, selected, isFound: rank <= selected };
    });
    const about = cut.filter(({ isAbout }) => isAbout);
    const unrelated = cut.filter(({ isAbout }) => !isAbout);
    return {
      found: about.filter(({ isFound }) => isFound).length / about.length,
      selected: about.reduce((sum, { selected }) => sum + selected, 0) / about.length,
      falseSelections: unrelated.filter(({ selected }) => selected > 0).length / unrelated.length,
    };
  });
}
