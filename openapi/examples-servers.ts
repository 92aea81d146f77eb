/** Examples of the operations about MCP servers. They need the server `exampleServer`, approved and running. */
import type { OperationExample } from './examples.ts';

const id = '7c3f0f1f3c5e4a5f9b1d2e8a6c4b0d92';
const fingerprint = '0f4a9c1be7d25836a1c0d4e8b7f2935c6d1e8a04b3f7c29d5e6a8b1c0d3f4e57';
const sha256 = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';

/** The server of the examples, as an agent defines it. */
export const exampleServer = {
  id,
  fingerprint,
  agent: { name: 'Keeper', mcpServers: { notes: { command: 'node', args: ['notes.js'], env: { TOKEN: 'x' } } } },
};

const server = {
  id,
  name: 'notes',
  transport: 'stdio' as const,
  state: 'ready' as const,
  reason: { code: 'ready' },
  fingerprint,
  approvable: true,
  approvedFingerprint: fingerprint,
  approvedAt: '2026-01-05T08:31:00.000Z',
  definedIn: '/home/ada/project/.context/context-config.json',
  scope: 'static' as const,
  command: ['node', 'notes.js'],
  program: '/usr/bin/node',
  cwd: '/home/ada/project',
  env: { TOKEN: '*** (sha256:2d711642)' },
  files: [{ path: '/home/ada/project/notes.js', sha256 }],
  danger: [],
  tools: 1,
  withheldTools: 0,
};
const tool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};
const path = { id };

export const serverExamples: Readonly<Record<string, OperationExample>> = {
  listMcpServers: {
    query: { mountedDirectory: '~/project', workingDirectory: 'src', agentId: 'reviewer' },
    answer: { servers: [server], warnings: [] },
  },
  approveMcpServer: { body: { fingerprint }, answer: server },
  revokeMcpApproval: { path: { fingerprint } },
  startMcpServer: { path, answer: server },
  stopMcpServer: { path, answer: { ...server, state: 'stopped', reason: { code: 'stopped_by_user' } } },
  restartMcpServer: { path, answer: server },
  listMcpTools: {
    path,
    answer: {
      serverId: id,
      serverName: 'notes',
      tools: [{ ...tool, sha256 }],
      withheld: [
        { name: 'wipe', reason: { code: 'tools_changed', detail: 'It was added after the tools were approved.' } },
      ],
      toolsFingerprint: fingerprint,
    },
  },
  callMcpTool: {
    path: { ...path, tool: 'echo' },
    body: { arguments: { text: 'hello' } },
    answer: { content: [{ type: 'text', text: 'hello' }] },
  },
  listMcpResources: { path, answer: { resources: [{ uri: 'memo://a', name: 'a' }], truncated: false } },
  readMcpResource: {
    path,
    body: { uri: 'memo://a' },
    answer: { contents: [{ uri: 'memo://a', mimeType: 'text/plain', text: 'A.' }] },
  },
  listMcpPrompts: {
    path,
    answer: { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }], truncated: false },
  },
  getMcpPrompt: {
    path,
    body: { name: 'greet', arguments: { who: 'Ada' } },
    answer: { messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }] },
  },
};
