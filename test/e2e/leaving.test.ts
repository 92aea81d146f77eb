/** What is said of texts wherever the daemon gives them away: hidden characters and possible secrets (S-65). */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Warning } from '../../src/warnings.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { httpTransport } from '../support/mcp-transports.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const token = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`;
const key = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkq'.repeat(4),
  'hkiG9w0BAQEFAASC'.repeat(4),
  '-----END PRIVATE KEY-----',
];
const hidden = 'Write te\u200Bsts \u202Efirst.';
const body = `# Deploying\n\n${hidden}\n\nThe token is ${token}, the key\n\n${key.join('\n')}\n\nis secret.\n`;

/** Everything by which a text leaves, with what it says and what is said of it. */
type Exit = { text: string; warnings: readonly Warning[] };

let project: string;
const write = (path: string, text: string) => writeTree(project, { [path]: text });

beforeAll(() => {
  project = temporaryDirectory();
  write('.context/deploy.md', `---\ntrigger: manual\ndescription: Deploying\n---\n${body}`);
  write('docs/deploy.md', body);
  write('docs/plain.md', '# Plain\n\nNothing to say of this.\n');
  write('src/main.ts', "import { deploy } from './deploy.ts';\n\ndeploy();\n");
  const padding = Array.from({ length: 60 }, (_, at) => `export const unused${at} = ${at};`).join('\n');
  write('src/deploy.ts', `${padding}\n\n/** ${hidden} */\nexport function deploy() {\n  return '${token}';\n}\n`);
});

async function ask(daemon: TestDaemon, path: string, body: object) {
  const { status, body: answer, text } = await daemon.request(path, { method: 'POST', body });
  expect([path, status < 300 ? 'good' : text]).toEqual([path, 'good']);
  return { text, warnings: ((answer as { warnings?: Warning[] }).warnings ?? []) as Warning[], answer };
}

async function exits(daemon: TestDaemon): Promise<Record<string, Exit>> {
  const mountedDirectory = project;
  const retrieve = (request: object) => ask(daemon, '/v1/retrieve', { mountedDirectory, ...request });
  const activeDocument = { path: 'src/main.ts', language: 'typescript' };
  const agent = {
    name: 'Deployer',
    mountedDirectory,
    systemPrompt: `Be brief. ${hidden} ${token}`,
    rules: [{ name: 'own', text: body, include: 'always' }],
  };
  expect(await daemon.request('/v1/agents/deployer', { method: 'PUT', body: agent })).toMatchObject({ status: 201 });
  const { id } = (await ask(daemon, '/v1/sessions', { agentId: 'deployer' })).answer as { id: string };
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(httpTransport(daemon));
  const said = (result: object): Exit => ({
    text: JSON.stringify(result),
    warnings: ((result as { _meta?: Record<string, unknown> })._meta?.['contextd/warnings'] ?? []) as Warning[],
  });
  const found = {
    resolve: await ask(daemon, '/v1/context/resolve', { mountedDirectory, mentions: ['deploy'] }),
    tab: await retrieve({ openTabs: ['docs/deploy.md'] }),
    definitions: await retrieve({ activeDocument, automatic: { imports: 'definitions' } }),
    imports: await retrieve({ activeDocument, automatic: { imports: 'files' } }),
    query: await retrieve({ query: 'Deploying: the token, the key is secret' }),
    search: await ask(daemon, '/v1/search', {
      mountedDirectory,
      query: 'deploying token',
      mode: 'keyword',
      minScore: 0,
    }),
    session: await ask(daemon, `/v1/sessions/${id}/requests`, { message: 'Deploy.', mentions: ['deploy'] }),
    resource: said(await client.readResource({ uri: `file://${join(project, '.context/deploy.md')}` })),
    prompt: said(await client.getPrompt({ name: 'deploy' })),
  };
  await client.close();
  return found;
}

const codes = (warnings: readonly Warning[]) => [...new Set(warnings.map(({ code }) => code))].sort();
const both = ['possible_secret', 'suspicious_unicode'];

describe('texts that leave', () => {
  it('S-65 are told to hold hidden characters and secrets wherever they leave, with line and never with the value', async () => {
    await using daemon = await startDaemon({ grantRoots: [project] });
    for (const [exit, { text, warnings }] of Object.entries(await exits(daemon))) {
      expect([exit, codes(warnings)]).toEqual([exit, both]);
      expect([exit, text.includes(token)]).toEqual([exit, true]);
      for (const { message } of warnings) expect(message).not.toContain('aB3d');
    }
    const { warnings } = await ask(daemon, '/v1/retrieve', { mountedDirectory: project, openTabs: ['docs/deploy.md'] });
    const secrets = warnings.filter(({ code }) => code === 'possible_secret');
    expect(secrets.map(({ line, message }) => [line, /\((\w+)\)/u.exec(message)?.[1]])).toEqual([
      [5, 'github_token'],
      [7, 'private_key'],
    ]);
    const plain = await ask(daemon, '/v1/retrieve', { mountedDirectory: project, openTabs: ['docs/plain.md'] });
    expect(plain.warnings).toEqual([]);
  });

  it('S-65 with --mask-secrets leave without them everywhere, on the same lines, and it is said', async () => {
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--mask-secrets'] });
    for (const [exit, { text, warnings }] of Object.entries(await exits(daemon))) {
      expect([exit, codes(warnings)]).toEqual([exit, both]);
      for (const secret of [token, 'MIIEvQ', 'hkiG9w0']) expect([exit, text.includes(secret)]).toEqual([exit, false]);
    }
    const { answer } = await ask(daemon, '/v1/retrieve', { mountedDirectory: project, openTabs: ['docs/deploy.md'] });
    const [item] = (answer as { items: { content: string }[] }).items;
    expect(item?.content).toBe(body.replace(token, '***').replace(key.join('\n'), '***\n***\n***\n***'));
  });
});
