/**
 * Measures what search finds (`npm run bench:relevance`). Settings are chosen by the first half of the questions; what is
 * reported in docs/search.md is the second. `--choose` shows the first. `--real` asks about files of public repositories.
 * `--embedder <address> --model <name>` measures with the model of a server, else with stand-ins, which know only our own
 * questions.
 */
import { parseArgs } from 'node:util';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { createEndpointEmbedder } from '../../src/adapters/embedding/endpoint-embedder.ts';
import { createSearch, type SemanticIndex } from '../../src/search/search.ts';
import { createSemanticIndex } from '../../src/search/semantic-index.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { silentLogger } from '../support/workspace.ts';
import { readDocuments } from './relevance-documents.ts';
import { measureDelivery, measureRanking, measureSelecting } from './relevance-figures.ts';
import { halfOf, readItems, readQuestions } from './relevance-set.ts';
import { createStandIns } from './stand-in-models.ts';

const { values: asked } = parseArgs({
  options: {
    choose: { type: 'boolean' },
    real: { type: 'boolean' },
    embedder: { type: 'string' },
    model: { type: 'string' },
  },
});
const half = asked.choose ? 'choosing' : 'reporting';
const isReal = asked.real === true;
const { items, questionsOf } = isReal
  ? await readDocuments()
  : { items: readItems(), questionsOf: () => readQuestions().filter((question) => halfOf(question) === half) };
const questions = questionsOf(half);
const models: Record<string, SemanticIndex[]> =
  asked.embedder !== undefined
    ? { [asked.model ?? 'model']: [await indexOf(asked.embedder, asked.model ?? 'model')] }
    : isReal
      ? {}
      : createStandIns(items, questions, 6);
const engines = [
  { name: 'keyword', searches: [createSearch()], mode: 'keyword' as const },
  ...Object.entries(models).flatMap(([name, indexes]) => {
    const searches = indexes.map((semanticIndex) => createSearch({ semanticIndex }));
    return [
      { name: `semantic (${name})`, searches, mode: 'semantic' as const },
      { name: `hybrid   (${name})`, searches, mode: 'hybrid' as const },
    ];
  }),
];

const percent = (part: number): string => `${(100 * part).toFixed(0)} %`.padStart(6);
const line = (title: string, cells: readonly string[]): void => console.log(`${title.padEnd(34)}${cells.join('')}`);

console.log(`${items.length} items, ${questions.length} questions of the ${half} half\n`);
line('ranking: first, first five, MRR', ['natural'.padStart(14), 'paraphrased'.padStart(28)]);
for (const { name, searches, mode } of engines) {
  const cells: string[] = [];
  for (const kind of ['natural', 'paraphrase'] as const) {
    const asked = questions.filter((question) => question.kind === kind);
    const { top1, top5, mrr } = await measureRanking({ searches, items, questions: asked, options: { mode } });
    cells.push(`${percent(top1)} ${percent(top5)}   ${mrr.toFixed(2)}`.padEnd(26));
  }
  line(name, cells);
}

line('\nselection: found, items, false', [
  'aggressive'.padStart(17),
  'normal'.padStart(20),
  'conservative'.padStart(30),
]);
for (const { name, searches, mode } of engines) {
  const cells: string[] = [];
  for (const preset of ['aggressive', 'normal', 'conservative'] as const) {
    const [figures] = await measureSelecting({ searches, items, questions, options: { mode, preset } }, [undefined]);
    if (figures === undefined) continue;
    const { found, selected, falseSelections } = figures;
    cells.push(`${percent(found)} ${selected.toFixed(1).padStart(4)} ${percent(falseSelections)}`.padEnd(26));
  }
  line(name, cells);
}

/** Of a part of so many questions. */
const standardError = (part: number, count: number): string =>
  `± ${(100 * Math.sqrt((part * (1 - part)) / count)).toFixed(0)}`;
line('\nnormal: found, others, error', ['natural'.padStart(17), 'paraphrased'.padStart(28)]);
for (const { name, searches, mode } of engines) {
  const cells: string[] = [];
  for (const kind of ['natural', 'paraphrase'] as const) {
    const asked = questions.filter((question) => question.kind === kind);
    const [figures] = await measureSelecting({ searches, items, questions: asked, options: { mode } }, [undefined]);
    if (figures === undefined) continue;
    const { found, selected } = figures;
    cells.push(
      `${percent(found)}   ${(selected - found).toFixed(2)}   ${standardError(found, asked.length)}`.padEnd(26),
    );
  }
  line(name, cells);
}

line('\nnormal: characters selected, of these along; whole, section, description', []);
for (const { name, searches, mode } of engines) {
  const cells: string[] = [];
  for (const kind of ['natural', 'paraphrase'] as const) {
    const asked = questions.filter((question) => question.kind === kind);
    const { all, along, forms } = await measureDelivery({ searches, items, questions: asked, options: { mode } });
    const shares = Object.values(forms).map(percent).join('');
    cells.push(`${all.toFixed(0).padStart(8)} ${along.toFixed(0).padStart(8)} ${shares}`.padEnd(44));
  }
  line(name, cells);
}

const swept = [0.05, 0.1, 0.12, 0.15, 0.18, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45];
line(
  '\nminScore: found, false',
  swept.map((value) => `${value}`.padStart(10).padEnd(15)),
);
for (const { name, searches, mode } of engines) {
  const figures = await measureSelecting({ searches, items, questions, options: { mode } }, swept);
  line(
    name,
    figures.map(({ found, falseSelections }) => `${percent(found)}${percent(falseSelections)}`.padEnd(15)),
  );
}

/** Its first search waits until all is indexed. */
async function indexOf(address: string, model: string): Promise<SemanticIndex> {
  const embedder = createEndpointEmbedder({ url: new URL('/v1/embeddings', address), model });
  await embedder.prepare(() => {});
  const parts = { embedder, vectors: createMemoryStore().vectors, clock: createSystemClock(), logger: silentLogger };
  return createSemanticIndex({ ...parts, waitMs: 3_600_000 });
}
