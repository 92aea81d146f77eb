/** The lists of tools of servers that run: read when one is started, and when it says that they are others (S-31). */

import type { McpConnection } from '../ports/mcp-launcher.ts';
import type { Logger } from '../ports/ports.ts';
import type { Reason } from '../warnings.ts';
import type { Approvals } from './approvals.ts';
import type { ServerRuns } from './server-runs.ts';
import type { ServerTools } from './server-tools.ts';
import { toolsChanged } from './server-view.ts';
import { readToolList } from './tool-lists.ts';

type ToolWatch = {
  /** Throws `McpError`. */
  take(id: string, connection: McpConnection): Promise<void>;
  /** After a while. */
  takeAgain(id: string): void;
};

const relistMs = 1_000;

export function createToolWatch(parts: {
  approvals: Approvals;
  serverTools: ServerTools;
  runs(): ServerRuns;
  logger: Logger;
  schedule(work: () => void, ms: number): () => void;
  tell(id: string, state: 'ready', reason: Reason): void;
}): ToolWatch {
  const { approvals, serverTools, runs, logger, schedule, tell } = parts;
  const relisting = new Set<string>();
  const take: ToolWatch['take'] = async (id, connection) => {
    const [before, seen] = [serverTools.state(id).withheld.length, serverTools.seen(id)?.fingerprint];
    const approved = approvals.get(id)?.fingerprint;
    const list = await readToolList(await connection.listTools());
    // Approved as another meanwhile, or no more: it has been stopped, and its list is not that of what was approved.
    if (approvals.get(id)?.fingerprint !== approved) return;
    await serverTools.see(id, list);
    const { withheld } = serverTools.state(id);
    // Of one that is starting it is told when it is ready.
    if (runs().status(id).state !== 'ready') return;
    const isOther = seen !== undefined && serverTools.seen(id)?.fingerprint !== seen;
    if (!isOther && (withheld.length === before || withheld.length === 0)) return;
    tell(id, 'ready', withheld.length === 0 ? { code: 'ready' } : toolsChanged(withheld.length));
  };
  const takeAgain: ToolWatch['takeAgain'] = (id) => {
    // However often a server says so, its list is read once in a while.
    if (relisting.has(id)) return;
    relisting.add(id);
    schedule(() => {
      relisting.delete(id);
      const connection = runs().connection(id);
      if (connection === undefined) return;
      take(id, connection).catch((error: unknown) => logger.warn({ err: error, id }, 'tools could not be listed'));
    }, relistMs);
  };
  return { take, takeAgain };
}
