/** Starts a server once, and makes sure that exactly what was compared is started (S-18, S-29). */

import { ContextdError } from '../errors.ts';
import {
  type McpConnection,
  type McpConnectionHandlers,
  McpError,
  type McpFailure,
  type McpListName,
} from '../ports/mcp-launcher.ts';
import type { Reason } from '../warnings.ts';
import type { Preparation, Prepared } from './preparation.ts';
import { StartRefused } from './start-refused.ts';

export type StartPorts = {
  createPreparation(id: string, signal: AbortSignal): Preparation;
  connect(prepared: Prepared, handlers: McpConnectionHandlers): Promise<McpConnection>;
  /** Called before a server is ready. Throws `McpError` if it cannot be used. */
  onConnected(id: string, connection: McpConnection): Promise<void>;
};

/** The life of the server that the start belongs to. */
type ServerLife = {
  /** Aborted when the server is stopped. */
  signal: AbortSignal;
  /** Called when the start begins. */
  onTry(): void;
  onReady(connection: McpConnection): void;
  onEnd(connection: McpConnection, failure: McpFailure): void;
  onListChanged(connection: McpConnection, list: McpListName): void;
};

const changedMeanwhile: Reason = { code: 'approval_stale', detail: 'One of its files was written while it started.' };

/** Returns the connection. Closes it if anything is wrong. Throws `McpError`, and errors of the preparation. */
export async function startServer(id: string, ports: StartPorts, life: ServerLife): Promise<McpConnection> {
  const { signal } = life;
  const look = ports.createPreparation(id, signal);
  const prepare = async () => {
    if (signal.aborted) throw stopped();
    const prepared = await look();
    if (signal.aborted) throw stopped();
    return prepared;
  };
  let confirmed = await prepare();
  life.onTry();
  let ended: McpFailure | undefined;
  // A server can send something before it counts as connected.
  let made: McpConnection | undefined;
  const connection = await ports.connect(confirmed, {
    onEnd(failure) {
      ended = failure;
      if (made) life.onEnd(made, failure);
    },
    onListChanged(list) {
      if (made) life.onListChanged(made, list);
    },
    async confirm() {
      confirmed = await prepare();
    },
    signal,
  });
  made = connection;
  signal.addEventListener('abort', () => void connection.close().catch(() => {}));
  try {
    // The server has loaded its files by now. Checks that they are the ones that were compared.
    if ((await prepare()).moment !== confirmed.moment) throw new StartRefused(changedMeanwhile);
    if (!signal.aborted) await ports.onConnected(id, connection);
    if (ended !== undefined) throw new McpError(ended);
    if (signal.aborted) throw stopped();
  } catch (error) {
    await connection.close();
    throw error;
  }
  life.onReady(connection);
  return connection;
}

export function stopped(): ContextdError {
  return new ContextdError('unavailable', 'The server was stopped.');
}
