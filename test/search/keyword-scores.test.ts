import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexDocument } from '../../src/search/keyword-document.ts';
import { scoreDocuments } from '../../src/search/keyword-scores.ts';
import { queryTerms } from '../../src/search/question.ts';

type Parts = { name?: string; description?: string; passages?: string[] };

const index = ({ name = 'thing', description = '', passages = [] }: Parts) =>
  indexDocument({ name, description, passages });

const scoresOf = async (query: string, documents: readonly Parts[]): Promise<number[]> =>
  scoreDocuments(query, await Promise.all(documents.map(index))).map(({ score }) => score);

const filler = 'something else entirely is told in this sentence about gardens';

describe('scores of words', () => {
  it('SS-07 lie in 0…1 and are the same each time', async () => {
    const word = fc.constantFrom('retry', 'cache', 'login', 'naïve', '数据库', 'maxRetryCount', 'the', '');
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
    const document = fc.record({ name: text, description: text, passages: fc.array(text, { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(text, fc.array(document, { maxLength: 6 }), async (query, documents) => {
        const indexed = await Promise.all(documents.map((each) => indexDocument(each)));
        const scores = scoreDocuments(query, indexed);
        expect(scores).toEqual(scoreDocuments(query, indexed));
        for (const [at, { score, passage }] of scores.entries()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(passage).toBeLessThan(Math.max(1, documents[at]?.passages.length ?? 0));
        }
      }),
      { seed: 1 },
    );
  });

  it('SS-07 rise with every word of the question that is there, and fall with every one that is not', async () => {
    const documents = [{ passages: ['retry'] }, { passages: ['retry with backoff'] }, { passages: [filler] }];
    const [one, two, none] = await scoresOf('retry backoff', documents);
    expect(two).toBeGreaterThan(one ?? 1);
    expect(one).toBeGreaterThan(none ?? 1);
    expect(none).toBe(0);
    const [known] = await scoresOf('retry', documents);
    const [unknown] = await scoresOf('retry the xylophone of grandmother', documents);
    expect(unknown).toBeLessThan((known ?? 0) / 2);
  });

  it('SS-07 weigh the name above the description above the body', async () => {
    const [name, description, body] = await scoresOf('caching', [
      { name: 'caching', description: filler, passages: [filler] },
      { name: 'other', description: `caching ${filler}`, passages: [filler] },
      { name: 'other', description: filler, passages: [`caching ${filler}`] },
    ]);
    expect(name).toBeGreaterThan(description ?? 1);
    expect(description).toBeGreaterThan(body ?? 1);
    expect(body).toBeGreaterThan(0);
  });

  it('SS-07 weigh a rare word above a frequent one', async () => {
    const others = Array.from({ length: 20 }, () => ({ passages: [`service ${filler}`] }));
    const [rare, frequent] = await scoresOf('quota service', [
      { passages: ['quota'] },
      { passages: ['service'] },
      ...others,
    ]);
    expect(rare).toBeGreaterThan((frequent ?? 1) * 2);
  });

  it('SS-07 name the passage that fits best', async () => {
    const passages = [filler, `deadline ${filler}`, 'deadline of each outgoing call', filler];
    const [found] = scoreDocuments('deadline of a call', [await index({ passages })]);
    expect(found?.passage).toBe(2);
  });

  it('SS-07 mean about the same among few items as among many', async () => {
    const wanted = { name: 'retries', description: 'Retries of failed calls', passages: [filler] };
    const others = Array.from({ length: 60 }, (_, at) => ({ name: `other${at}`, passages: [filler] }));
    const [alone] = await scoresOf('retry a failed payment', [wanted]);
    const [among] = await scoresOf('retry a failed payment', [wanted, ...others]);
    expect(alone).toBeGreaterThan(0.2);
    expect(among).toBeGreaterThan(0.2);
  });

  it('SS-07 are 0 for a question without words, and for no documents there are none', async () => {
    expect(await scoresOf('', [{ passages: ['a word'] }])).toEqual([0]);
    expect(await scoresOf('how do I?', [{ passages: ['how do I?'] }])).toEqual([0]);
    expect(await scoresOf('retry', [])).toEqual([]);
  });

  it('SS-07 are bounded in what they cost: terms of a question, terms of a document', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `w${at.toString(36)}x`);
    const terms = queryTerms(`first ${many.join(' ')} last`);
    expect(terms.length).toBe(64);
    expect([terms[0], terms.at(-1)]).toEqual(['first', 'last']);
    const document = await index({ passages: [many.join(' ')] });
    expect(document.terms.length).toBeLessThanOrEqual(10_000);
    expect((await scoresOf('one two', [{ passages: ['word '.repeat(200_000)] }]))[0]).toBe(0);
  });
});

it('SS-07 scores of documents chosen from a larger number are never negative, and the only right one is found', async () => {
  const documents = await Promise.all([
    indexDocument({ name: 'zebra', description: '', passages: ['zebra stripes'] }),
    indexDocument({ name: 'other', description: '', passages: ['import support start'] }),
  ]);
  const query = 'zebra art end row port log act ate ray owe';
  const having = queryTerms(query).map((term) => (term.startsWith('zebra') ? 1 : 400));
  const scores = scoreDocuments(query, documents, { documents: 400, having }).map(({ score }) => score);
  expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
  expect(scores[0]).toBeGreaterThan(0.2);
});
