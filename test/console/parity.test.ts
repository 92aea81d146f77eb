/** Whatever a person can do or see in the console, the API and the command line can do too (SY-04). */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/bin/program.ts';
import { consoleRequests } from '../support/console-requests.ts';
import { type RecordingDaemon, startRecordingDaemon } from '../support/recording-daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const server = '7c3f0f1f3c5e4a5f9b1d2e8a6c4b0d92';
const added = '3f1c9a5e7b2d4c6088aa91b3d5e7f902';

/** What people do and see in the console, by operation, and the command lines that do the same. */
const commands: Record<string, { what: string; lines: string[] }> = {
  getStatus: { what: 'how the daemon is doing', lines: ['status'] },
  streamEvents: { what: 'what happens, as it happens', lines: ['watch', 'watch --all'] },
  listRoots: { what: 'which directories may be read', lines: ['roots list'] },
  grantRoot: { what: 'grant a directory', lines: ['roots grant /project'] },
  revokeRoot: { what: 'take a grant back', lines: ['roots revoke /project'] },
  listTokens: { what: 'which tokens there are', lines: ['token list'] },
  mintToken: { what: 'mint a token for an agent', lines: ['token --label build'] },
  revokeToken: { what: 'take a token back', lines: ['token revoke 7d3c'] },
  getSearchStatus: { what: 'model and index', lines: ['warm --model-only'] },
  warmSearch: { what: 'fetch the model, index a directory', lines: ['warm --model-only', 'warm /project'] },
  resolveContext: {
    what: 'which context applies: place, files, mentions, query, scopes, budget',
    lines: ['resolve /project -w src -f a.ts -m style -q errors --scope static --max-tokens 900'],
  },
  explainContext: { what: 'why a file is context or not', lines: ['explain /project/a.md -d /project -f a.ts'] },
  listFormats: {
    what: 'which rule files of which tools are here, and what a switch would change',
    lines: ['formats /project -w src -f a.ts', 'formats /project --without cursor', 'formats /project --with cursor'],
  },
  putFormats: {
    what: 'switch a format on or off',
    lines: ['formats /project --without cursor --write', 'formats /project --with cursor --write'],
  },
  searchWorkspaceFiles: { what: 'find files by letters', lines: ['supplementary find app'] },
  listSupplementary: { what: 'what was added by hand', lines: ['supplementary list'] },
  addSupplementary: { what: 'add to it', lines: ['supplementary add src', 'supplementary add a.ts --tab'] },
  replaceSupplementary: { what: 'move it, put it back', lines: [`supplementary move ${added} --to 2`] },
  removeSupplementary: { what: 'remove it', lines: [`supplementary remove ${added}`] },
  clearSupplementary: { what: 'remove all of it', lines: ['supplementary clear'] },
  retrieveContext: {
    what: 'what goes with a prompt: document, imports, budget',
    lines: ['retrieve', 'retrieve src/a.ts --imports files --max-tokens 900'],
  },
  listPolicies: { what: 'the policies of a directory', lines: ['policy list'] },
  checkPolicy: { what: 'whether a path may be seen, and why', lines: ['policy check a.ts'] },
  previewPolicy: { what: 'what an edited policy would let through', lines: ['policy preview --file policy.yaml'] },
  putPolicy: {
    what: 'save a policy',
    lines: ['policy write --file policy.yaml', 'policy write --policy block --etag 5d-57'],
  },
  deletePolicy: { what: 'remove a policy', lines: ['policy remove --etag 5d-57'] },
  listAgents: { what: 'the agents', lines: ['agents list'] },
  getAgent: { what: 'an agent and its search settings', lines: ['agents show reviewer'] },
  putAgent: { what: 'make an agent for a directory', lines: ['agents put reviewer agent.yaml'] },
  listAgentItems: { what: 'what an agent has', lines: ['agents items reviewer'] },
  searchItems: {
    what: 'what fits a question, and what does not and why: of a directory or an agent, kinds, mode, numbers',
    lines: [
      'search errors /project --mode keyword --preset normal --rejected 50',
      'search errors --agent reviewer -t rule --top-n 0 --top-k 9 --include-score 0.9 --min-score 0.1',
    ],
  },
  listSessions: { what: 'the sessions', lines: ['sessions list'] },
  createSession: { what: 'begin a session, or one like another', lines: ['sessions create reviewer --parent 9b1d'] },
  getSession: { what: 'a session: messages, items, settings', lines: ['sessions show 9b1d'] },
  listSessionChanges: { what: 'all that happened in it', lines: ['sessions changes 9b1d'] },
  updateSession: {
    what: 'change its settings',
    lines: [
      'sessions set 9b1d --provider p --model m --temperature 0 --top-p 1 --max-output-tokens 9 --max-chat-turns 9',
      'sessions set 9b1d --tool-permission never',
    ],
  },
  deleteSession: { what: 'delete it', lines: ['sessions delete 9b1d'] },
  addSessionItem: { what: 'add an item to it', lines: ['sessions add 9b1d rule style'] },
  removeSessionItem: { what: 'remove an item from it', lines: ['sessions remove 9b1d tool find --server tickets'] },
  createRequest: { what: 'try a request', lines: ['request 9b1d Why? -f a.ts -m style --budget 900'] },
  getRequest: { what: 'the context of a request', lines: ['sessions context 9b1d 1b9d'] },
  replyToRequest: { what: 'reply in place of a model', lines: ['sessions reply 9b1d 1b9d Because.'] },
  listMcpServers: {
    what: 'the servers of a directory or an agent',
    lines: ['mcp list -w src', 'mcp list --agent reviewer'],
  },
  approveMcpServer: {
    what: 'allow a server, and its tools',
    lines: ['mcp approve notes --yes', 'mcp approve notes -y --tools'],
  },
  revokeMcpApproval: { what: 'take that back', lines: ['mcp revoke notes'] },
  startMcpServer: { what: 'start a server', lines: [`mcp start ${server}`] },
  stopMcpServer: { what: 'stop it', lines: ['mcp stop notes'] },
  restartMcpServer: { what: 'restart it', lines: ['mcp restart notes'] },
  listMcpTools: { what: 'its tools, and what changed of those withheld', lines: ['mcp tools notes'] },
  callMcpTool: { what: 'try a tool', lines: ['mcp call notes echo --arguments {"text":"x"}'] },
};

