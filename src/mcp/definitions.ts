/** Finds the servers of a workspace or an agent, as the files are now (MC-01, CC-32). */

import { joinPath, parentPath } from '../access/paths.ts';
import { realPathOf } from '../access/real-place.ts';
import { requestNames } from '../access/request-names.ts';
import { includeFilesPointer, type World } from '../access/world.ts';
import type { Agent } from '../agent/agent.ts';
import type { ContextConfig } from '../context/config.ts';
import { ownersBetween } from '../context/directories.ts';
import { chooseFormats } from '../context/formats/choose-formats.ts';
import { directoryBehindLink, parseConfigSnapshot } from '../context/load-directory.ts';
import { absolutePath } from '../context/normalize-request.ts';
import { placeInside } from '../context/placing.ts';
import type { ListedServer } from '../context/server-entry.ts';
import { serverListAt, serverLists } from '../context/server-lists/server-lists.ts';
import { parseListSnapshot, readServerList } from '../context/sources/server-lists.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { ToolPlace } from '../ports/ports.ts';
import type { AgentGroup } from '../session/agent-group.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Warning } from '../warnings.ts';
import { type DefinitionSource, idOfServer, type ServerDefinition } from './definition.ts';

export type Shadowed = Readonly<{ path: string; scope: string }>;
export type ListedDefinition = ServerDefinition & { shadows: readonly Shadowed[]; alsoDefinedIn?: readonly string[] };

/** `name` at `source`: enough to find the definition again. */
export type DefinitionAddress = { name: string; source: DefinitionSource };

export type Definitions = Readonly<{
  /**
   * Throws as `resolve` does for a mounted directory, and `not_found` if there is no such agent. `shown` gives a path
   * the name that the request used.
   */
  list(place: ToolPlace): Promise<{
    definitions: ListedDefinition[];
    warnings: Warning[];
    world: World;
    shown(path: string): string;
  }>;
  /** The present definition at an address. Undefined if there is none any more. */
  find(address: DefinitionAddress): Promise<{ definition: ServerDefinition; world: World } | undefined>;
  /** The address of a server that was listed. */
  addressOf(id: string): DefinitionAddress | undefined;
}>;

/** What is remembered about listed servers. */
type Known = EngineCore & { addresses: ReturnType<typeof createBoundedCache<DefinitionAddress>> };

export function createDefinitions(core: EngineCore, findAgent: AgentGroup['findAgent']): Definitions {
  const addresses = createBoundedCache<DefinitionAddress>({ maxWeight: 20_000, maxEntries: 20_000 });
  const known = { ...core, addresses };

  return Object.freeze({
    async list({ agentId, ...place }) {
      const agent = agentId === undefined ? undefined : await findAgent(agentId);
      if (agentId !== undefined && agent === undefined)
        throw refuseField('not_found', '/agentId', 'There is no agent with this id.');
      const mountedDirectory = place.mountedDirectory ?? agent?.mountedDirectory;
      const workingDirectory = place.workingDirectory ?? agent?.workingDirectory;
      let found: Awaited<ReturnType<typeof listWorkspace>> | undefined;
      const warnings: Warning[] = [];
      try {
        if (mountedDirectory !== undefined) found = await listWorkspace(known, mountedDirectory, workingDirectory);
      } catch (error) {
        // The directory of an agent may be gone. The agent's own servers still exist.
        const isOfAgent = mountedDirectory === agent?.mountedDirectory && workingDirectory === agent?.workingDirectory;
        if (!isOfAgent || !(error instanceof ContextdError)) throw error;
        const message = `The directory of the agent cannot be used: ${error.message}`;
        warnings.push({ code: error.code, message, path: mountedDirectory ?? '' });
      }
      const world = found?.world ?? (await known.createWorld(mountedDirectory ?? known.homeDirectory));
      const shown = found?.shown ?? ((path: string) => path);
      const byName = new Map(found?.definitions.map((each) => [each.name, each]));
      for (const [name, server] of serversOf(agent)) {
        const source = { scope: 'agent', agentId: agentId as string } as const;
        const weaker = byName.get(name);
        const shadows = weaker ? [...weaker.shadows, { path: shown(weaker.definedIn), scope: weaker.scope }] : [];
        byName.set(name, { ...(await define(known, { name, source, server }, { world, agent })), shadows });
      }
      const definitions = [...byName.values()].sort((a, b) => compareText(a.name, b.name));
      return { definitions, warnings: [...warnings, ...(found?.warnings ?? [])], world, shown };
    },

    async find(address) {
      const { name, source } = address;
      const isOfAgent = source.scope === 'agent';
      const world = await known.createWorld(isOfAgent ? known.homeDirectory : source.owner);
      const agent = isOfAgent ? await findAgent(source.agentId) : undefined;
      const servers = isOfAgent ? serversOf(agent) : (await readConfig(known, source, world))?.mcpServers;
      const server = servers?.get(name);
      return server && { definition: await define(known, { ...address, server }, { world, agent }), world };
    },

    addressOf: (id) => known.addresses.get(id),
  } satisfies Definitions);
}

