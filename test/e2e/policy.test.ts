/**
 * No operation gives away what a policy blocks (AP-06; AI context policy blueprint, iterations 1 to 4), through a spawned daemon. Every
 * operation of the document is in one of two tables: a new one fails here until somebody has said what it can return.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const canary = 'c4n4ry5ong';
const words = 'zebra quokka platypus';
const secret = `The ${words} says ${canary}.`;

const tree: Record<string, string> = {
  '.context/open.md': 'Use tabs.\n',
  '.context/secret.md': `---\ndescription: ${words} ${canary}\ntrigger: agent\n---\n${secret}\n`,
  '.context/secret-always.md': `---\ntrigger: always\n---\n${secret}\n`,
  'docs/secret-guide.md': `---\ntrigger: always\n---\n# Guide\n\n${secret}\n`,
  '.context/context-config.json': JSON.stringify({ clientContext: { includeFiles: ['docs/*.md'] } }),
  'src/main.ts': "import { animal } from './secret-animal.ts';\nconsole.log(animal());\n",
  'src/secret-animal.ts': `/** ${secret} */\nexport function animal(): string {\n  return '${canary}';\n}\n`,
  'src/secret-tab.ts': `// ${secret}\nexport const tab = 1;\n`,
  'src/open-tab.ts': 'export const open = 1;\n',
};
const allowing = 'ai_context_policy: allow\n';
const blocking = `${allowing}exclude:\n  - "**/secret*"\n`;

let daemon: TestDaemon;
let project: string;

const ask = (method: string, path: string, body?: object): Promise<Answer> => daemon.request(path, { method, body });
const post = (path: string, body: object) => ask('POST', path, { mountedDirectory: project, ...body });
const query = () => `mountedDirectory=${encodeURIComponent(project)}`;

async function newSession(): Promise<string> {
  await ask('PUT', '/v1/agents/keeper', { name: 'Keeper', mountedDirectory: project });
  const { body } = await ask('POST', '/v1/sessions', { agentId: 'keeper' });
  return (body as { id: string }).id;
}

async function newRequest(): Promise<{ sessionId: string; answer: Answer; requestId: string }> {
  const sessionId = await newSession();
  const mentions = ['secret', 'secret-always', 'docs/secret-guide.md'];
  const answer = await ask('POST', `/v1/sessions/${sessionId}/requests`, { message: words, mentions });
  return { sessionId, answer, requestId: (answer.body as { requestId: string }).requestId };
}

async function addTab(): Promise<Answer> {
  return post('/v1/supplementary', { kind: 'file', path: 'src/secret-tab.ts' });
}

/** Operations that can return content of files, and how to make them: each shows the canary where nothing is blocked. */
const returning: Record<string, () => Promise<Answer>> = {
  resolveContext: () => post('/v1/context/resolve', { mentions: ['secret'], query: words }),
  convertContext: () => post('/v1/context/convert', { to: 'cursor' }),
  listAgentItems: async () => {
    await newSession();
    return ask('GET', '/v1/agents/keeper/items');
  },
  createRequest: async () => (await newRequest()).answer,
  // A request that was sent stays what it was (RQ-04); what is blocked since is in none that is made from then on.
  getRequest: async () => {
    const { sessionId, requestId } = await newRequest();
    return ask('GET', `/v1/sessions/${sessionId}/requests/${requestId}`);
  },
  searchItems: () => post('/v1/search', { query: words, mode: 'keyword' }),
  retrieveContext: async () => {
    await addTab();
    return post('/v1/retrieve', {
      activeDocument: { path: 'src/main.ts' },
      openTabs: ['src/secret-tab.ts', 'src/open-tab.ts'],
      query: words,
      automatic: { imports: 'definitions', search: true },
    });
  },
  gatherContext: async () => {
    await addTab();
    const documents = [{ path: 'src/main.ts' }, { path: 'src/secret-tab.ts' }, { path: 'src/open-tab.ts' }];
    return post('/v1/context', { documents, mentions: ['secret'], query: words });
  },
  answerHook: () =>
    ask('POST', '/v1/hooks/claude-code', { hook_event_name: 'UserPromptSubmit', cwd: project, prompt: 'See secret.' }),
  sendMcp: () => callTool('resolve_context', { mentions: ['secret'], query: words }),
  'sendMcp: retrieve_context': () => callTool('retrieve_context', { path: 'src/main.ts', query: words }),
  'sendMcp: search_context': () => callTool('search_context', { query: words }),
};

