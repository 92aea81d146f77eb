// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of other tools.
/** MCP servers of other tools' lists, by the real daemon with a real server: approved, started, used in a session (FM-11). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { McpServerEntry } from '../../src/mcp/server-requests.ts';
import type { RequestReceipt } from '../../src/session/request.ts';
import type { Session } from '../../src/session/session.ts';
import { startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { listServers } from '../support/list-servers.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const secret = 'canary-5c1e77-secret';
/** Its tools stand in a file, and it writes down with what it was started. */
const server = `import { writeFileSync } from 'node:fs';
const { TOKEN, MODE, UNASKED } = process.env;
writeFileSync('started.json', JSON.stringify({ args: process.argv.slice(2), TOKEN, MODE, UNASKED }));
await import(${JSON.stringify(join(import.meta.dirname, '../support/mcp-servers/listed-server.ts'))});
`;
const tools = [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object' } }];
const definition = {
  command: process.execPath,
  args: ['./server.mjs', '${LIST:-tools.json}', '${CLAUDE_PROJECT_DIR:-.}'],
  env: { TOKEN: '${TOKEN}', MODE: '${MODE:-fast}' },
};

let project: string;
let daemon: TestDaemon;
const write = (path: string, value: unknown) =>
  writeFileSync(join(project, path), typeof value === 'string' ? value : JSON.stringify(value));
const post = (path: string, body: object = {}) => daemon.request(path, { method: 'POST', body });
const list = () => listServers(daemon, project);
const named = async (name: string): Promise<McpServerEntry> => {
  const found = (await list()).servers.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no server "${name}".`);
  return found;
};

beforeAll(async () => {
  project = temporaryDirectory();
  for (const folder of ['.codex', '.cursor', '.vscode']) mkdirSync(join(project, folder));
  write('server.mjs', server);
  write('tools.json', tools);
  daemon = await startDaemon({ grantRoots: [project], env: { TOKEN: secret, UNASKED: 'unasked' } });
});
beforeEach(() => {
  for (const path of ['opencode.jsonc', '.codex/config.toml', '.cursor/mcp.json', '.vscode/mcp.json'])
    rmSync(join(project, path), { force: true });
  write('.mcp.json', { mcpServers: { adder: definition } });
});
afterAll(() => daemon.stop());

describe('a server of .mcp.json', () => {
  it('FM-11 S-24 is approved as it is shown, gets the variables that it names, and serves a session', async () => {
    const shown = await daemon.cli(['mcp', 'list', '--directory', project]);
    expect(shown.stdout).toContain(join(project, '.mcp.json'));
    expect(shown.stdout).toContain('TOKEN=${TOKEN}');
    expect(shown.stdout).toContain('is given TOKEN of your environment');
    const { id, fingerprint } = await named('adder');
    expect(await post(`/v1/mcp/servers/${id}/start`)).toMatchObject({ status: 403 });
    expect(await post('/v1/mcp/approvals', { fingerprint })).toMatchObject({ status: 200 });

    const agent = { name: 'A', mountedDirectory: project };
    expect(await daemon.request('/v1/agents/a', { method: 'PUT', body: agent })).toMatchObject({ status: 201 });
    const session = (await post('/v1/sessions', { agentId: 'a' })).body as Session;
    await until(async () => (await named('adder')).state === 'ready');
    const { body } = await post(`/v1/sessions/${session.id}/requests`, { message: 'Add.' });
    expect((body as RequestReceipt).tools).toMatchObject([{ serverName: 'adder', name: 'add' }]);
    const called = await post(`/v1/mcp/servers/${id}/tools/add/call`, { arguments: { a: 1 } });
    expect(called.text).toContain('{\\"a\\":1}');
    expect(JSON.parse(readFileSync(join(project, 'started.json'), 'utf8'))).toEqual({
      args: ['tools.json', project],
      TOKEN: secret,
      MODE: 'fast',
    });
    const said = [shown.stdout, shown.stderr, daemon.process.output.stderr, JSON.stringify(await list()), called.text];
    expect(said.join('\n')).not.toContain(secret);
  }, 60_000);

  it('FM-11 waits for another approval once what is written changes', async () => {
    write('.mcp.json', { mcpServers: { adder: { ...definition, args: [...definition.args, '--few'] } } });
    const { fingerprint } = await named('adder');
    expect(await post('/v1/mcp/approvals', { fingerprint })).toMatchObject({ status: 200 });
    write('.mcp.json', { mcpServers: { adder: { ...definition, args: [...definition.args, '--all'] } } });
    expect(await named('adder')).toMatchObject({ state: 'needs_approval', reason: { code: 'approval_stale' } });
  });

  it('FM-11 is one with the same of another list, which is named beside it', async () => {
    const same = { ...definition, env: { MODE: definition.env.MODE, TOKEN: definition.env.TOKEN } };
    write('opencode.jsonc', '{ // opencode\n "mcp": {} }');
    write('.cursor/mcp.json', { mcpServers: { other: { url: 'https://example.com/mcp' } } });
    write('.vscode/mcp.json', '{ "servers": { "Other": { "type": "http", "url": "https://example.com/mcp" }, }, }');
    write('.mcp.json', { mcpServers: { adder: same } });
    const { servers } = await list();
    expect(servers.map(({ name, definedIn, alsoDefinedIn }) => [name, definedIn, alsoDefinedIn])).toEqual([
      ['Other', join(project, '.vscode/mcp.json'), [join(project, '.cursor/mcp.json')]],
      ['adder', join(project, '.mcp.json'), undefined],
    ]);
  });

  it('SY-03 FM-11 tells listeners that it changed, came or went', async () => {
    using stream = await openEventStream(daemon);
    await list();
    for (const path of ['.mcp.json', 'opencode.jsonc', '.cursor/mcp.json', '.codex/config.toml'])
      await stream.tells(`"${join(project, path)}"`, (round) =>
        write(path, path.endsWith('.toml') ? `round = ${round}` : { mcpServers: {}, round }),
      );
  });

  it('FM-11 with a variable that nobody can give is told, and not started', async () => {
    write('.vscode/mcp.json', { inputs: [{ id: 'k' }], servers: { asks: { command: 'node', args: ['${input:k}'] } } });
    const { id, state, reason, fingerprint } = await named('asks');
    expect({ state, code: reason.code }).toEqual({ state: 'needs_approval', code: 'unresolved_variable' });
    expect(reason.detail).toContain('${input:k}');
    expect(await post('/v1/mcp/approvals', { fingerprint })).toMatchObject({ status: 409 });
    expect(await post(`/v1/mcp/servers/${id}/start`)).toMatchObject({ status: 403 });
  });

  it('FM-11 S-24 of Codex is approved, and gets the variables that its list names', async () => {
    const lines = [
      'model = "m"',
      '[mcp_servers.codex]',
      `command = ${JSON.stringify(process.execPath)}`,
      "args = ['./server.mjs', 'tools.json']",
      'env_vars = ["TOKEN"]',
      'default_tools_approval_mode = "approve"',
      '[mcp_servers.codex.env]',
      'MODE = "${TOKEN}" # Codex gives texts on as they are.',
      '[mcp_servers.broken]',
      'command = 5',
    ];
    write('.codex/config.toml', lines.join('\n'));
    const { servers, warnings } = await list();
    expect(warnings).toMatchObject([{ path: join(project, '.codex/config.toml'), line: 10 }]);
    const { id, state, fingerprint, env } = servers.find(({ name }) => name === 'codex') as McpServerEntry;
    expect({ state, env }).toEqual({ state: 'needs_approval', env: { TOKEN: '${env_vars.TOKEN}', MODE: '***' } });
    expect(await post('/v1/mcp/approvals', { fingerprint })).toMatchObject({ status: 200 });
    expect(await post(`/v1/mcp/servers/${id}/start`)).toMatchObject({ status: 200, body: { state: 'ready' } });
    expect(JSON.parse(readFileSync(join(project, 'started.json'), 'utf8'))).toEqual({
      args: ['tools.json'],
      TOKEN: secret,
      MODE: '${TOKEN}',
    });
    expect(JSON.stringify(await list())).not.toContain(secret);
  }, 60_000);

  it('FM-03 FM-11 is not there for a daemon that reads no formats', async () => {
    await using other = await startDaemon({ grantRoots: [project], args: ['--formats', 'none'] });
    expect((await listServers(other, project)).servers).toEqual([]);
  });
});
