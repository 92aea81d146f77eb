import { describe, expect, it } from 'vitest';
import { ContextConfig, parseContextConfig } from '../../src/context/config.ts';

const path = '/work/.context/context-config.json';
const nothing = { clientContext: {}, mcpServers: new Map() };

function parse(text: string, configBytes?: number) {
  return parseContextConfig(text, { path, format: 'json', ...(configBytes === undefined ? {} : { configBytes }) });
}
const parseYaml = (text: string) => parseContextConfig(text, { path: '/work/.context/config.yaml', format: 'yaml' });
const parseValue = (value: unknown) => parse(JSON.stringify(value));

/** One line for each warning: code, line and column, pointer. */
function shown({
  warnings,
}: {
  warnings: { code: string; line?: number; column?: number; pointer?: string }[];
}): string[] {
  return warnings.map(({ code, line, column, pointer }) => `${code} ${line}:${column} ${pointer ?? ''}`.trim());
}

describe('good configurations', () => {
  it('CC-07 all fields of the type signature are read', () => {
    const { value, warnings } = parseValue({
      clientContext: {
        includeFiles: ['docs/**', '/**/shared/**'],
        excludeFiles: ['**/private/**'],
        ignoreGlobalContext: true,
        ignoreAncestorContext: false,
      },
      mcpServers: {
        files: { command: 'npx', type: 'stdio', args: ['-y', 'server'], env: { ROOT: '/tmp' }, disabled: true },
        remote: {
          url: 'https://example.test/mcp',
          type: 'http',
          headers: { Authorization: 'Bearer x' },
          disabled: false,
        },
        'short one': { url: 'http://127.0.0.1:9' },
      },
    });
    expect(warnings).toEqual([]);
    expect(value.clientContext).toEqual({
      includeFiles: ['docs/**', '/**/shared/**'],
      excludeFiles: ['**/private/**'],
      ignoreGlobalContext: true,
      ignoreAncestorContext: false,
    });
    expect([...value.mcpServers]).toEqual([
      ['files', { command: 'npx', type: 'stdio', args: ['-y', 'server'], env: { ROOT: '/tmp' }, disabled: true }],
      [
        'remote',
        { url: 'https://example.test/mcp', type: 'http', headers: { Authorization: 'Bearer x' }, disabled: false },
      ],
      ['short one', { url: 'http://127.0.0.1:9' }],
    ]);
    expect(ContextConfig.safeParse(value).success).toBe(true);
  });

  it.each(['', ' \r\n\t', '\uFEFF', '\uFEFF \n'])('CC-07 S-62 %j sets nothing, without a warning', (text) => {
    expect(parse(text)).toEqual({ value: nothing, warnings: [] });
    expect(parseYaml(text)).toEqual({ value: nothing, warnings: [] });
  });

  it('CC-07 S-62 a byte order mark is no part of the JSON', () => {
    const { value, warnings } = parse('\uFEFF{"clientContext": {"ignoreGlobalContext": true}}');
    expect(value.clientContext).toEqual({ ignoreGlobalContext: true });
    expect(warnings).toEqual([]);
  });

  it('CC-10 CC-11 what a file does not set stays absent, so that defaults and weaker files can count', () => {
    expect(parse('{}')).toEqual({ value: nothing, warnings: [] });
    const { value } = parse('{"clientContext": {"ignoreGlobalContext": false}}');
    expect(value.clientContext).toStrictEqual({ ignoreGlobalContext: false });
    expect(parse('{"clientContext": {"includeFiles": []}}').value.clientContext).toStrictEqual({ includeFiles: [] });
  });

  it('CC-09 "$schema" is for editors and no mistake', () => {
    expect(parse('{"$schema": "https://example.test/schema.json"}')).toEqual({ value: nothing, warnings: [] });
  });

  it('CC-08 the YAML form says the same', () => {
    const { value, warnings } = parseYaml(
      [
        '# ours',
        'clientContext:',
        '  includeFiles:',
        '    - docs/**',
        '  ignoreGlobalContext: true',
        'mcpServers:',
        '  files:',
        '    command: npx',
        '    args: [-y, server]',
      ].join('\r\n'),
    );
    expect(warnings).toEqual([]);
    expect(value.clientContext).toEqual({ includeFiles: ['docs/**'], ignoreGlobalContext: true });
    expect([...value.mcpServers]).toEqual([['files', { command: 'npx', args: ['-y', 'server'] }]]);
  });

  it('CC-08 S-62 YAML that holds only a comment sets nothing', () => {
    expect(parseYaml('# later\n---\n')).toEqual({ value: nothing, warnings: [] });
  });
});

