/** Reads the tools of running servers: at the start, and when a server says that they changed (S-31). */

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
  /** Reads them again after a delay. */
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
    // The approval changed or ended meanwhile. The server has been stopped, and this list is not for the new approval.
    if (approvals.get(id)?.fingerprint !== approved) return;
    await serverTools.see(id, list);
    const { withheld } = serverTools.state(id);
    // The tools of a starting server are reported when it is ready.
    if (runs().status(id).state !== 'ready') return;
    const isOther = seen !== undefined && serverTools.seen(id)?.fingerprint !== seen;
    if (!isOther && (withheld.length === before || withheld.length === 0)) return;
    tell(id, 'ready', toolsChanged(withheld) ?? { code: 'ready' });
  };
  const takeAgain: ToolWatch['takeAgain'] = (id) => {
    // However often a server reports a change, its list is read at most once in `relistMs`.
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
