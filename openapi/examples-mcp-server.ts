import type { OperationExample } from './examples.ts';

const sessionId = '5b1c0d9e7f3a42688c1d2e3f4a5b6c7d';

/** Of contextd's own MCP server. The stream and its end need the session that `initialize` made. */
export const mcpServerExamples: Readonly<Record<string, OperationExample>> = {
  sendMcp: {
    query: { mountedDirectory: '~/project' },
    headers: { 'mcp-session-id': sessionId },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'check_policy',
        arguments: { mountedDirectory: '~/project', paths: ['src/button.ts'] },
      },
    },
    answer: {
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: '/home/ada/project/src/button.ts: allowed (no_policy)' }] },
    },
  },
  streamMcp: {
    query: { mountedDirectory: '~/project' },
    headers: { 'mcp-session-id': sessionId },
    answer: 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}\n\n',
  },
  endMcpSession: { query: { mountedDirectory: '~/project' }, headers: { 'mcp-session-id': sessionId } },
};
