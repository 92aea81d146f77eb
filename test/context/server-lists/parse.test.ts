// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of other tools.
/** Server lists of other tools: what each tool's text becomes, and how its variables are spelled (FM-11). */
import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/context/server-lists/claude.ts';
import { cursorServers } from '../../../src/context/server-lists/cursor.ts';
import { geminiServers } from '../../../src/context/server-lists/gemini.ts';
import { kiroServers } from '../../../src/context/server-lists/kiro.ts';
import { opencode } from '../../../src/context/server-lists/opencode.ts';
import { rooServers } from '../../../src/context/server-lists/roo.ts';
import { parseServerList, type ServerList } from '../../../src/context/server-lists/server-list.ts';
import { serverListAt, serverLists } from '../../../src/context/server-lists/server-lists.ts';
import { vscode } from '../../../src/context/server-lists/vscode.ts';

const parse = (list: ServerList, value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const { value: config, warnings } = parseServerList(text, list, '/p/list.json');
  return { servers: Object.fromEntries(config.mcpServers), warnings };
};
const one = (list: ServerList, entry: object) => parse(list, { [list.key]: { a: entry } });

describe('each tool', () => {
  it.for<[string, ServerList, object, object]>([
    [
      'Claude Code',
      claude,
      { command: 'x', args: ['y'], env: { A: 'b' } },
      { command: 'x', args: ['y'], env: { A: 'b' } },
    ],
    [
      'Claude Code',
      claude,
      { type: 'http', url: 'https://a/', headers: { B: 'c' } },
      { type: 'http', url: 'https://a/', headers: { B: 'c' } },
    ],
    ['Claude Code', claude, { type: 'streamable-http', url: 'https://a/' }, { type: 'http', url: 'https://a/' }],
    [
      'VS Code',
      vscode,
      { type: 'stdio', command: 'x', cwd: '${workspaceFolder}/a' },
      { type: 'stdio', command: 'x', cwd: '${workspaceFolder}/a' },
    ],
    ['Cursor', cursorServers, { url: 'https://a/' }, { url: 'https://a/' }],
    [
      'Roo Code',
      rooServers,
      { command: 'x', disabled: true, alwaysAllow: ['*'], watchPaths: [] },
      { command: 'x', disabled: true },
    ],
    ['Roo Code', rooServers, { type: 'streamable-http', url: 'https://a/' }, { type: 'http', url: 'https://a/' }],
    [
      'Kiro',
      kiroServers,
      { command: 'x', disabled: false, autoApprove: ['y'], disabledTools: ['z'] },
      { command: 'x', disabled: false },
    ],
    ['Kiro', kiroServers, { url: 'https://a/', headers: { B: '${C}' } }, { url: 'https://a/', headers: { B: '${C}' } }],
    [
      'Gemini CLI',
      geminiServers,
      { httpUrl: 'https://a/', timeout: 5, trust: true },
      { type: 'http', url: 'https://a/' },
    ],
    ['Gemini CLI', geminiServers, { url: 'https://a/' }, { type: 'sse', url: 'https://a/' }],
    ['Gemini CLI', geminiServers, { command: 'x', cwd: './s' }, { command: 'x', cwd: './s' }],
    [
      'opencode',
      opencode,
      { type: 'local', command: ['x', '-y', 'z'], environment: { A: 'b' }, enabled: true },
      { type: 'stdio', command: 'x', args: ['-y', 'z'], env: { A: 'b' } },
    ],
    [
      'opencode',
      opencode,
      { type: 'remote', url: 'https://a/', enabled: false },
      { type: 'http', url: 'https://a/', disabled: true },
    ],
  ])('FM-11 %s: %s', ([, list, entry, server]) => {
    expect(one(list, entry)).toEqual({ servers: { a: server }, warnings: [] });
  });

  it('FM-11 takes no notice of fields that belong to another kind of server', () => {
    expect(one(geminiServers, { type: 'sse', url: 'https://a/', env: {}, args: [] })).toEqual({
      servers: { a: { type: 'sse', url: 'https://a/' } },
      warnings: [],
    });
    expect(one(claude, { command: 'x', headers: {} })).toEqual({ servers: { a: { command: 'x' } }, warnings: [] });
  });

  it('FM-11 has its list where it says', () => {
    const places = serverLists.flatMap(({ tool, in: where, firstOf }) =>
      firstOf.map((path) => `${tool} ${where} ${path}`),
    );
    expect(places.sort()).toEqual([
      'Claude Code every .mcp.json',
      'Cursor root .cursor/mcp.json',
      'Gemini CLI root .gemini/settings.json',
      'Junie root .junie/mcp/mcp.json',
      'Kilo Code root .kilo/kilo.json',
      'Kilo Code root .kilo/kilo.jsonc',
      'Kilo Code root .kilocode/mcp.json',
      'Kilo Code root kilo.json',
      'Kilo Code root kilo.jsonc',
      'Kiro root .kiro/settings/mcp.json',
      'Roo Code root .roo/mcp.json',
      'VS Code root .vscode/mcp.json',
      'opencode every opencode.json',
      'opencode every opencode.jsonc',
    ]);
    expect(serverListAt('/p/.cursor/mcp.json', '/p')).toBe(cursorServers);
    expect(serverListAt('/p/a/.cursor/mcp.json', '/p')).toBeUndefined();
  });
});

