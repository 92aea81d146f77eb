/** Combines everything about each server: its definition, approval, run and tools. */

import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import type { McpServerState } from '../events/event.ts';
import { loadOnce } from '../pace/deferred-verbs.ts';
import { McpError, type McpFailure, type McpLauncher } from '../ports/mcp-launcher.ts';
import type { SchemaChecker } from '../ports/ports.ts';
import type { Reason } from '../warnings.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import type { Definitions, ListedDefinition } from './definitions.ts';
import { type VariableOf, withoutValues } from './fill-in.ts';
import { createJudge, type Judge } from './judge.ts';
import { createPreparation } from './preparation.ts';
import type { McpServerEntry } from './server-requests.ts';
import { createServerRuns, type ServerRuns } from './server-runs.ts';
import type { StartPorts } from './server-start.ts';
import { createServerTools, type ServerTools } from './server-tools.ts';
import { type Current, objectionTo, shownState, showServer, toolsChanged } from './server-view.ts';
import { StartRefused } from './start-refused.ts';
import { createToolWatch } from './tool-watch.ts';

/**
 * `load` returns the launcher when the first server is started. `environment`: the variables of every server.
 * `variableOf`: variables that an approved definition of another tool can read in addition.
 */
export type McpPorts = {
  load(): Promise<McpLauncher>;
  environment: Readonly<Record<string, string>>;
  variableOf?: VariableOf;
  schemaChecker: SchemaChecker;
  /** Runs work after a delay. Returns a function that cancels it. */
  schedule?(work: () => void, ms: number): () => void;
};

export type Servers = Judge &
  Readonly<{
    definitions: Definitions;
    approvals: Approvals;
    serverTools: ServerTools;
    runs: ServerRuns;
    nameOf(id: string): string;
    tell(id: string, state: McpServerState, reason: Reason): void;
    /** The server for answers. `shown` gives a path the name that the request used. */
    entryOf(
      current: Current,
      more?: Pick<ListedDefinition, 'shadows' | 'alsoDefinedIn'> & { shown(path: string): string },
    ): McpServerEntry;
    /** Throws if the present definition may not run. Stops the server if it is running anyway. */
    demand(current: Current): void;
    dispose(): Promise<void>;
  }>;

/** Connects. The environment values that the server got are not in what is said of failures. */
function hideValues(load: () => Promise<McpLauncher>): StartPorts['connect'] {
  return async ({ launch, reads }, handlers) => {
    const hide = (failure: McpFailure): McpFailure => ({ ...failure, detail: withoutValues(failure.detail, reads) });
    const onEnd = (failure: McpFailure) => handlers.onEnd(hide(failure));
    try {
      return await (await load()).connect(launch, { ...handlers, onEnd });
    } catch (error) {
      throw error instanceof McpError ? new McpError(hide(error.failure)) : error;
    }
  };
}

export async function createServers(core: EngineCore, definitions: Definitions, ports?: McpPorts): Promise<Servers> {
  const { clock, logger } = core;
  const approvals = await createApprovals({
    store: core.store.approvals,
    waiting: core.store.waiting,
    clock,
    onEnded: (id) => endServer(id, { approvals, serverTools, runs, tell, logger }),
  });
  const serverTools = createServerTools(approvals);
  const schedule = ports?.schedule ?? scheduleByTimer;
  const load = loadOnce(async (): Promise<McpLauncher> => {
    if (ports === undefined) throw new ContextdError('unavailable', 'MCP servers cannot be started here.');
    return ports.load();
  });

  const nameOf = (id: string): string => (definitions.addressOf(id) ?? approvals.get(id)?.address)?.name ?? id;
  const tell: Servers['tell'] = (id, state, reason) =>
    core.publish('mcp-state-changed', { serverId: id, name: nameOf(id), state, reason });
  const environment = ports?.environment ?? {};
  const variableOf = ports?.variableOf ?? (() => undefined);
  const isRunning = (id: string): boolean => runs.connection(id) !== undefined;
  const judge = createJudge(core, { definitions, approvals, environment, variableOf, isRunning });
  const tools = createToolWatch({ approvals, serverTools, runs: () => runs, logger, schedule, tell });
  const runs: ServerRuns = createServerRuns({
    clock,
    schedule,
    createPreparation: (id, signal) => createPreparation(id, { approvals, judge, signal }),
    connect: hideValues(load),
    onConnected: tools.take,
    onListChanged: (id, list) => {
      if (list === 'tools') tools.takeAgain(id);
    },
    onStatus(id, status) {
      const changed = status.state === 'ready' ? toolsChanged(serverTools.state(id).withheld) : undefined;
      tell(id, shownState(status), changed ?? status.reason);
    },
  });

  return Object.freeze({
    ...judge,
    definitions,
    approvals,
    serverTools,
    runs,
    nameOf,
    tell,
    entryOf(current, more) {
      const { id } = current.definition;
      const { offered, withheld } = serverTools.state(id, current.fingerprinted.fingerprint);
      return showServer(current, { status: runs.status(id), tools: offered.length, withheld, ...more });
    },
    demand(current) {
      const objection = objectionTo(current);
      if (objection === undefined) return;
      const { id } = current.definition;
      if (runs.status(id).state !== 'stopped') void runs.stop(id, objection).catch(() => {});
      throw new StartRefused(objection, current.definition);
    },
    async dispose() {
      await runs.dispose();
      ports?.schemaChecker.dispose();
      await (await load.loaded())?.dispose();
    },
  } satisfies Servers);
}

/** The approval of a server ended, so the running server is stopped. */
async function endServer(
  id: string,
  parts: Pick<Servers, 'approvals' | 'serverTools' | 'runs' | 'tell'> & Pick<EngineCore, 'logger'>,
): Promise<void> {
  const { approvals, serverTools, runs, tell, logger } = parts;
  serverTools.forget(id);
  try {
    await runs.stop(id, { code: 'not_started' });
  } catch (error) {
    logger.error({ err: error, id }, 'a server that is not approved any more could not be ended');
  }
  // If the server is approved again, another event reports its state.
  if (approvals.get(id) !== undefined) return;
  tell(id, 'needs_approval', { code: 'approval_required', detail: 'The approval was revoked.' });
}

function scheduleByTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}
