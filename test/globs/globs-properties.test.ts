import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parentPath } from '../../src/access/paths.ts';
import { foldCase } from '../../src/globs/fold-case.ts';
import { compileGlob, type Glob } from '../../src/globs/globs.ts';
import { sized } from '../support/test-size.ts';

function glob(pattern: string): Glob {
  const compiled = compileGlob(pattern);
  if ('problem' in compiled) throw new Error(`${pattern}: ${compiled.problem.code}`);
  return compiled.glob;
}

/**
 * The semantics once more, the slow and obvious way: brace groups arrive expanded, then every way to match is tried.
 * An atom is a character, `*`, `?`, `**`, a class of the table, `/`, or a group of alternatives.
 */
type Atom = string | Atom[][];
const classMembers: Record<string, (character: string) => boolean> = {
  '[ab]': (character) => 'ab'.includes(character),
  '[!a]': (character) => character !== 'a',
  '[b-d]': (character) => 'bcd'.includes(character),
  '[^.]': (character) => character !== '.',
};

function write(atoms: readonly Atom[]): string {
  return atoms.map((atom) => (typeof atom === 'string' ? atom : `{${atom.map(write).join(',')}}`)).join('');
}

function expand(atoms: readonly Atom[]): string[][] {
  const [first, ...rest] = atoms;
  if (first === undefined) return [[]];
  const heads = typeof first === 'string' ? [[first]] : first.flatMap(expand);
  return heads.flatMap((head) => expand(rest).map((tail) => [...head, ...tail]));
}

function matchesSlowly(alternative: readonly string[], path: string): boolean {
  if (alternative.length === 0) return false;
  const written: string[][] = [[]];
  for (const atom of alternative) {
    if (atom === '/') written.push([]);
    else written.at(-1)?.push(...(atom === '**' ? ['*', '*'] : [atom]));
  }
  const isNothing = (segment: readonly string[] | undefined) =>
    (segment ?? []).join('') === '' || segment?.join('') === '.';
  const segments = written.filter((segment) => !isNothing(segment));
  const last = segments.at(-1) ?? [];
  const names = path.split('/');
  if (isNothing(written.at(-1))) return matchSegments([...segments, ['*', '*']], names);
  if (matchSegments(segments, names)) return true;
  return (
    last.every((atom) => atom.length === 1 && atom !== '*' && atom !== '?') &&
    matchSegments([...segments, ['*', '*']], names)
  );
}

function matchSegments(segments: readonly string[][], names: readonly string[]): boolean {
  const [segment, ...rest] = segments;
  if (segment === undefined) return names.length === 0;
  if (segment.length > 1 && segment.every((atom) => atom === '*'))
    return names.some((_, n) => matchSegments(rest, names.slice(n))) || (rest.length === 0 && names.length > 0);
  const [name, ...others] = names;
  return name !== undefined && matchName(segment, [...name]) && matchSegments(rest, others);
}

function matchName(atoms: readonly string[], name: readonly string[]): boolean {
  const [atom, ...rest] = atoms;
  const [character, ...others] = name;
  if (atom === undefined) return character === undefined;
  if (atom === '*') return matchName(rest, name) || (character !== undefined && matchName(atoms, others));
  if (character === undefined) return false;
  return (atom === '?' || (classMembers[atom]?.(character) ?? atom === character)) && matchName(rest, others);
}

const plainAtom = fc.constantFrom('a', 'b', 'c', '.', '*', '**', '?', '/', 'a', 'b', ...Object.keys(classMembers));
const group = fc.array(fc.array(plainAtom, { maxLength: 3 }), { minLength: 2, maxLength: 3 });
const atoms: fc.Arbitrary<Atom[]> = fc
  .array(fc.oneof({ arbitrary: plainAtom, weight: 6 }, { arbitrary: group as fc.Arbitrary<Atom>, weight: 1 }), {
    maxLength: 9,
  })
  // More groups could stand for more alternatives than a pattern may have.
  .filter((each) => each.filter((atom) => typeof atom !== 'string').length <= 4);
const name = fc
  .array(fc.constantFrom('a', 'b', 'c', '.', 'd'), { minLength: 1, maxLength: 4 })
  .map((characters) => characters.join(''))
  .filter((each) => each !== '.' && each !== '..');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

