import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, maskValues } from '../../../src/bin/render/source-excerpt.ts';
import { textWidth } from '../../../src/bin/render/terminal-text.ts';
import { sized } from '../../support/test-size.ts';

describe('excerptOf', () => {
  it('AP-08 shows a short line whole, and where in it the place is', () => {
    expect(excerptOf('  "a": 1,', 3, 40)).toEqual({ text: '  "a": 1,', caret: 2 });
    expect(excerptOf('\t\tx', 3, 40)).toEqual({ text: '    x', caret: 4 });
    expect(excerptOf('漢字 x', 4, 40)).toEqual({ text: '漢字 x', caret: 5 });
    expect(excerptOf('abc', 4, 40)).toEqual({ text: 'abc', caret: 3 });
  });

  it('AP-08 cuts a long line on both sides of the place', () => {
    const line = `${'a'.repeat(100)}HERE${'b'.repeat(100)}`;
    const { text, caret } = excerptOf(line, 101, 30);
    expect(text).toMatch(/^…a+HEREb+…$/u);
    expect(textWidth(text)).toBeLessThanOrEqual(30);
    expect(text.slice(caret, caret + 4)).toBe('HERE');
  });

  it('AP-08 S-44 makes visible what is not', () => {
    expect(excerptOf('--- ', 1, 40).text).toBe('---·');
    expect(excerptOf('a\u202eb\u001b[31m', 3, 40)).toEqual({ text: String.raw`a\u{202e}b\u{1b}[31m`, caret: 9 });
  });

  it('AP-08 S-44 is never wider than asked, points into its text, and holds nothing hostile', () => {
    const line = fc.string({ unit: 'binary', maxLength: 80 }).map((text) => text.replaceAll(/[\r\n]/gu, ' '));
    fc.assert(
      fc.property(line, fc.nat(100), fc.integer({ min: 12, max: 60 }), (text, at, room) => {
        const excerpt = excerptOf(text, Math.min(at, text.length) + 1, room);
        expect(textWidth(excerpt.text)).toBeLessThanOrEqual(room);
        expect(excerpt.caret).toBeLessThanOrEqual(textWidth(excerpt.text));
        expect(excerpt.text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: sized(5_000, 5_000, 1_000), seed: 1 },
    );
  });
});

describe('maskValues', () => {
  it.each([
    ['  "env": { "TOKEN": "s3cret" },', '  "env": { "TOKEN": "••••••" },'],
    ['  "args": ["--key", "s3cret", 8080, true]', '  "args": ["•••••", "••••••", 8080, true]'],
    ['  "TOKEN": "s3cret', '  "TOKEN": "••••••'],
    ['  "TOKEN": s3cret', '  "TOKEN": ••••••'],
    [String.raw`"a": "s\"3cret"`, '"a": "••"•••••"'],
  ])('S-05 AP-08 of the JSON line %s no value is left', (line, masked) => {
    expect(maskValues(line, 'json').replaceAll('\\', '')).toHaveLength(masked.length);
    expect(maskValues(line, 'json')).not.toMatch(/s3cret|cret/u);
    if (!line.includes('\\')) expect(maskValues(line, 'json')).toBe(masked);
  });

  it.each([
    ['  TOKEN: s3cret', '  TOKEN: ••••••'],
    ['  - s3cret', '  - ••••••'],
    ['  - TOKEN: "s3cret"', '  - TOKEN: "••••••"'],
    ['    s3cret', '    ••••••'],
    ['TOKEN:', 'TOKEN:'],
  ])('S-05 AP-08 of the YAML line %s no value is left', (line, masked) => {
    expect(maskValues(line, 'yaml')).toBe(masked);
  });

  it('AP-08 the list with the place that is meant stays, and nothing beside it', () => {
    const line = '{"clientContext": {"includeFiles": ["a", "b"]}, "mcpServers": {"x": {"env": {"T": "s3cret"}}}}';
    expect(maskValues(line, 'json', line.indexOf('"b"') + 1)).toBe(line.replace('s3cret', '••••••'));
    expect(maskValues('["s3cret"], "includeFiles": ["a"]', 'json', 30)).toBe('["••••••"], "includeFiles": ["a"]');
    const key = '"includefiles": ["a"], "token": "s3cret"';
    expect(maskValues(key, 'json', 1)).toBe(key.replace('s3cret', '••••••'));
    expect(maskValues('"ignore": true}, "token": "s3cret"', 'json', 1)).not.toContain('s3cret');
    expect(maskValues('"ignore": {}, "token": "s3cret"', 'json', 1)).not.toContain('s3cret');
    expect(maskValues('  - src/**', 'yaml', 5)).toBe('  - src/**');
    expect(maskValues('x: {includeFiles: [a], env: {T: s3cret}}', 'yaml', 20)).not.toContain('s3cret');
  });

  it('AP-08 keeps the length, so that the place stays where it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('json' as const, 'yaml' as const),
        fc.nat(),
        (line, format, at) => {
          expect(maskValues(line, format)).toHaveLength(line.length);
          expect(maskValues(line, format, at)).toHaveLength(line.length);
        },
      ),
      { numRuns: sized(5_000, 5_000, 1_000), seed: 1 },
    );
  });
});