describe('mistakes', () => {
  it('CC-09 wrong types and unknown keys are warnings with pointer, line and column; good fields are kept', () => {
    const result = parse(`{
  "clientContext": {
    "includeFiles": ["a", 1, "b", null],
    "excludeFiles": "c",
    "ignoreGlobalContext": "true",
    "ignoreAncestorContext": true,
    "includefiles": []
  },
  "theme": "dark"
}`);
    expect(result.value.clientContext).toEqual({ includeFiles: ['a', 'b'], ignoreAncestorContext: true });
    expect(shown(result)).toEqual([
      'invalid_config_value 3:27 /clientContext/includeFiles/1',
      'invalid_config_value 3:35 /clientContext/includeFiles/3',
      'invalid_config_value 4:21 /clientContext/excludeFiles',
      'invalid_config_value 5:28 /clientContext/ignoreGlobalContext',
      'unknown_config_key 7:5 /clientContext/includefiles',
      'unknown_config_key 9:3 /theme',
    ]);
    expect(result.warnings.every((warning) => warning.path === path && warning.message.length > 10)).toBe(true);
  });

  it('CC-08 CC-09 so they are in YAML', () => {
    const result = parseYaml(
      'clientContext:\n  includeFiles:\n    - a\n    - 1\n  ignoreGlobalContext: yes\nthem e: 1\n',
    );
    expect(result.value.clientContext).toEqual({ includeFiles: ['a'] });
    expect(shown(result)).toEqual([
      'invalid_config_value 4:7 /clientContext/includeFiles/1',
      'invalid_config_value 5:24 /clientContext/ignoreGlobalContext',
      'unknown_config_key 6:1 /them e',
    ]);
  });

  it.each([
    ['{"clientContext": []}', '/clientContext'],
    ['{"clientContext": null}', '/clientContext'],
    ['{"mcpServers": []}', '/mcpServers'],
    ['{"mcpServers": "x"}', '/mcpServers'],
  ])('CC-09 %s is one warning', (text, pointer) => {
    const result = parse(text);
    expect(result.value).toEqual(nothing);
    expect(result.warnings).toEqual([expect.objectContaining({ code: 'invalid_config_value', pointer })]);
  });

  it('CC-09 include and exclude at the top are taken for includeFiles and excludeFiles, with a warning each', () => {
    const result = parse('{\n  "include": [".myairules", ".myai/rules/*"],\n  "exclude": ["x"]\n}');
    expect(result.value.clientContext).toEqual({ includeFiles: ['.myairules', '.myai/rules/*'], excludeFiles: ['x'] });
    expect(shown(result)).toEqual(['misplaced_config_key 2:3 /include', 'misplaced_config_key 3:3 /exclude']);
  });

  it('CC-09 misplaced lists are appended to those in their place', () => {
    const { value } = parseValue({ include: ['b'], includeFiles: ['c'], clientContext: { includeFiles: ['a'] } });
    expect(value.clientContext).toEqual({ includeFiles: ['a', 'c', 'b'] });
  });

  it('CC-09 a key that is written twice is a warning and the last one counts', () => {
    const result = parse('{"clientContext": {"ignoreGlobalContext": true, "ignoreGlobalContext": false}}');
    expect(result.value.clientContext).toEqual({ ignoreGlobalContext: false });
    expect(shown(result)).toEqual(['duplicate_config_key 1:49 /clientContext/ignoreGlobalContext']);
  });

  it('CC-09 pointers escape / and ~', () => {
    expect(shown(parse('{"a/b~c": 1}'))).toEqual(['unknown_config_key 1:2 /a~1b~0c']);
  });

  it('CC-06 more than 64 patterns, and patterns that are empty or longer than 512 characters, are dropped', () => {
    const includeFiles = Array.from({ length: 70 }, (_, index) => `f${index}`);
    const many = parseValue({ clientContext: { includeFiles } });
    expect(many.value.clientContext.includeFiles).toEqual(includeFiles.slice(0, 64));
    expect(many.warnings).toEqual([expect.objectContaining({ pointer: '/clientContext/includeFiles' })]);
    const excludeFiles = ['', 'a'.repeat(513), 'b'.repeat(512), 'c\0d'];
    const odd = parseValue({ clientContext: { excludeFiles } });
    expect(odd.value.clientContext.excludeFiles).toEqual(['b'.repeat(512)]);
    expect(odd.warnings).toHaveLength(3);
  });

  it('CC-37 what is no context configuration configures nothing', () => {
    const settings = { port: 1, host: '0.0.0.0', grantRoots: ['/'], trusted: true, env: { NODE_OPTIONS: '-r x' } };
    const before = { ...process.env };
    const { value, warnings } = parseValue(settings);
    expect(value).toEqual(nothing);
    expect(warnings.map(({ code }) => code)).toEqual(Object.keys(settings).map(() => 'unknown_config_key'));
    expect(process.env).toEqual(before);
    const url = 'https://x.test/?k=$HOME';
    expect(parseValue({ mcpServers: { x: { url } } }).value.mcpServers.get('x')).toEqual({ url });
  });
});

