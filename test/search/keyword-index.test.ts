import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { indexDocument, placeOf } from '../../src/search/keyword-document.ts';
import { createKeywordIndex } from '../../src/search/keyword-index.ts';
import { selectionOf } from '../../src/search/rank.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import { hashOfTerm } from '../../src/search/terms.ts';
import { eachTurn } from '../support/each-turn.ts';
import { memoryInUse } from '../support/memory-in-use.ts';

const item = (name: string, text: string, type: SearchItem['type'] = 'rule'): SearchItem => ({
  type,
  name,
  description: '',
  text,
  sha256: `${name} ${text}`,
});

const words = fc.array(fc.constantFrom('cache', 'retry', 'login', 'queue', 'table'), { maxLength: 8 });
const someItem = fc
  .tuple(fc.constantFrom('one', 'two', 'three'), words, fc.constantFrom('rule' as const, 'tool' as const))
  .map(([name, text, type]) => item(name, text.join(' '), type));

const filler = 'something else entirely is told in this sentence about gardens';
const letters = (at: number): string => [...`${at}`].map((digit) => 'abcdefghij'[Number(digit)]).join('');
const manyWords = (seed: number) => Array.from({ length: 100 }, (_, at) => `word${seed}x${at}`).join(' ');

let passedMs = 0;
let looks = 0;
/** `eachMs` passes besides whenever somebody looks at the clock. */
const passMs = (ms: number, eachMs = 0) => {
  vi.restoreAllMocks();
  const now = performance.now.bind(performance);
  passedMs += ms;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    looks += 1;
    passedMs += eachMs;
    return now() + passedMs;
  });
};
afterEach(() => {
  passedMs = 0;
  vi.restoreAllMocks();
});

