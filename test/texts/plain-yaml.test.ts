import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, parseDocument } from 'yaml';
import { readPlainYaml } from '../../src/texts/plain-yaml.ts';
import { sized } from '../support/test-size.ts';

/** Where keys and texts stand and what they say, as the library has it; undefined for anything else than texts by keys. */
function byLibrary(text: string) {
  const { contents, errors, warnings } = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'silent' });
  if (!isMap(contents) || errors.length > 0 || warnings.length > 0) return undefined;
  const entries = contents.items.map(({ key, value }) => {
    if (!isScalar(key) || !isScalar(value) || typeof value.value !== 'string') return undefined;
    const node = { offset: value.range?.[0], value: value.value, text: value.source };
    return [key.source, { offset: key.range?.[0], node }] as const;
  });
  return entries.includes(undefined) ? undefined : { offset: contents.range?.[0], entries };
}

function ours(text: string) {
  const root = readPlainYaml(text);
  return root && { offset: root.offset, entries: [...(root.value as ReadonlyMap<string, unknown>)] };
}

const keys = ['name', 'description', 'allowed-tools', 'a_b', 'true', 'null', 'NaN', '__proto__'];
const strangeKeys = ['é', '1a', 'name ', '"q"', '?', 'k'.repeat(65)];
const texts = [
  'plain',
  'Use it when (or if), x/y',
  "don't",
  '"ä: b # c"',
  "'b: c'",
  '""',
  "''",
  'no',
  'a  b',
  '漢字',
  'x[1]',
];
const strangeTexts = [
  ...[
    'true',
    'Null',
    'FALSE',
    '~',
    '1',
    '.5',
    '0x1',
    'a: b',
    'a:b',
    'a #b',
    'a#b',
    '# c',
    'a ',
    'a\t',
    'a:',
    ' a',
    '',
    '- a',
  ],
  ...[
    '[a]',
    '{a: b}',
    '|',
    '>-',
    '*a',
    '&a b',
    '!a',
    '%a',
    '@a',
    '`a',
    '"a',
    "'a",
    '"a" b',
    "'it''s'",
    '"a\\n"',
    '"a\\x"',
  ],
  ...['a\u0085b', 'a\u2028b', 'a\ufeffb', 'a\0b', 'a\ud83db', '"\u0007"', '"a\ufeff"', '...', '---'],
];
const ends = ['\n', '\r\n', '\n\n', '\n  more\n', '\n\tmore\n', ' # c\n', '\n# c\n', ''];
const oneOf = (usual: readonly string[], strange: readonly string[]) =>
  fc.oneof({ arbitrary: fc.constantFrom(...usual), weight: 8 }, { arbitrary: fc.constantFrom(...strange), weight: 1 });
const line = fc.tuple(
  oneOf(keys, strangeKeys),
  oneOf([': '], [':', ' : ', ':  ']),
  oneOf(texts, strangeTexts),
  oneOf(['\n'], ends),
);

describe('YAML of texts behind keys', () => {
  it('S-58 says the same as the library has it, or nothing', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const text = lines.flat().join('');
        const plain = ours(text);
        if (plain === undefined) return;
        read += 1;
        expect(plain).toEqual(byLibrary(text));
      }),
      { numRuns: sized(100_000, 100_000, 2_000) },
    );
    expect(read).toBeGreaterThan(200);
  });

  it('S-58 is what most front matter is', () => {
    const text = 'name: pdf-tools\ndescription: "Reads PDF: pages, forms"\ntrigger: agent';
    expect(ours(text)).toEqual(byLibrary(text));
    expect(ours(text)?.entries).toHaveLength(3);
  });

  it('S-58 leaves to the library what could have too many lines', () => {
    const lines = Array.from({ length: 101 }, (_, at) => `key${at}: text`);
    expect(ours(lines.slice(1).join('\n'))?.entries).toHaveLength(100);
    expect(ours(lines.join('\n'))).toBeUndefined();
  });
});