/** Done by the command line itself, without asking a daemon. */
const doneHere: Record<string, { what: string; command: string }> = {
  validateConfig: { what: 'what is wrong in a policy', command: 'check' },
};

/** About the page itself, not about anything that the daemon keeps or does for people. */
const ofThePage: Record<string, string> = {
  getHealth: 'it finds out whether the daemon is there',
  createConsoleSession: 'it signs in with the code that "contextd open" gives it',
  endConsoleSession: 'it signs out',
};

type Paths = Record<string, Record<string, { operationId: string }>>;
const { paths } = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as {
  paths: Paths;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
);

/** What `path` of the console can be; what is filled in is a parameter, or else one of several names. */
function operationsOf({ method, path }: { method: string; path: string }): string[] {
  const ofMethod = operations.filter((each) => each.method === method);
  const shaped = ofMethod.map((each) => ({ ...each, shape: each.path.replaceAll(/\{\w+\}/gu, '{}') }));
  const exact = shaped.filter(({ shape }) => (path.startsWith('{}') ? shape.endsWith(path.slice(2)) : shape === path));
  if (exact.length > 0) return exact.map(({ operationId }) => operationId);
  const segments = path.split('/');
  const like = shaped.filter(({ shape }) => {
    const others = shape.split('/');
    return others.length === segments.length && segments.every((each, at) => each === '{}' || each === others[at]);
  });
  return like.map(({ operationId }) => operationId);
}

const requests = consoleRequests();

describe('the console', () => {
  it('asks for nothing that the API does not have', () => {
    expect(requests.length).toBeGreaterThan(50);
    expect(requests.filter((request) => operationsOf(request).length === 0)).toEqual([]);
  });

  it('SY-04 does nothing, and shows nothing, that no command does', () => {
    const used = new Set(requests.flatMap(operationsOf));
    const known = [...Object.keys(commands), ...Object.keys(doneHere), ...Object.keys(ofThePage)];
    expect([...used].sort()).toEqual(known.sort());
  });

  it.each(Object.entries(doneHere))('SY-04 %s is done here', async (_operationId, { command }) => {
    expect((await createProgram()).commands.map((each) => each.name())).toContain(command);
  });
});

describe('a command asks for', () => {
  let directory: string;
  let daemon: RecordingDaemon;
  let before: { exitCode: typeof process.exitCode; directory: string };

  beforeAll(async () => {
    before = { exitCode: process.exitCode, directory: process.cwd() };
    directory = temporaryDirectory();
    mkdirSync(join(directory, 'state'), { mode: 0o700 });
    writeFileSync(join(directory, 'agent.yaml'), 'name: Reviewer\n');
    writeFileSync(join(directory, 'policy.yaml'), 'ai_context_policy: allow\n');
    daemon = await startRecordingDaemon(operations, join(directory, 'state'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = before.exitCode;
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  const lines = Object.entries(commands).flatMap(([operationId, { what, lines }]) =>
    lines.map((line) => [operationId, what, line] as const),
  );
  it.each(lines)('SY-04 %s: %s: contextd %s', async (operationId, _what, line) => {
    vi.spyOn(process, 'cwd').mockReturnValue(directory);
    for (const name of ['log', 'error'] as const) vi.spyOn(console, name).mockReturnValue();
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const args = line.split(' ').map((word) => (word.endsWith('.yaml') ? join(directory, word) : word));
    const program = await createProgram(args[0]);
    const ended = program.parseAsync([...args, '--state-dir', join(directory, 'state')], { from: 'user' });
    // What follows events does so until it is refused.
    if (operationId === 'streamEvents') await expect(ended).rejects.toMatchObject({ code: 'unauthorized' });
    else await ended;
    expect(daemon.takeAsked()).toContain(operationId);
  });
});