describe('the index of words', () => {
  it('SS-05 SS-07 finds the same in a message of 5, 15, 40 and 120 words, most of which no document has', async () => {
    const wanted = { ...item('retries', filler), description: 'Retry failed payments with backoff' };
    const others = Array.from({ length: 12 }, (_, at) => item(`other${at}`, filler));
    const found: number[] = [];
    for (const count of [5, 15, 40, 120]) {
      const besides = Array.from({ length: count - 2 }, (_, at) => `xylo${letters(at)}`);
      const message = [...besides.slice(0, 2), 'retry', ...besides.slice(2), 'payment'].join(' ');
      const [first, ...rest] = await createKeywordIndex().score(message, [wanted, ...others]);
      found.push(first?.score ?? 0);
      expect(Math.max(...rest.map(({ score }) => score))).toBe(0);
    }
    expect(Math.min(...found)).toBeGreaterThan(selectionOf({}).minScore);
    expect(Math.max(...found) - Math.min(...found)).toBeLessThan(0.01);
  });

  it('SS-05 SS-07 finds items beside one that says the same sentence hundreds of times, and that one too', async () => {
    const described = (name: string, description: string, text: string) => ({ ...item(name, text), description });
    const repeated = described('migrations', 'How database migrations are reviewed', `${filler}. `.repeat(300));
    const short = described('errors', 'How errors of the gateway are reported', filler);
    const others = Array.from({ length: 12 }, (_, at) => item(`other${letters(at)}`, filler));
    const index = createKeywordIndex();
    for (const [at, query] of ['how are migrations reviewed', 'how are gateway errors reported'].entries()) {
      const scores = await index.score(query, [repeated, short, ...others]);
      expect(scores[at]?.score).toBeGreaterThan(selectionOf({}).minScore);
      expect(scores.filter(({ score }) => score > 0)).toHaveLength(1);
    }
  });

  it('SS-05 SS-07 takes one word of many for chance, and many for evidence, among few documents and many, short and long', async () => {
    const asked = 'rotate the signing keys of the gateway every quarter';
    for (const sentences of [1, 40])
      for (const documents of [10, 400]) {
        const text = (at: number) =>
          Array.from({ length: 10 * sentences }, (_, each) => `x${letters((at * 31 + each * 7) % 997)}`).join(' ');
        const others = Array.from({ length: documents }, (_, at) => item(`other${letters(at)}`, text(at)));
        const byChance = item('parties', `${text(901)}. A gateway for guests.`);
        const meant = item(
          'rotation',
          `${text(902)}. Rotate signing keys each quarter; the gateway has two. Rotate keys.`,
        );
        const scores = await createKeywordIndex().score(asked, [meant, byChance, ...others]);
        const { minScore } = selectionOf({});
        expect(scores[0]?.score).toBeGreaterThan(minScore);
        expect(scores[1]?.score).toBeLessThan(minScore);
      }
  });

  it('SS-07 scores alike whatever it was asked before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(someItem, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        words,
        async (lists, query) => {
          const used = createKeywordIndex();
          for (const items of lists)
            expect(await used.score(query.join(' '), items)).toEqual(
              await createKeywordIndex().score(query.join(' '), items),
            );
        },
      ),
      { seed: 1 },
    );
  });

  it('SS-07 scores items that say the same alike, and does not read the text of a tool', async () => {
    const rule = item('thing', 'cache');
    const [first, second, tool] = await createKeywordIndex().score('cache', [
      rule,
      { ...rule },
      { ...rule, type: 'tool' },
    ]);
    expect(first).toEqual(second);
    expect(first?.score).toBeGreaterThan(0);
    expect(tool?.score).toBe(0);
  });

  it('SS-07 counts an item once, also for searches at the same time', async () => {
    const index = createKeywordIndex();
    const items = Array.from({ length: 20 }, (_, at) => item(`item${at}`, 'cache '.repeat(at)));
    const answers = await Promise.all([1, 2, 3].map(() => index.score('cache', items)));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(index.size().items).toBe(20);
    await index.score('cache', items);
    expect(index.size().items).toBe(20);
  });

  it('SS-07 figure 10: does not grow while one item of many changes again and again', async () => {
    const index = createKeywordIndex();
    const others = Array.from({ length: 50 }, (_, at) => item(`item${at}`, manyWords(at)));
    const bytes: number[] = [];
    for (let version = 0; version < 600; version += 1) {
      passMs(10_000);
      const items = [...others, item('edited', `cache ${manyWords(version)}`)];
      const scores = await index.score('cache', items);
      if (version % 100 === 99) expect(scores).toEqual(await createKeywordIndex().score('cache', items));
      bytes.push(index.size().bytes);
    }
    expect(Math.max(...bytes)).toBeLessThan((bytes[0] as number) + 3 * 1024 * 1024);
  });

  it('SS-07 keeps what others ask about, of items with one name too', async () => {
    const index = createKeywordIndex();
    const mine = Array.from({ length: 200 }, (_, at) => item(`item${at}`, `mine ${manyWords(at)}`));
    const theirs = mine.map(({ name }, at) => item(name, `theirs ${manyWords(at + 200)}`));
    for (const items of [mine, theirs, mine]) {
      await index.score('cache', items);
      passMs(60_000);
    }
    for (let version = 0; version < 200; version += 1) {
      passMs(10_000);
      await index.score('cache', [item('edited', `cache ${manyWords(version)}`)]);
    }
    const before = index.size().items;
    await index.score('mine', mine);
    await index.score('theirs', theirs);
    expect(index.size().items).toBe(before);
  });

  it('SS-07 figure 10: does not grow while items of one name change in turn', async () => {
    const index = createKeywordIndex();
    const others = Array.from({ length: 50 }, (_, at) => item(`item${at}`, manyWords(at)));
    const bytes: number[] = [];
    for (let version = 0; version < 400; version += 1) {
      const mine = [...others, item('edited', `mine ${manyWords(version)}`)];
      const theirs = [item('edited', `theirs ${manyWords(version)}`)];
      for (const items of [mine, theirs, mine, theirs]) {
        passMs(5_000);
        await index.score('cache', items);
      }
      bytes.push(index.size().bytes);
    }
    expect(Math.max(...bytes)).toBeLessThan((bytes[0] as number) + 3 * 1024 * 1024);
  });

  it('SS-07 takes out what changed, and answers as ever, whatever is asked at the same time', async () => {
    const fewWords = (seed: number) => Array.from({ length: 150 }, (_, at) => `w${(seed + at) % 997}`).join(' ');
    const versionOf = (version: number) =>
      Array.from({ length: 150 }, (_, at) => item(`item${at}`, `cache ${fewWords(version * 311 + 7 * at)}`));
    const index = createKeywordIndex();
    for (const version of [0, 1]) await index.score('cache', versionOf(version));
    // So there are many turns.
    passMs(6 * 60_000, 3);
    await index.score('cache', versionOf(1));
    expect(index.size().items).toBe(150);
    const lists = [versionOf(1), versionOf(2), versionOf(0), [...versionOf(1), ...versionOf(3)]];
    const answers = await Promise.all(lists.map((items) => index.score('cache w7', items)));
    for (const [at, items] of lists.entries())
      expect(answers[at]).toEqual(await createKeywordIndex().score('cache w7', items));
    expect(index.size().items).toBe(4 * 150);
    const query = Array.from({ length: 60 }, (_, at) => `w${at * 16}`).join(' ');
    for (const items of lists)
      expect(await index.score(query, items)).toEqual(await createKeywordIndex().score(query, items));
    const fresh = createKeywordIndex();
    for (const items of lists) await fresh.score(query, items);
    expect(index.size()).toEqual(fresh.size());
  });

  it('SS-07 forgets when it takes too much memory, and searches on', async () => {
    const items = Array.from({ length: 5 }, (_, at) => item(`item${at}`, 'cache '.repeat(at)));
    const wanted = await createKeywordIndex().score('cache', items);
    const index = createKeywordIndex(1_000);
    const answers = await Promise.all([1, 2, 3].map(() => index.score('cache', items)));
    for (const answer of answers) expect(answer).toEqual(wanted);
    expect(await index.score('cache', items)).toEqual(wanted);
    expect(index.size()).toEqual({ items: 0, bytes: 0 });
  });

  it('SS-07 forgets first what was not asked about for longest', async () => {
    const listOf = (name: string) => Array.from({ length: 50 }, (_, at) => item(`${name}${at}`, manyWords(at)));
    const [first, second, third] = ['first', 'second', 'third'].map(listOf) as [
      SearchItem[],
      SearchItem[],
      SearchItem[],
    ];
    const sizing = createKeywordIndex();
    for (const list of [first, second, third]) await sizing.score('word1x1', list);
    const index = createKeywordIndex(sizing.size().bytes - 1);
    for (const list of [first, second, first, third]) {
      passMs(1);
      expect(await index.score('word1x1', list)).toEqual(await createKeywordIndex().score('word1x1', list));
    }
    expect(index.size().items).toBe(100);
    // Nothing is counted anew for those that stayed.
    passMs(1);
    for (const list of [first, third]) await index.score('word1x1', list);
    expect(index.size().items).toBe(100);
    await index.score('word1x1', second.slice(0, 1));
    expect(index.size().items).toBe(101);
  });

  it('SS-07 keeps what fits of a question about more than fits, and forgets not all of it', async () => {
    const items = Array.from({ length: 100 }, (_, at) => item(`item${at}`, manyWords(at)));
    const sizing = createKeywordIndex();
    const wanted = await sizing.score('word1x1', items);
    const index = createKeywordIndex(sizing.size().bytes / 2);
    for (let time = 0; time < 3; time += 1) {
      passMs(1);
      expect(await index.score('word1x1', items)).toEqual(wanted);
      expect(index.size().items).toBe(37);
      expect(index.size().bytes).toBeLessThan(sizing.size().bytes / 2);
    }
  });

  it.each<[kind: string, count: number, textOf: (at: number) => string]>([
    ['few words', 5_000, () => 'cache'],
    ['some words', 5_000, (at) => Array.from({ length: 8 }, (_, word) => `w${(7 * at + word) % 997}`).join(' ')],
    ['words of its own', 500, manyWords],
  ])('SS-07 takes the memory that it says, about: %s', async (_kind, count, textOf) => {
    const fill = async (index: ReturnType<typeof createKeywordIndex>) => {
      for (let at = 0; at < count; at += 100)
        await index.score(
          'cache',
          Array.from({ length: 100 }, (_, next) => item(`item${at + next}`, textOf(at + next))),
        );
    };
    // What is kept for all indexes, and compiled code, are there already.
    await fill(createKeywordIndex());
    const index = createKeywordIndex();
    const before = memoryInUse();
    await fill(index);
    expect(memoryInUse() - before).toBeLessThan(1.4 * index.size().bytes);
  });

  it('SS-07 counts of a long description the beginning alone, and finds the rest as part of the text', async () => {
    const description = `${'cache '.repeat(1_000)}zebra`;
    const document = await indexDocument({ name: 'one', description, passages: [] });
    expect(['cach', 'zebra'].map((term) => placeOf(document, hashOfTerm(term)))).toEqual([0, -1]);
    const [score] = await createKeywordIndex().score('zebra', [{ ...item('one', 'Text.'), description }]);
    expect(score?.score).toBeGreaterThan(0);
  });

  it('SS-07 gives a list the same scores each time, also after another one took its place in memory', async () => {
    const lists = [0, 1].map((list) =>
      Array.from({ length: 30 }, (_, at) =>
        item(`item${list}x${at}`, `cache ${manyWords(100 * list + at)} word${at}x1`),
      ),
    ) as [SearchItem[], SearchItem[]];
    const index = createKeywordIndex(150_000);
    const alone = await createKeywordIndex().score('cache word3x1', lists[0]);
    for (const list of [...lists, ...lists]) {
      const scores = await index.score('cache word3x1', list);
      expect(scores).toEqual(await index.score('cache word3x1', [...list]));
      if (list === lists[0]) expect(scores).toEqual(alone);
      expect(index.size().bytes).toBeLessThanOrEqual(150_000);
    }
  });

  it('SS-07 lets others have their turn while it counts', async () => {
    const items = Array.from({ length: 40 }, (_, at) =>
      item(`item${at}`, Array.from({ length: 4_000 }, (_, word) => `w${(at * word) % 977}`).join(' ')),
    );
    let turns = 0;
    await eachTurn(
      () => {
        turns += 1;
      },
      () => createKeywordIndex().score('w1', items),
    );
    expect(turns).toBeGreaterThan(3);
  });

  it('SS-07 gives each turn to one of the searches that count at the same time', async () => {
    passMs(0, 10);
    let most = 0;
    let isDone = false;
    const count = (): void => {
      most = Math.max(most, looks);
      looks = 0;
      if (!isDone) setImmediate(count);
    };
    const index = createKeywordIndex();
    const searches = Array.from({ length: 20 }, (_, search) =>
      index.score(
        'cache',
        Array.from({ length: 10 }, (_, at) => item(`item${search}x${at}`, 'cache')),
      ),
    );
    looks = 0;
    setImmediate(count);
    await Promise.all(searches);
    isDone = true;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(20);
  });

  it.each([
    ['one word without end', 'a'.repeat(1 << 20)],
    ['one word again and again', 'word '.repeat(200_000)],
    ['150,000 words', Array.from({ length: 150_000 }, (_, at) => `w${at.toString(36)}`).join(' ')],
    ['letters in turn', 'aB'.repeat(500_000)],
    ['marks', 'e\u0301'.repeat(500_000)],
    ['text without spaces', '日本語'.repeat(300_000)],
    ['broken characters', '\ud800'.repeat(1 << 20)],
  ])('SS-07 bounds what an item of a megabyte costs: %s', async (_name, text) => {
    const index = createKeywordIndex();
    const [found] = await index.score('word a w1', [item('hostile', text)]);
    expect(found?.score).toBeLessThanOrEqual(1);
    expect(index.size().bytes).toBeLessThan(8 * 1024 * 1024);
  });
});
