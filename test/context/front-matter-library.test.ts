/** Where front matter begins and ends, compared with gray-matter, which most tools take it apart with (CC-25). */
import fc from 'fast-check';
import matter from 'gray-matter';
import { expect, it } from 'vitest';
import { readContextFile } from '../../src/context/front-matter.ts';
import { plainValue } from '../../src/texts/source-tree.ts';
import { parseYamlSource } from '../../src/texts/yaml-source.ts';
import { sized } from '../support/test-size.ts';

const path = '/w/.context/rule.md';
const refuse = (): never => {
  throw new Error('Another language than YAML.');
};

/** Its engines are all replaced: its own run JavaScript. Options are always passed, since without them it remembers. */
function takenApart(text: string) {
  const parse = (yaml: string): object => {
    // It leaves half of the last line's ending.
    const source = parseYamlSource(yaml.replaceAll(/\r(?:\n|$)/gu, '\n'));
    const root = 'root' in source ? source.root : undefined;
    return root?.value instanceof Map ? (plainValue(root, '', () => {}) as object) : {};
  };
  const engines = { yaml: { parse }, json: { parse: refuse }, javascript: { parse: refuse } };
  const { content, data } = matter(text, { language: 'yaml', delimiters: '---', engines });
  return { body: content, properties: data };
}

function ours(text: string) {
  const { body, properties } = readContextFile(text, { path, frontMatterBytes: 16_384 }).value;
  return { body, properties };
}

const line = fc.constantFrom('a: 1', 'b: [x, y]', 'c: "---"', 'd: ---', '', '# note', '-', 'text', '----', '---');
const ending = fc.constantFrom('\n', '\r\n');
const block = fc.array(
  line.filter((each) => !each.startsWith('---')),
  { maxLength: 5 },
);

it('CC-25 is the same where the fences are exactly "---"', () => {
  fc.assert(
    fc.property(block, fc.array(line, { maxLength: 5 }), ending, (properties, body, end) => {
      const text = ['---', ...properties, '---', ...body].join(end);
      expect(ours(text)).toEqual(takenApart(text));
    }),
    { seed: 1, numRuns: sized(2_000, 2_000, 500) },
  );
});

it('CC-25 is ours alone where a fence is only like one', () => {
  // It ends front matter at any line that begins with "---", or at the end of the text.
  expect(takenApart('---\na: 1\n----\nb: 2\n---\nText.').body).toBe('-\nb: 2\n---\nText.');
  expect(ours('---\na: 1\n--- # end\nText.')).toEqual({ body: '---\na: 1\n--- # end\nText.', properties: {} });
  expect(takenApart('---\na: 1\nText.').body).toBe('');
  expect(ours('---\na: 1\nText.').body).toBe('---\na: 1\nText.');
  // And it takes what stands behind the first fence for a language.
  expect(() => takenApart('---js\na\n---\n')).toThrow('Another language');
  expect(ours('---js\na\n---\n').body).toBe('---js\na\n---\n');
});
