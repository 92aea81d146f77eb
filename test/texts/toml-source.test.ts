/** TOML as located values: the same values as the library's, each at its key (FM-11). */
import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { plainValue, positionAt, type SourceNode } from '../../src/texts/source-tree.ts';
import { parseTomlSource } from '../../src/texts/toml-source.ts';

const nothing = () => {};
const plain = (text: string) => {
  const source = parseTomlSource(text);
  return 'root' in source && source.root ? plainValue(source.root, '', nothing) : source;
};

/** The places of all keys, by their paths. */
function placesOf(text: string): Record<string, { line: number; column: number }> {
  const places: ReturnType<typeof placesOf> = {};
  const visit = ({ value }: SourceNode, path: string): void => {
    if (!(value instanceof Map)) return;
    for (const [key, { offset, node }] of value) {
      places[`${path}${key}`] = positionAt(text, offset);
      visit(node, `${path}${key}.`);
    }
  };
  const source = parseTomlSource(text);
  if ('root' in source && source.root) visit(source.root, '');
  return places;
}

describe('a document in TOML', () => {
  it('has each key in its line', () => {
    const text = [
      '# [none]',
      'a.b = 1 # [none]',
      'a."c.d" = 2',
      "'e' = '''",
      'long',
      "'''",
      '[[f]]',
      'g = [ # ]',
      '  "]", [1],',
      ']',
      '[ "hA" . i ]\r',
      '  j = { k = "}", l = [{ m = 1 }] }\r',
      '"" = 1979-05-27T07:32:00Z',
    ].join('\n');
    const lines = Object.entries(placesOf(text)).map(([key, { line }]) => [key, line]);
    expect(Object.fromEntries(lines)).toEqual({
      a: 2,
      'a.b': 2,
      'a.c.d': 3,
      e: 4,
      f: 7,
      hA: 11,
      'hA.i': 11,
      'hA.i.j': 12,
      'hA.i.j.k': 12,
      'hA.i.j.l': 12,
      'hA.i.': 13,
    });
    expect(placesOf(text)['hA.i.j']).toEqual({ line: 12, column: 3 });
  });

  it('has numbers of any size, and dates as nothing that a field takes', () => {
    expect(plain('a = 9223372036854775807\nb = 07:32:00\nc = 1.5')).toEqual({
      a: '9223372036854776000',
      b: {},
      c: 1.5,
    });
  });

  const keys = fc.oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom('a', 'b c', '"', "'", '\\', '[', '#', '=', '\n', '.'),
  );
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.constantFrom('"""', "'''", '\\', 'a\nb', '#]'),
      fc.integer(),
      fc.boolean(),
      tie('list'),
      tie('table'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    table: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  }));

  it('says the same as the library', () => {
    fc.assert(
      fc.property(values.table as fc.Arbitrary<Record<string, unknown>>, (value) => {
        const text = stringify(value);
        const source = parseTomlSource(text);
        if (!('root' in source) || source.root === undefined) throw new Error('It was not read.');
        const refused: string[] = [];
        const read = plainValue(source.root, '', (pointer) => refused.push(pointer));
        if (refused.length === 0) expect(read).toEqual(structuredClone(parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('S-62 is refused with the place and the reason, and without its text', () => {
    expect(parseTomlSource('a = 1\nb = "canary')).toEqual({
      problem: { message: 'it is not valid TOML (unfinished string)', offset: 10 },
    });
    const { tomlCharacters, levels } = fixedLimits.texts;
    expect(plain('a'.repeat(tomlCharacters + 1))).toMatchObject({ problem: { offset: tomlCharacters } });
    for (const deep of [`${'a.'.repeat(levels)}b = 1`, `[${'a.'.repeat(levels)}b]`, `a = ${'{ b = '.repeat(levels)}`])
      expect(plain(deep)).toHaveProperty('problem');
    expect(plain(`${'a.'.repeat(levels - 2)}b = 1`)).not.toHaveProperty('problem');
  });
});
