import { deepStrictEqual as deepEqual, ok } from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readContextFile } from '../../src/context/front-matter.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

const texts = sized(5_000, 20_000, 4_000);
const path = '/work/.context/rule.md';
const parse = (text: string) => readContextFile(text, { path, frontMatterBytes: 16_384 });
const withFrontMatter = (lines: string) => parse(`---\n${lines}\n---\nBody.\n`);
const prototypeBefore = Reflect.ownKeys(Object.prototype);

function expectPrototypeIntact(): void {
  expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeBefore);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

describe('code in front matter', () => {
  const directory = temporaryDirectory();
  const mark = join(directory, 'mark');
  const payload = `{ mark: process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(mark)}, '') }`;
  const openers = [
    ...[
      '---js',
      '---javascript',
      '--- js',
      '---JS',
      '\uFEFF---js',
      '\uFEFF---',
      '---json',
      '---coffee',
      ';;;',
      '---\u00a0js',
    ],
    ...[
      '---',
      '--- ',
      '---\t',
      '---\tjs',
      '---JavaScript',
      '--- javascript',
      '---cson',
      '---toml',
      '---yaml',
      '---js\r',
    ],
    ...['+++', '---yml', '---constructor', '---__proto__', '---toString'],
  ];

  it('S-56 the payload runs where something runs it', () => {
    new Function(`return ${payload}`)();
    expect(existsSync(mark)).toBe(true);
    rmSync(mark);
  });

  it.each(openers)('S-56 CC-25 nothing runs behind %j', (opener) => {
    for (const close of ['---', ';;;', '+++', opener]) {
      for (const code of [
        payload,
        `(function () { return ${payload}; })()`,
        `!!js/function ${JSON.stringify(payload)}`,
      ]) {
        const text = `${opener}\n${code}\n${close}\nBody.\n`;
        const { value } = parse(text);
        expect(existsSync(mark)).toBe(false);
        expect(value.trigger).toBe('manual');
        if (!/^---\r?$/u.test(opener)) expect(value.body).toBe(text);
      }
    }
  });

  it('S-57 CC-26 the same broken text gives the same warning each time', () => {
    const text = '---\na: "b\n---\nBody.\n';
    const first = parse(text);
    expect(first.warnings).toHaveLength(1);
    expect(parse(text)).toEqual(first);
    expect(parse(text)).toEqual(first);
  });
});

