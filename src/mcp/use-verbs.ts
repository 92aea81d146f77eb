/** Requests to running servers: tools, resources and prompts (MC-04, S-22 … S-24). */

import { leavingValue } from '../context/leaving-text.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { type Caller, theUser } from '../ports/caller.ts';
import { type McpConnection, McpError, type McpTool } from '../ports/mcp-launcher.ts';
import type { SchemaChecker } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { startCommand } from './definition.ts';
import type {
  McpPromptContent,
  McpPromptList,
  McpResourceContent,
  McpResourceList,
  McpToolList,
  ToolCallResult,
} from './server-requests.ts';
import type { ServerTools } from './server-tools.ts';
import type { Current } from './server-view.ts';
import type { Servers } from './servers.ts';
import { upstream } from './start-refused.ts';
import { presentTool, presentTools } from './tool-lists.ts';
import { demandToolPermission } from './tool-permission.ts';

/** `mayStart`: starts an approved server that is not running. `caller`: by default the user. */
type UseOptions = { mayStart?: boolean; signal?: AbortSignal; caller?: Caller };

export type UseVerbs = Readonly<{
  tools(id: string): Promise<McpToolList>;
  /**
   * Throws as `start` and `demandToolPermission` do, and `invalid_request` with a pointer if the arguments do not match
   * the schema.
   */
  call(
    id: string,
    call: { tool: string; arguments: Record<string, unknown>; sessionId?: string | undefined },
    options?: UseOptions,
  ): Promise<ToolCallResult>;
  /** These throw as `start` does. For a mistake of the caller they throw `not_found` or `invalid_request`. */
  resources(id: string, options?: Pick<UseOptions, 'caller'>): Promise<McpResourceList>;
  readResource(id: string, uri: string, options?: UseOptions): Promise<McpResourceContent>;
  prompts(id: string, options?: Pick<UseOptions, 'caller'>): Promise<McpPromptList>;
  getPrompt(
    id: string,
    prompt: { name: string; arguments: Record<string, string> },
    options?: UseOptions,
  ): Promise<McpPromptContent>;
}>;

const maxListed = fixedLimits.mcpServers.listed;

export function createUseVerbs(core: EngineCore, servers: Servers, schemaChecker: SchemaChecker | undefined): UseVerbs {
  const { definitions, serverTools, runs, look, demand, nameOf } = servers;
  const asked = createCounted(runs);
  /** The connection of a server whose present definition may run. */
  const use = async (
    id: string,
    mayStart: boolean | undefined,
  ): Promise<{ connection: McpConnection; current: Current }> => {
    const current = await look(id);
    demand(current);
    const running = runs.connection(id);
    if (running === undefined && mayStart !== true)
      throw new ContextdError('unavailable', `The server does not run. Start it with: ${startCommand(id)}`);
    return { connection: running ?? (await runs.start(id)), current };
  };
  /** Prepares what a server sent for the caller: adds warnings, and masks secrets if the settings say so. */
  const giveOn = async <Result extends object>(
    id: string,
    given: Result,
  ): Promise<Result & { warnings?: Warning[] }> => {
    const { value, warnings } = await leavingValue(given, { name: nameOf(id), mask: core.settings.maskSecrets });
    return warnings.length === 0 ? value : { ...value, warnings };
  };
  return {
    tools: (id) => showTools(id, servers),
    async call(id, { tool: name, arguments: args, sessionId }, { mayStart, signal, caller = theUser } = {}) {
      return asked(id, caller, async () => {
        await demandToolPermission({ serverId: id, sessionId, caller }, { sessions: core.store.sessions, definitions });
        const { connection, current } = await use(id, mayStart);
        const tool = offeredTool(name, serverTools.state(id, current.fingerprinted.fingerprint));
        await checkArguments(args, tool, schemaChecker);
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
      return asked(id, caller, async () => {
        const { connection } = await use(id, mayStart);
        return giveOn(id, await connection.readResource(uri).catch(refuseResource));
      });
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
        const refuse = (error: unknown) => refusePrompt(error, name, connection);
        return giveOn(id, await connection.getPrompt(name, { arguments: args }).catch(refuse));
      });
    },
  };
}

