// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of other tools.
/** Server lists of other tools: what each tool's text becomes, and how its variables are spelled (FM-11). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decideConfiguration } from '../../../src/access/configurations.ts';
import { amazonQServers } from '../../../src/context/server-lists/amazon-q.ts';
import { antigravityServers } from '../../../src/context/server-lists/antigravity.ts';
import { claude } from '../../../src/context/server-lists/claude.ts';
import { codexServers } from '../../../src/context/server-lists/codex.ts';
import { copilotCliServers } from '../../../src/context/server-lists/copilot-cli.ts';
import { crushServers } from '../../../src/context/server-lists/crush.ts';
import { cursorServers } from '../../../src/context/server-lists/cursor.ts';
import { geminiServers } from '../../../src/context/server-lists/gemini.ts';
import { grokServers } from '../../../src/context/server-lists/grok.ts';
import { kiroServers } from '../../../src/context/server-lists/kiro.ts';
import { opencode } from '../../../src/context/server-lists/opencode.ts';
import { qwenServers } from '../../../src/context/server-lists/qwen.ts';
import { rooServers } from '../../../src/context/server-lists/roo.ts';
import { parseServerList, type ServerList } from '../../../src/context/server-lists/server-list.ts';
import { serverListAt, serverLists } from '../../../src/context/server-lists/server-lists.ts';
import { traeServers } from '../../../src/context/server-lists/trae.ts';
import { vscode } from '../../../src/context/server-lists/vscode.ts';
import { zedServers } from '../../../src/context/server-lists/zed.ts';

const parse = async (list: ServerList, value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const { value: config, warnings } = await parseServerList(text, list, '/p/list.json');
  return { servers: Object.fromEntries(config.mcpServers), warnings };
};
const one = (list: ServerList, entry: object) => parse(list, { [list.key]: { a: entry } });
/** One server of a list in TOML. */
const ofToml = (list: ServerList, lines: string) => parse(list, `[mcp_servers.a]\n${lines}`);

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
    [
      'Copilot CLI',
      copilotCliServers,
      { type: 'local', command: 'x', args: [], tools: ['*'], timeout: 9 },
      { type: 'stdio', command: 'x', args: [] },
    ],
    ['Qwen Code', qwenServers, { httpUrl: 'https://a/', trust: true }, { type: 'http', url: 'https://a/' }],
    ['Qwen Code', qwenServers, { url: 'https://a/' }, { type: 'sse', url: 'https://a/' }],
    [
      'Zed',
      zedServers,
      { source: 'custom', enabled: false, command: 'x', args: [] },
      { command: 'x', args: [], disabled: true },
    ],
    [
      'Zed',
      zedServers,
      { url: 'https://a/', headers: { B: 'c' }, timeout: 9 },
      { url: 'https://a/', headers: { B: 'c' } },
    ],
    [
      'Amazon Q',
      amazonQServers,
      { type: 'http', url: 'https://a/', oauthScopes: [], disabled: true, autoApprove: ['*'] },
      { type: 'http', url: 'https://a/', disabled: true },
    ],
    [
      'Crush',
      crushServers,
      { type: 'sse', url: 'https://a/', disabled_tools: ['b'], oauth: true },
      { type: 'sse', url: 'https://a/' },
    ],
    ['Antigravity', antigravityServers, { serverUrl: 'https://a/' }, { type: 'http', url: 'https://a/' }],
    ['Trae', traeServers, { command: 'x', env: { A: 'b' }, fromGalleryId: 'c' }, { command: 'x', env: { A: 'b' } }],
  ])('FM-11 %s: %s', async ([, list, entry, server]) => {
    expect(await one(list, entry)).toEqual({ servers: { a: server }, warnings: [] });
  });

  it.each<[ServerList, string, object]>([
    [
      codexServers,
      'command = "x"\nargs = ["y"]\ncwd = "s"\nstartup_timeout_sec = 20',
      { command: 'x', args: ['y'], cwd: 's' },
    ],
    [
      codexServers,
      'command = "x"\nenabled = false\nenv = { A = "b" }',
      { command: 'x', env: { A: 'b' }, disabled: true },
    ],
    [
      codexServers,
      'command = "x"\nenv_vars = ["A", { name = "B" }, { name = "C", source = "local" }]\n[mcp_servers.a.env]\nB = "c"',
      { command: 'x', env: { B: 'c', A: '${env_vars.A}', C: '${env_vars.C}' } },
    ],
    [
      codexServers,
      'url = "https://a/"\nhttp_headers = { B = "c" }\nenv_http_headers = { D = "E" }\nbearer_token_env_var = "T"',
      { url: 'https://a/', headers: { B: 'c', D: '${env_vars.E}', Authorization: 'Bearer ${env_vars.T}' } },
    ],
    [codexServers, 'url = "https://a/"\ntools.b.approval_mode = "approve"\nscopes = ["c"]', { url: 'https://a/' }],
    [codexServers, 'command = "x"\nbearer_token_env_var = "T"', { command: 'x' }],
    [codexServers, 'command = "x"\nexperimental_environment = "local"', { command: 'x' }],
    [
      codexServers,
      'url = "https://a/"\nhttp_headers = { B = "1", b = "2", AUTHORIZATION = "3" }\nheaders = { C = "4" }\nbearer_token_env_var = "T"',
      { url: 'https://a/', headers: { b: '2', Authorization: 'Bearer ${env_vars.T}' } },
    ],
    [grokServers, 'command = "x"\nenv_vars = ["A"]', { command: 'x' }],
    [
      grokServers,
      'command = "x"\nenv = { A = "${B:-c}" }\ntool_timeouts = { d = 120 }',
      { command: 'x', env: { A: '${B:-c}' } },
    ],
    [
      grokServers,
      'url = "https://a/"\ntype = "sse"\nheaders = { B = "c" }\nbearer_token_env_var = "T"\nenabled = true',
      { type: 'sse', url: 'https://a/', headers: { B: 'c', Authorization: 'Bearer ${T}' } },
    ],
  ])('FM-11 $tool, in TOML: %s', async (list, lines, server) => {
    expect(await ofToml(list, lines)).toEqual({ servers: { a: server }, warnings: [] });
  });

  it('FM-11 takes no notice of fields that belong to another kind of server', async () => {
    expect(await one(geminiServers, { type: 'sse', url: 'https://a/', env: {}, args: [] })).toEqual({
      servers: { a: { type: 'sse', url: 'https://a/' } },
      warnings: [],
    });
    expect(await one(claude, { command: 'x', headers: {} })).toEqual({
      servers: { a: { command: 'x' } },
      warnings: [],
    });
  });

  it('FM-11 skips what only changes a server that is defined elsewhere', async () => {
    const text = '[mcp_servers.a]\nenabled = false\n[mcp_servers.b.tools.c]\napproval_mode = "approve"';
    for (const list of [codexServers, grokServers])
      expect(await parse(list, text)).toEqual({ servers: {}, warnings: [] });
  });

  it('FM-11 skips what its tool does not start by itself: servers that an extension of Zed brings', async () => {
    const entries = { a: { source: 'extension', settings: { key: 'b' } }, b: { command: 'x', settings: {} } };
    expect(await parse(zedServers, { context_servers: entries })).toEqual({
      servers: { b: { command: 'x' } },
      warnings: [],
    });
    expect(await one(zedServers, {})).toMatchObject({ servers: {}, warnings: [{ pointer: '/context_servers/a' }] });
  });

  it('FM-11 has its list where it says', () => {
    const places = serverLists.flatMap(({ tool, in: where, firstOf }) =>
      firstOf.map((path) => `${tool} ${where} ${path}`),
    );
    expect(places.sort()).toEqual([
      'Amazon Q root .amazonq/mcp.json',
      'Antigravity root .agents/mcp_config.json',
      'Claude Code every .mcp.json',
      'Codex every .codex/config.toml',
      'Copilot CLI every .github/mcp.json',
      'Crush every .crush.json',
      'Crush every crush.json',
      'Cursor root .cursor/mcp.json',
      'Gemini CLI root .gemini/settings.json',
      'Grok every .grok/config.toml',
      'Junie root .junie/mcp/mcp.json',
      'Kilo Code root .kilo/kilo.json',
      'Kilo Code root .kilo/kilo.jsonc',
      'Kilo Code root .kilocode/mcp.json',
      'Kilo Code root kilo.json',
      'Kilo Code root kilo.jsonc',
      'Kiro root .kiro/settings/mcp.json',
      'Qwen Code root .qwen/settings.json',
      'Roo Code root .roo/mcp.json',
      'Trae root .trae/mcp.json',
      'VS Code root .vscode/mcp.json',
      'Zed root .zed/settings.json',
      'opencode every opencode.json',
      'opencode every opencode.jsonc',
    ]);
    expect(serverListAt('/p/.cursor/mcp.json', '/p')).toBe(cursorServers);
    expect(serverListAt('/p/a/.cursor/mcp.json', '/p')).toBeUndefined();
  });

  it('FM-11 AP-06 has its list at a place whose text no operation gives away', () => {
    for (const path of serverLists.flatMap(({ firstOf }) => firstOf))
      expect(decideConfiguration(`/p/${path}`), path).toBeDefined();
  });

  it('FM-11 has its row in the documentation, the strongest first', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8');
    const table = page.slice(page.indexOf('### Servers of other tools')).split('\n\n')[2] ?? '';
    const rows = table
      .split('\n')
      .slice(2)
      .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/gu, '')));
    const expected = serverLists
      .toReversed()
      .map(({ tool, firstOf, key, formats }) => [
        tool,
        firstOf.map((path) => `\`${path}\``).join(', '),
        `\`${key}\``,
        formats.map((format) => `\`${format}\``).join(', '),
      ]);
    expect(
      rows.map(([tool = '', file = '', key, , formats]) => [
        tool.replace(', earlier versions', ''),
        file.replace(', else', ','),
        key,
        formats,
      ]),
    ).toEqual(expected);
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
    [codexServers, 'Bearer ${env_vars.B}', ['Bearer ', { env: 'B' }]],
    [codexServers, '${B} $B ${env:B} ${env_vars.B', ['${B} $B ${env:B} ${env_vars.B']],
    [
      grokServers,
      '$B ${C:-d} {{session_id}}',
      [{ env: 'B' }, ' ', { env: 'C', otherwise: 'd' }, ' ', { unknown: '{{session_id}}' }],
    ],
    [copilotCliServers, '$B ${C:-d}', [{ env: 'B' }, ' ', { env: 'C', otherwise: 'd' }]],
    [qwenServers, '$B/${C}/${D:-e}', [{ env: 'B' }, '/', { env: 'C' }, '/${D:-e}']],
    [zedServers, '${B} $B', ['${B} $B']],
    [zedServers, '', []],
    [amazonQServers, '${env:B}/${B}', [{ env: 'B' }, '/${B}']],
    [crushServers, '$B ${C:-d} $5', [{ env: 'B' }, ' ', { env: 'C', otherwise: 'd' }, ' $5']],
    [crushServers, '$(cat k) ${B:?none}', [{ unknown: '$(…)' }, 'cat k) ', { unknown: '${B:?none}' }]],
    [crushServers, '`id', [{ unknown: '`…`' }, 'id']],
    [crushServers, '${B:-${C}}', [{ unknown: '${…}' }, 'B:-', { env: 'C' }, '}']],
    [antigravityServers, '${B}/$C', [{ unknown: '${B}' }, '/$C']],
    [traeServers, '${workspaceFolder}', [{ unknown: '${workspaceFolder}' }]],
  ])('FM-11 $tool spells them its own way: %s', (list, text, pieces) => {
    expect(list.variables(text)).toEqual(pieces);
  });
});