describe('MCP servers', () => {
  it.each([
    ['neither command nor url', { args: [] }, ''],
    ['both', { command: 'a', url: 'https://b.test' }, ''],
    ['not an object', 'npx server', ''],
    ['command of another type', { command: 1 }, '/command'],
    ['an empty command', { command: '' }, '/command'],
    ['a list as a command', { command: ['npx'] }, '/command'],
    ['NUL in the command', { command: 'a\0b' }, '/command'],
    ['a line break in the command', { command: 'a\nb' }, '/command'],
    ['NUL in an argument', { command: 'a', args: ['x', 'y\0z'] }, '/args/1'],
    ['a line break in an argument', { command: 'a', args: ['x\r'] }, '/args/0'],
    ['an argument of another type', { command: 'a', args: ['--port', 8080] }, '/args/1'],
    ['args of another type', { command: 'a', args: 'x' }, '/args'],
    ['url of another type', { url: {} }, '/url'],
    ['a line break in the url', { url: 'http://a\r\nb' }, '/url'],
  ])('CC-09 %s: one warning, and the server is left out', (_, server, pointer) => {
    const { value, warnings } = parseValue({ mcpServers: { bad: server, good: { command: 'x' } } });
    expect([...value.mcpServers.keys()]).toEqual(['good']);
    const at = { code: 'invalid_config_value', pointer: `/mcpServers/bad${pointer}` };
    expect(warnings).toEqual([expect.objectContaining(at)]);
    expect(warnings[0]?.message).toContain('left out');
  });

  it.for<[server: object, kept: object, pointer: string, code: string]>([
    [{ command: 'x', disabled: 'no' }, { command: 'x' }, '/disabled', 'invalid_config_value'],
    [{ command: 'x', type: 'pipe' }, { command: 'x' }, '/type', 'invalid_config_value'],
    [{ command: 'x', env: { A: '1', B: 2 } }, { command: 'x', env: { A: '1' } }, '/env/B', 'invalid_config_value'],
    [{ command: 'x', env: { 'A=B': '1' } }, { command: 'x', env: {} }, '/env/A=B', 'invalid_config_value'],
    [{ command: 'x', env: [] }, { command: 'x' }, '/env', 'invalid_config_value'],
    [{ command: 'x', headers: {} }, { command: 'x' }, '/headers', 'unknown_config_key'],
    [{ command: 'x', cwd: '/' }, { command: 'x' }, '/cwd', 'unknown_config_key'],
    [{ url: 'x', headers: { A: 'b\r\nC: d' } }, { url: 'x', headers: {} }, '/headers/A', 'invalid_config_value'],
    [{ url: 'x', args: [] }, { url: 'x' }, '/args', 'unknown_config_key'],
  ])('CC-09 %j keeps what is good', ([server, kept, pointer, code]) => {
    const { value, warnings } = parseValue({ mcpServers: { s: server } });
    expect(value.mcpServers.get('s')).toEqual(kept);
    expect(warnings).toEqual([expect.objectContaining({ code, pointer: `/mcpServers/s${pointer}` })]);
  });

  it('CC-09 names may be anything visible up to 128 characters', () => {
    const names = ['a b', 'ünï', '@scope/name', 'x'.repeat(128), '', 'y'.repeat(129), 'a\nb'];
    const { value, warnings } = parseValue({
      mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'c' }])),
    });
    expect([...value.mcpServers.keys()]).toEqual(names.slice(0, 4));
    expect(warnings).toHaveLength(3);
  });

  it('CC-09 no value of env or headers, and no broken content, stands in a warning', () => {
    const secret = 'sk-c4n4ry';
    const texts = [
      JSON.stringify({ mcpServers: { s: { command: 'x', env: { A: `${secret}\0`, B: [secret], C: { d: secret } } } } }),
      JSON.stringify({ mcpServers: { s: { url: 'x', headers: { A: `${secret}\n`, B: [secret] } } } }),
      JSON.stringify({ mcpServers: { s: { command: 'x', type: secret, args: [`${secret}\0`] } } }),
      `{"mcpServers": {"s": {"command": "x", "env": {"A": ${secret}}}}}`,
      `{"mcpServers": {"s": {"command": "x", "env": {"A": "${secret}`,
    ];
    const yaml = [
      `mcpServers:\n  s:\n    command: x\n    env:\n      A: *${secret}\n`,
      `mcpServers:\n  s:\n    command: x\n    env: {A: ${secret}: ${secret}, ]\n`,
      `a: "${secret}" ${secret}\n`,
      `${secret}`,
      `a: !${secret} x`,
      `]${secret}`,
    ];
    for (const result of [...texts.map((text) => parse(text)), ...yaml.map(parseYaml)]) {
      expect(result.warnings.length).toBeGreaterThan(0);
      expect(JSON.stringify(result.warnings)).not.toContain('c4n4ry');
    }
  });
});