/**
 * Runs a request to a server, with a limit of requests at the same time. Runs it again if the server has forgotten the
 * session. Throws `limit_exceeded`, and failures of the server.
 */
function createCounted(runs: Servers['runs']) {
  const underWay = new Map<string, number>();
  return async <Result>(id: string, caller: Caller, ask: () => Promise<Result>): Promise<Result> => {
    const calls = underWay.get(id) ?? 0;
    if (calls >= (caller.scope === 'user' ? fixedLimits.mcpServers.calls : fixedLimits.mcpServers.callsOfTokens))
      throw new ContextdError('limit_exceeded', `${calls} calls of this server are running already. Try again later.`);
    underWay.set(id, calls + 1);
    try {
      return await ask().catch(async (error: unknown) => {
        if (!(error instanceof McpError && error.failure.isUnprocessed)) throw error;
        await runs.start(id);
        return ask();
      });
    } catch (error) {
      throw error instanceof McpError ? upstream(error.failure) : error;
    } finally {
      const left = (underWay.get(id) ?? 1) - 1;
      if (left === 0) underWay.delete(id);
      else underWay.set(id, left);
    }
  };
}

async function showTools(id: string, { look, serverTools, approvals }: Servers): Promise<McpToolList> {
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
        name,
        reason,
        tool: presentTool(tool),
        ...(approved === undefined ? {} : { approved: presentTool(approved) }),
      };
    }),
    ...(seen === undefined ? {} : { toolsFingerprint: seen.fingerprint }),
  };
}

/** Errors by which a server says that it lacks what a request names, or does not take its parameters. */
const ofCaller: ReadonlySet<number> = new Set([-32_602, -32_601, -32_002]);

function refuseResource(error: unknown): never {
  const { rpcCode = 0, detail } = error instanceof McpError ? error.failure : {};
  if (!ofCaller.has(rpcCode)) throw error;
  throw refuseField('not_found', '/uri', `The server has no such resource. ${detail}`);
}

async function refusePrompt(error: unknown, name: string, connection: McpConnection): Promise<never> {
  const { rpcCode, detail } = error instanceof McpError ? error.failure : {};
  if (rpcCode === undefined) throw error;
  const isListed = (await connection.listPrompts()).some((prompt) => prompt.name === name);
  if (!isListed) throw refuseField('not_found', '/name', `The server has no such prompt. ${detail}`);
  if (!ofCaller.has(rpcCode)) throw error;
  throw refuseField('invalid_request', '/arguments', `The server does not take these arguments. ${detail}`);
}

/** Throws `not_found`, and `approval_required` for a tool that waits for an approval. */
function offeredTool(name: string, { offered, withheld }: ReturnType<ServerTools['state']>): McpTool {
  const found = offered.find(({ tool }) => tool.name === name);
  if (found !== undefined) return found.tool;
  const reason = withheld.find((each) => each.name === name)?.reason;
  if (reason === undefined) throw new ContextdError('not_found', 'The server has no such tool.');
  const why = reason.detail ?? reason.code;
  if (reason.code === 'tools_changed') throw new ContextdError('approval_required', `The tool is withheld. ${why}`);
  throw new ContextdError('not_found', `The tool cannot be used. ${why}`);
}

/**
 * Throws `invalid_request` if the arguments do not match the schema, and `upstream_failed` if the schema cannot be
 * used.
 */
async function checkArguments(args: unknown, tool: McpTool, checker: SchemaChecker | undefined): Promise<void> {
  const checked = await checker?.check(tool.inputSchema, args);
  if (checked?.outcome === 'invalid')
    throw new ContextdError(
      'invalid_request',
      'The arguments do not match the schema of the tool.',
      checked.errors.map(({ pointer, message }) => ({ pointer: `/arguments${pointer}`, message })),
    );
  if (checked?.outcome === 'unknown')
    throw new ContextdError(
      'upstream_failed',
      `The arguments cannot be checked by the tool’s schema: ${checked.detail}`,
    );
}
