import { describe, expect, it } from 'vitest';
import { parsePlainText, readContextFile } from '../../src/context/front-matter.ts';
import { fixedLimits } from '../../src/settings.ts';

const path = '/work/.context/rule.md';

function parse(text: string, frontMatterBytes = fixedLimits.request.frontMatterBytes) {
  return readContextFile(text, { path, frontMatterBytes });
}

/** Parses a file with these lines of front matter. */
function withFrontMatter(lines: string) {
  return parse(`---\n${lines}\n---\nBody.\n`);
}

const defaults = { description: '', globs: ['*'], disabled: false, trigger: 'manual', priority: 500, properties: {} };

describe('fences', () => {
  it('CC-25 front matter lies between a first line and a later line that are exactly ---', () => {
    const { value, warnings } = parse('---\ntrigger: always\n---\n# Title\n---\nrest');
    expect(value).toEqual({
      ...defaults,
      trigger: 'always',
      body: '# Title\n---\nrest',
      bodyLine: 4,
      hasFrontMatter: true,
    });
    expect(warnings).toEqual([]);
  });

  it('CC-25 without both fences all of the file is body', () => {
    for (const text of [
      '',
      '---',
      '---\n',
      '---\ntrigger: always\n',
      '---\ntrigger: always\n--- \n',
      '---\ntrigger: always\n----\n',
      '--- \ntrigger: always\n---\n',
      ' ---\ntrigger: always\n---\n',
      '\n---\ntrigger: always\n---\n',
      '----\ntrigger: always\n---\n',
      '---yaml\ntrigger: always\n---\n',
      '---\rtrigger: always\r---\r',
      '+++\ntrigger = "always"\n+++\n',
    ]) {
      expect(parse(text)).toEqual({
        value: { ...defaults, body: text, bodyLine: 1, hasFrontMatter: false },
        warnings: [],
      });
    }
  });

  it('CC-25 the closing fence may be the last thing in the file', () => {
    expect(parse('---\ntrigger: always\n---').value).toMatchObject({ trigger: 'always', body: '', bodyLine: 4 });
  });

  it('CC-25 front matter may be empty, blank or a comment', () => {
    for (const text of ['---\n---\nBody.', '---\n\n \n---\nBody.', '---\n# later\n---\nBody.']) {
      const { value, warnings } = parse(text);
      expect(value).toMatchObject({ ...defaults, body: 'Body.', hasFrontMatter: true });
      expect(warnings).toEqual([]);
    }
  });

  it('S-43 a mark that decoding left is text, so that the line is no fence', () => {
    const text = '\uFEFF---\ntrigger: always\n---\nBody.';
    expect(parse(text).value).toMatchObject({ trigger: 'manual', body: text });
  });

  it('CC-31 S-43 CRLF separates lines of front matter and stays in the body', () => {
    const { value, warnings } = parse(
      '---\r\ntrigger: always\r\nglobs: *.cs, *.vb\r\n---\r\nOne.\r\n\r\nTwo.\nThree.\r\n',
    );
    expect(value).toMatchObject({ trigger: 'always', globs: ['*.cs', '*.vb'], bodyLine: 5 });
    expect(value.body).toBe('One.\r\n\r\nTwo.\nThree.\r\n');
    expect(warnings).toEqual([]);
  });

  it('S-43 a text without front matter is returned unit for unit', () => {
    for (const text of ['a\rb\r', 'a\r\nb\n\rc', '\0', 'e\u0301\u00e9', '\u2028\u2029', '\n\n', '  \n']) {
      expect(parse(text).value.body).toBe(text);
      expect(parsePlainText(text).body).toBe(text);
    }
  });

  it('CC-24 plain text is body, even when it looks like front matter', () => {
    const text = '---\ntrigger: always\n---\nBody.';
    expect(parsePlainText(text)).toEqual({ ...defaults, body: text, bodyLine: 1, hasFrontMatter: false });
  });
});

