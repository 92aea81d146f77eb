/** Starts and stops servers (MC-03). Each start checks again whether the present definition may run. */

import type { EngineCore } from '../engine-core.ts';
import type { McpServerEntry } from './server-requests.ts';
import { objectionTo } from './server-view.ts';
import type { Servers } from './servers.ts';

export type RunVerbs = Readonly<{
  /** Throws `not_found`, `approval_required`, `conflict`, and errors of the start. */
  start(id: string): Promise<McpServerEntry>;
  stop(id: string): Promise<McpServerEntry>;
  restart(id: string): Promise<McpServerEntry>;
  /** Starts the approved servers of an agent, or of the agent of a session, in the background. Never throws. */
  wake(whom: { agentId?: string; sessionId?: string }): Promise<void>;
}>;

export function createRunVerbs({ store, logger }: EngineCore, servers: Servers): RunVerbs {
  const { definitions, approvals, runs, judge, look, entryOf, demand } = servers;
  return {
    async start(id) {
      demand(await look(id));
      await runs.start(id, { byUser: true });
      return entryOf(await look(id));
    },
    async stop(id) {
      const current = await look(id).catch((error: unknown) => {
        // The server may be running although nothing defines it any more.
        if (runs.status(id).state === 'stopped') throw error;
      });
      await runs.stop(id);
      return entryOf(current ?? (await look(id)));
    },
    async restart(id) {
      demand(await look(id));
      await runs.stop(id);
      await runs.start(id, { byUser: true });
      return entryOf(await look(id));
    },
    async wake({ agentId = '', sessionId }) {
      try {
        const id = sessionId === undefined ? agentId : (await store.sessions.session(sessionId))?.agentId;
        if (id === undefined || approvals.isEmpty()) return;
        const { definitions: listed, world } = await definitions.list({ agentId: id });
        for (const definition of listed) {
          if (approvals.get(definition.id) === undefined || runs.status(definition.id).state !== 'stopped') continue;
          if (objectionTo(await judge(definition, world)) !== undefined) continue;
          runs
            .start(definition.id)
            .catch((error: unknown) => logger.info({ err: error, id: definition.id }, 'an MCP server was not started'));
        }
      } catch (error) {
        logger.info({ err: error }, 'MCP servers were not started');
      }
    },
  };
}
