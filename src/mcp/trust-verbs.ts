/** The user's decisions about servers: which ones there are, and which are approved (MC-02, S-17 … S-21). */

import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import type { ToolPlace } from '../ports/ports.ts';
import type { Warning } from '../warnings.ts';
import type { ListedDefinition } from './definitions.ts';
import { createDirectoryContents } from './directory-content.ts';
import type { ApprovalRequest, McpServerEntry, McpServerList } from './server-requests.ts';
import type { Servers } from './servers.ts';

export type TrustVerbs = Readonly<{
  /** Throws as `resolve` does for directories, and `not_found` for an agent. */
  list(place: ToolPlace): Promise<McpServerList>;
  /**
   * Throws `not_found`; `approval_stale` if the definition or the tools are not those that were shown; and `conflict`
   * if it cannot be approved.
   */
  approve(request: ApprovalRequest): Promise<McpServerEntry>;
  /** Also stops the server. Throws `not_found`. */
  revoke(fingerprint: string): Promise<void>;
}>;

export function createTrustVerbs({ clock }: EngineCore, servers: Servers): TrustVerbs {
  const { definitions, approvals, serverTools, runs, judge, look, entryOf, tell } = servers;
  return {
    async list(place) {
      if (place.mountedDirectory === undefined && place.agentId === undefined)
        throw new ContextdError('invalid_request', 'Name a mounted directory or an agent.', [
          { pointer: '/mountedDirectory', message: 'Required, unless an agent is named.' },
        ]);
      const listed = await definitions.list(place);
      const { shown } = listed;
      const entries: McpServerEntry[] = [];
      // A list shows the present files, so it does not use earlier results.
      const found = createDirectoryContents(clock.elapsed);
      for (const { shadows, alsoDefinedIn, ...definition } of listed.definitions)
        entries.push(
          entryOf(await judge(definition, listed.world, { found }), {
            shadows,
            shown,
            ...(alsoDefinedIn && { alsoDefinedIn }),
          }),
        );
      return {
        servers: entries,
        warnings: [...listed.warnings, ...listed.definitions.flatMap((each) => shadowWarning(each, shown))],
      };
    },

    async approve({ fingerprint, toolsFingerprint }) {
      const id = servers.idOf(fingerprint) ?? approvals.find(fingerprint)?.id;
      if (id === undefined)
        throw new ContextdError('not_found', 'No server with this fingerprint was listed. List the servers first.');
      const current = await look(id, true).catch(() => undefined);
      if (current?.fingerprinted.fingerprint !== fingerprint)
        throw new ContextdError('approval_stale', 'The definition changed since it was shown. Look at it again.');
      const { problem } = current.fingerprinted;
      if (problem !== undefined) throw new ContextdError('conflict', `This cannot be approved. ${problem}`);
      const seen = serverTools.seen(id);
      if (toolsFingerprint !== undefined && seen?.fingerprint !== toolsFingerprint)
        throw new ContextdError('approval_stale', 'The tools changed since they were shown. Look at them again.');
      const { isOther } = await approvals.approve(current.definition, current.fingerprinted, {
        tools: toolsFingerprint === undefined ? undefined : seen?.tools,
      });
      runs.forgive(id);
      const entry = entryOf({ ...current, approval: approvals.get(id), mayStart: true });
      if (!isOther) tell(id, entry.state, entry.reason);
      return entry;
    },

    async revoke(fingerprint) {
      if (!(await approvals.remove(fingerprint)))
        throw new ContextdError('not_found', 'There is no approval with this fingerprint.');
    },
  };
}

function shadowWarning({ name, definedIn, shadows }: ListedDefinition, shown: (path: string) => string): Warning[] {
  if (shadows.length === 0) return [];
  const hidden = shadows.map(({ path }) => path).join(', ');
  const message = `The server "${name}" hides the one of the same name in ${hidden}. An approval of that one does not count for this one.`;
  return [{ code: 'server_shadowed', message, ...(definedIn.startsWith('/') ? { path: shown(definedIn) } : {}) }];
}