/** The servers of an agent itself, without its choice of their tools. */
function serversOf(agent: Agent | undefined): ReadonlyMap<string, ListedServer> {
  const servers = Object.entries(agent?.mcpServers ?? {});
  return new Map(servers.map(([name, { include: _include, tools: _tools, ...server }]) => [name, server]));
}

type FileSource = Extract<DefinitionSource, { path: string }>;

async function readConfig(
  known: Known,
  { path, owner }: Pick<FileSource, 'path' | 'owner'>,
  world: World,
): Promise<ContextConfig | undefined> {
  const list = serverListAt(path, owner);
  if (list !== undefined) {
    if (!chooseFormats(known.settings.formats).some((name) => list.formats.includes(name))) return undefined;
    const read = await readServerList(path, world);
    if (!read.ok || read.snapshot.text === undefined || read.snapshot.truncated) return undefined;
    return (await parseListSnapshot(read.snapshot, list)).value;
  }
  const { configBytes } = world.limits;
  const read = await world.gate.readSettings(path, { ...world.reach, maxBytes: configBytes });
  if (!read.ok || read.snapshot.text === undefined || read.snapshot.truncated) return undefined;
  return (await parseConfigSnapshot(read.snapshot)).value;
}

/** `agent`: the agent that has the server. */
async function define(
  known: Known,
  { name, source, server }: DefinitionAddress & { server: ListedServer },
  { world, agent }: { world: World; agent?: Agent | undefined },
): Promise<ServerDefinition> {
  let definedIn: string;
  let cwd = known.homeDirectory;
  if (source.scope === 'agent') {
    definedIn = `agent:${source.agentId}`;
    const directory = agent?.mountedDirectory;
    if (directory !== undefined) cwd = absolutePath(directory, '/mountedDirectory', known.homeDirectory);
  } else {
    definedIn = (await realPathOf(source.path, world.gate.realPath)) ?? source.path;
    if (source.scope !== 'global') cwd = source.owner;
  }
  const id = idOfServer(definedIn, name);
  known.addresses.set(id, { name, source }, 1);
  const list = source.scope === 'agent' ? undefined : serverListAt(source.path, source.owner);
  const defined = { id, name, scope: source.scope, definedIn, source, cwd, server, workspace: cwd };
  return list === undefined ? defined : { ...defined, list };
}

/** The directory that a configuration belongs to, if it is one of these. */
function ownerOf(path: string, owners: readonly string[], clientContextPath: string): string | undefined {
  const directory = parentPath(path);
  return owners.findLast((owner) => joinPath(owner, clientContextPath) === directory || serverListAt(path, owner));
}

async function listWorkspace(known: Known, mounted: string, working: string | undefined) {
  const mountedDirectory = absolutePath(mounted, '/mountedDirectory', known.homeDirectory);
  const world = await known.createWorld(mountedDirectory);
  const workingDirectory =
    working === undefined ? mountedDirectory : await placeInside(working, '/workingDirectory', world);
  const request = { mountedDirectory: mounted, content: false };
  const { result } = await known.compose(working === undefined ? request : { ...request, workingDirectory });
  const owners = ownersBetween(mountedDirectory, workingDirectory);
  const { clientContextPath } = known.settings;
  const definitions: ListedDefinition[] = [];
  const unread = new Set<string>();
  for (const [name, { definedIn: path, scope, shadows = [], alsoDefinedIn }] of Object.entries(
    result.config.mcpServers,
  )) {
    const owner =
      scope === 'global' ? known.homeDirectory : (ownerOf(path, owners, clientContextPath) ?? mountedDirectory);
    const config = await readConfig(known, { path, owner }, world);
    if (config === undefined) unread.add(path);
    const server = config?.mcpServers.get(name);
    // The server was removed after the configurations were merged.
    if (server === undefined) continue;
    definitions.push({
      ...(await define(known, { name, source: { scope, path, owner }, server }, { world })),
      shadows,
      ...(alsoDefinedIn && { alsoDefinedIn }),
    });
  }
  const isOfDirectory = ({ code, path, message }: Warning) =>
    message === directoryBehindLink || (code === 'unreadable' && path?.endsWith(`/${clientContextPath}`) === true);
  const warnings = result.warnings.filter((warning) => isAboutServers(warning) || isOfDirectory(warning));
  const message = 'The configuration could not be read again; its servers are not shown.';
  for (const path of unread) warnings.push({ code: 'config_not_read', message, path });
  const realPath = (await realPathOf(mountedDirectory, world.gate.realPath)) ?? mountedDirectory;
  const place = { path: mountedDirectory, realPath };
  return { definitions, warnings, world, shown: requestNames(place, world.reach.roots).shown };
}

/** A configuration that cannot be used, or was not reached, may have defined any server. */
function isAboutServers({ code, pointer }: Warning): boolean {
  const [, key = ''] = (pointer ?? '').split('/', 2);
  return keysOfServers.has(key) || (unusedConfiguration.has(code) && pointer !== includeFilesPointer);
}

const keysOfServers = new Set(['mcpServers', ...serverLists.map(({ key }) => key)]);

const unusedConfiguration = new Set([
  ...['invalid_config', 'config_too_large', 'config_not_read', 'context_directory_outside_granted_roots'],
  ...['limit_ancestors', 'limit_entries', 'limit_walk_time'],
]);
