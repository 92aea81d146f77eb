import { deepStrictEqual as deepEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextConfig, parseContextConfig } from '../../src/context/config.ts';
import { parseJsonSource } from '../../src/texts/json-source.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { sized } from '../support/test-size.ts';

const runs = sized(4_000, 100_000, 600);

const path = '/work/.context/context-config.json';
const parse = (text: string) => parseContextConfig(text, { path, format: 'json' });
const parseYaml = (text: string) => parseContextConfig(text, { path, format: 'yaml' });
const nothing = { clientContext: {}, mcpServers: new Map() };
const prototypeBefore = Reflect.ownKeys(Object.prototype);

function expectPrototypeIntact(): void {
  expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeBefore);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
}

describe('broken as a whole', () => {
  it.each([
    ['null', 1, 1],
    ['[]', 1, 1],
    ['"x"', 1, 1],
    ['42', 1, 1],
    ['{"a": 1} // why\n', 1, 10],
    ['// why\n{}', 1, 1],
    ['/* why */ {}', 1, 1],
    ['{} /*', 1, 4],
    ['{"clientContext": {},}', 1, 22],
    ['{\n  "clientContext": {\n    "includeFiles": ["a",\n', 4, 1],
    ['{\n  "a": tru\n}', 2, 8],
    ["{'a': 1}", 1, 2],
    ['{a: 1}', 1, 2],
    ['{"a": 1 "b": 2}', 1, 9],
    ['{"a": "x\ny"}', 1, 7],
    ['{"a": 01}', 1, 8],
    ['{"a": NaN}', 1, 7],
    ['{} {}', 1, 4],
    ['\u00a0{}', 1, 1],
    ['\0', 1, 1],
    ['---\nclientContext: {}\n', 1, 1],
  ])('S-62 CC-09 %j is exactly one warning at the first mistake', (text, line, column) => {
    const { value, warnings } = parse(text);
    expect(value).toEqual(nothing);
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_config', path, line, column })]);
  });

  it.each([
    ['- a', 1, 1],
    ['text', 1, 1],
    ['a: b: c', 1, 4],
    ['clientContext: {}\nclientContext: {}', 2, 1],
    ['a: &a 1\nb: *a', 2, 4],
    ['clientContext: !x {}', 1, 16],
    ['a: 1\n---\nb: 2', 2, 1],
    ['\ta: 1', 1, 1],
    ['a: "x', 1, 4],
  ])('S-62 CC-08 %j is exactly one warning in YAML', (text, line, column) => {
    const { value, warnings } = parseYaml(text);
    expect(value).toEqual(nothing);
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_config', path, line, column })]);
  });

  it.each([
    ['lists', '['.repeat(100_000)],
    ['closed lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['objects', '{"a":'.repeat(50_000)],
    ['objects in a known field', `{"clientContext":${'{"a":'.repeat(40_000)}`],
    ['lists behind a string that a line break ends', `"\n${'['.repeat(100_000)}`],
    ['lists behind a comment', `/* " */${'['.repeat(100_000)}`],
    ['lists with brackets that do not fit', '[},'.repeat(80_000)],
    ['objects with brackets that do not fit', '{"a":[}],"b":{]},'.repeat(15_000)],
    ['seventeen levels', `{"a":${'['.repeat(16)}${']'.repeat(16)}}`],
  ])('S-62 deep %s are exactly one warning', (_, text) => {
    for (const run of [parse, parseYaml]) {
      const { value, warnings } = expectQuick(() => run(text));
      expect(value).toEqual(nothing);
      expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_config', path })]);
    }
  });

  it('S-62 brackets in strings are no depth', () => {
    const { value, warnings } = parse(
      JSON.stringify({ clientContext: { includeFiles: ['[[[[[[[[[[[[[[[[[[[["\\{{{{{'] } }),
    );
    expect(value.clientContext.includeFiles).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('S-62 a text over the limit is exactly one warning and is not parsed', () => {
    const large = JSON.stringify({ clientContext: { includeFiles: ['a'.repeat(10_000_000)] } });
    for (const run of [parse, parseYaml]) {
      const { value, warnings } = expectQuick(() => run(large));
      expect(value).toEqual(nothing);
      expect(warnings).toEqual([expect.objectContaining({ code: 'config_too_large', path })]);
    }
    const text = '{"clientContext": {"includeFiles": ["é"]}}';
    const codes = (configBytes: number) =>
      parseContextConfig(text, { path, format: 'json', configBytes }).warnings.map(({ code }) => code);
    expect(codes(text.length + 1)).toEqual([]);
    expect(codes(text.length)).toEqual(['config_too_large']);
  });

  it('S-62 more keys and values than are read in time are exactly one warning and set nothing', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',');
    const { value, warnings } = parse(`{"clientContext":{"ignoreGlobalContext":true},${keys}}`);
    expect(value).toEqual(nothing);
    expect(warnings).toEqual([expect.objectContaining({ code: 'invalid_config', path })]);
    expect(warnings[0]?.message).toContain('more than 20000 keys, values and marks');
  });

  it('S-62 a text full of mistakes is the first 32 warnings and a number', () => {
    const keys = Array.from({ length: 4_000 }, (_, index) => `"k${index}":1`).join(',');
    const { warnings } = expectQuick(() => parse(`{${keys}}`));
    expect(warnings).toHaveLength(33);
    expect(warnings.at(-1)).toMatchObject({ code: 'more_warnings', message: expect.stringContaining('3968') });
    expect(
      expectQuick(() => parse(`{"clientContext":{"includeFiles":[${'1,'.repeat(9_000)}1]}}`)).warnings,
    ).toHaveLength(33);
    expect(expectQuick(() => parse(`{"${'k'.repeat(200_000)}": 1}`)).warnings[0]?.pointer).toBe('');
  });

  it('S-58 hostile YAML of the permitted size ends soon', () => {
    for (const piece of ['&a ', '"', '*a ', '? ', '- \n', 'a:\n ', '\n', '%a\n', '[]', 'b: c, ', '!a ']) {
      expectQuick(() => parseYaml(piece.repeat(Math.floor(260_000 / piece.length))));
      expectQuick(() => parseYaml(`a: [${piece.repeat(Math.floor(260_000 / piece.length))}`));
    }
  });
});

describe('names that objects inherit', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  const evil = '{"polluted": true, "command": "x"}';

  it.each(names)('S-61 %s is a warning and harmless at each level', (name) => {
    const key = JSON.stringify(name);
    for (const [text, pointer] of [
      [`{${key}: ${evil}}`, `/${name}`],
      [`{"clientContext": {${key}: ${evil}}}`, `/clientContext/${name}`],
      [`{"mcpServers": {${key}: ${evil}}}`, `/mcpServers/${name}`],
      [`{"mcpServers": {"s": {"command": "x", ${key}: ${evil}}}}`, `/mcpServers/s/${name}`],
      [`{"mcpServers": {"s": {"command": "x", "env": {${key}: "y"}}}}`, `/mcpServers/s/env/${name}`],
      [`{"mcpServers": {"s": {"url": "x", "headers": {${key}: "y"}}}}`, `/mcpServers/s/headers/${name}`],
    ] as const) {
      for (const run of [parse, parseYaml]) {
        const { value, warnings } = run(text);
        expect(warnings).toEqual([expect.objectContaining({ pointer, line: 1 })]);
        expect(['unknown_config_key', 'invalid_config_value']).toContain(warnings[0]?.code);
        expect([...value.mcpServers.keys()].filter((server) => server !== 's')).toEqual([]);
        expect((value.clientContext as { polluted?: unknown }).polluted).toBeUndefined();
        for (const server of value.mcpServers.values()) expect(Object.getPrototypeOf(server)).toBe(Object.prototype);
        expectPrototypeIntact();
      }
    }
  });
});

describe('properties that always hold', () => {
  const key = fc.constantFrom(
    ...[
      'clientContext',
      'mcpServers',
      'includeFiles',
      'excludeFiles',
      'ignoreGlobalContext',
      'include',
      'exclude',
      '$schema',
    ],
    ...[
      'command',
      'url',
      'args',
      'env',
      'headers',
      'disabled',
      'type',
      '__proto__',
      'constructor',
      'toString',
      'a',
      '',
    ],
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'tree' },
      fc.constantFrom<unknown>('x', '', 'a\0', 'a\nb', '**', 1, -0.5, true, false, null, 'stdio'),
      fc.array(tie('tree'), { maxLength: 3, depthIdentifier: 'tree' }),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 4, depthIdentifier: 'tree' }).map((entries) => ({ entries })),
    ),
  }));
  /** Writes the tree with keys as they come, twice or `__proto__`. */
  const write = (node: unknown): string => {
    if (Array.isArray(node)) return `[${node.map(write).join(', ')}]`;
    if (typeof node !== 'object' || node === null) return JSON.stringify(node);
    const { entries } = node as { entries: [string, unknown][] };
    return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:\n${write(value)}`).join(', ')}}`;
  };
  const rooted = fc.array(fc.tuple(key, tree), { maxLength: 4 }).map((entries) => write({ entries }));

  it(`S-61 ${runs} objects: the result is valid, the same twice, and the prototype intact`, () => {
    fc.assert(
      fc.property(rooted, (text) => {
        for (const run of [parse, parseYaml]) {
          const { value, warnings } = run(text);
          deepEqual(run(text), { value, warnings });
          ok(ContextConfig.safeParse(value).success);
          const lines = text.split('\n').length;
          ok(warnings.every(({ line = 1 }) => line <= lines));
        }
      }),
      { numRuns: runs, seed: 1 },
    );
    expectPrototypeIntact();
  }, 120_000);

  it(`S-62 ${runs} texts: never throws, and JSON is what JSON.parse takes`, () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '1',
        '-',
        '.',
        'e',
        'true',
        'null',
        ' ',
        '\n',
        '\r',
        '\t',
        '\\',
        '/',
        '//',
        '/*',
        '*/',
      ],
      ...[
        '"mcpServers"',
        '"clientContext"',
        '\0',
        '\u2028',
        '\u00a0',
        '\uFEFF',
        '\ud800',
        '- ',
        ': ',
        '#',
        '&a',
        '*a',
        '!',
        '|',
        "'",
      ],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 25 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (written) => {
        deepEqual(parse(written), parse(written));
        deepEqual(parseYaml(written), parseYaml(written));
        let isJson = true;
        try {
          JSON.parse(written);
        } catch {
          isJson = false;
        }
        const source = parseJsonSource(written);
        if ('root' in source) ok(isJson);
        else ok(!isJson || ('problem' in source && source.problem.message.includes('deeper')));
      }),
      { numRuns: runs, seed: 1 },
    );
    expectPrototypeIntact();
  }, 120_000);
});