describe('a list that is broken', () => {
  it.each([
    ['args = ["--key=${env_vars.A}"]', '/mcp_servers/a'],
    ['env = { B = "${env_vars.A}" }', '/mcp_servers/a'],
    ['env = "s"\nenv_vars = ["A"]', '/mcp_servers/a/env'],
    ['http_headers = "s"', '/mcp_servers/a/http_headers'],
  ])('FM-11 S-19 of Codex starts nothing else than Codex would: %s', async (entry, pointer) => {
    const { servers, warnings } = await parse(codexServers, `[mcp_servers.a]\ncommand = "x"\n${entry}`);
    expect([servers, warnings.map((warning) => [warning.line, warning.pointer])]).toEqual([{}, [[3, pointer]]]);
  });

  it('FM-11 leaves out what Codex starts elsewhere', async () => {
    const text = '[mcp_servers.a]\ncommand = "x"\nexperimental_environment = "remote"';
    expect(await parse(codexServers, text)).toEqual({ servers: {}, warnings: [] });
  });

  it('FM-11 in TOML says where, too, and keeps the others', async () => {
    const text = [
      'model = "m"',
      '[mcp_servers.a]',
      'command = 5',
      '[mcp_servers.b]',
      'command = "x"',
      'env_vars = ["A", "B=C", { name = "D", source = "remote" }]',
      '[mcp_servers."c d"]',
      'url = "https://a/"',
      'bearer_token_env_var = "Bearer 1"',
      'env_http_headers = { E = 5 }',
      'http_headers.F = 1979-05-27',
      '[mcp_servers]',
      'g = 7',
    ].join('\n');
    const { servers, warnings } = await parse(codexServers, `\uFEFF${text}`);
    expect(servers).toEqual({
      b: { command: 'x', env: { A: '${env_vars.A}' } },
      'c d': { url: 'https://a/', headers: {} },
    });
    expect(warnings.map(({ line, pointer }) => [line, pointer])).toEqual([
      [3, '/mcp_servers/a/command'],
      [6, '/mcp_servers/b/env_vars/1'],
      [6, '/mcp_servers/b/env_vars/2'],
      [10, '/mcp_servers/c d/env_http_headers/E'],
      [9, '/mcp_servers/c d/bearer_token_env_var'],
      [11, '/mcp_servers/c d/http_headers/F'],
      [13, '/mcp_servers/g'],
    ]);
    expect(JSON.stringify(warnings)).not.toContain('Bearer 1');
  });

  it.each([
    ['[mcp_servers.a]\ncommand = "canary\n', 2],
    ['[mcp_servers.a]\n[mcp_servers.a]\n', 2],
    [`x = 1\nmcp_servers.${'a.'.repeat(20)}b = 1`, 1],
    [`x = ${'['.repeat(5_000)}`, 1],
    [`# ${'x'.repeat(40_000)}`, 1],
  ])('FM-11 in TOML as a whole is one warning with its line: %#', async (text, line) => {
    const { servers, warnings } = await parse(codexServers, text);
    expect(servers).toEqual({});
    expect(warnings).toMatchObject([{ code: 'invalid_config', path: '/p/list.json', line }]);
    expect(warnings[0]?.message).not.toContain('canary');
  });

  it('S-61 FM-11 in TOML gives no names that objects inherit', async () => {
    const text = '[mcp_servers.__proto__]\ncommand = "x"\n[mcp_servers.a]\ncommand = "x"\nenv_vars = ["__proto__"]';
    const { servers, warnings } = await parse(codexServers, text);
    expect(servers).toEqual({ a: { command: 'x', env: {} } });
    expect(warnings.map(({ line }) => line)).toEqual([1, 5]);
    expect(await parse(codexServers, 'mcp_servers = 5')).toMatchObject({ warnings: [{ pointer: '/mcp_servers' }] });
    expect(await parse(codexServers, 'model = "m"')).toEqual({ servers: {}, warnings: [] });
  });

  it('FM-11 in one entry keeps the others, and says where', async () => {
    const text = '{\n "servers": {\n  "a": {"command": 5},\n  "b": {"command": "x"},\n  "c": 7\n }\n}';
    const { servers, warnings } = await parse(vscode, text);
    expect(servers).toEqual({ b: { command: 'x' } });
    expect(warnings).toMatchObject([
      { code: 'invalid_config_value', path: '/p/list.json', line: 3, pointer: '/servers/a/command' },
      { code: 'invalid_config_value', path: '/p/list.json', line: 5, pointer: '/servers/c' },
    ]);
  });

  it('FM-11 names a field as the tool does', async () => {
    const entry = { command: ['x', 5], environment: { A: '\0' } };
    const { warnings } = await one(opencode, entry);
    expect(warnings.map(({ pointer }) => pointer)).toEqual(['/mcp/a/environment/A', '/mcp/a/command/0']);
    expect((await one(geminiServers, { httpUrl: 5 })).warnings).toMatchObject([{ pointer: '/mcpServers/a/httpUrl' }]);
    expect(await one(geminiServers, { command: 'x', cwd: 5 })).toMatchObject({
      servers: {},
      warnings: [{ pointer: '/mcpServers/a/cwd' }],
    });
  });

  it('FM-11 as a whole is one warning with its line', async () => {
    expect(await parse(claude, '{\n"mcpServers": }')).toMatchObject({
      servers: {},
      warnings: [{ code: 'invalid_config', line: 2 }],
    });
    expect(await parse(claude, '[]')).toMatchObject({ servers: {}, warnings: [{ code: 'invalid_config', line: 1 }] });
    expect((await parse(claude, '{"mcpServers": {"__proto__": {"command": "x"}}}')).warnings).toHaveLength(1);
  });

  it('FM-11 is not one for comments, commas at an end, a mark at its beginning, or other settings', async () => {
    const text =
      '\uFEFF{\n// Servers.\n"servers": {"a": {"command": "x", "args": ["y",],},}, /* more */ "inputs": [{"id": "k"}],\n}';
    expect(await parse(vscode, text)).toEqual({ servers: { a: { command: 'x', args: ['y'] } }, warnings: [] });
    for (const empty of ['', ' \n', '{}', '{"servers": null}'])
      expect(await parse(vscode, empty)).toEqual({ servers: {}, warnings: [] });
  });
});