describe('YAML bombs', () => {
  const levels = Array.from({ length: 10 }, (_, level) => {
    const aliases = level === 0 ? '"x"' : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: 9 }, () => aliases).join(', ')}]`;
  }).join('\n');
  const merges = Array.from({ length: 700 }, (_, level) => `m${level}: &m${level}\n  <<: *m${level - 1}\n  k: v`).join(
    '\n',
  );

  it.each([
    ['alias levels', levels, 'invalid_front_matter'],
    ['merge keys', `m-1: &m-1 {k: v}\n${merges}`.slice(0, 16_000), 'invalid_front_matter'],
    ['35 KB of merge keys', `${merges}\n${merges}`, 'front_matter_too_large'],
    ['an alias of itself', 'a: &a [*a]', 'invalid_front_matter'],
    ['deep lists', '['.repeat(10_000), 'invalid_front_matter'],
    ['deep objects', '{a: '.repeat(4_000), 'invalid_front_matter'],
    ['deep dashes', '- '.repeat(8_000), 'invalid_front_matter'],
    ['deep keys', '? '.repeat(8_000), 'invalid_front_matter'],
    ['closed deep lists', `a: ${'['.repeat(17)}${']'.repeat(17)}`, 'invalid_front_matter'],
    ['many anchors', '&a '.repeat(5_000), 'invalid_front_matter'],
    ['many quotes', '"'.repeat(16_000), 'invalid_front_matter'],
  ])('S-58 %s: one warning, quickly, and the file is served', (_, lines, code) => {
    const { value, warnings } = expectQuick(() => withFrontMatter(lines));
    expect(warnings).toEqual([
      expect.objectContaining({ code, path, line: expect.any(Number), column: expect.any(Number) }),
    ]);
    expect(value).toMatchObject({ trigger: 'manual', globs: ['*'], properties: {}, body: 'Body.\n' });
  });

  it('S-58 deep brackets in a pattern are one long pattern', () => {
    const { value, warnings } = expectQuick(() => withFrontMatter(`globs: ${'['.repeat(8_000)}${']'.repeat(8_000)}`));
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_property', pointer: '/globs/0' })]);
    expect(value.globs).toEqual([]);
  });

  it('S-58 sixteen levels are read', () => {
    const { value, warnings } = withFrontMatter(`a: ${'['.repeat(15)}1${']'.repeat(15)}`);
    expect(warnings).toEqual([]);
    expect(JSON.stringify(value.properties.a)).toBe(`${'['.repeat(15)}1${']'.repeat(15)}`);
  });

  it('S-58 runs of one thing take no longer than their length explains', () => {
    const pieces = [
      '\n',
      ' \n',
      '#\n',
      '\u2028',
      'globs: [\n',
      "globs: '\n",
      'globs: "a\n',
      'globs: *\n',
      '- *\n',
      "globs: ['a',\n ",
    ];
    for (const piece of pieces) expectQuick(() => withFrontMatter(piece.repeat(Math.floor(16_000 / piece.length))));
    for (const piece of [',', "'", '"', '{', '}', ' ', '\n *', "\n- {'", ': ', '\\']) {
      expectQuick(() => withFrontMatter(`globs: [${piece.repeat(Math.floor(15_000 / piece.length))}`));
      expectQuick(() => withFrontMatter(`globs: *${piece.repeat(Math.floor(15_000 / piece.length))}`));
    }
  });

  it('S-58 many mistakes are the first 32 and a number', () => {
    const { warnings } = withFrontMatter(`globs:\n${'- 1\n'.repeat(1_000)}`);
    expect(warnings).toHaveLength(33);
    expect(warnings.at(-1)).toMatchObject({ code: 'more_warnings', message: expect.stringContaining('968') });
  });
});

describe('YAML types', () => {
  it.each([
    ['x: !!js/function "function () {}"', 'invalid_front_matter'],
    ['x: !!python/object:os.system "id"', 'invalid_front_matter'],
    ['x: !custom y', 'invalid_front_matter'],
    ['x: !!binary aGk=', 'invalid_front_matter'],
    ['globs: !!js/regexp /a/', 'invalid_front_matter'],
    ['a: &a {k: v}\nb:\n  <<: *a', 'invalid_front_matter'],
    ['<<: {trigger: always}', 'invalid_property'],
    ['__proto__: {polluted: true}', 'invalid_property'],
    ['"__proto__":\n  polluted: true', 'invalid_property'],
    ['constructor: {prototype: {polluted: true}}', 'invalid_property'],
    ['prototype: {polluted: true}', 'invalid_property'],
    ['toString: x', 'invalid_property'],
    ['x: {y: [{__proto__: {polluted: true}}]}', 'invalid_property'],
    ['trigger: no', 'unknown_trigger'],
    ['disabled: "yes"', 'invalid_property'],
    ['priority: 0o17', 'invalid_property'],
    ['? [a]\n: b', 'invalid_front_matter'],
  ])('S-59 %j is a typed warning and pollutes nothing', (lines, code) => {
    const { value, warnings } = withFrontMatter(lines);
    expect(warnings).toEqual([expect.objectContaining({ code, path, line: expect.any(Number) })]);
    expect(value).toMatchObject({ trigger: 'manual', disabled: false, priority: 500 });
    expect(JSON.stringify(value.properties)).not.toContain('polluted');
    expectPrototypeIntact();
  });

  it('S-59 a directive for YAML 1.1 does not bring its types back', () => {
    expect(withFrontMatter('%YAML 1.1\n--- \na: no\nb: 017\nc: 2024-01-01').value.properties).toEqual({
      a: 'no',
      b: 17,
      c: '2024-01-01',
    });
  });
});

describe('properties that always hold', () => {
  const pieces = fc.constantFrom(
    ...[
      '---\n',
      'globs: ',
      'appliesTo:',
      'description: ',
      'trigger: ',
      '  - ',
      '- ',
      '\n',
      '\r\n',
      '"',
      "'",
      '*',
      '**/*.{ts,tsx}',
      '{',
      '}',
    ],
    ...[
      '[',
      ']',
      ',',
      ': ',
      ':',
      ' ',
      '\t',
      '#',
      '!',
      '!!',
      '&a ',
      '*a',
      '|',
      '>',
      '%',
      '@',
      '`',
      '? ',
      '...',
      '__proto__',
      '<<: ',
    ],
    ...['\0', '\u2028', '\uFEFF', '\ud800', '😀', 'é', 'agent', '1', 'true', 'null', '\\', '\r'],
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 30 }).map((parts) => `---\n${parts.join('')}\n---\nBody.\n`),
    fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }).map((part) => `---\nglobs: ${part}\n---\n`),
  );

  it(`S-59 ${texts} texts: never throws, same result twice, serialisable, prototype intact`, () => {
    fc.assert(
      fc.property(text, (written) => {
        const { value, warnings } = parse(written);
        deepEqual(parse(written), { value, warnings });
        deepEqual(JSON.parse(JSON.stringify(value.properties)), value.properties);
        ok(written.endsWith(value.body));
        const lines = written.split('\n').length;
        ok(value.bodyLine <= lines + 1 && warnings.every(({ line = 1 }) => line <= lines));
        ok(value.globs.every((glob) => glob !== '' && glob.length <= 512));
      }),
      { numRuns: texts, seed: 1 },
    );
    expectPrototypeIntact();
  }, 120_000);

  it('CC-27 any object of unknown properties comes back as it was', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^x[a-z]{0,5}$/u), value, { maxKeys: 5 }), (properties) => {
        const plain = JSON.parse(JSON.stringify(properties));
        fc.pre(!/"(?:__proto__|constructor|toString|valueOf|prototype|<<)"|\d{16}/u.test(JSON.stringify(plain)));
        const yaml = stringify(plain, { aliasDuplicateObjects: false, lineWidth: 0 });
        fc.pre(yaml.length < 16_000 && !/^---/mu.test(yaml));
        expect(withFrontMatter(yaml.trimEnd())).toMatchObject({ value: { properties: plain }, warnings: [] });
      }),
      { numRuns: sized(1_000, 1_000, 250), seed: 1 },
    );
  });
});
