/**
 * How MCP servers are started and spoken to. Implemented by `adapters/mcp/launcher.ts` and, for tests,
 * `test/support/fake-mcp-launcher.ts`. What may be started at all is decided before (`mcp/`).
 */

/** A server as it was approved, to the last detail. `command` and `cwd` are absolute; `env` is all the server gets. */
export type McpLaunch =
  | Readonly<{
      transport: 'stdio';
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      cwd: string;
    }>
  | Readonly<{ transport: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> }>;

/**
 * Why a server cannot be used, or why a connection ended. `exited`: the process ended or could not be started; `refused`:
 * what is asked for is not allowed; `protocol`: what it says is no MCP; `limit_exceeded`: it says too much; `timeout`: it
 * does not answer; `rejected`: it answers one request with an error; `cancelled`: the caller called a request off.
 */
export type McpFailure = Readonly<{
  code:
    | 'not_found'
    | 'not_executable'
    | 'exited'
    | 'timeout'
    | 'protocol'
    | 'limit_exceeded'
    | 'refused'
    | 'unreachable'
    | 'rejected'
    | 'cancelled';
  detail: string;
}>;

export class McpError extends Error {
  readonly failure: McpFailure;

  constructor(failure: McpFailure) {
    super(failure.detail);
    this.failure = failure;
  }
}

/** `problem` says why a tool cannot be used: what its server says of it is no tool. */
export type McpTool = Readonly<{
  name: string;
  problem?: string;
  title?: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema?: Readonly<Record<string, unknown>>;
  annotations?: Readonly<Record<string, unknown>>;
}>;
export type McpResource = Readonly<{ uri: string; name: string; description?: string; mimeType?: string }>;
export type McpPrompt = Readonly<{
  name: string;
  description?: string;
  arguments: readonly Readonly<{ name: string; description?: string; required: boolean }>[];
}>;

/** A connection after the handshake. Every verb rejects with `McpError`. */
export interface McpConnection {
  readonly server: Readonly<{ name: string; version: string; protocolVersion: string; instructions?: string }>;
  /** Of the process, where there is one. */
  readonly pid?: number;
  listTools(): Promise<readonly McpTool[]>;
  /** Ends with the call's time limit, or when `signal` aborts: the server is told then. */
  callTool(
    name: string,
    options: { arguments: Record<string, unknown>; signal?: AbortSignal },
  ): Promise<{ content: unknown[]; structuredContent?: unknown; isError?: boolean }>;
  listResources(): Promise<readonly McpResource[]>;
  readResource(uri: string): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<readonly McpPrompt[]>;
  getPrompt(
    name: string,
    options: { arguments: Record<string, string> },
  ): Promise<{ description?: string; messages: unknown[] }>;
  /** The end of what the server wrote to stderr, at most 64 KiB, known secrets removed. */
  stderr(): string;
  /** Stops the server and everything it started; resolves when nothing of it is left. */
  close(): Promise<void>;
}

export type McpConnectionHandlers = {
  /** Called once when the connection ends by itself; never after `close`. */
  onEnd(failure: McpFailure): void;
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void;
  /** Asked right before each start, however long that had to wait: rejects when it may not be any more. */
  confirm?(): Promise<void>;
  /** Calls the start off: what was started is ended before `connect` rejects with `cancelled`. */
  signal?: AbortSignal;
};

export interface McpLauncher {
  /** Starts, or calls, and shakes hands. Rejects with `McpError`; nothing is left running then. */
  connect(launch: McpLaunch, handlers: McpConnectionHandlers): Promise<McpConnection>;
  /** Ends what an earlier process of the daemon left running, and returns how many processes that were. */
  sweep(): Promise<number>;
  /** Ends everything. */
  dispose(): Promise<void>;
}
