/** Where a mistake in YAML is told: at what somebody has to change, however late the parser noticed it (S-58, AP-08). */
import { describe, expect, it } from 'vitest';
import { readContextFile } from '../../src/context/front-matter.ts';
import { parsePolicyFile } from '../../src/policy/policy-file.ts';

const open = 'is not closed, or its next line is not indented';
const indent = 'the indentation is wrong';
const noLine = 'a line is not of the form "key: value"';
const colon = 'a text that contains ": " needs quotes';
const comma = 'a comma is missing';
const star = 'a value that starts with "*" needs quotes';

/** `‸` stands before what is wrong. */
const mistakes: [string, string, string][] = [
  ['a key with too much indentation', 'version: 1\n  ‸other: auto\nx: y', indent],
  ['a key with too much indentation, later', 'x: y\nother: auto\n   ‸exclude: a\nz: 1', indent],
  ['a key below with too much indentation', 'metadata:\n  a: 1\n   ‸b: 2\nx: y', indent],
  ['a key below with too little indentation', 'metadata:\n  a: 1\n ‸b: 2\nx: y', indent],
  ['a list item with too little indentation', 'exclude:\n  - a\n ‸- b\nx: y', indent],
  ['a list item without space', 'exclude:\n  - a\n  ‸-b\nx: y', indent],
  ['a list item without mark', 'exclude:\n  - a\n  ‸b\nx: y', indent],
  ['a key in a list', 'tags:\n  - a\n  ‸b: c\nx: y', indent],
  ['a list item among keys', 'x: y\n‸- a', noLine],
  ['a block text with too little indentation', 'note: >\n  a\n ‸b\nx: y', indent],
  ['a double quote', 'name: ‸"a\ntrigger: auto\nx: y', `the quote ${open}`],
  ['a double quote at the end', 'x: y\ntrigger: auto\nname: ‸"a', `the quote ${open}`],
  ['a single quote', "name: ‸'a\ntrigger: auto\nx: y", `the quote ${open}`],
  ['a quote before another', 'name: ‸"a\ntrigger: auto\nother: "x"\nz: 1', `the quote ${open}`],
  ['a quote in a list item', 'exclude:\n  - ‸"a\n  - b\nx: y', `the quote ${open}`],
  ['a quote in a flow list', 'tags: [a, ‸"b]\nx: y', `the quote ${open}`],
  ['a quote over lines', 'name: ‸"a\n  b\ntrigger: auto', `the quote ${open}`],
  ['a quote over lines without indentation', 'name: ‸"a\nb"\ntrigger: auto', `the quote ${open}`],
  ['a flow list', 'x: y\nexclude: ‸[a, b\ntrigger: auto', `the bracket "[" ${open}`],
  ['a flow list before another', 'x: y\nexclude: ‸[a, b\ntrigger: auto\nz: [x]', `the bracket "[" ${open}`],
  ['a flow list at the end', 'x: y\ntags: ‸[a, b', `the bracket "[" ${open}`],
  ['a flow list over lines', 'tags: ‸[\n  "a",\n  "b"\nx: y', `the bracket "[" ${open}`],
  ['a flow list without indentation', 'tags: ‸[a,\nb]\nx: y', `the bracket "[" ${open}`],
  ['a flow list in a list item', 'exclude:\n  - ‸[a\n  - b\nx: y', `the bracket "[" ${open}`],
  ['a flow map', 'x: y\ntags: ‸{a: b\ntrigger: auto', `the bracket "{" ${open}`],
  ['a flow map at the end', 'x: y\ntags: ‸{a: b', `the bracket "{" ${open}`],
  ['a flow map as the whole', '‸{a: b\nname: x', `the bracket "{" ${open}`],
  ['a tab before a key', 'x: y\n‸\ttrigger: auto\nz: 1', 'tabs cannot be used to indent'],
  ['a tab before a list item', 'exclude:\n‸\t- a\nx: y', 'tabs cannot be used to indent'],
  ['a key twice', 'x: a\ntrigger: auto\n‸x: b\nz: 1', 'a key is written twice'],
  ['a star', 'x: y\ntags: ‸*a\nz: 1', star],
  ['a star in a list', 'tags:\n  - a\n  - ‸*.ts\nx: y', star],
  ['a star in a flow list', 'tags: [a, ‸*.ts]\nx: y', star],
  ['a colon in an item', 'tags:\n  - a: ‸b: c\nx: y', colon],
  ['no space after the colon', 'x: y\n‸trigger:auto\nz: 1', noLine],
  ['no space after the first colon', '‸name:auto\nz: 1', noLine],
  ['no space after the last colon', 'x: y\n‸trigger:auto', noLine],
  ['words without a key', 'x: y\n‸just words\nz: 1', noLine],
  ['a stray "]"', 'x: y\n‸]\nz: 1', 'it is not valid YAML'],
  ['a "}" too many', 'x: y\ntags: {a: b}‸}\nz: 1', 'it is not valid YAML'],
  ['words after a quote over lines', 'name: "a\n  b" ‸c\nx: y', 'it is not valid YAML'],
  ['a comma in a flow list', 'x: y\ntags: ["a" ‸"b", c]\nz: 1', comma],
  ['a comma in a flow list over lines', 'tags: [\n  "a"\n  ‸"b"\n  ]\nz: 1', comma],
  ['a tag', 'x: y\ntags: ‸!x a\nz: 1', 'tags ("!name") are not supported'],
  ['the end of a document', 'x: y\n‸...\nz: 1', 'it contains several documents'],
];

/** What YAML refuses of a policy, and front matter forgives. */
const policyMistakes: [string, string, string][] = [
  ['a double quote with an escaped one', 'name: ‸"a\\"\nx: y', `the quote ${open}`],
  ['a single quote with a doubled one', "name: ‸'it''s\ntrigger: auto\nx: y", `the quote ${open}`],
  ['a colon in plain text', 'x: y\nother: ‸b: c\nz: 1', colon],
  ['a stray "]" after a text', 'exclude: [a]‸]\nx: y', 'it is not valid YAML'],
  ['a bare star in exclude', 'exclude:\n  - ‸*.key\n', star],
  ['text after a quote', 'other: "a" ‸b\nx: y', 'it is not valid YAML'],
  ['a value with "@"', 'x: y\nother: ‸@a', 'a value that starts with this character needs quotes'],
];

const splitMark = (marked: string) => {
  const before = marked.slice(0, marked.indexOf('‸')).split('\n');
  return { text: marked.replace('‸', ''), line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

describe('the place of a mistake', () => {
  it.each(mistakes)('S-60 in front matter: %s', (_, marked, message) => {
    const { text, line, column } = splitMark(marked);
    for (const lineEnd of ['\n', '\r\n']) {
      const file = `---\n${text}\n---\nBody.\n`.replaceAll('\n', lineEnd);
      const { warnings } = readContextFile(file, { path: '/p/a.md', frontMatterBytes: 1024 });
      expect(warnings).toMatchObject([{ code: 'invalid_front_matter', line: line + 1, column }]);
      expect(warnings[0]?.message).toBe(`The front matter is not used: ${message}.`);
    }
  });

  it.each([...mistakes, ...policyMistakes])('S-63 in a policy: %s', (_, marked, message) => {
    const { text, line, column } = splitMark(marked);
    const { warnings, valid } = parsePolicyFile(text, { path: '/p/.ai-context-policy.yaml' });
    expect(valid).toBe(false);
    expect(warnings).toMatchObject([{ code: 'invalid_policy', line, column }]);
    expect(warnings[0]?.message).toContain(`The policy cannot be read: ${message}.`);
  });
});
