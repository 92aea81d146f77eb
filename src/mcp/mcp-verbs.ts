// Long because every verb asks the same question first: may this server run as it is defined now.
/** The verbs about MCP servers (MC-01 … MC-04, S-17 … S-33). Nothing that is only read ever starts anything. */

import type { World } from '../access/world.ts';
import { leavingValue } from '../context/leaving-text.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import type { McpServerState } from '../events/event.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { type Caller, theUser } from '../ports/caller.ts';
import { type McpConnection, McpError, type McpLauncher } from '../ports/mcp-launcher.ts';
import type { SchemaChecker, ToolListing, ToolPlace, ToolServer, ToolSource } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason, Warning } from '../warnings.ts';
import { createApprovals } from './approvals.ts';
import type { Definition } from './definition.ts';
import { createDefinitions, type ListedDefinition, type ServerPlace } from './definitions.ts';
import { createDirectoryContents, type DirectoryContents } from './directory-content.ts';
import { fingerprintDefinition } from './fingerprint.ts';
import type {
  ApprovalRequest,
  McpPromptContent,
  McpPromptList,
  McpResourceContent,
  McpResourceList,
  McpServerEntry,
  McpServerList,
  McpToolList,
  ToolCallResult,
} from './mcp-server.ts';
import { createServerRuns, type ServerRuns } from './server-runs.ts';
import { createServerTools } from './server-tools.ts';
import { type Current, missingTools, objectionTo, shownState, showServer, toolsChanged } from './server-view.ts';
import { StartRefused, upstream } from './start-refused.ts';
import { presentTool, presentTools, readToolList } from './tool-lists.ts';
import { demandToolPermission } from './tool-permission.ts';

/** `load` gives the launcher when the first server is started; `environment` is what every server gets. */
export type McpPorts = {
  load(): Promise<McpLauncher>;
  environment: Readonly<Record<string, string>>;
  schemaChecker: SchemaChecker;
  /** Runs work after a while; returns how to call it off. */
  schedule?(work: () => void, ms: number): () => void;
};

/** `mayStart`: whether an approved server that does not run is started for it. `caller`: the user when absent. */
type UseOptions = { mayStart?: boolean; signal?: AbortSignal; caller?: Caller };

export type McpVerbs = Readonly<{
  /** Throws what `resolve` throws about directories, and `not_found` for an agent. */
  list(place: ServerPlace): Promise<McpServerList>;
  /** Throws `not_found`, `approval_stale` when what is there is not what was shown, and `conflict` when it cannot be approved. */
  approve(request: ApprovalRequest): Promise<McpServerEntry>;
  /** Stops the server, too. Throws `not_found`. */
  revoke(fingerprint: string): Promise<void>;
  /** Throws `not_found`, `approval_required`, `conflict`, and what starting throws. */
  start(id: string): Promise<McpServerEntry>;
  stop(id: string): Promise<McpServerEntry>;
  restart(id: string): Promise<McpServerEntry>;
  tools(id: string): Promise<McpToolList>;
  /** Throws as `start` and `demandToolPermission`, and `invalid_request` with a pointer when the arguments do not fit. */
  call(
    id: string,
    call: { tool: string; arguments: Record<string, unknown>; sessionId?: string | undefined },
    options?: UseOptions,
  ): Promise<ToolCallResult>;
  resources(id: string, options?: Pick<UseOptions, 'caller'>): Promise<McpResourceList>;
  readResource(id: string, uri: string, options?: UseOptions): Promise<McpResourceContent>;
  prompts(id: string, options?: Pick<UseOptions, 'caller'>): Promise<McpPromptList>;
  getPrompt(
    id: string,
    prompt: { name: string; arguments: Record<string, string> },
    options?: UseOptions,
  ): Promise<McpPromptContent>;
  /** Starts the approved servers of an agent, or of the agent of a session, behind the scenes. Never throws. */
  wake(whom: { agentId?: string; sessionId?: string }): Promise<void>;
}>;

