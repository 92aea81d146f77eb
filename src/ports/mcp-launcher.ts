/**
 * Starts MCP servers and talks to them. Implemented by `adapters/mcp/launcher.ts` and, for tests,
 * `test/support/fake-mcp-launcher.ts`. `mcp/` decides before whether a server may be started.
 */

import type { Reason } from '../warnings.ts';

/** A server exactly as it was approved. `command` and `cwd` are absolute; `env` is its whole environment. */
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
 * Why a server cannot be used, or why a connection ended. `exited`: the process ended or could not be started;
 * `refused`: the request is not allowed; `protocol`: an invalid message; `limit_exceeded`: too much data; `timeout`: no
 * answer; `rejected`: the server answered with an error; `cancelled`: by the caller.
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
  /** The server has not begun with the request, because it has forgotten the session. */
  isUnprocessed?: true;
  /** The code of the JSON-RPC error that the server answered with. */
  rpcCode?: number;
}>;

export class McpError extends Error {
  readonly failure: McpFailure;

  constructor(failure: McpFailure) {
    super(failure.detail);
    this.failure = failure;
  }
}

/** `problem`: why a tool cannot be used, by what the server says about it. */
export type McpTool = Readonly<{
  name: string;
  problem?: Reason;
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

/** A connection after the handshake. All verbs reject with `McpError`. */
export interface McpConnection {
  readonly server: Readonly<{ name: string; version: string; protocolVersion: string; instructions?: string }>;
  /** Of the process, if there is one. */
  readonly pid?: number;
  listTools(): Promise<readonly McpTool[]>;
  /** Ends after the time limit of the call, or when `signal` is aborted. Then the server is told. */
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
  /** Stops the server and everything that it started; resolves when all of it has ended. */
  close(): Promise<void>;
}

/** The lists of a server. */
export type McpListName = 'tools' | 'resources' | 'prompts';

export type McpConnectionHandlers = {
  /** Called once when the connection ends, but not after `close`. */
  onEnd(failure: McpFailure): void;
  onListChanged(list: McpListName): void;
  /** Called right before the start, which may have waited. Rejects if the server may no longer be started. */
  confirm?(): Promise<void>;
  /** Cancels the start: `connect` stops the server, then rejects with `cancelled`. */
  signal?: AbortSignal;
};

export interface McpLauncher {
  /**
   * Starts the server, or connects to it, and does the handshake. If it rejects (`McpError`), nothing is left running.
   */
  connect(launch: McpLaunch, handlers: McpConnectionHandlers): Promise<McpConnection>;
  /** Ends processes that an earlier daemon left running, and returns their number. */
  sweep(): Promise<number>;
  /** Ends all servers. */
  dispose(): Promise<void>;
}
