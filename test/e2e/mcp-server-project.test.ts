/** Which project contextd's own MCP server is about when nobody named one in its setup (MC-05). */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { httpTransport, stdioTransport } from '../support/mcp-transports.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let base: string;
let daemon: TestDaemon;
const at = (path: string): string => join(base, path);
const rule = (text: string): string => `---\ntrigger: always\n---\n${text}\n`;

beforeAll(async () => {
  base = temporaryDirectory();
  writeTree(base, {
    'shop/.git/HEAD': 'ref: refs/heads/main\n',
    'shop/.context/style.md': rule('Write short sentences.'),
    'shop/api/.context/answers.md': rule('Answer with problems.'),
    'shop/api/.context/context-config.json': '{"clientContext":{"includeFiles":["../shared/*.md"]}}',
    'shop/shared/review.md': '---\ntrigger: manual\n---\nReview twice.\n',
    'shop/api/src/cart.ts': 'export const cart = 1;\n',
    'shop/web/.context/pages.md': rule('Use no frameworks.'),
    'shop/web/page.ts': 'export const page = 1;\n',
    'other/.git/HEAD': 'ref: refs/heads/main\n',
    'other/.context/other.md': rule('Canary of another repository.'),
    'part/.git/HEAD': 'ref: refs/heads/main\n',
    'part/.context/top.md': rule('Canary of what is not granted.'),
    'part/api/.context/own.md': rule('Only this part is granted.'),
    'secret/.git/HEAD': 'ref: refs/heads/main\n',
    'secret/api/x.ts': '',
    'plain/.context/above.md': rule('Canary above a directory without a repository.'),
    'plain/sub/.context/own.md': rule('Rule without a repository.'),
  });
  daemon = await startDaemon({ grantRoots: [at('shop'), at('other'), at('part/api'), at('plain')] });
});
afterAll(() => daemon.stop());

type Place = { cwd?: string; args?: string[]; roots?: string[]; http?: boolean };

async function connect({ cwd = base, args = [], roots, http = false }: Place): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: roots ? { roots: {} } : {} });
  if (roots)
    client.setRequestHandler('roots/list', () => ({ roots: roots.map((root) => ({ uri: `file://${root}` })) }));
  await client.connect(http ? httpTransport(daemon) : stdioTransport(daemon, { args, cwd }));
  return client;
}

async function using<Result>(place: Place, use: (call: Call, client: Client) => Promise<Result>): Promise<Result> {
  const client = await connect(place);
  const call: Call = async (name, given = {}) => {
    const answer = await client.callTool({ name, arguments: given });
    return (answer.content as { text: string }[]).map(({ text }) => text).join('\n');
  };
  return use(call, client).finally(() => client.close());
}
type Call = (name: string, given?: Record<string, unknown>) => Promise<string>;

