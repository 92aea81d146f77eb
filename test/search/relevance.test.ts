/** What search finds of the relevance set; figures of every engine and preset: `npm run bench:relevance`. */
import { describe, expect, it } from 'vitest';
import { createSearch } from '../../src/search/search.ts';
import { measureRanking, measureSelecting } from '../bench/relevance-figures.ts';
import { type Question, readItems, readQuestions } from '../bench/relevance-set.ts';
import { createStandIns } from '../bench/stand-in-models.ts';

const items = readItems();
const questions = readQuestions();
const paraphrased = questions.filter(({ kind }) => kind === 'paraphrase');
const words = { searches: [createSearch()], options: { mode: 'keyword' } as const };
const asked = (questions: readonly Question[]) => ({ ...words, catalogues: [{ items, questions }] });

describe('relevance', () => {
  it('SS-07 words find nearly everything that is asked for by its words, and most of what is paraphrased', async () => {
    const natural = questions.filter(({ kind }) => kind === 'natural');
    expect((await measureRanking(asked(natural))).top5).toBeGreaterThanOrEqual(0.97);
    expect((await measureRanking(asked(paraphrased))).top5).toBeGreaterThanOrEqual(0.75);
  });

  it('SS-05 questions that are about nothing here select nothing', async () => {
    const [figures] = await measureSelecting(asked(questions), [undefined]);
    expect(figures?.falseSelections).toBe(0);
    expect(figures?.found).toBeGreaterThanOrEqual(0.75);
    expect(figures?.selected).toBeLessThan(1.1);
  });

  it.each(Object.entries(createStandIns(items, questions, 2)))(
    'SS-07 both together are no worse than the better of them, where meaning %s',
    async (_name, models) => {
      const searches = models.map((semanticIndex) => createSearch({ semanticIndex }));
      const ranking = (mode: 'keyword' | 'semantic' | 'hybrid') =>
        measureRanking({ searches, catalogues: [{ items, questions: paraphrased }], options: { mode } });
      const [byWords, byMeaning, byBoth] = [
        await ranking('keyword'),
        await ranking('semantic'),
        await ranking('hybrid'),
      ];
      // The standard error of a part of so many questions is a good 3 %.
      expect(byBoth.top5).toBeGreaterThan(Math.max(byWords.top5, byMeaning.top5) - 0.03);
      expect(byBoth.mrr).toBeGreaterThan(Math.max(byWords.mrr, byMeaning.mrr) - 0.03);
    },
  );
});
