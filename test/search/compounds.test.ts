import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKnownCompounds } from '../../src/search/compounds.ts';

/** What the reader does, as a regular expression. */
const compounds = /[\p{L}\p{M}\p{N}]+(?:[-_./][\p{L}\p{M}\p{N}]+)*/gu;
const units = [...'abZ19-_./ \n’é漢ー½한𝐀😀', '\u0301', '\ud835', '\udc00', 'maxRetry', 'package.json'];

function createReader(isKept: (compound: string) => boolean) {
  const read: string[] = [];
  const known = createKnownCompounds((compound) => {
    read.push(compound);
    return { given: compound, isKept: isKept(compound) };
  });
  const compoundsOf = (text: string) => {
    const found: string[] = [];
    known.each(text, (compound) => found.push(compound));
    return found;
  };
  return { read, known, compoundsOf };
}

describe('the compounds of a text', () => {
  it('SS-07 are runs of letters, marks and digits with single signs between them, in any script', () => {
    const { compoundsOf } = createReader((compound) => compound.length < 9);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(compoundsOf(text)).toEqual(text.match(compounds) ?? []);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('SS-07 are read once when they are kept, wherever they stand', () => {
    const { read, known, compoundsOf } = createReader((compound) => compound !== 'rare');
    expect(compoundsOf('one two-one one')).toEqual(['one', 'two-one', 'one']);
    expect(compoundsOf('rare, one: rare')).toEqual(['rare', 'one', 'rare']);
    expect(known.of('two-one')).toBe('two-one');
    expect(read).toEqual(['one', 'two-one', 'rare', 'rare']);
  });

  it('SS-07 stay right when there are more than can be kept, and when many have the same place', () => {
    const { compoundsOf } = createReader(() => true);
    // All of them are looked for in the same place.
    const alike = 'wubddu uftqfc pakmbb npqoga tangso nogcbs uskrgf xlcemn pqymun eufufe riqean khgudv'.split(' ');
    const many = Array.from({ length: 120_000 }, (_, at) => `w${at.toString(36)}`);
    for (const words of [alike, many, alike, many]) expect(compoundsOf(words.join(' '))).toEqual(words);
  });
});