describe('globs', () => {
  it('CC-26 the first example of the specification means what it says', () => {
    const { value, warnings } = withFrontMatter(
      'description: "Format preferences for JavaScript files"\nglobs: **/*.{js|ts}, webpackconfig.js\ntrigger: auto',
    );
    expect(value.globs).toEqual(['**/*.{js|ts}', 'webpackconfig.js']);
    expect(value).toMatchObject({ description: 'Format preferences for JavaScript files', trigger: 'auto' });
    expect(warnings).toEqual([]);
  });

  it('CC-26 the second example of the specification means what it says', () => {
    const { value, warnings } = withFrontMatter(
      'description: "Format preferences for CSS files"\nglobs:\n  - **/*.{css}\n  - **/*.{scss|less}\ntrigger: auto',
    );
    expect(value.globs).toEqual(['**/*.{css}', '**/*.{scss|less}']);
    expect(value).toMatchObject({ description: 'Format preferences for CSS files', trigger: 'auto' });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['*', ['*']],
    ['**', ['**']],
    ['*.ts # the rest not', ['*.ts']],
    ['{a,b}', ['{a,b}']],
    ['{a,b}/**/*.{c,d}, e', ['{a,b}/**/*.{c,d}', 'e']],
    ['**/*.{js,ts}, x.js', ['**/*.{js,ts}', 'x.js']],
    ['!dist/**, **', ['!dist/**', '**']],
    ['[id]/*.ts, [...slug]/*', ['[id]/*.ts', '[...slug]/*']],
    ['[*.ts, *.js]', ['*.ts', '*.js']],
    ['["a", "b"]', ['a', 'b']],
    ["['a', b, **/*.{c,d}, [e]/f]", ['a', 'b', '**/*.{c,d}', '[e]/f']],
    ['"*.ts, *.tsx"', ['*.ts', '*.tsx']],
    ['"**/*.ts", "**/*.tsx"', ['**/*.ts', '**/*.tsx']],
    ["'**/*.ts', '**/*.tsx'", ['**/*.ts', '**/*.tsx']],
    ["it's/*.md, *.txt", ["it's/*.md", '*.txt']],
    ["*/it's/*.md", ["*/it's/*.md"]],
    [',a,,b,', ['a', 'b']],
    ['a, a', ['a']],
    ['\n- *.a\n- "b"\n- !c\n- d, e', ['*.a', 'b', '!c', 'd', 'e']],
    ['\n  - *.a # first\n\n  # second\n  - {b,c}', ['*.a', '{b,c}']],
    ['\n  [\n  *.a,\n  "b"]', ['*']],
    ['[\n  *.a,\n  "b",\n]', ['*.a', 'b']],
    ['*.a,\n  *.b', ['*.a', '*.b']],
    ['|\n  *.a\n  *.b', ['*.a', '*.b']],
  ])('CC-26 globs: %s', (written, globs) => {
    expect(withFrontMatter(`globs: ${written}\ntrigger: always`).value.globs).toEqual(globs);
  });

  it.each(['', 'null', '~', '# none', '""', '[]', '\n- '])(
    'CC-27 globs: %s means all files, without a warning',
    (written) => {
      expect(withFrontMatter(`globs: ${written}\ntrigger: always`)).toMatchObject({
        value: { globs: ['*'], trigger: 'always' },
        warnings: [],
      });
    },
  );

  it('CC-27 appliesTo beats globs and takes the same forms', () => {
    expect(withFrontMatter('globs: *.a\nappliesTo: *.b, {c,d}').value.globs).toEqual(['*.b', '{c,d}']);
    expect(withFrontMatter('appliesTo:\nglobs: *.a').value.globs).toEqual(['*.a']);
  });

  it.each([
    ['42', '/globs', 8],
    ['true', '/globs', 8],
    ['{a: 1}', '/globs', 8],
    ['["a", 42]', '/globs/1', 14],
    ['[*.a, *.b, {c: d}]', '/globs/2', 19],
  ])('CC-27 globs: %s is a warning at the pattern', (written, pointer, column) => {
    const { value, warnings } = withFrontMatter(`globs: ${written}`);
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_property', path, line: 2, column, pointer })]);
    expect(value.globs.every((glob) => typeof glob === 'string')).toBe(true);
  });

  it('CC-06 more than 64 patterns, or one longer than 512 characters, are warnings and dropped', () => {
    const many = withFrontMatter(`globs: [${Array.from({ length: 65 }, (_, index) => `f${index}`).join(', ')}]`);
    expect(many.value.globs).toHaveLength(64);
    expect(many.warnings).toEqual([expect.objectContaining({ code: 'invalid_property', pointer: '/globs' })]);
    const long = withFrontMatter(`globs: ${'a'.repeat(513)}, ${'b'.repeat(512)}`);
    expect(long.value.globs).toEqual(['b'.repeat(512)]);
    expect(long.warnings).toHaveLength(1);
    const onlyLong = withFrontMatter(`globs: ${'a'.repeat(513)}`);
    expect(onlyLong.value.globs).toEqual([]);
  });
});

