import { describe, expect, it, vi } from 'vitest';
import { createTreeSitterExtractor } from '../../../src/adapters/source/tree-sitter-extractor.ts';
import { onceForFile, type UsedNames } from '../../../src/adapters/source/tree-sitter-grammar.ts';
import type { SourceLanguage } from '../../../src/ports/parsed-source.ts';

const languages: SourceLanguage[] = [
  'python',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
  'csharp',
  'ruby',
  'php',
  'kotlin',
  'dart',
  'swift',
  'shell',
  'scala',
  'elixir',
  'lua',
];

/** One import and one definition of each language. */
const samples: Record<string, string> = {
  python: 'import a\n\ndef f():\n    return 1\n',
  go: 'import "a"\n\nfunc f() {}\n',
  rust: 'use a::b;\n\nfn f() {}\n',
  java: 'import a.B;\n\nclass f {}\n',
  c: '#include "a.h"\n\nint f(void) { return 1; }\n',
  cpp: '#include "a.h"\n\nint f() { return 1; }\n',
  csharp: 'using a;\n\nclass f {}\n',
  ruby: "require 'a'\n\ndef f\nend\n",
  php: '<?php\nuse A\\B;\n\nfunction f() {}\n',
  kotlin: 'import a.B\n\nfun f() = 1\n',
  lua: 'require "a"\n\nfunction f() end\n',
  elixir: 'import A\n\ndef f(), do: 1\n',
  swift: 'import a\n\nfunc f() {}\n',
  scala: 'import a.B\n\ndef f = 1\n',
  shell: 'source ./a.sh\n\nf() { :; }\n',
  dart: "import 'a.dart';\n\nvoid f() {}\n",
};

describe.each(languages)('%s', (language) => {
  const sample = samples[language] ?? '';
  const summary = async (text: string): Promise<[number, string[]]> => {
    const { imports, definitions } = (await createTreeSitterExtractor(language))(text);
    return [imports.length, definitions.map(({ name }) => name)];
  };

  it('RT-02 CRLF, BOM and no final line end are no matter', async () => {
    for (const text of [sample, sample.replaceAll('\n', '\r\n'), `\uFEFF${sample}`, sample.trimEnd()])
      expect(await summary(text)).toEqual([1, ['f']]);
  });

  it('RT-02 lines are those of the editor', async () => {
    const { imports, definitions } = (await createTreeSitterExtractor(language))(sample.replaceAll('\n', '\r\n'));
    expect(sample.split('\n')[(imports[0]?.line ?? 0) - 1]).toMatch(/import|use|using|include|require|source/u);
    expect(sample.split('\n')[(definitions[0]?.startLine ?? 0) - 1]).toContain('f');
    expect(definitions[0]?.text).not.toContain('\r');
  });

  it('RT-02 syntax errors make a result partial', async () => {
    const [imports, names] = await summary(`${sample}\n\n)]} ((( = = \u0000\n`);
    expect([imports, names]).toEqual([1, ['f']]);
  });

  it.each([
    ['nothing', ''],
    ['no code', '\u0000\uFFFF\uD800 ??? \u202E'.repeat(50)],
    ['open brackets', '('.repeat(1_000)],
    ['open braces', '{'.repeat(1_000)],
    ['nested calls', `${'f('.repeat(1_000)}${')'.repeat(1_000)}`],
    ['quotes', '"\'`'.repeat(500)],
    ['one long line', `x${' + x'.repeat(5_000)}`],
    ['one long name', 'a'.repeat(100_000)],
    ['dots', `a${'.b'.repeat(2_000)}`],
    ['hashes', '#if 1\n'.repeat(500)],
  ])('RT-02 hostile text does not break the parser: %s', async (_, text) => {
    expect(await summary(text)).toBeDefined();
    expect(await summary(sample)).toEqual([1, ['f']]);
  });

  it('RT-02 a great many imports and definitions are bounded', async () => {
    const { imports, definitions, exports = [] } = (await createTreeSitterExtractor(language))(sample.repeat(6_000));
    expect(imports.length).toBeLessThanOrEqual(5_000);
    expect(exports.length).toBeLessThanOrEqual(5_000);
    expect(definitions.length).toBeLessThanOrEqual(5_000);
  });
});

it('RT-02 one import of a great many names is bounded', async () => {
  const extract = await createTreeSitterExtractor('python');
  const names = Array.from({ length: 30_000 }, (_, index) => `n${index}`).join(', ');
  const { imports, exports = [] } = extract(`from m import ${names}\nimport ${names}\n`);
  expect(imports[0]?.names.length).toBe(20_000);
  expect(imports.length).toBe(5_000);
  expect(exports.length).toBe(5_000);
});

it('RT-02 what a grammar makes of the used names is made once for each file', () => {
  const make = vi.fn((used: UsedNames) => used(''));
  const namesIn = onceForFile(make);
  const one: UsedNames = () => ['a'];
  const other: UsedNames = () => ['b'];
  expect([one, one, other].map(namesIn)).toEqual([['a'], ['a'], ['b']]);
  expect(make.mock.calls).toEqual([[one], [other]]);
});

it('RT-02 of a text that takes too long the beginning is told', async () => {
  const extract = await createTreeSitterExtractor('python');
  const { imports, readLines } = extract(`import a\n${'\n'.repeat(40_000)}${'('.repeat(200_000)}`);
  expect(imports.map(({ specifier }) => specifier)).toEqual(['a']);
  // The beginning is 32 KiB.
  expect(readLines).toBe(32_761);
  expect(extract('import a\n')).not.toHaveProperty('readLines');
});
