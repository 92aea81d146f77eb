/** Trust in MCP servers, with the real daemon, real processes, and reference servers (MC-01, MC-02, S-17 … S-19). */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpServerEntry, McpToolList } from '../../src/mcp/server-requests.ts';
import type { Session } from '../../src/session/session.ts';
import { entryPath, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { listServers } from '../support/list-servers.ts';
import { freePort } from '../support/loopback.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const modules = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
const peers = {
  everything: { command: process.execPath, args: [join(modules, 'server-everything/dist/index.js')], tool: 'get-sum' },
  memory: { command: process.execPath, args: [join(modules, 'server-memory/dist/index.js')], tool: 'read_graph' },
  filesystem: {
    command: process.execPath,
    args: [join(modules, 'server-filesystem/dist/index.js'), '.'],
    tool: 'list_allowed_directories',
  },
};

const support = join(import.meta.dirname, '../support/mcp-servers');
/** `script` gives a command a terminal, in which a person types. */
const hasTerminal = spawnSync('script', ['--version']).status === 0;

let project: string;
let daemon: TestDaemon;
const mark = () => join(project, 'MARK');
const setServers = (mcpServers: object) =>
  writeFileSync(join(project, '.context/context-config.json'), JSON.stringify({ mcpServers }));
const list = async () => (await listServers(daemon, project)).servers;
const post = (path: string, body: object = {}) => daemon.request(path, { method: 'POST', body });

beforeAll(async () => {
  project = temporaryDirectory();
  mkdirSync(join(project, '.context'));
  setServers({});
  daemon = await startDaemon({ grantRoots: [project] });
});
afterAll(() => daemon.stop());

describe('servers', () => {
  it.each(Object.entries(peers))(
    'MC-01 %s is approved, started, listed and called',
    async (name, { tool, ...server }) => {
      setServers({ [name]: server });
      const shown = await daemon.cli(['mcp', 'list', '--directory', project]);
      expect(shown.stdout).toContain(server.args[0]);
      expect(shown.stdout).toContain('    tools    not known before it is started\n');
      expect((await daemon.cli(['mcp', 'start', name, '--directory', project])).code).not.toBe(0);
      const asked = await daemon.cli(['mcp', 'approve', name, '--directory', project]);
      expect(asked.code).toBe(64);
      // S-19: what is approved is what was shown, not what bears the name by now.
      const [fingerprint = ''] = /[0-9a-f]{64}/u.exec(asked.stderr) ?? [];
      expect(asked.stderr).toContain(`contextd mcp approve ${fingerprint} -d ${project} --yes\n`);
      const command = ['mcp', 'approve', fingerprint, '--yes', '--directory', project];
      expect(await daemon.cli(command)).toMatchObject({ code: 0 });
      const started = await daemon.cli(['mcp', 'start', name, '--json', '--directory', project]);
      const { id, state } = JSON.parse(started.stdout) as McpServerEntry;
      expect(state).toBe('ready');
      const { tools } = (await daemon.request(`/v1/mcp/servers/${id}/tools`)).body as McpToolList;
      expect(tools.map((each) => each.name)).toContain(tool);
      const called = await post(`/v1/mcp/servers/${id}/tools/${tool}/call`, { arguments: { a: 1, b: 2 } });
      expect(called).toMatchObject({ status: 200 });
      if (tool === 'get-sum') {
        expect(called.text).toContain('The sum of 1 and 2 is 3.');
        const call = ['mcp', 'call', name, tool, '--directory', project, '--arguments'];
        const said = await daemon.cli([...call, '{"a": 1, "b": 2}']);
        expect(said).toEqual({ code: 0, stdout: 'The sum of 1 and 2 is 3.\n', stderr: '' });
        expect(await daemon.cli([...call, '{"a": "x"}'])).toMatchObject({ code: 64, stdout: '' });
        const wrong = await post(`/v1/mcp/servers/${id}/tools/${tool}/call`, { arguments: { a: 'x' } });
        expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      }
      expect(await daemon.cli(['mcp', 'stop', name, '--directory', project])).toMatchObject({ code: 0 });
      // With its id, from a directory that was not granted.
      expect(await daemon.cli(['mcp', 'start', id])).toMatchObject({ code: 0 });
      expect((await daemon.cli(['mcp', 'tools', id])).stdout).toContain(tool);
      expect(await daemon.cli(['mcp', 'stop', id])).toMatchObject({ code: 0 });
      expect(await daemon.cli(['mcp', 'revoke', name, '--directory', project])).toMatchObject({ code: 0 });
      expect((await list())[0]?.state).toBe('needs_approval');
    },
    60_000,
  );

  it('MC-01 everything is approved, started, listed and called over streamable HTTP', async () => {
    const port = await freePort();
    const args = [...peers.everything.args, 'streamableHttp'];
    const child = spawn(process.execPath, args, { env: { PORT: String(port) }, stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}/mcp`;
    try {
      await until(() =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      );
      setServers({ remote: { type: 'http', url } });
      const [before] = await list();
      expect(await post(`/v1/mcp/servers/${before?.id}/start`)).toMatchObject({ status: 403 });
      expect(await post('/v1/mcp/approvals', { fingerprint: before?.fingerprint })).toMatchObject({ status: 200 });
      const started = await post(`/v1/mcp/servers/${before?.id}/start`);
      expect(started).toMatchObject({ status: 200, body: { state: 'ready', transport: 'http' } });
      const called = await post(`/v1/mcp/servers/${before?.id}/tools/get-sum/call`, { arguments: { a: 1, b: 2 } });
      expect(called.text).toContain('The sum of 1 and 2 is 3.');
      expect(await post(`/v1/mcp/servers/${before?.id}/stop`)).toMatchObject({ status: 200 });
    } finally {
      child.kill('SIGKILL');
    }
  }, 60_000);

  it('SY-04 S-31 are called on the command line, which shows what withheld tools were and are', async () => {
    // Not in a granted root: there its content would be vouched for.
    const file = join(daemon.home, 'tools.json');
    const offer = (description: string, more: object[] = []) =>
      writeFileSync(file, JSON.stringify([{ name: 'say', description, inputSchema: { type: 'object' } }, ...more]));
    offer('Says it back.');
    setServers({ listed: { command: process.execPath, args: [join(support, 'listed-server.ts'), file] } });
    const cli = (...args: string[]) => daemon.cli(['mcp', ...args], { cwd: project });
    expect(await cli('call', 'listed', 'say')).toMatchObject({ code: 64, stdout: '' });
    expect((await cli('approve', (await list())[0]?.fingerprint ?? '', '--yes')).code).toBe(0);
    const text = '{"text": "red \\u001b[31m\\nnext"}';
    // What steers a terminal is made visible, in what a tool answers too.
    const called = await daemon.cli(['mcp', 'call', 'listed', 'say', '--arguments', '-'], {
      cwd: project,
      input: text,
    });
    expect(called).toEqual({ code: 0, stdout: '{"text":"red \\u001b[31m\\nnext"}\n', stderr: '' });
    const long = await cli('call', 'listed', 'say', '--arguments', '{"length": 2}');
    expect(long).toEqual({ code: 0, stdout: 'lorem ipsum\nlorem ipsum\n', stderr: '' });
    const json = JSON.parse((await cli('call', 'listed', 'say', '--json')).stdout) as unknown;
    expect(json).toMatchObject({ content: [{ type: 'text', text: '{}' }] });
    for (const wrong of ['x', '[]', '"x"', 'null'])
      expect(await cli('call', 'listed', 'say', '--arguments', wrong)).toMatchObject({ code: 64, stdout: '' });
    expect(await cli('call', 'listed', 'none')).toMatchObject({ code: 64 });
    expect(await cli('call', 'none', 'say')).toMatchObject({
      code: 64,
      stderr: 'contextd: there is no server “none” here. Name its directory with -d, or its agent with --agent.\n',
    });
    expect(await cli('tools', 'listed')).toMatchObject({ code: 0, stdout: 'say       Says it back.\n' });
    const failing = await cli('call', 'listed', 'say', '--arguments', '{"fail": true}');
    expect(failing).toEqual({ code: 1, stdout: 'It failed.\n', stderr: '' });

    offer('Says it back.\nAnd \u001b[2Jsends it on.', [{ name: 'new', inputSchema: { type: 'object' } }]);
    await until(async () => ((await list())[0]?.withheldTools ?? 0) === 2);
    const { stdout } = await cli('tools', 'listed');
    expect(stdout).toContain(
      '! changed  say\n    It changed since it was approved.\n    description\n    - Says it back.\n    + Says it back.\n    + And ',
    );
    expect(stdout).toContain('! new  new\n');
    expect(stdout).toMatch(/^(?:[^\p{C}]|\n)*$/u);
    const unasked = await cli('approve', 'listed', '--tools');
    expect(unasked).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/ approve [0-9a-f]{64} --tools --yes\n$/u),
    });
    const accepted = await cli('approve', (await list())[0]?.fingerprint ?? '', '--yes', '--tools');
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining('    - Says it back.\n') });
    expect((await cli('tools', 'listed')).stdout).not.toContain('Withheld');
    expect((await cli('stop', 'listed')).code).toBe(0);
  }, 60_000);

  it('SY-04 SE-04 have tools that sessions take by the name that pages show, whatever is in it', async () => {
    const file = join(daemon.home, 'slash-tools.json');
    writeFileSync(file, JSON.stringify([{ name: 'say', description: 'x', inputSchema: { type: 'object' } }]));
    setServers({ 'io.example/a b': { command: process.execPath, args: [join(support, 'listed-server.ts'), file] } });
    const [{ id = '', fingerprint = '' } = {}] = await list();
    expect(await post('/v1/mcp/approvals', { fingerprint })).toMatchObject({ status: 200 });
    expect(await post(`/v1/mcp/servers/${id}/start`)).toMatchObject({ status: 200 });
    const agent = { name: 'Slash', mountedDirectory: project };
    expect(await daemon.request('/v1/agents/slash', { method: 'PUT', body: agent })).toMatchObject({ status: 201 });
    const session = (await post('/v1/sessions', { agentId: 'slash' })).body as Session;
    const change = (verb: string) => daemon.cli(['sessions', verb, session.id, 'tool', 'io.example/a b/say']);
    expect(await change('remove')).toMatchObject({ code: 0, stdout: 'Items 0\n' });
    expect(await change('add')).toMatchObject({ code: 0, stdout: expect.stringContaining('  io.example/a b/say\n') });
    expect(await post(`/v1/mcp/servers/${id}/stop`)).toMatchObject({ status: 200 });
  }, 60_000);

  it('MC-01 offer their other tools when a tool is none', async () => {
    const file = join(daemon.home, 'bad-tools.json');
    const inputSchema = { type: 'object' };
    const tools = [{ name: 'text', inputSchema: { type: 'string' } }, { name: 'none' }, { inputSchema }, null, 'x'];
    const tasks = ['required', 'optional'].map((taskSupport) => ({
      name: taskSupport,
      inputSchema,
      execution: { taskSupport },
    }));
    writeFileSync(
      file,
      JSON.stringify([...tools, ...tasks, { name: 'say', description: 'Says it back.', inputSchema }]),
    );
    setServers({ mixed: { command: process.execPath, args: [join(support, 'listed-server.ts'), file] } });
    const [shown] = await list();
    await post('/v1/mcp/approvals', { fingerprint: shown?.fingerprint });
    const started = await post(`/v1/mcp/servers/${shown?.id}/start`);
    // No approval makes these tools usable.
    const ready = { state: 'ready', reason: { code: 'ready' }, tools: 2, withheldTools: 6 };
    expect(started).toMatchObject({ status: 200, body: ready });
    const refused = await post(`/v1/mcp/servers/${shown?.id}/tools/required/call`, { arguments: {} });
    const detail = 'The tool cannot be used. It runs only as a task, and contextd does not support tasks.';
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found', detail } });
    const listed = (await daemon.request(`/v1/mcp/servers/${shown?.id}/tools`)).body as McpToolList;
    expect(listed.tools.map(({ name }) => name)).toEqual(['optional', 'say']);
    expect(listed.withheld.map(({ name, reason }) => [name, reason.code])).toEqual([
      ...['text', 'none', '(tool 3)', '(tool 4)', '(tool 5)'].map((name) => [name, 'invalid_schema']),
      ['required', 'unsupported'],
    ]);
    const shownTools = await daemon.cli(['mcp', 'tools', 'mixed', '-d', project]);
    expect(shownTools.stdout).toContain(
      '! cannot be used  required\n    It runs only as a task, and contextd does not support tasks.\n',
    );
    const called = await post(`/v1/mcp/servers/${shown?.id}/tools/say/call`, { arguments: { a: 1 } });
    expect(called).toMatchObject({ status: 200 });
    expect(await post(`/v1/mcp/servers/${shown?.id}/stop`)).toMatchObject({ status: 200 });
  }, 60_000);

  it.skipIf(!hasTerminal).each([
    ['Ctrl-C', '\u0003', 64],
    ['Ctrl-D', '\u0004', 64],
    ['yes', 'y\n', 0],
  ])('S-19 asks a person beside the answer, who says %s', async (_, typed, code) => {
    setServers({ files: { command: 'ls', args: [] } });
    const approve = `mcp approve files --json --directory ${project} --state-dir ${daemon.stateDirectory}`;
    const answer = join(daemon.home, 'approved.json');
    const command = `${process.execPath} ${entryPath} ${approve} > ${answer}`;
    const env = { PATH: process.env.PATH, HOME: daemon.home, TERM: 'xterm' };
    const running = spawn('script', ['-qec', command, '/dev/null'], { env });
    const ended = new Promise((resolve) => running.once('close', resolve));
    let seen = '';
    running.stdout.on('data', (data) => {
      seen += String(data);
    });
    await expect.poll(() => seen).toContain('[y/N]');
    running.stdin.write(typed);
    expect([await ended, stripVTControlCharacters(seen)]).toEqual([code, expect.stringContaining('runs     ls')]);
    // In the colours of the terminal that shows it, although the answer goes to a file.
    expect(seen).toContain('\u001b[31m▲');
    if (code !== 0) {
      expect(seen).toContain('contextd: nothing was approved');
      expect(readFileSync(answer, 'utf8')).toBe('');
    } else expect(JSON.parse(readFileSync(answer, 'utf8'))).toMatchObject({ name: 'files', state: 'stopped' });
  });

  it('S-17 start by nothing that only reads', async () => {
    setServers({ evil: { command: 'touch', args: [mark()] } });
    const body = { mountedDirectory: project };
    await post('/v1/context/resolve', body);
    await post('/v1/context/explain', body);
    await post('/v1/config/validate', body);
    await post('/v1/search', { ...body, query: 'evil' });
    await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A', mountedDirectory: project } });
    const session = (await post('/v1/sessions', { agentId: 'a' })).body as { id: string };
    await post(`/v1/sessions/${session.id}/requests`, { message: 'go' });
    const [server] = await list();
    for (const verb of ['start', 'restart', 'tools/x/call', 'resources/read', 'prompts/get']) {
      const sent = verb.endsWith('call') ? { arguments: {} } : verb.endsWith('read') ? { uri: 'x' } : { name: 'x' };
      await post(`/v1/mcp/servers/${server?.id}/${verb}`, verb.includes('start') ? {} : sent);
    }
    expect(server?.state).toBe('needs_approval');
    expect(existsSync(mark())).toBe(false);
  });

  it('S-18 S-19 run nothing but what was approved, over 100 mutated configurations', async () => {
    const script = join(project, 'serve.js');
    const good = join(project, 'GOOD');
    writeFileSync(script, `require('fs').writeFileSync(process.argv[2], '')`);
    const approved = { command: process.execPath, args: ['./serve.js', good] };
    setServers({ one: approved });
    const [server] = await list();
    await post('/v1/mcp/approvals', { fingerprint: server?.fingerprint });
    const start = () => post(`/v1/mcp/servers/${server?.id}/start`);
    for (let at = 0; at < 100; at += 1) {
      const args = [
        ['./serve.js', mark()],
        ['./serve.js', mark(), `${at}`],
        ['-e', `require('fs').writeFileSync(${JSON.stringify(mark())},'')`],
      ];
      const command = at % 5 === 0 ? 'touch' : process.execPath;
      setServers({ one: { command, args: args[at % 3], env: { N: `${at % 7}` } } });
      expect(await start()).toMatchObject({ status: 403, body: { code: 'approval_required' } });
    }
    setServers({ one: approved });
    writeFileSync(script, `require('fs').writeFileSync(${JSON.stringify(mark())}, '')`);
    expect(await start()).toMatchObject({ status: 403 });
    expect(existsSync(mark())).toBe(false);
    expect(existsSync(good)).toBe(false);
    // The proof that it would have shown: what was approved does run, and is no MCP server.
    writeFileSync(script, `require('fs').writeFileSync(process.argv[2], '')`);
    expect(await start()).toMatchObject({ status: 502, body: { code: 'upstream_failed' } });
    expect(existsSync(good)).toBe(true);
  }, 60_000);
});
