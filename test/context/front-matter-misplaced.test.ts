import { describe, expect, it } from 'vitest';
import { readContextFile } from '../../src/context/front-matter.ts';

const path = '/w/.context/rule.md';
const parse = (text: string) => readContextFile(text, { path, frontMatterBytes: 16_384 });

describe('properties where none are read', () => {
  it('CC-25 a second block is text, and a warning says so at its fence', () => {
    const body = '\r\n \r\n---\r\nglobs: *.ts\r\n---\r\nText.\r\n';
    const { value, warnings } = parse(`---\r\nalwaysApply: false\r\n---\r\n${body}`);
    expect(value).toMatchObject({ globs: ['*'], body });
    expect(warnings).toEqual([
      {
        code: 'second_front_matter',
        message: 'These properties are plain text, because only the first block is front matter.',
        path,
        line: 6,
        column: 1,
      },
    ]);
  });

  it('CC-25 a block that lacks its first fence is text, and a warning says so', () => {
    for (const text of ['globs:\n  - *.ts\n# more\ntags: [a]\n\n---\nText.\n', 'description: x\r\n---']) {
      const { value, warnings } = parse(text);
      expect(value).toMatchObject({ description: '', globs: ['*'], body: text });
      expect(warnings).toEqual([
        {
          code: 'unopened_front_matter',
          message: 'These properties are plain text, because the first line is not "---".',
          path,
          line: 1,
          column: 1,
        },
      ]);
    }
  });

  it.each([
    '---\n---\n---\nText: x\n---\n',
    '---\n---\nText.\n---\nglobs: x\n---\n',
    '---\n---\n  ---\nglobs: x\n---\n',
    '---\n---\n---\nglobs: x\n',
    'globs: x\nText.\n---\n',
    'globs: x\n',
    'Text: x\n---\n',
    ' globs: x\n---\n',
  ])('CC-25 other lines are just text: %j', (text) => {
    expect(parse(text).warnings).toEqual([]);
  });

  it('CC-26 a warning about a block that cannot be read says when it holds all of the text', () => {
    const message = (text: string) => parse(text).warnings.map((warning) => warning.message);
    const unread = 'The front matter is not used: it is not a list of "key: value" lines.';
    expect(message('---\nText.\n---\nMore.\n')).toEqual([unread]);
    expect(message('---\nText.\n---\n \n')).toEqual([`${unread} No text follows it.`]);
  });
});
