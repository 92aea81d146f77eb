import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownCompounds } from '../../src/search/compounds.ts';

/** What the reader does, as a regular expression. */
const compounds = /[\p{L}\p{M}\p{N}]+(?:[-_./][\p{L}\p{M}\p{N}]+)*/gu;
const units = [...'abZ19-_./ \n’é漢ー½한𝐀😀', '\u0301', '\ud835', '\udc00', 'maxRetry', 'package.json'];

/** Reads a compound as its number in the order in which compounds are met, and so many more numbers as `more` says. */
function createReader(more: (compound: string) => number = () => 0) {
  const read: string[] = [];
  const met: string[] = [];
  const numbersOf = createKnownCompounds((compound) => {
    read.push(compound);
    const number = met.includes(compound) ? met.indexOf(compound) : met.push(compound) - 1;
    return [number, ...Array.from({ length: more(compound) }, () => -1)];
  });
  const compoundsOf = (text: string) => [...numbersOf(text)].flatMap((number) => met[number] ?? []);
  return { read, numbersOf, compoundsOf };
}

describe('the compounds of a text', () => {
  it('SS-07 are runs of letters, marks and digits with single signs between them, in any script', () => {
    const { compoundsOf } = createReader((compound) => compound.length % 9);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(compoundsOf(text)).toEqual(text.match(compounds) ?? []);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('SS-07 are read once, wherever they stand, but for long ones and those that say much', () => {
    const { read, compoundsOf } = createReader((compound) => (compound === 'much' ? 6 : 0));
    const long = 'long'.repeat(10);
    expect(compoundsOf('one two-one one')).toEqual(['one', 'two-one', 'one']);
    expect(compoundsOf(`much, one: ${long}, much ${long}`)).toEqual(['much', 'one', long, 'much', long]);
    expect(read).toEqual(['one', 'two-one', 'much', long, 'much', long]);
  });

  it('SS-07 have the numbers that were read, in order, however many there are', () => {
    const { numbersOf } = createReader((compound) => compound.length - 1);
    for (const _ of [1, 2]) {
      expect([...numbersOf('a bcd a efghijkl bcd')]).toEqual([0, 1, -1, -1, 0, 2, ...Array(7).fill(-1), 1, -1, -1]);
      expect([...numbersOf(' – ')]).toEqual([]);
      expect(numbersOf('bcd '.repeat(10_000))).toHaveLength(30_000);
    }
  });

  it('SS-07 stay right when there are more than can be kept, and when many have the same place', () => {
    const words = new Map<number, string>();
    const read = (compound: string): number[] => {
      const number = Number.parseInt(compound, 36);
      words.set(number, compound);
      return [number];
    };
    const numbersOf = createKnownCompounds(read);
    // All of them are looked for in the same place.
    const alike = 'btkyeo evulpm mnxfaz wvqmhj uqxhxx pouyzf hqaauy sdvufv kpkedt ufcujb xpiiea pmpbrz'.split(' ');
    const many = Array.from({ length: 240_000 }, (_, at) => `w${at.toString(36)}`);
    // As texts, which are compared much faster than lists.
    for (const asked of [alike, many, alike, many])
      expect(Array.from(numbersOf(asked.join(' ')), (number) => words.get(number)).join(' ')).toBe(asked.join(' '));
  });
});