describe('properties', () => {
  it.each([
    ['always', 'always'],
    ['ALWAYS', 'always'],
    ['Auto', 'auto'],
    ['pattern', 'auto'],
    ['PATTERN', 'auto'],
    ['"manual"', 'manual'],
    ['', 'manual'],
    ['""', 'manual'],
    ['null', 'manual'],
  ])('CC-27 trigger: %s is %s', (written, trigger) => {
    expect(withFrontMatter(`trigger: ${written}`)).toMatchObject({ value: { trigger }, warnings: [] });
  });

  it.each([
    ['sometimes', 'unknown_trigger'],
    ['no', 'unknown_trigger'],
    ['true', 'invalid_property'],
    ['[always]', 'invalid_property'],
    ['1', 'invalid_property'],
  ])('CC-30 trigger: %s is a warning and manual', (written, code) => {
    const { value, warnings } = withFrontMatter(`description: x\ntrigger: ${written}`);
    expect(value.trigger).toBe('manual');
    expect(warnings).toEqual([expect.objectContaining({ code, path, line: 3, column: 10, pointer: '/trigger' })]);
  });

  it('CC-30 agent without description or instructions is a warning and manual', () => {
    const { value, warnings } = withFrontMatter('trigger: agent\ndescription: "  "');
    expect(value.trigger).toBe('manual');
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'agent_without_description', line: 2, pointer: '/trigger' }),
    ]);
  });

  it('CC-30 agent with either of them is agent', () => {
    expect(withFrontMatter('trigger: agent\ndescription: x')).toMatchObject({
      value: { trigger: 'agent' },
      warnings: [],
    });
    expect(withFrontMatter('trigger: agent\ninstructions: y')).toMatchObject({
      value: { trigger: 'agent', instructions: 'y' },
      warnings: [],
    });
  });

  it.each(['true', 'True', 'TRUE'])('CC-29 disabled: %s is disabled', (written) => {
    expect(withFrontMatter(`disabled: ${written}`)).toMatchObject({ value: { disabled: true }, warnings: [] });
  });

  it('CC-27 the other properties are read', () => {
    const { value, warnings } = withFrontMatter(
      'name: api/errors\ntype: Reference\npriority: 0\ninstructions: i\ndisabled: false',
    );
    expect(value).toMatchObject({
      name: 'api/errors',
      type: 'reference',
      priority: 0,
      instructions: 'i',
      disabled: false,
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['disabled', '"yes"'],
    ['disabled', 'yes'],
    ['disabled', '1'],
    ['disabled', '"true"'],
    ['priority', '1000'],
    ['priority', '-1'],
    ['priority', '5.5'],
    ['priority', '"5"'],
    ['priority', 'high'],
    ['priority', '0o17'],
    ['priority', '017'],
    ['priority', '0x1f'],
    ['type', 'rules'],
    ['type', '[rule]'],
    ['name', 'a:b'],
    ['name', '"~:global"'],
    ['name', '"two  spaces"'],
    ['name', '[a]'],
    ['description', '[a, b]'],
    ['description', '{a: b}'],
    ['instructions', '[a]'],
  ])('CC-27 %s: %s is a warning and the default', (key, written) => {
    const { value, warnings } = withFrontMatter(`\n${key}: ${written}`);
    expect(value).toEqual({ ...defaults, body: 'Body.\n', bodyLine: 5, hasFrontMatter: true });
    const at = { path, line: 3, column: key.length + 3, pointer: `/${key}` };
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_property', ...at })]);
  });

  it.each([
    ['Use this: always', 'Use this: always'],
    ['`npm test` first', '`npm test` first'],
    ['@team only', '@team only'],
    ['**Important**', '**Important**'],
    ['- a dash', '- a dash'],
    ['[Draft] text [a, b]', '[Draft] text [a, b]'],
    ['{{name}}', '{{name}}'],
    ['"Quoted": and more', '"Quoted": and more'],
    ["It's: fine", "It's: fine"],
    ['> not folded', '> not folded'],
    ['100% sure', '100% sure'],
    ['2024', '2024'],
    ['2024-01-01', '2024-01-01'],
    ['0x1f', '0x1f'],
    ['true', 'true'],
    ['null', ''],
    ['', ''],
    ['C# # not this', 'C#'],
    ['"a \\" # b"', 'a " # b'],
    ["'it''s # b' # said", "it's # b"],
    ['>-\n  folded: and\n  more', 'folded: and more'],
    ['"line: one\n  two"', 'line: one two'],
  ])('CC-26 description: %s is text without a warning', (written, description) => {
    expect(withFrontMatter(`description: ${written}\ntrigger: always`)).toMatchObject({
      value: { description, trigger: 'always' },
      warnings: [],
    });
  });

  it('CC-27 unknown properties are kept as written and can be serialised', () => {
    const { value, warnings } = withFrontMatter(
      'alwaysApply: true\ntags: [a, b]\nwhen: 2024-01-01\nid: 12345678901234567890\nratio: .inf\nmodel:\n  name: x\n  1: one\nnone:',
    );
    const properties = {
      alwaysApply: true,
      tags: ['a', 'b'],
      when: '2024-01-01',
      id: '12345678901234567890',
      ratio: '.inf',
      model: { name: 'x', 1: 'one' },
      none: null,
    };
    expect(value.properties).toEqual(properties);
    expect(JSON.parse(JSON.stringify(value.properties))).toEqual(properties);
    expect(value.trigger).toBe('manual');
    expect(warnings).toEqual([]);
  });

  it("CC-27 other tools' unquoted patterns do not spoil the file", () => {
    const { value, warnings } = withFrontMatter('applyTo: **/*.cs\npaths:\n  - **/*.ts\n  - a: b\ndescription: x');
    expect(value.properties).toEqual({ applyTo: '**/*.cs', paths: ['**/*.ts', { a: 'b' }] });
    expect(value.description).toBe('x');
    expect(warnings).toEqual([]);
  });

  it.each([
    ['fileMatchPattern: **/*', '**/*'],
    ['fileMatchPattern:\n  - **/*.ts\n  - {a,b}/*', ['**/*.ts', '{a,b}/*']],
    ["applyTo: '**/*.cs', '**/*.razor'", "'**/*.cs', '**/*.razor'"],
    ['paths: {src,lib}/**/*.ts', '{src,lib}/**/*.ts'],
    ['paths: [src/{a,b}/*.ts, **/*.go]', ['src/{a,b}/*.ts', '**/*.go']],
    ['applyTo: {a: b}', { a: 'b' }],
  ])("CC-26 other tools' patterns do not spoil the file: %j", (lines, kept) => {
    const { value, warnings } = withFrontMatter(`${lines}\ndescription: x`);
    expect(Object.values(value.properties)).toEqual([kept]);
    expect(value.description).toBe('x');
    expect(warnings).toEqual([]);
  });

  it.each([
    ['argument-hint: [feature-name] [task-id]', '[feature-name] [task-id]'],
    ['allowed-tools: Bash(cat: *), Bash(tee: *)', 'Bash(cat: *), Bash(tee: *)'],
    ['title: Rule: errors # said', 'Rule: errors'],
    ['Globs: **/*.ts', '**/*.ts'],
    ['説明: - one', '- one'],
    ['model: {name: x}', { name: 'x' }],
    ['text: |\n  a: b: c', 'a: b: c\n'],
    ['text: "a:\n  b: c"', 'a: b: c'],
  ])('CC-26 one-line texts of unknown properties do not spoil the file: %j', (lines, kept) => {
    const { value, warnings } = withFrontMatter(`${lines}\ntrigger: always`);
    expect(Object.values(value.properties)).toEqual([kept]);
    expect(value.trigger).toBe('always');
    expect(warnings).toEqual([]);
  });

  it('CC-26 a known property that is not read does not spoil the others', () => {
    const { value, warnings } = withFrontMatter('name: Review: Go\nglobs: *.go\ntrigger: when: needed');
    expect(value.globs).toEqual(['*.go']);
    expect(warnings.map(({ code, line, pointer }) => [code, line, pointer])).toEqual([
      ['invalid_property', 2, '/name'],
      ['unknown_trigger', 4, '/trigger'],
    ]);
  });
});

