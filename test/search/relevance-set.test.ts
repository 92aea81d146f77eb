/** The sets that search is measured with are what they claim to be, and so are the errors of the figures. */
import { stemmer } from 'stemmer';
import { describe, expect, it } from 'vitest';
import { createSearch } from '../../src/search/search.ts';
import { type DocumentsFile, described, nameOf, readDocumentsFile } from '../bench/relevance-documents.ts';
import { measureRanking } from '../bench/relevance-figures.ts';
import { halfOf, readItems, readQuestions, smallCataloguesOf } from '../bench/relevance-set.ts';

const items = readItems();
const questions = readQuestions();

/** All words, without exception, by a rule of its own. */
const stemsOf = (text: string): Set<string> =>
  new Set(
    (text.replaceAll(/([a-z])([A-Z])/gu, '$1 $2').match(/[A-Za-z]+|\d+/gu) ?? []).map((word) =>
      stemmer(word.toLowerCase()),
    ),
  );

/** Words without which no sentence can be said. */
const grammar = new Set([
  ...stemsOf(`a about after all an and are as at be been before by can do does for from go has
  have how i if in into is it its may me more my no not of on one only or our out over shall should so that the their them there these they this
  to two up us was we what when where which while who whom with without you your`),
]);

describe('the relevance set', () => {
  it('SS-05 has items of every kind with bodies of realistic length, and enough questions', () => {
    expect(items.length).toBeGreaterThanOrEqual(60);
    expect(new Set(items.map(({ type }) => type))).toEqual(new Set(['rule', 'reference', 'tool']));
    for (const { type, text, name } of items) {
      const lines = text === '' ? 0 : text.split('\n').length;
      expect([name, type === 'tool' ? lines === 0 : lines >= 5 && lines <= 60]).toEqual([name, true]);
    }
    expect(questions.length).toBeGreaterThanOrEqual(200);
    expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
    expect(questions.filter(({ kind }) => kind === 'paraphrase').length * 2).toBeGreaterThanOrEqual(questions.length);
    expect(questions.filter(({ kind }) => kind === 'unrelated-software').length).toBe(15);
    expect(questions.filter(({ kind }) => kind === 'unrelated-other').length).toBe(15);
    expect(questions.filter((question) => halfOf(question) === 'choosing').length / questions.length).toBeCloseTo(
      0.5,
      1,
    );
  });

  it('SS-05 expects items that exist, and asks about each of them', () => {
    const names = new Set(items.map(({ name }) => name));
    expect(names.size).toBe(items.length);
    expect(new Set(questions.flatMap(({ expected }) => expected ?? []))).toEqual(names);
  });

  it('SS-05 has paraphrases that share no word with name and description of what they are about', () => {
    const titles = new Map(items.map(({ name, description }) => [name, stemsOf(`${name} ${description}`)]));
    const shared = questions
      .filter(({ kind }) => kind === 'paraphrase')
      .flatMap(({ text, expected }) => {
        const title = titles.get(expected ?? '') ?? new Set();
        const words = [...stemsOf(text)].filter((stem) => title.has(stem) && !grammar.has(stem));
        return words.length === 0 ? [] : [`${expected}: ${text} (${words.join(', ')})`];
      });
    expect(shared).toEqual([]);
  });
});

const askedOf = ({ about, unrelated }: DocumentsFile['reporting']): string[] => [
  ...about.flatMap(({ natural, paraphrase }) => [natural, paraphrase]),
  ...unrelated.software,
  ...unrelated.other,
];

describe.each([
  { name: 'real', fewest: { documents: 300, questions: 300 } },
  { name: 'unseen', fewest: { documents: 600, questions: 260 } },
] as const)('the relevance set of public files, $name', ({ name, fewest }) => {
  const set = readDocumentsFile(name);
  const documents = set.documents.flatMap(({ repository, files }) =>
    Object.keys(files).map((path) => `${repository}/${path}`),
  );
  const halves = [set.choosing ?? [], set.reporting].flat();

  it('SS-05 names files by commit and hash, no two by one name', () => {
    for (const { commit, files } of set.documents)
      for (const hash of [commit, ...Object.values(files)]) expect(hash).toMatch(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u);
    expect(documents.length).toBeGreaterThanOrEqual(fewest.documents);
    expect(new Set(documents.map(nameOf)).size).toBe(documents.length);
  });

  it('SS-05 has enough questions, each about a file that is there, and none in both halves', () => {
    const asked = halves.flatMap(askedOf);
    expect(asked.length).toBeGreaterThanOrEqual(fewest.questions);
    expect(new Set(asked).size).toBe(asked.length);
    const targets = halves.flatMap(({ about }) => about.map(({ document }) => document));
    expect(new Set(targets).size).toBe(targets.length);
    expect(targets.filter((target) => !documents.includes(target))).toEqual([]);
  });
});

describe('documents of public files', () => {
  it('SS-05 have the description that contextd reads, also beside patterns without quotes', () => {
    const text = '\uFEFF---\ndescription: How pages are laid out\nglobs: *.vue, **/*.{js,jsx}\n---\nUse a grid.\n';
    expect(described(text, 'rules/pages.mdc')).toEqual({
      description: 'How pages are laid out',
      text: 'Use a grid.\n',
    });
  });
});

describe('the relevance set that no setting is chosen by', () => {
  const unseen = readDocumentsFile('unseen');

  it('SS-05 has nothing to choose by, and no file or question of the other', () => {
    const real = readDocumentsFile('real');
    const filesOf = ({ documents }: DocumentsFile) => documents.flatMap(({ files }) => Object.values(files));
    expect(unseen.choosing).toBeUndefined();
    expect(filesOf(unseen).filter((sha256) => filesOf(real).includes(sha256))).toEqual([]);
    const known = [real.choosing ?? [], real.reporting].flat().flatMap(askedOf);
    expect(askedOf(unseen.reporting).filter((text) => known.includes(text))).toEqual([]);
  });
});

describe('small catalogues', () => {
  it('SS-05 are the same each time, with the questions about their items and all unrelated ones', () => {
    const catalogues = smallCataloguesOf({ items, questions });
    expect(catalogues).toEqual(smallCataloguesOf({ items: items.toReversed(), questions }));
    expect(catalogues.length).toBe(20);
    for (const catalogue of catalogues) {
      const names = new Set(catalogue.items.map(({ name }) => name));
      expect(names.size).toBe(15);
      expect(new Set(catalogue.questions.flatMap(({ expected }) => expected ?? []))).toEqual(names);
      expect(catalogue.questions.filter(({ expected }) => expected === undefined).length).toBe(30);
    }
    expect(new Set(catalogues.map((catalogue) => catalogue.items[0]?.name)).size).toBeGreaterThan(1);
  });
});

describe('standard errors', () => {
  it('SS-05 count askings of one question as one', async () => {
    const search = createSearch();
    const asked = questions.filter(({ kind }) => kind === 'paraphrase');
    const once = { searches: [search], catalogues: [{ items, questions: asked }] };
    const { top1, errors } = await measureRanking(once);
    expect(errors.top1).toBeCloseTo(Math.sqrt((top1 * (1 - top1)) / asked.length), 10);
    const twice = await measureRanking({ ...once, catalogues: [...once.catalogues, ...once.catalogues] });
    expect(twice.errors.top1).toBeCloseTo(errors.top1, 10);
  });
});
