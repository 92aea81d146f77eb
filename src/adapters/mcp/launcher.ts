/** Starts MCP servers, or connects to them, and ends them. The first one loads the SDK. */
import {
  type McpConnection,
  type McpConnectionHandlers,
  McpError,
  type McpLaunch,
  type McpLauncher,
} from '../../ports/mcp-launcher.ts';
import { fixedLimits } from '../../settings.ts';
import type { CallTimes } from './connection.ts';
import { createMcpProcesses, type StopTimes, stopTimes } from './processes.ts';

type McpLauncherOptions = {
  /** Distinguishes the servers of this daemon from those of another daemon. */
  stateDirectory: string;
  /** The name and version of the client that servers get. */
  client: { name: string; version: string };
  /** The port of the daemon, where no server may be. */
  ownPort?: () => number | undefined;
  /** Shorter times, for tests. */
  times?: Partial<CallTimes & AnswerTimes & StopTimes>;
};

/** The time limit for a whole answer over HTTP. */
type AnswerTimes = { answerMs: number };

/** Answers may take a little longer than calls, which then say themselves that they took too long. */
const ownTimes = { changeMs: 500, listenMs: 5_000, answerMs: 65_000 };

export function createMcpLauncher(options: McpLauncherOptions): McpLauncher {
  const times = { ...fixedLimits.mcpServers, ...ownTimes, ...options.times };
  const processes = createMcpProcesses(options.stateDirectory, { ...stopTimes, ...options.times });
  const open = new Set<McpConnection>();
  let sweeping: Promise<unknown> = Promise.resolve();
  let isDisposed = false;

  const createLink = async (launch: McpLaunch, confirm: McpConnectionHandlers['confirm']) => {
    if (launch.transport === 'stdio') {
      const { createStdioLink } = await import('./stdio-transport.ts');
      await confirm?.();
      return createStdioLink(processes.start(launch), launch);
    }
    const { createHttpLink } = await import('./http-transport.ts');
    await confirm?.();
    return createHttpLink(launch, { ownPort: options.ownPort ?? (() => undefined), answerMs: times.answerMs });
  };

  return Object.freeze({
    async connect(launch, handlers) {
      await sweeping;
      const { connectClient } = await import('./connection.ts');
      if (isDisposed) throw new McpError({ code: 'cancelled', detail: 'The daemon is stopping.' });
      const attempt = async (modern: boolean) =>
        connectClient(await createLink(launch, handlers.confirm), {
          client: options.client,
          handlers: following,
          times,
          modern,
        });
      const following: McpConnectionHandlers = {
        ...handlers,
        onEnd(failure) {
          open.delete(connection);
          handlers.onEnd(failure);
        },
      };
      const connection: McpConnection = await attempt(false).catch((error: unknown) => {
        // Servers that know only the newest revision reject the handshake.
        if (!(error instanceof McpError) || error.failure.code !== 'rejected' || isDisposed) throw error;
        return attempt(true).catch(() => {
          throw error;
        });
      });
      open.add(connection);
      return { ...connection, close: () => connection.close().finally(() => open.delete(connection)) };
    },

    sweep() {
      const swept = processes.sweep();
      sweeping = swept.catch(() => {});
      return swept;
    },

    async dispose() {
      isDisposed = true;
      // Servers that are still starting are ended at the same time as the others.
      await Promise.all([processes.dispose(), ...[...open].map((connection) => connection.close())]);
    },
  } satisfies McpLauncher);
}
