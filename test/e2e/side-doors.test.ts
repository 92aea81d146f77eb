/**
 * What the spawned daemon does not give through side doors: below a policy, in configurations, from other granted
 * directories, from siblings; with the user's token, with one for agents, and as an MCP server.
 */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { httpTransport, stdioTransport } from '../support/mcp-transports.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let base: string;
let daemon: TestDaemon;
const tokens: Record<'user' | 'agent', string> = { user: '', agent: '' };
const at = (path: string) => join(base, path);
const always = (text: string) => `---\ntrigger: always\n---\n${text}\n`;
const servers = JSON.stringify({ mcpServers: { one: { command: 'x', env: { API_KEY: 'c4n4ry-env' } } } });
const configurations = [
  '.context/context-config.json',
  '.context/config.json',
  '.mcp.json',
  '.cursor/mcp.json',
  '.vscode/mcp.json',
  '.gemini/settings.json',
  '.claude/settings.local.json',
];

beforeAll(async () => {
  base = temporaryDirectory();
  const files: Record<string, string> = {
    'ws/.git/HEAD': 'ref: refs/heads/main\n',
    'ws/.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["secret/**"]\n',
    'ws/secret/.git/HEAD': 'ref: refs/heads/main\n',
    'ws/secret/plan.ts': 'export const plan = "c4n4ry-plan";\n',
    'ws/secret/.context/rule.md': always('c4n4ry-rule'),
    'shop/.git/HEAD': 'ref: refs/heads/main\n',
    'shop/a.ts': 'export const prices = 1;\n',
    'shop/.context/own.md': always('Use tabs.'),
    'shop/.context/settings.json': JSON.stringify({}),
    'other/.context/other.md': always('c4n4ry-sibling prices'),
    'other/.context/odd.md': '---\ntrigger: c4n4ry-trigger\n---\nOdd.\n',
    'other/b.ts': 'export const prices = "c4n4ry-sibling";\n',
  };
  for (const path of configurations) files[`shop/${path}`] = servers;
  const own = { ...JSON.parse(servers), clientContext: { includeFiles: ['../other/**'] } };
  files['shop/.context/context-config.json'] = JSON.stringify(own);
  writeTree(base, files);
  daemon = await startDaemon({ grantRoots: [at('ws/secret'), at('shop'), at('other')] });
  tokens.user = daemon.token;
  const made = await daemon.request('/v1/tokens', { body: { label: 'runtime', scope: 'agent' } });
  tokens.agent = (made.body as { token: string }).token;
});
afterAll(() => daemon.stop());

describe.each(['user', 'agent'] as const)('with a token of scope %s', (scope) => {
  const ask = async (path: string, body: object): Promise<Answer> => {
    const answer = await daemon.request(path, { body, headers: { authorization: `Bearer ${tokens[scope]}` } });
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };

  it('AP-03 AP-06 what is mounted and granted below a policy stays under it, a .git of its own or not', async () => {
    const mount = { mountedDirectory: at('ws/secret') };
    const answers = [
      await ask('/v1/context/resolve', { ...mount, mentions: ['rule'] }),
      await ask('/v1/context/explain', mount),
      await ask('/v1/retrieve', { ...mount, openTabs: ['plan.ts'], query: 'plan' }),
      await ask('/v1/search', { ...mount, query: 'canary rule' }),
      await ask('/v1/policy/preview', mount),
    ];
    expect(answers.map(({ text }) => text).join('\n')).not.toContain('c4n4ry');
    const { decisions } = (await ask('/v1/policy/check', { ...mount, paths: ['plan.ts'] })).body as {
      decisions: unknown[];
    };
    const decidedBy = { path: at('ws/.ai-context-policy.yaml'), pattern: 'secret/**', line: 2 };
    expect(decisions).toMatchObject([{ allowed: false, reason: { code: 'policy_exception' }, decidedBy }]);
  });

  it.each(configurations)('AP-06 %s is given by no operation', async (path) => {
    const mount = { mountedDirectory: at('shop') };
    const answers = [
      await ask('/v1/retrieve', { ...mount, openTabs: [path], query: 'API_KEY c4n4ry mcpServers command' }),
      await ask('/v1/retrieve', { ...mount, activeDocument: { path }, query: 'API_KEY' }),
      await ask('/v1/context/resolve', { ...mount, mentions: [path] }),
      await ask('/v1/context/explain', { ...mount, path }),
      await ask('/v1/search', { ...mount, query: 'API_KEY' }),
    ];
    expect(answers.map(({ text }) => text).join('\n')).not.toContain('c4n4ry-env');
    const { omitted } = (answers[0] as Answer).body as { omitted: { path: string; reason: { code: string } }[] };
    expect(omitted).toContainEqual(
      expect.objectContaining({ path: at(`shop/${path}`), reason: expect.objectContaining({ code: 'configuration' }) }),
    );
    const checked = await ask('/v1/policy/check', { ...mount, paths: [path] });
    expect(checked.body).toMatchObject({ decisions: [{ allowed: false, reason: { code: 'configuration' } }] });
  });

  it('CC-12 S-36 rules of siblings are not in the prompt', async () => {
    const body = { mountedDirectory: at('shop'), query: 'prices', files: ['a.ts'] };
    const { text, body: result } = await ask('/v1/context/resolve', body);
    expect(text).not.toContain('c4n4ry');
    const { files, warnings } = result as { files: { path: string; state: string }[]; warnings: { code: string }[] };
    expect(files.find(({ path }) => path === at('other/.context/other.md'))).toMatchObject({
      state: 'available',
      reason: { code: 'outside_repository' },
    });
    expect(warnings.filter(({ code }) => code === 'outside_repository')).toHaveLength(1);
    const mentioned = await ask('/v1/context/resolve', { ...body, mentions: [at('other/.context/other.md')] });
    expect(mentioned.text).toContain('c4n4ry-sibling');
  });
});

