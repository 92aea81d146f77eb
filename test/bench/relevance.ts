/**
 * Measures what search finds (`npm run bench:relevance`). Settings are chosen by the first half of the questions; what
 * is reported in docs/search.md is the second. `--choose` shows the first. `--real` and `--unseen` ask about files of
 * public repositories; no setting is chosen by those of `--unseen`. `--embedder <address> --model <name>` measures with
 * the model of a server, else with stand-ins, which know only our own questions.
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
import {
  type Catalogue,
  halfOf,
  type QuestionKind,
  readItems,
  readQuestions,
  smallCataloguesOf,
} from './relevance-set.ts';
import { createStandIns } from './stand-in-models.ts';

const { values: asked } = parseArgs({
  options: {
    choose: { type: 'boolean' },
    real: { type: 'boolean' },
    unseen: { type: 'boolean' },
    embedder: { type: 'string' },
    model: { type: 'string' },
  },
});
const half = asked.choose ? 'choosing' : 'reporting';
const set = asked.unseen ? 'unseen' : asked.real ? 'real' : undefined;
const catalogue =
  set === undefined
    ? { items: readItems(), questions: readQuestions().filter((question) => halfOf(question) === half) }
    : await readDocuments(set, half);
const { items, questions } = catalogue;
const models: Record<string, SemanticIndex[]> =
  asked.embedder !== undefined
    ? { [asked.model ?? 'model']: [await indexOf(asked.embedder, asked.model ?? 'model')] }
    : set !== undefined
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

const percent = (part: number, error?: number): string =>
  `${(100 * part).toFixed(0)} %`.padStart(6) + (error === undefined ? '' : ` ± ${(100 * error).toFixed(0)}`.padEnd(5));
const line = (title: string, cells: readonly string[]): void => console.log(`${title.padEnd(34)}${cells.join('')}`);

const ofHalf = set === 'unseen' ? '' : ` of the ${half} half`;
console.log(`${items.length} items, ${questions.length} questions${ofHalf}`);
await reportNormal([catalogue]);

line('\nselection: found, items, false', [
  'aggressive'.padStart(17),
  'normal'.padStart(20),
  'conservative'.padStart(30),
]);
for (const { name, searches, mode } of engines) {
  const cells: string[] = [];
  for (const preset of ['aggressive', 'normal', 'conservative'] as const) {
    const asked = { searches, catalogues: [catalogue], options: { mode, preset } };
    const [figures] = await measureSelecting(asked, [undefined]);
    if (figures === undefined) continue;
    const { found, selected, falseSelections } = figures;
    cells.push(`${percent(found)} ${selected.toFixed(1).padStart(4)} ${percent(falseSelections)}`.padEnd(26));
  }
  line(name, cells);
}

line('\nnormal: characters selected, of these along; whole, section, description', []);
for (const { name, searches, mode } of engines) {
  const cells: string[] = [];
  for (const kind of ['natural', 'paraphrase'] as const) {
    const { all, along, forms } = await measureDelivery({
      searches,
      catalogues: [onlyOf(catalogue, kind)],
      options: { mode },
    });
    const shares = Object.values(forms)
      .map((part) => percent(part))
      .join('');
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
  const figures = await measureSelecting({ searches, catalogues: [catalogue], options: { mode } }, swept);
  line(
    name,
    figures.map(({ found, falseSelections }) => `${percent(found)}${percent(falseSelections)}`.padEnd(15)),
  );
}

const catalogues = smallCataloguesOf(catalogue);
const askedItems = new Set(catalogues.flatMap(({ items }) => items));
console.log(`\n${catalogues.length} catalogues of ${catalogues[0]?.items.length} items, ${askedItems.size} in all`);
await reportNormal(catalogues);

function onlyOf({ items, questions }: Catalogue, kind: QuestionKind): Catalogue {
  return { items, questions: questions.filter((question) => question.kind === kind) };
}

/** What comes first and what `normal` selects. */
async function reportNormal(catalogues: readonly Catalogue[]): Promise<void> {
  const kinds = ['natural', 'paraphrase'] as const;
  line('\nranking: first, first five, MRR', ['natural'.padStart(14), 'paraphrased'.padStart(32)]);
  for (const { name, searches, mode } of engines) {
    const cells: string[] = [];
    for (const kind of kinds) {
      const asked = catalogues.map((catalogue) => onlyOf(catalogue, kind));
      const { top1, top5, mrr, errors } = await measureRanking({ searches, catalogues: asked, options: { mode } });
      cells.push(`${percent(top1, errors.top1)} ${percent(top5, errors.top5)}   ${mrr.toFixed(2)}`.padEnd(30));
    }
    line(name, cells);
  }
  line('\nnormal: found, others; false', [
    'natural'.padStart(17),
    'paraphrased'.padStart(28),
    'unrelated'.padStart(24),
  ]);
  for (const { name, searches, mode } of engines) {
    const cells: string[] = [];
    for (const kind of kinds) {
      const asked = catalogues.map((catalogue) => onlyOf(catalogue, kind));
      const [figures] = await measureSelecting({ searches, catalogues: asked, options: { mode } }, [undefined]);
      if (figures === undefined) continue;
      const { found, selected, errors } = figures;
      cells.push(`${percent(found, errors.found)}   ${(selected - found).toFixed(2)}`.padEnd(26));
    }
    const [figures] = await measureSelecting({ searches, catalogues, options: { mode } }, [undefined]);
    if (figures) cells.push(percent(figures.falseSelections, figures.errors.falseSelections));
    line(name, cells);
  }
}

/** Its first search waits until all is indexed. */
async function indexOf(address: string, model: string): Promise<SemanticIndex> {
  const embedder = createEndpointEmbedder({ url: new URL('/v1/embeddings', address), model });
  await embedder.prepare(() => {});
  const parts = { embedder, vectors: createMemoryStore().vectors, clock: createSystemClock(), logger: silentLogger };
  return createSemanticIndex({ ...parts, waitMs: 3_600_000 });
}
