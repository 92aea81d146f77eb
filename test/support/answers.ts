/** What a contextd answers about one small workspace, whichever way it was installed: all ways must answer alike. */
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createMessageConnection } from 'vscode-languageserver/node';
import { runContextd, startDaemon, until } from './daemon.ts';
import { writeSmallModel } from './model/model-directory.ts';
import { writeTree } from './temporary-files.ts';

const files: Record<string, string> = {
  '.context/style.md': '---\ntrigger: always\n---\nUse tabs.\n',
  '.context/errors.md': '---\ntrigger: agent\ndescription: About errors\n---\nEvery failure must be logged.\n',
  '.context/secrets.md': '---\ntrigger: agent\ndescription: About secrets\n---\nNo password in the repository.\n',
  '.ai-context-policy.yaml': 'ai_context_policy: allow\n',
  'a.ts': "import { b } from './b.ts';\nb();\n",
  'b.ts': 'export function b(): number {\n  return 1;\n}\n',
  'main.py': 'from shop import cart\ncart.total()\n',
  'shop/__init__.py': '',
  'shop/cart.py': 'def total():\n    return 1\n',
  'go.mod': 'module example.com/shop\n',
  'main.go': 'package main\n\nimport "example.com/shop/price"\n\nfunc main() { price.Of() }\n',
  'price/price.go': 'package price\n\nfunc Of() int { return 1 }\n',
};

/** Writes what is asked about, and a model that finds by meaning. */
export function writeAskedWorkspace(workspace: string, model: string): void {
  writeTree(workspace, files);
  writeSmallModel(model);
}

/** `command`: the program with its first arguments. Fails when the model is not ready after half a minute. */
export async function answersOf(
  command: readonly string[],
  { workspace, model }: { workspace: string; model: string },
): Promise<Record<string, unknown>> {
  await using daemon = await startDaemon({ command, grantRoots: [workspace], args: ['--model-dir', model] });
  const body = { mountedDirectory: workspace };
  const ask = async (path: string, more: object) => (await daemon.request(path, { body: { ...body, ...more } })).body;
  const retrieve = (path: string) => ask('/v1/retrieve', { activeDocument: { path } });
  const page = async (path: string) => {
    const { status, headers, text } = await daemon.request(path);
    return { status, type: headers['content-type'], length: text.length };
  };
  const console = (await daemon.request('/')).text;
  const place = { env: { HOME: daemon.home } };
  const found = await until(async () => {
    const answer = (await ask('/v1/search', { query: 'bug', mode: 'semantic', minScore: 0 })) as Found;
    // The first answers come before a busy machine has loaded the model.
    return answer.semantic.status === 'ready' ? answer : undefined;
  });
  return {
    resolved: await ask('/v1/context/resolve', { files: ['a.ts'], budget: { maxTokens: 100 } }),
    // A runtime of another build may compute the last digits otherwise.
    found: found.results.map(({ name, score }) => [name, score.toFixed(3)]),
    foundBy: found.semantic.status,
    retrieved: [await retrieve('a.ts'), await retrieve('main.py'), await retrieve('main.go')],
    pages: await Promise.all(
      ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/page.js', '/openapi.json'].map(page),
    ),
    console: console.replaceAll(/\s+/gu, ' '),
    consoleParts: await Promise.all(
      [...console.matchAll(/(?:src|href)="(\/[^"]+)"/gu)].map(([, path]) => page(path ?? '')),
    ),
    mcp: await askMcp(command, [workspace, daemon.stateDirectory, daemon.home]),
    editor: await askLanguageServer(command, [workspace, daemon.stateDirectory, daemon.home]),
    alone: JSON.parse((await runContextd(['resolve', workspace, '--json'], { command, ...place })).stdout),
    openapi: (await runContextd(['openapi'], { command, ...place })).stdout.length,
  };
}
type Found = { results: { name: string; score: number }[]; semantic: { status: string } };
type Places = readonly [workspace: string, stateDirectory: string, home: string];

async function askMcp([program = '', ...first]: readonly string[], [workspace, state, home]: Places): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [...first, 'mcp', '--state-dir', state, '--mount', workspace];
  await client.connect(
    new StdioClientTransport({ command: program, args, env: { PATH: process.env.PATH ?? '', HOME: home } }),
  );
  try {
    const { tools } = await client.listTools();
    const { content } = await client.callTool({ name: 'resolve_context', arguments: { files: ['a.ts'] } });
    return { tools: tools.map(({ name }) => name), content };
  } finally {
    await client.close();
  }
}

async function askLanguageServer(
  [program = '', ...first]: readonly string[],
  [workspace, state, home]: Places,
): Promise<unknown> {
  const child = spawn(program, [...first, 'lsp', '--state-dir', state], {
    env: { PATH: process.env.PATH, HOME: home },
  });
  const connection = createMessageConnection(child.stdout, child.stdin);
  connection.listen();
  try {
    return await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      workspaceFolders: [{ uri: `file://${workspace}`, name: 'workspace' }],
    });
  } finally {
    connection.dispose();
    child.kill();
  }
}