describe.each<[string, Place]>([
  ['started in a folder of a repository', { cwd: 'shop/api' }],
  ['whose client names a folder of a repository', { roots: ['shop/api'] }],
  ['whose client names a folder of a repository, over HTTP', { roots: ['shop/api'], http: true }],
])('a server %s', (_, { cwd, roots, ...rest }) => {
  const place = (): Place => ({ ...rest, ...(cwd && { cwd: at(cwd) }), ...(roots && { roots: roots.map(at) }) });

  it('MC-05 CC-22 is about the repository, and works in the folder', async () => {
    await using(place(), async (call, client) => {
      for (const given of [{}, { mountedDirectory: at('shop/api') }, { files: ['src/cart.ts'] }]) {
        const answer = await call('resolve_context', given);
        expect(answer).toContain('Write short sentences.');
        expect(answer).toContain('Answer with problems.');
        expect(answer).not.toContain('Use no frameworks.');
      }
      expect(await call('explain_context')).toMatch(/style\.md: active(?:.|\n)*answers\.md: active/u);
      expect(await call('search_context', { query: 'how to answer with problems' })).toContain('Answer with problems.');
      const resources = (await client.listResources()).resources.map(({ uri }) => uri);
      expect(resources).toEqual(
        ['.context/style.md', 'api/.context/answers.md', 'shared/review.md'].map(
          (path) => `file://${at('shop')}/${path}`,
        ),
      );
      // What only the configuration of the folder includes can be read too.
      const { contents } = await client.readResource({ uri: resources[2] ?? '' });
      expect(contents).toMatchObject([{ text: 'Review twice.\n' }]);
      const [prompt] = (await client.listPrompts()).prompts;
      expect((await client.getPrompt({ name: prompt?.name ?? '' })).messages).toHaveLength(1);
    });
  });

  it('MC-05 takes relative paths from the folder, else from the top of the repository', async () => {
    await using(place(), async (call) => {
      const checked = await call('check_policy', {
        paths: ['src/cart.ts', 'api/src/cart.ts', 'new.ts', '../web/page.ts'],
      });
      expect(checked).toMatch(
        /^.*shop\/api\/src\/cart\.ts: allowed.*\n.*shop\/api\/src\/cart\.ts: allowed.*\n.*shop\/api\/new\.ts: .*\n.*shop\/web\/page\.ts: allowed/u,
      );
      expect(await call('resolve_context', { files: ['web/page.ts'] })).toContain('Use no frameworks.');
    });
  });

  it('MC-05 S-36 refuses another repository', async () => {
    await using(place(), async (call) => {
      const answer = await call('resolve_context', { mountedDirectory: at('other') });
      expect(answer).toContain(`This server serves only ${at('shop')}`);
      expect(await call('check_policy', { paths: [at('other/.context/other.md')] })).toContain('outside_roots');
      expect(await call('resolve_context', { mentions: [at('other/.context/other.md')] })).not.toContain('Canary');
    });
  });
});

it('MC-05 S-36 is about a folder alone where its repository is not granted', async () => {
  for (const place of [{ cwd: at('part/api') }, { roots: [at('part/api')], http: true }])
    await using(place, async (call) => {
      const answer = await call('resolve_context');
      expect(answer).toContain('Only this part is granted.');
      expect(answer).not.toContain('Canary');
      expect(await call('resolve_context', { mountedDirectory: at('part') })).toContain('path_outside_roots');
    });
});

it('MC-05 S-36 tells which repository to grant, and over HTTP looks for none', async () => {
  const advice = (path: string) => `Only the user can grant it, with: contextd roots grant ${at(path)}\n`;
  await using({ cwd: at('secret/api') }, async (call) => {
    expect(await call('resolve_context')).toContain(advice('secret'));
  });
  // A link in a granted repository, which leads out of it.
  symlinkSync(at('secret/api'), at('shop/link'));
  await using({ roots: [at('shop/link')] }, async (call) => {
    expect(await call('resolve_context')).toContain(advice('shop/link'));
  });
  await using({ roots: [at('secret/api')], http: true }, async (call) => {
    expect(await call('resolve_context')).toContain(advice('secret/api'));
  });
});

it('MC-05 is about the current directory where there is no repository', async () => {
  await using({ cwd: at('plain/sub') }, async (call) => {
    const answer = await call('resolve_context');
    expect(answer).toContain('Rule without a repository.');
    expect(answer).not.toContain('Canary');
  });
});

it('MC-05 S-36 is about exactly what its setup names', async () => {
  await using({ args: ['--mount', at('shop/api')] }, async (call) => {
    const answer = await call('resolve_context');
    expect(answer).toContain('Answer with problems.');
    expect(answer).not.toContain('Write short sentences.');
    expect(await call('resolve_context', { mountedDirectory: at('shop') })).toContain('path_outside_roots');
  });
});

it('MC-05 several folders of one repository are named by the caller', async () => {
  await using({ roots: [at('shop/api'), at('shop/web')] }, async (call, client) => {
    expect(await call('resolve_context')).toContain(
      `Name one of these directories: ${at('shop/api')}, ${at('shop/web')}`,
    );
    const answer = await call('resolve_context', { mountedDirectory: at('shop/web') });
    expect(answer).toContain('Use no frameworks.');
    expect(answer).not.toContain('Answer with problems.');
    expect((await client.listResources()).resources).toHaveLength(4);
  });
});