const callTool = (name: string, more: object) =>
  daemon.request('/mcp', {
    method: 'POST',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { mountedDirectory: project, ...more } },
    },
    headers: { accept: 'application/json, text/event-stream' },
  });

const noFiles = 'has nothing to do with files of a workspace';
const namesOnly = 'names files, and shows nothing of them';
const ownText = 'returns what the caller sent';

/** Operations that return no content of files. Those with a function are tried all the same. */
const harmless: Record<string, string | (() => Promise<Answer>)> = {
  getHealth: noFiles,
  getStatus: () => ask('GET', '/v1/status'),
  getMetrics: () => ask('GET', '/metrics'),
  shutDown: noFiles,
  listFormats: () => ask('GET', `/v1/formats?${new URLSearchParams({ mountedDirectory: project })}`),
  putFormats: () =>
    daemon.request('/v1/formats', {
      method: 'PUT',
      body: { mountedDirectory: project, formats: 'all' },
      headers: { 'if-none-match': '*' },
    }),
  explainContext: () => post('/v1/context/explain', { mentions: ['secret'], query: words }),
  listRoots: noFiles,
  grantRoot: noFiles,
  revokeRoot: noFiles,
  validateConfig: () => post('/v1/config/validate', {}),
  getFileSchema: noFiles,
  checkPolicy: () => post('/v1/policy/check', { paths: Object.keys(tree) }),
  listPolicies: () => ask('GET', `/v1/policy?${query()}`),
  putPolicy: () =>
    daemon.request('/v1/policy', {
      method: 'PUT',
      body: { mountedDirectory: project, directory: 'docs', aiContextPolicy: 'block', exclude: [] },
      headers: { 'if-match': '"x"' },
    }),
  deletePolicy: 'removes a policy, and shows nothing',
  previewPolicy: () => post('/v1/policy/preview', { aiContextPolicy: 'allow', exclude: [] }),
  listAgents: () => ask('GET', '/v1/agents'),
  putAgent: ownText,
  getAgent: () => ask('GET', '/v1/agents/keeper'),
  deleteAgent: ownText,
  exportAgent: () => ask('GET', '/v1/agents/keeper/export?format=yaml'),
  importAgent: ownText,
  putAgentRule: ownText,
  deleteAgentRule: ownText,
  putAgentReference: ownText,
  deleteAgentReference: ownText,
  createSession: ownText,
  listSessions: () => ask('GET', '/v1/sessions'),
  getSession: async () => ask('GET', `/v1/sessions/${await newSession()}`),
  updateSession: ownText,
  deleteSession: ownText,
  listSessionChanges: async () => ask('GET', `/v1/sessions/${await newSession()}/changes?since=0`),
  addSessionItem: async () =>
    ask('POST', `/v1/sessions/${await newSession()}/context-items`, { type: 'rule', name: 'secret-always' }),
  removeSessionItem: namesOnly,
  listRequests: async () => ask('GET', `/v1/sessions/${(await newRequest()).sessionId}/requests`),
  replyToRequest: async () => {
    const { sessionId, requestId } = await newRequest();
    return ask('POST', `/v1/sessions/${sessionId}/requests/${requestId}/reply`, { modelReply: 'Yes.' });
  },
  getAgentUsage: () => ask('GET', '/v1/agents/keeper/usage'),
  exportRequestContexts: () => ask('GET', '/v1/request-contexts?format=jsonl'),
  exportState: 'a copy of what is stored, with what earlier requests were sent, for the user alone',
  listTokens: noFiles,
  mintToken: noFiles,
  revokeToken: noFiles,
  listMcpServers: namesOnly,
  approveMcpServer: noFiles,
  revokeMcpApproval: noFiles,
  startMcpServer: noFiles,
  stopMcpServer: noFiles,
  restartMcpServer: noFiles,
  listMcpTools: noFiles,
  callMcpTool: 'returns what a server says that the user approved',
  listMcpResources: noFiles,
  readMcpResource: 'returns what a server says that the user approved',
  listMcpPrompts: noFiles,
  getMcpPrompt: 'returns what a server says that the user approved',
  streamMcp: 'tells what changed, and shows nothing of it',
  endMcpSession: noFiles,
  'sendMcp: explain_context': () => callTool('explain_context', { mentions: ['secret'], query: words }),
  'sendMcp: check_policy': () => callTool('check_policy', { paths: Object.keys(tree) }),
  warmSearch: noFiles,
  getSearchStatus: noFiles,
  listSupplementary: () => ask('GET', `/v1/supplementary?${query()}`),
  addSupplementary: addTab,
  replaceSupplementary: namesOnly,
  clearSupplementary: namesOnly,
  removeSupplementary: namesOnly,
  searchWorkspaceFiles: () => post('/v1/workspace/files/search', { query: 'secret' }),
  streamEvents: namesOnly,
  getOpenApiDocument: noFiles,
  getDocumentationPage: noFiles,
  getConsolePage: noFiles,
  createConsoleCode: noFiles,
  createSignInPage: noFiles,
  createConsoleSession: noFiles,
  endConsoleSession: noFiles,
};

