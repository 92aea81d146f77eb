/** contextd as an MCP server (MC-05), through the spawned daemon: over HTTP and on standard input and output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  entryPath,
  runContextd,
  sendRequest,
  sourceEntry,
  startDaemon,
  type TestDaemon,
  until,
} from '../support/daemon.ts';
import { httpTransport, stdioTransport } from '../support/mcp-transports.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

type Way = { transport: 'http' | 'stdio'; version: '2025-11-25' | '2026-07-28' };
const ways: Way[] = (['http', 'stdio'] as const).flatMap((transport) =>
  (['2025-11-25', '2026-07-28'] as const).map((version) => ({ transport, version })),
);
const toolNames = ['resolve_context', 'explain_context', 'retrieve_context', 'search_context', 'check_policy'];

let project: string;
let daemon: TestDaemon;
const write = (path: string, text: string) => writeTree(project, { [path]: text });
const uri = (path: string) => `file://${join(project, path)}`;

beforeAll(async () => {
  project = temporaryDirectory();
  write('.context/style.md', '---\ntrigger: always\ndescription: How we write\n---\nUse tabs.\n');
  write('.context/review.md', '---\ntrigger: manual\ndescription: Reviews\n---\nLook twice.\n');
  write('.context/hidden/secret.md', '---\ntrigger: always\n---\nNobody may see this.\n');
  write('.context/hidden/.ai-context-policy.yaml', 'ai_context_policy: block\n');
  write('sub/.context/nested.md', '---\ntrigger: always\n---\nOnly below.\n');
  write('a.ts', 'export const a = 1;\n');
  write('b.ts', "import { a } from './a.ts';\nexport const b = a;\n");
  daemon = await startDaemon({ grantRoots: [project] });
});
afterAll(() => daemon.stop());

async function connect({ transport, version }: Way, mountedDirectory?: string): Promise<Client> {
  const mode = version === '2026-07-28' ? { pin: version } : ('legacy' as const);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    transport === 'stdio'
      ? stdioTransport(daemon, { args: ['--mount', project], cwd: project })
      : httpTransport(daemon, mountedDirectory),
  );
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  return client;
}

const textOf = ({ content }: { content: unknown }) =>
  (content as { text: string }[]).map(({ text }) => text).join('\n');

describe.each(ways)('over $transport, protocol $version', (way) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(way);
  });
  afterAll(() => client.close());
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

  it('MC-05 offers the tools, which change nothing, with schemas that every client follows', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    for (const { annotations, inputSchema, outputSchema, description } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      // Clients hand the structured answer to the model instead of the text, where there is one.
      expect([inputSchema.type, outputSchema]).toEqual(['object', undefined]);
      expect(JSON.stringify(inputSchema)).not.toContain('$ref');
      expect(description?.length).toBeGreaterThan(80);
    }
    const toModel = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(countTokens(JSON.stringify(toModel))).toBeLessThanOrEqual(900);
  });

  it('MC-05 resolves, with the directory it serves as default, as text', async () => {
    const answer = await call('resolve_context', { files: ['a.ts'] });
    expect(textOf(answer)).toContain('<context_file name="style" type="rule" path=".context/style.md">\nUse tabs.\n');
    expect(textOf(answer)).toContain('- review (manual, needs_mention) Reviews');
    expect(answer.structuredContent).toBeUndefined();
    expect(JSON.stringify(answer)).not.toContain('Nobody');
  });

  it('MC-05 resolves with what of the project is asked for, within one budget, each file once', async () => {
    const include = { imports: 'files', map: true };
    const answer = textOf(await call('resolve_context', { files: ['b.ts'], include }));
    expect(answer).toContain('path=".context/style.md">\nUse tabs.\n');
    expect(answer).toContain('<file path="a.ts" kind="file">\nexport const a = 1;\n</file>');
    expect(answer).toContain('kind="map">');
    expect(answer).not.toContain('Nobody may see this');
    const tight = textOf(await call('resolve_context', { files: ['b.ts'], include, maxTokens: 120 }));
    expect(countTokens(tight)).toBeLessThanOrEqual(120);
    const ofRule = { files: ['.context/style.md'], include: { search: true }, query: 'tabs' };
    expect(textOf(await call('resolve_context', ofRule)).match(/Use tabs\./gu)).toHaveLength(1);
  });

  it('MC-05 explains, retrieves, searches and checks policies', async () => {
    expect(textOf(await call('explain_context', { path: '.context/review.md' }))).toContain('review.md: available');
    const retrieved = await call('retrieve_context', { path: 'b.ts' });
    expect(textOf(retrieved)).toContain('origin="import">\nexport const a = 1;\n</file>');
    const found = textOf(await call('search_context', { query: 'tabs' }));
    expect(found).toMatch(/^<passage name="style" type="rule" score="0\.\d\d">\n/u);
    const checked = await call('check_policy', { paths: ['a.ts', '.context/hidden/secret.md', '.env'] });
    expect(textOf(checked).match(/: (?:allowed|blocked) /gu)).toEqual([': allowed ', ': blocked ', ': blocked ']);
  });

  it.for<[name: string, args: Record<string, unknown>, code: string, pointer: string]>([
    ['resolve_context', { files: 'a.ts' }, 'invalid_request', '/files'],
    ['resolve_context', { mountedDirectory: '/etc' }, 'path_outside_roots', '/mountedDirectory'],
    ['resolve_context', { nonsense: true }, 'invalid_request', '/nonsense'],
    ['resolve_context', { include: { rules: false } }, 'invalid_request', '/include/rules'],
    ['search_context', { agentId: 'nobody', query: 'x' }, 'invalid_request', '/agentId'],
    ['check_policy', {}, 'invalid_request', '/paths'],
  ])(
    'MC-05 a mistake in the arguments of %s, %j, is an error of the tool with code and pointer',
    async ([name, args, code, pointer]) => {
      const answer = await call(name, args);
      expect(answer.isError).toBe(true);
      const { 'contextd/error': error } = answer._meta as {
        'contextd/error': { code: string; errors: { pointer: string }[] };
      };
      expect([error.code, error.errors[0]?.pointer]).toEqual([code, pointer]);
      expect(textOf(answer)).toContain(`${code}: `);
      if (code === 'path_outside_roots')
        expect(textOf(answer)).toContain(
          way.transport === 'http' ? 'contextd roots grant /etc\n' : `This server serves only ${project}`,
        );
    },
  );

  it('MC-05 S-51 AP-06 serves context files as resources, and no others', async () => {
    const { resources } = await client.listResources();
    expect(resources.map((each) => each.uri)).toEqual([uri('.context/review.md'), uri('.context/style.md')]);
    const read = await client.readResource({ uri: uri('.context/style.md') });
    expect(read.contents).toEqual([{ uri: uri('.context/style.md'), mimeType: 'text/markdown', text: 'Use tabs.\n' }]);
    const nested = await client.readResource({ uri: uri('sub/.context/nested.md') });
    expect(nested.contents).toMatchObject([{ text: 'Only below.\n' }]);
    const others = ['a.ts', '.context/hidden/secret.md', '.context/none.md', '.env', '../../etc/passwd'].map(uri);
    for (const other of [...others, 'file:///etc/passwd', 'file://host/x', 'https://x/', 'context://x', ''])
      await expect(client.readResource({ uri: other }), other).rejects.toMatchObject({ code: -32602 });
  });

  it('MC-05 serves manual files as prompts', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual([{ name: 'review', title: '.context/review.md', description: 'Reviews' }]);
    const { messages } = await client.getPrompt({ name: 'review' });
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Look twice.\n' } }]);
    await expect(client.getPrompt({ name: 'style' })).rejects.toMatchObject({ code: -32602 });
  });

  it('MC-05 tells of changed resources and of changed lists', async () => {
    const other = await connect(way);
    const told: string[] = [];
    for (const list of ['resources', 'prompts'] as const)
      other.setNotificationHandler(`notifications/${list}/list_changed`, () => void told.push(list));
    other.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
    await other.listResources();
    const style = uri('.context/style.md');
    if (way.version === '2025-11-25') await other.subscribeResource({ uri: style });
    else await other.listen({ resourceSubscriptions: [style], resourcesListChanged: true, promptsListChanged: true });
    const isTold = (what: string) => until(() => told.includes(what));

    // Until the watcher of the daemon has begun, what changes may pass unseen.
    const begin = '---\ntrigger: always\ndescription: How we write\n---\nUse tabs.\n';
    let more = '';
    const edit = setInterval(() => {
      more += '\n';
      write('.context/style.md', `${begin}${more}`);
    }, 300);
    await isTold(style).finally(() => clearInterval(edit));
    expect(told).not.toContain(uri('.context/review.md'));
    write('.context/more.md', '---\ntrigger: manual\n---\nMore.\n');
    await isTold('resources');
    await isTold('prompts');
    rmSync(join(project, '.context/more.md'));
    write('.context/style.md', begin);
    await other.close();
  });
});

describe('answers for a model', () => {
  it('MC-05 an answer of 603 files is at most 8,000 tokens as a whole, and says how to get the rest', async () => {
    const many = join(project, 'many');
    mkdirSync(join(many, '.context'), { recursive: true });
    const rule = (name: string, trigger: string, body: string) =>
      writeFileSync(
        join(many, `.context/${name}.md`),
        `---\ntrigger: ${trigger}\ndescription: About ${name} and what it needs to work well\n---\n${body}\n`,
      );
    rule('active', 'always', 'Use tabs.');
    for (let at = 0; at < 602; at += 1) rule(`item-${at}`, 'manual', 'word '.repeat(40));
    const client = await connect({ transport: 'http', version: '2025-11-25' });
    const ask = async (args: object) =>
      textOf(await client.callTool({ name: 'resolve_context', arguments: { mountedDirectory: many, ...args } }));
    const answer = await ask({});
    expect(countTokens(answer)).toBeLessThanOrEqual(8_000);
    expect(countTokens(answer)).toBeGreaterThan(6_000);
    expect(answer).toContain('Use tabs.');
    expect(answer).toMatch(/… and \d+ more; search_context finds them\.$/u);
    const mentions = Array.from({ length: 100 }, (_, at) => `item-${at}`);
    const small = await ask({ mentions, maxTokens: 1_000 });
    expect(countTokens(small)).toBeLessThanOrEqual(1_000);
    expect(countTokens(small)).toBeGreaterThan(600);
    expect(small).toContain('These do not fit completely');
    await client.close();
    rmSync(many, { recursive: true });
  });

  it('MC-05 CC-35 a rule that is too long is cut between its sections, told once, and named where all of it can be read', async () => {
    const long = join(project, 'long');
    mkdirSync(join(long, '.context'), { recursive: true });
    const part = (at: number) => `## Part ${at}\n\n${'Count all money in cents. '.repeat(20)}\n\n`;
    writeFileSync(join(long, 'AGENTS.md'), Array.from({ length: 30 }, (_, at) => part(at)).join(''));
    writeFileSync(join(long, '.context/own.md'), '---\ntrigger: always\n---\nUse tabs.\n');
    const client = await connect({ transport: 'http', version: '2025-11-25' });
    const ask = async (args: object) =>
      textOf(await client.callTool({ name: 'resolve_context', arguments: { mountedDirectory: long, ...args } }));
    const whole = await ask({});
    expect(whole).toContain('## Part 29');
    expect(whole).toContain(`In ${long}, 2 context files are active (`);
    const answer = await ask({ maxTokens: 2_000 });
    expect(countTokens(answer)).toBeLessThanOrEqual(2_000);
    expect(answer).toMatch(/2 context files are active \(\d+ tokens\), 1 cut\./u);
    expect(answer).toContain('Use tabs.');
    expect(answer).toContain('## Part 0');
    expect(answer).not.toContain('## Part 29');
    expect(answer.split(join(long, 'AGENTS.md'))).toHaveLength(2);
    expect(answer).not.toContain('Available, but not active');
    await client.close();
    rmSync(long, { recursive: true });
  });

  it('CC-27 MC-05 an available agent file is told by its instructions', async () => {
    write(
      '.context/deploy.md',
      '---\ntrigger: agent\ndescription: Deploys\ninstructions: Take it for releases\n---\nX.\n',
    );
    const client = await connect({ transport: 'http', version: '2025-11-25' });
    const answer = textOf(await client.callTool({ name: 'resolve_context', arguments: {} }));
    expect(answer).toMatch(/^- deploy \(agent, \w+\) Take it for releases$/mu);
    await client.close();
    rmSync(join(project, '.context/deploy.md'));
  });
});

describe('directories', () => {
  it('MC-05 are those that the address names, else the roots of the client, else all that were granted', async () => {
    const way: Way = { transport: 'http', version: '2025-11-25' };
    const below = join(project, 'sub');
    const named = await connect(way, below);
    expect((await named.listResources()).resources.map((each) => each.uri)).toEqual([uri('sub/.context/nested.md')]);
    await named.close();

    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file://${below}` }, { uri: 'file:///etc' }] }));
    await client.connect(httpTransport(daemon));
    expect((await client.listResources()).resources.map((each) => each.uri)).toEqual([uri('sub/.context/nested.md')]);
    const unclear = await client.callTool({ name: 'resolve_context', arguments: {} });
    expect([unclear.isError, textOf(unclear)]).toEqual([true, expect.stringContaining(`${below}, /etc`)]);
    await client.close();
  });

  it('MC-05 on standard input are the current one, and grant nothing', async () => {
    const elsewhere = temporaryDirectory();
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(stdioTransport(daemon, { cwd: elsewhere }));
    const answer = await client.callTool({ name: 'resolve_context', arguments: {} });
    expect(textOf(answer)).toContain(`contextd roots grant ${elsewhere}\n`);
    expect((await client.listResources()).resources).toEqual([]);
    await client.close();
    const { roots } = (await daemon.request('/v1/roots')).body as { roots: { path: string }[] };
    expect(roots.map(({ path }) => path)).not.toContain(elsewhere);
  });
});

describe('life', () => {
  it('MC-05 S-15 a token of an agent suffices', async () => {
    const minted = await daemon.request('/v1/tokens', { body: { scope: 'agent', label: 'test' } });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(httpTransport({ url: daemon.url, token: (minted.body as { token: string }).token }));
    expect((await client.listTools()).tools).toHaveLength(toolNames.length);
    expect(textOf(await client.callTool({ name: 'resolve_context', arguments: {} }))).toContain('Use tabs.');
    await client.close();
  });

  it('MC-05 starts a daemon when none runs, writes nothing but the protocol, and ends with its input', async () => {
    const home = temporaryDirectory();
    const state = join(home, 'state');
    const env = { HOME: home, CONTEXTD_PORT: '0' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n\nnot JSON`;
    const run = await runContextd(['mcp', '--state-dir', state], { input, env, cwd: project });
    expect(run.code).toBe(0);
    const lines = run.stdout.split('\n').filter((line) => line !== '');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(run.stdout).toContain('"error":{"code":-32700,');
    const discovery = JSON.parse(readFileSync(join(state, 'daemon.json'), 'utf8')) as { url: string };
    expect((await sendRequest(`${discovery.url}/health`)).status).toBe(200);
    expect((await runContextd(['stop', '--state-dir', state], { env })).code).toBe(0);
  });

  it('MC-05 on standard input ends at a message that is too long, though its input stays open', async () => {
    const child = spawn(process.execPath, [entryPath, 'mcp', '--state-dir', daemon.stateDirectory], {
      env: { PATH: process.env.PATH ?? '', HOME: daemon.home },
    });
    const told = text(child.stderr);
    child.stdin.on('error', () => {});
    child.stdin.write(`{"a":"${'€'.repeat(3_500_000)}"}\n`);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await told).toContain('a message is longer than 10 MiB');
  });

  it('MC-05 on standard input goes on when the daemon is started anew', async () => {
    const home = temporaryDirectory();
    const state = join(home, 'state');
    const env = { PATH: process.env.PATH ?? '', HOME: home, CONTEXTD_PORT: '0' };
    const command = (...args: string[]) => runContextd([...args, '--state-dir', state], { env });
    const args = [entryPath, 'mcp', '--state-dir', state, '--mount', project];
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' }));
    expect((await command('roots', 'grant', project)).code).toBe(0);
    const call = () => client.callTool({ name: 'resolve_context', arguments: {} });
    expect(textOf(await call())).toContain('Use tabs.');
    expect((await command('stop')).code).toBe(0);
    expect(textOf(await call())).toContain('Use tabs.');
    await client.close();
    expect((await command('stop')).code).toBe(0);
  });

  it('MC-05 loads the SDK with the first request to /mcp only, and ends its streams when the daemon stops', async () => {
    const spied = temporaryDirectory();
    const spy = join(spied, 'spy.mjs');
    writeFileSync(
      spy,
      `import { registerHooks } from 'node:module';
       import { appendFileSync } from 'node:fs';
       registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); } });`,
    );
    const loaded = join(spied, 'loaded');
    writeFileSync(loaded, '');
    const other = await startDaemon({
      entry: sourceEntry,
      grantRoots: [project],
      nodeOptions: ['--import', spy],
      env: { LOADED: loaded },
    });
    await other.request('/v1/context/resolve', { body: { mountedDirectory: project } });
    expect((await other.request('/mcp')).status).toBe(405);
    expect(readFileSync(loaded, 'utf8')).toContain('/routes/app.ts');
    expect(readFileSync(loaded, 'utf8')).not.toContain('/@modelcontextprotocol/');
    const clients = (['legacy', { pin: '2026-07-28' }] as const).map(
      (mode) => new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }),
    );
    for (const client of clients) await client.connect(httpTransport(other));
    const subscription = await clients[1]?.listen({ resourcesListChanged: true });
    expect(readFileSync(loaded, 'utf8')).toContain('/@modelcontextprotocol/server/');
    await other.stop();
    expect(other.process.output.code).toBe(0);
    expect(other.process.output.stderr).not.toContain('requests were still running');
    expect(await subscription?.closed).not.toBe('local');
    await Promise.allSettled(clients.map((client) => client.close()));
  });
});
