/** A launcher that starts nothing, counts what it would have started, and does what a test tells it to. */
import {
  type McpConnection,
  type McpConnectionHandlers,
  McpError,
  type McpFailure,
  type McpLaunch,
  type McpLauncher,
  type McpTool,
} from '../../src/ports/mcp-launcher.ts';

/** `tools` and `failure` can be changed at any time; `failure` makes starts fail. */
export type FakeMcpLauncher = McpLauncher & {
  launches: McpLaunch[];
  tools: McpTool[];
  failure: McpFailure | undefined;
  /** While it is set, starts wait for it. */
  gate: Promise<void> | undefined;
  /** Called when a server was started and has shaken hands. */
  onConnect: (() => void) | undefined;
  callTool: McpConnection['callTool'];
  calls: { name: string; arguments: Record<string, unknown> }[];
  open: FakeMcpConnection[];
  maxStarting: number;
  disposed: boolean;
};
type FakeMcpConnection = McpConnection & { launch: McpLaunch; handlers: McpConnectionHandlers };

export function fakeTool(name: string, description = `Does ${name}.`): McpTool {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  return { name, description, inputSchema };
}

export function createFakeMcpLauncher(): FakeMcpLauncher {
  let starting = 0;
  const launcher: FakeMcpLauncher = {
    launches: [],
    tools: [fakeTool('echo')],
    failure: undefined,
    gate: undefined,
    onConnect: undefined,
    calls: [],
    open: [],
    maxStarting: 0,
    disposed: false,
    callTool: async (name, { arguments: args }) => ({ content: [{ type: 'text', text: `${name} ${args.text}` }] }),
    async connect(launch, handlers) {
      starting += 1;
      launcher.maxStarting = Math.max(launcher.maxStarting, starting);
      const calledOff = new Promise((resolve) => handlers.signal?.addEventListener('abort', resolve));
      await Promise.race([launcher.gate ?? new Promise((resolve) => setImmediate(resolve)), calledOff]);
      starting -= 1;
      if (handlers.signal?.aborted) throw new McpError({ code: 'cancelled', detail: 'It was cancelled.' });
      await handlers.confirm?.();
      launcher.launches.push(launch);
      if (launcher.failure !== undefined) throw new McpError(launcher.failure);
      const connection: FakeMcpConnection = {
        launch,
        handlers,
        server: { name: 'fake', version: '1', protocolVersion: '2026-07-28' },
        listTools: async () => launcher.tools,
        callTool: (name, options) => {
          launcher.calls.push({ name, arguments: options.arguments });
          return launcher.callTool(name, options);
        },
        listResources: async () => [{ uri: 'memo://a', name: 'a' }],
        readResource: async (uri) => ({ contents: [{ uri, text: 'A.' }] }),
        listPrompts: async () => [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
        getPrompt: async (name, { arguments: args }) => ({
          messages: [{ role: 'user', content: { type: 'text', text: `${name} ${args.who}` } }],
        }),
        async close() {
          launcher.open = launcher.open.filter((each) => each !== connection);
        },
      };
      launcher.open.push(connection);
      launcher.onConnect?.();
      return connection;
    },
    sweep: async () => 0,
    async dispose() {
      launcher.disposed = true;
      launcher.open = [];
    },
  };
  return launcher;
}

/** Ends a connection as a server that goes away does. */
export function endConnection(launcher: FakeMcpLauncher) {
  const [connection] = launcher.open;
  if (connection === undefined) throw new Error('No server runs.');
  launcher.open = launcher.open.slice(1);
  connection.handlers.onEnd({ code: 'exited', detail: 'It ended.' });
}