export type McpGroup = {
  verbs: McpVerbs;
  toolSource: ToolSource;
  states: ServerRuns['states'];
  dispose(): Promise<void>;
};

const maxListed = 1_000;
const relistMs = 1_000;
/** How long an approval waits for the one start that it is good for. */
const oneStartMs = 600_000;

export async function createMcpGroup(core: EngineCore, ports: McpPorts | undefined): Promise<McpGroup> {
  const { clock, logger, keyed } = core;
  const definitions = createDefinitions(core);
  const approvals = await createApprovals({ store: core.store.approvals, clock });
  const serverTools = createServerTools(approvals);
  const shown = createBoundedCache<string>({ maxWeight: 20_000, maxEntries: 20_000 });
  const underWay = new Map<string, number>();
  const relisting = new Set<string>();
  const schedule = ports?.schedule ?? scheduleByTimer;
  let launcher: Promise<McpLauncher> | undefined;
  const load = (): Promise<McpLauncher> => {
    if (ports === undefined) throw new ContextdError('unavailable', 'Nothing here starts MCP servers.');
    launcher ??= ports.load();
    return launcher;
  };

  const nameOf = (id: string): string => (definitions.addressOf(id) ?? approvals.get(id)?.address)?.name ?? id;
  const tell = (id: string, state: McpServerState, reason: Reason) =>
    core.publish('mcp-state-changed', { serverId: id, name: nameOf(id), state, reason });

  const contents = createDirectoryContents(clock.elapsed);
  const judge = async (
    definition: Definition,
    world: World,
    { fresh = false, found = contents }: { fresh?: boolean; found?: DirectoryContents } = {},
  ): Promise<Current> => {
    const environment = ports?.environment ?? {};
    const { elapsed } = clock;
    const options = { world, environment, contents: found, keyed, elapsed, fresh };
    const fingerprinted = await fingerprintDefinition(definition, options);
    // Read last: nothing is awaited between this and the decision.
    const approval = approvals.get(definition.id);
    shown.set(fingerprinted.fingerprint, definition.id, 1);
    // An approval that is good for one start is good for as long as that lasts.
    const isGoodOnce = approval?.used !== true && clock.now() - Date.parse(approval?.approvedAt ?? '') < oneStartMs;
    const isUnderWay = !fresh && runs.connection(definition.id) !== undefined;
    return { definition, fingerprinted, approval, roots: world.reach.roots, mayStart: isGoodOnce || isUnderWay };
  };
  /** `fresh`: for a start, about which nothing is decided by what was found before. */
  const look = async (id: string, fresh = false): Promise<Current> => {
    const address = definitions.addressOf(id) ?? approvals.get(id)?.address;
    const found = address && (await definitions.find(address));
    if (found?.definition.id === id) return judge(found.definition, found.world, { fresh });
    throw new ContextdError('not_found', 'There is no such server. List the servers of its workspace first.');
  };
  const entryOf = (current: Current, shadows?: ListedDefinition['shadows']): McpServerEntry => {
    const { id } = current.definition;
    const { offered, withheld } = serverTools.state(id, current.fingerprinted.fingerprint);
    const counts = { tools: offered.length, withheld: withheld.length };
    return showServer(current, { status: runs.status(id), ...counts, ...(shadows === undefined ? {} : { shadows }) });
  };
  /** Throws when a server may not run as it is defined now; one that runs all the same is stopped. */
  const demand = (current: Current): void => {
    const objection = objectionTo(current);
    if (objection === undefined) return;
    const { id } = current.definition;
    if (runs.status(id).state !== 'stopped') void runs.stop(id, objection).catch(() => {});
    throw new StartRefused(objection);
  };

  const takeTools = async (id: string, connection: McpConnection): Promise<void> => {
    const [before, seen] = [serverTools.state(id).withheld.length, serverTools.seen(id)?.fingerprint];
    const approved = approvals.get(id)?.fingerprint;
    const list = await readToolList(await connection.listTools());
    // Approved as another meanwhile, or no more: it has been stopped, and its list is not that of what was approved.
    if (approvals.get(id)?.fingerprint !== approved) return;
    await serverTools.see(id, list);
    const { withheld } = serverTools.state(id);
    // Of one that is starting it is told when it is ready.
    if (runs.status(id).state !== 'ready') return;
    const isOther = seen !== undefined && serverTools.seen(id)?.fingerprint !== seen;
    if (!isOther && (withheld.length === before || withheld.length === 0)) return;
    tell(id, 'ready', withheld.length === 0 ? { code: 'ready' } : toolsChanged(withheld.length));
  };
  const relist = (id: string): void => {
    // However often a server says so, its list is read once in a while.
    if (relisting.has(id)) return;
    relisting.add(id);
    schedule(() => {
      relisting.delete(id);
      const connection = runs.connection(id);
      if (connection === undefined) return;
      takeTools(id, connection).catch((error: unknown) => logger.warn({ err: error, id }, 'tools could not be listed'));
    }, relistMs);
  };

  const runs = createServerRuns({
    clock,
    schedule,
    async prepare(id) {
      const current = await look(id, true);
      const objection = objectionTo(current);
      if (objection) throw new StartRefused(objection);
      const { launch, moment } = current.fingerprinted;
      if (launch === undefined) throw new McpError({ code: 'not_found', detail: 'The program was not found.' });
      return { launch, ...(moment === undefined ? {} : { moment }) };
    },
    onTried: approvals.use,
    connect: async (launch, handlers) => (await load()).connect(launch, handlers),
    onConnected: takeTools,
    onListChanged: (id, list) => {
      if (list === 'tools') relist(id);
    },
    onStatus(id, status) {
      const withheld = status.state === 'ready' ? serverTools.state(id).withheld.length : 0;
      tell(id, shownState(status), withheld === 0 ? status.reason : toolsChanged(withheld));
    },
  });

  /** The connection of a server that may run as it is defined now. */
  const use = async (
    id: string,
    mayStart: boolean | undefined,
  ): Promise<{ connection: McpConnection; current: Current }> => {
    const current = await look(id);
    demand(current);
    const running = runs.connection(id);
    if (running === undefined && mayStart !== true)
      throw new ContextdError('unavailable', 'The server does not run. Start it with: contextd mcp start');
    return { connection: running ?? (await runs.start(id)), current };
  };
  const asked = async <Result>(id: string, caller: Caller, ask: () => Promise<Result>): Promise<Result> => {
    const calls = underWay.get(id) ?? 0;
    if (calls >= (caller.scope === 'user' ? fixedLimits.mcpServers.calls : fixedLimits.mcpServers.callsOfTokens))
      throw new ContextdError('limit_exceeded', `${calls} calls of this server are under way.`);
    underWay.set(id, calls + 1);
    try {
      return await ask();
    } catch (error) {
      throw error instanceof McpError ? upstream(error.failure) : error;
    } finally {
      const left = (underWay.get(id) ?? 1) - 1;
      if (left === 0) underWay.delete(id);
      else underWay.set(id, left);
    }
  };

  /** What a server gave, as it is given on. */
  const giveOn = async <Result extends object>(
    id: string,
    given: Result,
  ): Promise<Result & { warnings?: Warning[] }> => {
    const { value, warnings } = await leavingValue(given, { name: nameOf(id), mask: core.settings.maskSecrets });
    return warnings.length === 0 ? value : { ...value, warnings };
  };

  const verbs: McpVerbs = {
    async list(place) {
      if (place.mountedDirectory === undefined && place.agentId === undefined)
        throw new ContextdError('invalid_request', 'Name a mounted directory or an agent.', [
          { pointer: '/mountedDirectory', message: 'Required, unless an agent is named.' },
        ]);
      const listed = await definitions.list(place);
      const servers: McpServerEntry[] = [];
      // What is shown is what is there: nothing that was found before.
      const found = createDirectoryContents(clock.elapsed);
      for (const { shadows, ...definition } of listed.definitions)
        servers.push(entryOf(await judge(definition, listed.world, { found }), shadows));
      return { servers, warnings: [...listed.warnings, ...listed.definitions.flatMap(shadowWarning)] };
    },

    async approve({ fingerprint, toolsFingerprint }) {
      const id = shown.get(fingerprint) ?? approvals.find(fingerprint)?.id;
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
      let stopping: Promise<void> | undefined;
      await approvals.approve(current.definition, current.fingerprinted, {
        tools: toolsFingerprint === undefined ? undefined : seen?.tools,
        onApproved(isOther) {
          if (!isOther) return;
          // What runs is what was approved before.
          serverTools.forget(id);
          stopping = runs.stop(id, { code: 'not_started' });
        },
      });
      await stopping;
      runs.forgive(id);
      const entry = entryOf({ ...current, approval: approvals.get(id), mayStart: true });
      if (stopping === undefined) tell(id, entry.state, entry.reason);
      return entry;
    },

    async revoke(fingerprint) {
      const id = approvals.find(fingerprint)?.id;
      if (id === undefined || !(await approvals.remove(id, fingerprint)))
        throw new ContextdError('not_found', 'There is no approval with this fingerprint.');
      serverTools.forget(id);
      await runs.stop(id, { code: 'not_started' });
      // Approved anew while it ended: that was told.
      if (approvals.get(id) !== undefined) return;
      tell(id, 'needs_approval', { code: 'approval_required', detail: 'The approval was revoked.' });
    },

    async start(id) {
      demand(await look(id));
      await runs.start(id, { byUser: true });
      return entryOf(await look(id));
    },
    async stop(id) {
      const current = await look(id).catch((error: unknown) => {
        // It may run although nothing defines it any more.
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

    async tools(id) {
      const { definition, fingerprinted } = await look(id);
      const { offered, withheld } = serverTools.state(id, fingerprinted.fingerprint);
      const seen = serverTools.seen(id);
      const now = new Map(seen?.tools.map(({ tool }) => [tool.name, tool]));
      const before = new Map(approvals.get(id)?.tools?.map(({ tool }) => [tool.name, tool]));
      return {
        serverId: id,
        serverName: definition.name,
        tools: await presentTools(offered),
        withheld: withheld.map(({ name, reason }) => {
          const tool = reason.code === 'tools_changed' ? now.get(name) : undefined;
          if (tool === undefined) return { name, reason };
          const approved = before.get(name);
          return {
            ...{ name, reason, tool: presentTool(tool) },
            ...(approved === undefined ? {} : { approved: presentTool(approved) }),
          };
        }),
        ...(seen === undefined ? {} : { toolsFingerprint: seen.fingerprint }),
      };
    },

    async call(id, { tool: name, arguments: args, sessionId }, { mayStart, signal, caller = theUser } = {}) {
      return asked(id, caller, async () => {
        await demandToolPermission({ serverId: id, sessionId, caller }, { sessions: core.store.sessions, definitions });
        const { connection, current } = await use(id, mayStart);
        const { offered, withheld } = serverTools.state(id, current.fingerprinted.fingerprint);
        const found = offered.find(({ tool }) => tool.name === name);
        if (found === undefined) {
          const reason = withheld.find((each) => each.name === name)?.reason;
          if (reason === undefined) throw new ContextdError('not_found', 'The server has no such tool.');
          throw new ContextdError('approval_required', `The tool is withheld. ${reason.detail ?? reason.code}`);
        }
        const checked = await ports?.schemaChecker.check(found.tool.inputSchema, args);
        if (checked?.outcome === 'invalid')
          throw new ContextdError(
            'invalid_request',
            'The arguments do not fit the tool.',
            checked.errors.map(({ pointer, message }) => ({ pointer: `/arguments${pointer}`, message })),
          );
        if (checked?.outcome === 'unknown')
          throw new ContextdError(
            'upstream_failed',
            `The arguments cannot be checked by the tool’s schema: ${checked.detail}`,
          );
        return giveOn(
          id,
          await connection.callTool(name, { arguments: args, ...(signal === undefined ? {} : { signal }) }),
        );
      });
    },

    async resources(id, { caller = theUser } = {}) {
      return asked(id, caller, async () => {
        const listed = await (await use(id, false)).connection.listResources();
        return { resources: listed.slice(0, maxListed), truncated: listed.length > maxListed };
      });
    },
    async readResource(id, uri, { mayStart, caller = theUser } = {}) {
      return asked(id, caller, async () => giveOn(id, await (await use(id, mayStart)).connection.readResource(uri)));
    },
    async prompts(id, { caller = theUser } = {}) {
      return asked(id, caller, async () => {
        const listed = await (await use(id, false)).connection.listPrompts();
        const prompts = listed.slice(0, maxListed).map((each) => ({ ...each, arguments: [...each.arguments] }));
        return { prompts, truncated: listed.length > maxListed };
      });
    },
    async getPrompt(id, { name, arguments: args }, { mayStart, caller = theUser } = {}) {
      return asked(id, caller, async () => {
        const { connection } = await use(id, mayStart);
        return giveOn(id, await connection.getPrompt(name, { arguments: args }));
      });
    },

    async wake({ agentId = '', sessionId }) {
      try {
        const id = sessionId === undefined ? agentId : (await core.store.sessions.session(sessionId))?.agentId;
        if (id === undefined || approvals.isEmpty()) return;
        const { definitions: listed, world } = await definitions.list({ agentId: id });
        for (const definition of listed) {
          if (approvals.get(definition.id) === undefined || runs.status(definition.id).state !== 'stopped') continue;
          if (objectionTo(await judge(definition, world)) !== undefined) continue;
          runs
            .start(definition.id)
            .catch((error: unknown) => logger.info({ err: error, id: definition.id }, 'not started'));
        }
      } catch (error) {
        logger.info({ err: error }, 'servers were not started');
      }
    },
  };

  const listingOf = createListings();
  const toolSource: ToolSource = {
    async listTools({ agentId, mountedDirectory, workingDirectory }: ToolPlace) {
      if (approvals.isEmpty() || (agentId ?? mountedDirectory) === undefined) return noTools;
      const { definitions: listed, world } = await definitions.list({ agentId, mountedDirectory, workingDirectory });
      const usable: { id: string; name: string; fingerprint: string }[] = [];
      const servers: ToolServer[] = [];
      for (const definition of listed) {
        const { id, name, server } = definition;
        if (server.disabled === true || approvals.get(id) === undefined) continue;
        const current = await judge(definition, world);
        const missing = missingTools(current, runs.status(id));
        servers.push({ name, ...(missing === undefined ? {} : { missing }) });
        if (missing === undefined) usable.push({ id, name, fingerprint: current.fingerprinted.fingerprint });
      }
      return listingOf(serverTools.listed(usable), servers);
    },
  };

  return {
    verbs: Object.freeze(verbs),
    toolSource,
    states: runs.states,
    async dispose() {
      await runs.dispose();
      ports?.schemaChecker.dispose();
      await (await launcher)?.dispose();
    },
  };
}

const noTools: ToolListing = Object.freeze({ tools: [], servers: [] });

/** The same object for the same tools and servers. */
function createListings(): (tools: ToolListing['tools'], servers: ToolListing['servers']) => ToolListing {
  const known = createBoundedCache<ToolListing>({ maxWeight: 20_000, maxEntries: 500 });
  return (tools, servers) => {
    const key = JSON.stringify(servers);
    const before = known.get(key);
    if (before?.tools === tools) return before;
    const listing = Object.freeze({ tools, servers: Object.freeze(servers) });
    known.set(key, listing, 1 + servers.length);
    return listing;
  };
}

function scheduleByTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
}

function shadowWarning({ name, definedIn, shadows }: ListedDefinition): Warning[] {
  if (shadows.length === 0) return [];
  const hidden = shadows.map(({ path }) => path).join(', ');
  const message = `The server "${name}" hides the one of the same name in ${hidden}. Approvals of that one do not hold for this one.`;
  return [{ code: 'server_shadowed', message, ...(definedIn.startsWith('/') ? { path: definedIn } : {}) }];
}