describe('broken front matter', () => {
  it.each([
    ['a: b\n  c: d', 3, 3],
    ['a: 1\nb: "x', 3, 4],
    ['a: 1\na: 2', 3, 1],
    ['a: 1\n\tb: 2', 3, 1],
    ['- a\n- b', 2, 1],
    ['just text', 2, 1],
    ['globs: *.a, *.b\nx: *y', 3, 4],
    ['globs: [*.a, *.b\nx: y', 2, 8],
  ])('CC-26 %j is one warning at its line, and default properties', (lines, line, column) => {
    const { value, warnings } = withFrontMatter(lines);
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_front_matter', path, line, column })]);
    expect(value).toEqual({
      ...defaults,
      body: 'Body.\n',
      bodyLine: lines.split('\n').length + 3,
      hasFrontMatter: true,
    });
  });

  it('CC-25 lines and columns are those of the file, also with CRLF', () => {
    const { warnings } = parse('---\r\nglobs: *.a\r\ntrigger: x\r\n---\r\n');
    expect(warnings).toEqual([expect.objectContaining({ code: 'unknown_trigger', line: 3, column: 10 })]);
  });

  it('CC-06 more front matter than the limit is one warning, default properties and the body', () => {
    const text = `---\ntrigger: always\nx: ${'é'.repeat(50)}\n---\nBody.\n`;
    expect(parse(text, 200).warnings).toEqual([]);
    const { value, warnings } = parse(text, 100);
    expect(warnings).toEqual([expect.objectContaining({ code: 'front_matter_too_large', path, line: 2 })]);
    expect(value).toEqual({ ...defaults, body: 'Body.\n', bodyLine: 5, hasFrontMatter: true });
  });
});