describe('variables', () => {
  it.each<[ServerList, string, unknown[]]>([
    [claude, 'a${B}c', ['a', { env: 'B' }, 'c']],
    [claude, '${B:-c:-d}', [{ env: 'B', otherwise: 'c:-d' }]],
    [claude, '${B:-}', [{ env: 'B', otherwise: '' }]],
    [claude, '${CLAUDE_PROJECT_DIR:-.}/x', [{ place: 'workspaceFolder' }, '/x']],
    [claude, '$B ${b c} ${', ['$B ${b c} ${']],
    [vscode, '${env:B}${input:c}', [{ env: 'B' }, { unknown: '${input:c}' }]],
    [vscode, '${workspaceFolder}${/}${foo}', [{ place: 'workspaceFolder' }, { place: 'separator' }, '${foo}']],
    [
      cursorServers,
      '${userHome}/${workspaceFolderBasename}',
      [{ place: 'userHome' }, '/', { place: 'workspaceFolderBasename' }],
    ],
    [rooServers, '${env:B}', [{ env: 'B' }]],
    [rooServers, '${constructor}', ['${constructor}']],
    [kiroServers, '${B}/$C', [{ env: 'B' }, '/$C']],
    [kiroServers, '${env:B}', [{ unknown: '${env:B}' }]],
    [kiroServers, '${workspaceFolder}', [{ unknown: '${workspaceFolder}' }]],
    [geminiServers, '$B/${C}-$D', [{ env: 'B' }, '/', { env: 'C' }, '-', { env: 'D' }]],
    [geminiServers, '$5', ['$5']],
    [opencode, '{env:B}{file:~/.c}', [{ env: 'B' }, { unknown: '{file:~/.c}' }]],
    [opencode, '${B}', ['${B}']],
  ])('FM-11 $tool spells them its own way: %s', (list, text, pieces) => {
    expect(list.variables(text)).toEqual(pieces);
  });
});

describe('a list that is broken', () => {
  it('FM-11 in one entry keeps the others, and says where', () => {
    const text = '{\n "servers": {\n  "a": {"command": 5},\n  "b": {"command": "x"},\n  "c": 7\n }\n}';
    const { servers, warnings } = parse(vscode, text);
    expect(servers).toEqual({ b: { command: 'x' } });
    expect(warnings).toMatchObject([
      { code: 'invalid_config_value', path: '/p/list.json', line: 3, pointer: '/servers/a/command' },
      { code: 'invalid_config_value', path: '/p/list.json', line: 5, pointer: '/servers/c' },
    ]);
  });

  it('FM-11 names a field as the tool does', () => {
    const entry = { command: ['x', 5], environment: { A: '\0' } };
    const { warnings } = one(opencode, entry);
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/mcp/a/environment/A', '/mcp/a/command/0']);
    expect(one(geminiServers, { httpUrl: 5 }).warnings).toMatchObject([{ pointer: '/mcpServers/a/httpUrl' }]);
    expect(one(geminiServers, { command: 'x', cwd: 5 })).toMatchObject({
      servers: {},
      warnings: [{ pointer: '/mcpServers/a/cwd' }],
    });
  });

  it('FM-11 as a whole is one warning with its line', () => {
    expect(parse(claude, '{\n"mcpServers": }')).toMatchObject({
      servers: {},
      warnings: [{ code: 'invalid_config', line: 2 }],
    });
    expect(parse(claude, '[]')).toMatchObject({ servers: {}, warnings: [{ code: 'invalid_config', line: 1 }] });
    expect(parse(claude, '{"mcpServers": {"__proto__": {"command": "x"}}}').warnings).toHaveLength(1);
  });

  it('FM-11 is not one for comments, commas at an end, a mark at its beginning, or other settings', () => {
    const text =
      '\uFEFF{\n// Servers.\n"servers": {"a": {"command": "x", "args": ["y",],},}, /* more */ "inputs": [{"id": "k"}],\n}';
    expect(parse(vscode, text)).toEqual({ servers: { a: { command: 'x', args: ['y'] } }, warnings: [] });
    for (const empty of ['', ' \n', '{}', '{"servers": null}'])
      expect(parse(vscode, empty)).toEqual({ servers: {}, warnings: [] });
  });
});
