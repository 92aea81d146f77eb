import { describe, expect, it } from 'vitest';
import { claudeImports, geminiImports, type ImportSyntax, kiroImports } from '../../../src/context/formats/imports.ts';
import { findImports } from '../../../src/context/imports.ts';
import { expectQuick } from '../../support/expect-quick.ts';

/** Each import as `line path`. */
const found = (text: string, syntax: ImportSyntax = claudeImports): string[] =>
  syntax.find(text).map(({ path, line }) => `${line} ${path}`);

describe('imports by @path', () => {
  it('begin behind white space and end before it', () => {
    expect(found('@a.md\n- @./b.md\n\tSee @../c/d.md now @e\r\n> @f.md\r\n')).toEqual([
      '1 a.md',
      '2 ./b.md',
      '3 ../c/d.md',
      '3 e',
      '4 f.md',
    ]);
    expect(found('ada@b.md (@b.md) "@b.md" \\@b.md x@ @ @@b.md @"b c.md" @#b @[b]')).toEqual([]);
  });

  it('have what hangs on their end, since the tools take it for a part of the path', () => {
    expect(found('Read @a.md, then @b.md.')).toEqual(['1 a.md,', '1 b.md.']);
  });

  it('lie in the home directory for Claude Code only, and hide in comments for it only', () => {
    const text = '@~/.claude/a.md <!-- @b.md\n@c.md --> @d.md\n@_e.md\n@/f.md\n@1.md';
    expect(found(text)).toEqual(['1 ~/.claude/a.md', '2 d.md', '3 _e.md', '4 /f.md', '5 1.md']);
    expect(found(text, geminiImports)).toEqual(['1 b.md', '2 c.md', '2 d.md', '4 /f.md']);
    expect(found('<!-- one\n\n```\n@a.md -->\n@b.md\n<!-- never closed\n\n@c.md')).toEqual(['5 b.md']);
    expect(found('`<!--` @a.md\n\n@b.md')).toEqual(['1 a.md', '3 b.md']);
  });

  it('are told apart from names of people, packages and decorators where that can be told', () => {
    const certain = (text: string) => claudeImports.find(text).map(({ isCertain }) => isCertain);
    expect(certain('@./x @../x @~/x @a.md @a.MDC, @docs/a.txt. @/x/a.markdown')).toEqual(Array(7).fill(true));
    expect(certain('@/etc/passwd @/root/.ssh/id_rsa @/proc/self/environ @/var/x @/usr/x @/tmp/x')).toEqual(
      Array(6).fill(true),
    );
    expect(certain('@octocat @types/node @Override @/lib/utils @package.json @vue/compiler.js')).toEqual(
      Array(6).fill(false),
    );
  });

  it('are no addresses, not too long, and each comes once', () => {
    expect(found(`@http://x/a.md @file:///a.md @${'a'.repeat(1_025)} @a\0b @a.md @b.md\n@a.md`)).toEqual([
      '1 a.md',
      '1 b.md',
    ]);
  });

  it.each([
    ['fences of backticks', '```md\n@a.md\n```\n@b.md', ['4 b.md']],
    ['fences of tildes', '~~~\n@a.md\n```\n@a.md\n~~~\n@b.md', ['6 b.md']],
    ['fences that end only at as long a one', '````\n@a.md\n```\n@a.md\n``````\n@b.md', ['6 b.md']],
    ['fences that never end', '```\n@a.md\n\n@b.md', []],
    ['fences in lists', '- x\n\n  ```\n  @a.md\n  ```\n  @b.md', ['6 b.md']],
    ['fences with carriage returns', '```\r\n@a.md\r\n```\r\n@b.md\r\n', ['4 b.md']],
    ['indented lines', 'Text.\n\n    @a.md\n\t@a.md\n\n    @a.md\n\n@b.md', ['8 b.md']],
    ['indented lines at the beginning', '    @a.md\n@b.md', ['2 b.md']],
    ['indented lines of a list', '- x\n\n      @a.md\n\n  @b.md', ['5 b.md']],
    ['spans', 'x `@a.md` `` @a.md ` @a.md `` @b.md', ['1 b.md']],
    ['spans over lines', 'x `y\n@a.md` @b.md', ['2 b.md']],
    ['spans behind an escaped backtick', '\\` `@a.md` @b.md', ['1 b.md']],
    ['what looks like a fence and is a span', '``` @a.md ```\n@b.md', ['2 b.md']],
  ])('are none in code: %s', (_what, text, expected) => {
    expect(found(text)).toEqual(expected);
    expect(found(text, geminiImports)).toEqual(expected);
  });

  it.each([
    ['one backtick alone', 'It’s ` @a.md', ['1 a.md']],
    ['backticks of two paragraphs', 'x `\n\n@a.md `', ['3 a.md']],
    ['backticks of two items', '- x `\n- @a.md `', ['2 a.md']],
    ['a line that goes on with a paragraph', 'Text\n    @a.md', ['2 a.md']],
    ['the text of a list', '1. x\n\n   @a.md\n   - y\n\n     @b.md', ['3 a.md', '6 b.md']],
    ['two backticks at the beginning of a line', '``\n@a.md', ['2 a.md']],
  ])('are some in what only looks like code: %s', (_what, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('are not in front matter, and count the lines of the file', () => {
    const lines = findImports('---\npaths: @a.md\n---\nx\n@b.md', claudeImports).map(({ line, path }) => [line, path]);
    expect(lines).toEqual([[5, 'b.md']]);
  });
});

describe('imports by #[[file:path]]', () => {
  it('hold a path with white space too, and are always meant', () => {
    const text = '#[[file:api/open api.yaml]] and #[[file: b.md ]] `#[[file:c.md]]` #[[file:]] #[[file:d.md\n]] @e.md';
    expect(kiroImports.find(text)).toEqual([
      { path: 'api/open api.yaml', line: 1, isCertain: true },
      { path: 'b.md', line: 1, isCertain: true },
    ]);
  });
});

describe('a text that is made to take long', () => {
  const megabyte = 1024 * 1024;
  it.each([
    ['imports', Array.from({ length: 100_000 }, (_, n) => `@f${n}.md`).join(' ')],
    ['one import, and backticks', `${'`'.repeat(megabyte)}\n@a.md`],
    [
      'runs of backticks, each of another length',
      Array.from({ length: 1_400 }, (_, n) => '`'.repeat(n + 1)).join(' @a '),
    ],
    ['backticks with blanks', '` '.repeat(megabyte / 2)],
    ['blank lines', `${'\n'.repeat(megabyte)}@a.md`],
    ['signs', '@'.repeat(megabyte)],
    ['comments that begin', `@a.md ${'<!-- '.repeat(megabyte / 5)}`],
    ['comments line by line', '<!-- x\n-->`\n'.repeat(megabyte / 12)],
    ['one path', `@${'a'.repeat(megabyte)}`],
    ['beginnings of references', `#[[file:`.repeat(megabyte / 8)],
    ['lists in lists', '- '.repeat(megabyte / 2)],
    ['white space', `@a ${' '.repeat(megabyte)}x`],
  ])('is read quickly: %s', (_what, text) => {
    for (const syntax of [claudeImports, geminiImports, kiroImports])
      expectQuick(() => findImports(`@${text}`, syntax), 400);
  });

  it('has no more imports than one file may have, and one to tell so', () => {
    expect(found(Array.from({ length: 10_000 }, (_, n) => `@f${n}.md`).join('\n'))).toHaveLength(101);
  });
});