function writePolicy(text: string, directory = ''): void {
  writeFileSync(join(project, directory, '.ai-context-policy.yaml'), text);
}

beforeAll(async () => {
  project = temporaryDirectory();
  writeTree(project, tree);
  daemon = await startDaemon({ grantRoots: [project], args: ['--offline'] });
});
afterAll(() => daemon?.stop());

describe('every operation', () => {
  it('AP-06 is known here', async () => {
    const { paths } = (await ask('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const operations = Object.values(paths).flatMap((path) => Object.values(path).map((each) => each.operationId));
    expect(operations.length).toBeGreaterThan(40);
    expect(operations.filter((id) => !(id in returning) && !(id in harmless))).toEqual([]);
  });

  // One test for each: what was allowed before, and is warm in every cache, is gone with the next request.
  it.each(Object.keys(returning))(
    'AP-06 %s shows a file, and stops as soon as a policy blocks it',
    async (operationId) => {
      const call = returning[operationId] as () => Promise<Answer>;
      writePolicy(allowing);
      const open = await call();
      expect(open.status, open.text).toBeLessThan(300);
      expect(open.text).toContain(canary);
      writePolicy(blocking);
      const blocked = await call();
      expect(blocked.status, blocked.text).toBeLessThan(300);
      expect(blocked.text).not.toContain(canary);
      writePolicy(allowing);
      expect((await call()).text).toContain(canary);
    },
  );

  it.each(Object.keys(harmless).filter((id) => typeof harmless[id] === 'function'))(
    'AP-06 %s shows nothing of files',
    async (operationId) => {
      const call = harmless[operationId] as () => Promise<Answer>;
      writePolicy(blocking);
      await newSession();
      const answer = await call();
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(answer.text).not.toContain(canary);
    },
  );
});

describe('success criteria of the blueprint', () => {
  type Retrieved = { items: { relativePath: string }[]; omitted: { path: string; reason: { code: string } }[] };
  const relativePaths = ({ body }: Answer) => (body as Retrieved).items.map(({ relativePath }) => relativePath);

  it('AP-06 iteration 1: open tabs are in the context only as far as the policy in the root allows', async () => {
    writePolicy(blocking);
    await ask('DELETE', `/v1/supplementary?${query()}`);
    const tabs = { openTabs: ['src/secret-tab.ts', 'src/open-tab.ts'], automatic: { imports: 'off', search: false } };
    const answer = await post('/v1/retrieve', tabs);
    expect(relativePaths(answer)).toEqual(['src/open-tab.ts']);
    expect((answer.body as Retrieved).omitted).toMatchObject([
      { path: join(project, 'src/secret-tab.ts'), reason: { code: 'blocked_by_policy' } },
    ]);
  });

  it('AP-06 iteration 2: what is found automatically too', async () => {
    const imports = { activeDocument: { path: 'src/main.ts' }, automatic: { imports: 'files', search: false } };
    writePolicy(allowing);
    expect(relativePaths(await post('/v1/retrieve', imports))).toEqual(['src/secret-animal.ts']);
    writePolicy(blocking);
    expect(relativePaths(await post('/v1/retrieve', imports))).toEqual([]);
  });

  it('AP-03 iteration 4: a policy in a sub-folder overrides those above it', async () => {
    const tabs = { openTabs: ['src/secret-tab.ts', 'src/open-tab.ts'], automatic: { imports: 'off', search: false } };
    writePolicy('ai_context_policy: block\n');
    expect(relativePaths(await post('/v1/retrieve', tabs))).toEqual([]);
    writePolicy('ai_context_policy: allow\nexclude: [open-tab.ts]\n', 'src');
    expect(relativePaths(await post('/v1/retrieve', tabs))).toEqual(['src/secret-tab.ts']);
    const { body } = await post('/v1/context/resolve', {});
    expect((body as { files: unknown[] }).files).toEqual([]);
    rmSync(join(project, 'src/.ai-context-policy.yaml'));
  });
});
