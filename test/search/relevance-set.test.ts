/** The set that search is measured with is what it claims to be. */
import { readFileSync } from 'node:fs';
import { stemmer } from 'stemmer';
import { describe, expect, it } from 'vitest';
import { type DocumentsFile, nameOf } from '../bench/relevance-documents.ts';
import { halfOf, readItems, readQuestions } from '../bench/relevance-set.ts';

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

describe('the relevance set of public files', () => {
  const folder = new URL('../../fixtures/relevance/', import.meta.url);
  const set = JSON.parse(readFileSync(new URL('real.json', folder), 'utf8')) as DocumentsFile;
  const documents = set.documents.flatMap(({ repository, files }) =>
    Object.keys(files).map((path) => `${repository}/${path}`),
  );
  const halves = [set.choosing, set.reporting];

  it('SS-05 names files by commit and hash, no two by one name', () => {
    for (const { commit, files } of set.documents)
      for (const hash of [commit, ...Object.values(files)]) expect(hash).toMatch(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u);
    expect(documents.length).toBeGreaterThanOrEqual(300);
    expect(new Set(documents.map(nameOf)).size).toBe(documents.length);
  });

  it('SS-05 has enough questions, each about a file that is there, and none in both halves', () => {
    const asked = halves.flatMap(({ about, unrelated }) => [
      ...about.flatMap(({ natural, paraphrase }) => [natural, paraphrase]),
      ...unrelated.software,
      ...unrelated.other,
    ]);
    expect(asked.length).toBeGreaterThanOrEqual(300);
    expect(new Set(asked).size).toBe(asked.length);
    const targets = halves.flatMap(({ about }) => about.map(({ document }) => document));
    expect(new Set(targets).size).toBe(targets.length);
    expect(targets.filter((target) => !documents.includes(target))).toEqual([]);
  });
});