const ways = [
  { transport: 'stdio', scope: 'user' },
  { transport: 'http', scope: 'user' },
  { transport: 'http', scope: 'agent' },
] as const;
describe.each(ways)('as an MCP server for one directory, over $transport with a token of scope $scope', (way) => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1' });
    await client.connect(
      way.transport === 'stdio'
        ? stdioTransport(daemon, { args: ['--mount', at('shop')], cwd: at('other') })
        : httpTransport({ url: daemon.url, token: tokens[way.scope] }, at('shop')),
    );
  });
  afterAll(() => client.close());
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });

  it.each([
    ['resolve_context', {}],
    ['explain_context', {}],
    ['retrieve_context', { path: 'b.ts' }],
    ['search_context', { query: 'prices' }],
    ['check_policy', { paths: ['b.ts'] }],
  ])('MC-05 S-36 %s of another granted directory is refused, by any name of it', async (name, args) => {
    for (const mountedDirectory of [at('other'), at('shop/../other'), base]) {
      const answer = await call(name, { ...args, mountedDirectory });
      expect(answer.isError).toBe(true);
      expect(JSON.stringify(answer)).toContain(`This server serves only ${at('shop')}`);
      expect(JSON.stringify(answer)).not.toContain('c4n4ry');
    }
  });

  it('MC-05 S-36 no path, mention, include or agent leads there either', async () => {
    const agent = { name: 'Elsewhere', mountedDirectory: at('other') };
    await daemon.request('/v1/agents/elsewhere', { method: 'PUT', body: agent });
    const rule = at('other/.context/other.md');
    const answers = [
      await call('resolve_context', { mentions: [rule, '../other/.context/other.md'], query: 'prices' }),
      await call('explain_context', { path: rule }),
      await call('retrieve_context', { path: at('other/b.ts'), query: 'prices' }),
      await call('search_context', { query: 'c4n4ry sibling prices' }),
      await call('search_context', { query: 'c4n4ry sibling prices', agentId: 'elsewhere' }),
      await call('check_policy', { paths: ['../other/b.ts', 'a.ts'] }),
      await client.listResources(),
      await client.listPrompts(),
    ];
    expect(JSON.stringify(answers.slice(0, -1)).replaceAll('c4n4ry sibling prices', '')).not.toContain(
      'c4n4ry-sibling',
    );
    // No tool takes an agent: its directory could be another one.
    expect(answers[4]).toMatchObject({ isError: true });
    expect(JSON.stringify(answers[5])).toMatch(/b\.ts: blocked \(outside_roots.*a\.ts: allowed/u);
    await expect(client.readResource({ uri: `file://${rule}` })).rejects.toThrow();
  });

  it('MC-05 S-36 no candidate and no warning is about a file of another granted directory', async () => {
    const rule = at('other/.context/other.md');
    const explained = JSON.stringify(await call('explain_context', {}));
    expect(explained).toContain('own.md');
    expect(explained).not.toContain(at('other/'));
    expect(await call('explain_context', { path: rule })).toMatchObject({ isError: true });
    for (const answer of [
      await call('resolve_context', {}),
      await call('search_context', { query: 'prices' }),
      await call('retrieve_context', { query: 'prices' }),
    ])
      expect(JSON.stringify(answer)).not.toContain('c4n4ry');
  });

  it('MC-05 AP-06 it serves its own directory, configurations aside', async () => {
    expect(JSON.stringify(await call('resolve_context', {}))).toContain('Use tabs.');
    const retrieved = await call('retrieve_context', { query: 'prices' });
    expect(JSON.stringify(retrieved)).toContain('prices = 1');
    expect(JSON.stringify(retrieved)).not.toContain('c4n4ry');
    const below = await call('check_policy', { mountedDirectory: at('shop/.context'), paths: ['own.md'] });
    expect(JSON.stringify(below)).toContain('own.md: allowed');
  });
});
