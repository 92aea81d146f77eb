/**
 * Measures what search finds (`npm run bench:relevance`). Settings are chosen by the first half of the questions; what is
 * reported in README.md is the second. `--choose` shows the first, with more values of `minScore`.
 */
import { createSearch } from '../../src/search/search.ts';
import type { SearchOptions } from '../../src/search/search-options.ts';
import { measureRanking, measureSelecting } from './relevance-figures.ts';
import { halfOf, readItems, readQuestions } from './relevance-set.ts';
import { createStandIns } from './stand-in-models.ts';

const half = process.argv.includes('--choose') ? 'choosing' : 'reporting';
const items = readItems();
const questions = readQuestions().filter((question) => halfOf(question) === half);
const standIns = createStandIns(items, questions);
const engines: { name: string; search: ReturnType<typeof createSearch>; mode: SearchOptions['mode'] }[] = [
  { name: 'keyword', search: createSearch(), mode: 'keyword' },
  ...Object.entries(standIns).flatMap(([name, semanticIndex]) => {
    const search = createSearch({ semanticIndex });
    return [
      { name: `semantic (${name})`, search, mode: 'semantic' as const },
      { name: `hybrid   (${name})`, search, mode: 'hybrid' as const },
    ];
  }),
];

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`.padStart(6);
const line = (title: string, cells: readonly string[]): void => console.log(`${title.padEnd(36)}${cells.join('')}`);

console.log(`${items.length} items, ${questions.length} questions of the ${half} half\n`);
line('ranking: first, first five, MRR', ['     natural              ', '  paraphrased']);
for (const { name, search, mode } of engines) {
  const cells: string[] = [];
  for (const kind of ['natural', 'paraphrase'] as const) {
    const asked = questions.filter((question) => question.kind === kind);
    const { top1, top5, mrr } = await measureRanking(search, { items, questions: asked, options: { mode } });
    cells.push(`${percent(top1)} ${percent(top5)}   ${mrr.toFixed(2)}      `);
  }
  line(name, cells);
}

console.log('');
line('selection: found, items, false', ['  aggressive                normal                    conservative']);
for (const { name, search, mode } of engines) {
  const cells: string[] = [];
  for (const preset of ['aggressive', 'normal', 'conservative'] as const) {
    const figures = await measureSelecting(search, { items, questions, options: { mode, preset } });
    cells.push(
      `${percent(figures.found)} ${figures.selected.toFixed(1)} ${percent(figures.falseSelections)}`.padEnd(26),
    );
  }
  line(name, cells);
}

console.log('');
line('minScore: found, false', ['']);
const swept = [0.05, 0.1, 0.12, 0.15, 0.18, 0.2, 0.22, 0.25, 0.3, 0.4];
line(
  '',
  swept.map((value) => `${value}`.padEnd(16)),
);
for (const { name, search, mode } of engines) {
  const cells: string[] = [];
  for (const minScore of swept) {
    const { found, falseSelections } = await measureSelecting(search, {
      items,
      questions,
      options: { mode, minScore },
    });
    cells.push(`${percent(found)}${percent(falseSelections)}`.padEnd(16));
  }
  line(name, cells);
}
