/** Changes of the lists of an MCP server (MC-04). */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import type { McpConnectionHandlers } from '../../ports/mcp-launcher.ts';

/**
 * `changeMs`: the shortest time between two requests of a list that keeps changing. `listenMs`: how long after the end
 * of a stream of changes it is opened again, at least.
 */
export type ListTimes = { changeMs: number; listenMs: number };

const lists = ['tools', 'resources', 'prompts'] as const;

/** Reports at most once in `changeMs` that a list changed. */
export function followChanges(
  client: Client,
  handlers: McpConnectionHandlers,
  changeMs: number,
): Map<string, NodeJS.Timeout> {
  const timers = new Map<string, NodeJS.Timeout>();
  for (const list of lists)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => {
      if (timers.has(list)) return;
      const tell = () => {
        timers.delete(list);
        handlers.onListChanged(list);
      };
      timers.set(list, setTimeout(tell, changeMs));
    });
  return timers;
}

/**
 * In the protocol revision without a handshake, the client tells the server which lists it follows. It does so again
 * when the stream of changes ends, and the lists may have changed meanwhile.
 */
export async function listenToLists(
  client: Client,
  { onListChanged, listenMs, isOver }: Pick<McpConnectionHandlers, 'onListChanged'> & ListenOptions,
): Promise<void> {
  const capabilities = client.getServerCapabilities() ?? {};
  const followed = lists.filter((list) => capabilities[list]?.listChanged);
  if (followed.length === 0) return;
  const filter = Object.fromEntries(followed.map((list) => [`${list}ListChanged`, true]));
  let pauseMs = listenMs;
  for (let isAgain = false; !isOver(); isAgain = true) {
    const sinceMs = performance.now();
    try {
      const { closed } = await client.listen(filter);
      if (isAgain) for (const list of followed) onListChanged(list);
      await closed;
    } catch {
      // The server does not offer it, or cannot be reached at the moment.
      if (!isAgain) return;
    }
    // A server may end each stream at once.
    pauseMs = performance.now() - sinceMs < listenMs ? Math.min(2 * pauseMs, 16 * listenMs) : listenMs;
    await delay(pauseMs, undefined, { ref: false });
  }
}

type ListenOptions = Pick<ListTimes, 'listenMs'> & { isOver(): boolean };