describe('properties of the matcher', () => {
  it('CC-17 agrees with a matcher that tries everything', () => {
    let matched = 0;
    fc.assert(
      fc.property(atoms, fc.array(path, { minLength: 4, maxLength: 8 }), (written, paths) => {
        const pattern = write(written);
        const { matches, hasParentSegment, isAbsolute } = glob(pattern);
        if (hasParentSegment || isAbsolute) return;
        const alternatives = expand(written);
        for (const each of paths) {
          const expected = alternatives.some((alternative) => matchesSlowly(alternative, each));
          if (expected) matched += 1;
          if (matches(each) !== expected) expect.fail(`${pattern} on ${each}: ${!expected}`);
        }
      }),
      { numRuns: sized(8_000, 8_000, 2_000), seed: 17 },
    );
    expect(matched).toBeGreaterThan(sized(1_500, 1_500, 375));
  });

  it('CC-12 whatever matches lies below directories that may be entered, from literalBase on', () => {
    let matched = 0;
    fc.assert(
      fc.property(atoms, fc.array(path, { minLength: 4, maxLength: 8 }), fc.boolean(), (written, paths, isAbsolute) => {
        const { matches, mayMatchBelow, literalBase } = glob(`${isAbsolute ? '/' : ''}${write(written)}`);
        for (const each of paths.map((relative) => (isAbsolute ? `/${relative}` : relative)).filter(matches)) {
          matched += 1;
          const above = [isAbsolute ? parentPath('/x') : ''];
          for (let at = each.lastIndexOf('/'); at > 0; at = each.lastIndexOf('/', at - 1))
            above.push(each.slice(0, at));
          if (!foldCase(each).startsWith(foldCase(literalBase))) expect.fail(`${each} is not in ${literalBase}`);
          if (!above.every(mayMatchBelow)) expect.fail(`${each} is below what may not be entered`);
        }
      }),
      { numRuns: sized(4_000, 4_000, 1_000), seed: 12 },
    );
    expect(matched).toBeGreaterThan(sized(500, 500, 125));
  });

  it('CC-17 text without special characters matches itself, and what lies below it', () => {
    const special = /[*?[\]{}/\\]/u;
    const plain = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
      .filter((text) => !special.test(text) && !/^\.{1,2}$|^~$/u.test(text));
    fc.assert(
      fc.property(fc.array(plain, { minLength: 1, maxLength: 4 }), (names) => {
        const text = names.join('/');
        const { matches } = glob(text);
        const answers = [matches(text), matches(`${text}/x`), matches(`${text}x`), matches(`x/${text}`)];
        if (answers.join() !== 'true,true,false,false') expect.fail(`${text}: ${answers}`);
      }),
      { numRuns: sized(1_000, 5_000), seed: 3 },
    );
  });

  it('CC-17 letter case never changes the answer', () => {
    fc.assert(
      fc.property(atoms, path, (written, each) => {
        const pattern = write(written);
        const answer = glob(pattern).matches(each);
        const others = [glob(pattern.toUpperCase()).matches(each), glob(pattern).matches(each.toUpperCase())];
        if (others.includes(!answer)) expect.fail(`${pattern} on ${each}: ${answer}, ${others}`);
      }),
      { numRuns: sized(4_000, 4_000, 1_000), seed: 4 },
    );
  });

  it('S-52 any text at all compiles to a glob or a problem and never throws', () => {
    const symbols = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      '|',
      '*',
      '?',
      '/',
      '.',
      '!',
      '^',
      '-',
      ':',
      '\\',
      '1',
      'a',
      '~',
      '\0',
      '\ud800',
      'é',
    );
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.array(symbols, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(anything, anything, (pattern, text) => {
        const compiled = compileGlob(pattern);
        if ('problem' in compiled) return compiled.problem.code.startsWith('pattern_');
        const answers = [compiled.glob.matches(text), compiled.glob.mayMatchBelow(text)];
        return answers.every((answer) => typeof answer === 'boolean');
      }),
      { numRuns: sized(5_000, 20_000), seed: 52 },
    );
  });

  it('S-50 foldCase unites what differs in letter case or composition only', () => {
    const rows = [
      ['İ', 'i'],
      ['i\u0307', 'i'],
      ['ı', 'I'],
      ['\u212A', 'k'],
      ['ſ', 'S'],
      ['Å', '\u212B'],
      ['é', 'E\u0301'],
      ['ς', 'Σ'],
      ['ẞ', 'ß'],
      ['ǅ', 'ǆ'],
      ['Ⅷ', 'ⅷ'],
      ['𐐀', '𐐨'],
    ];
    for (const [left = '', right = ''] of rows) expect([left, foldCase(left)]).toEqual([left, foldCase(right)]);
    for (const [left = '', right = ''] of [
      ['ß', 'ss'],
      ['a', 'á'],
      ['ﬁ', 'fi'],
    ])
      expect(foldCase(left)).not.toBe(foldCase(right));
    for (let codePoint = 0; codePoint < 0x1f000; codePoint += 1) {
      if (codePoint >= 0xd800 && codePoint < 0xe000) continue;
      const character = String.fromCodePoint(codePoint);
      const folded = foldCase(character);
      if (foldCase(folded) !== folded) throw new Error(`not folded: U+${codePoint.toString(16)}`);
      for (const other of [character.toLowerCase(), character.toUpperCase()])
        if ([...other].length === 1 && foldCase(other) !== folded)
          throw new Error(`differs: U+${codePoint.toString(16)}`);
    }
  });
});
