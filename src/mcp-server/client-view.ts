/** The view of one client of the MCP server: its directories, the allowed questions about them, and their files. */

import { ResourceNotFoundError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { fixedLimits } from '../settings.ts';
import type { ContextChanges } from './changes.ts';
import { confineVerbs } from './confinement.ts';
import { listFiles, pathOfUri, readFile } from './files.ts';
import type { ContextVerbs } from './verbs.ts';
import { placeInProject, type Workplace, workplaceAt, workplaceOf } from './workplace.ts';

export type ContextServerOptions = {
  verbs: ContextVerbs;
  changes: ContextChanges;
  version: string;
  /**
   * Directories the server is about and confined to, as whoever set it up wrote them. When empty, the projects of those
   * the client names, or of `fallback`.
   */
  mountedDirectories: readonly string[];
  /** The default directory; `undefined` if the server is about all granted roots. */
  fallback?: string | undefined;
  /** Set if the server is a process of the user, which may look outside of granted roots. */
  looksAround?: boolean;
  onError(error: unknown): void;
};

const rootsTimeoutMs = 5_000;

export function createClientView(server: Server, options: ContextServerOptions) {
  const { verbs, changes } = options;
  let rootsOfClient: Promise<readonly string[]> | undefined;
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    rootsOfClient = undefined;
  });

  /** Roots exist in protocols before 2026-07-28 only. One that is no directory of this machine is none. */
  const askRoots = async (ctx: ServerContext): Promise<readonly string[]> => {
    if (ctx.mcpReq.envelope !== undefined || server.getClientCapabilities()?.roots === undefined) return [];
    try {
      const { roots } = await ctx.mcpReq.send({ method: 'roots/list' }, { timeout: rootsTimeoutMs });
      return roots.flatMap(({ uri }) => pathOfUri(uri) ?? []).slice(0, fixedLimits.mcpEndpoint.mounts);
    } catch {
      // The client is asked again next time, because the question ends when the request is cancelled.
      rootsOfClient = undefined;
      return [];
    }
  };
  const isSetUp = options.mountedDirectories.length > 0;
  const findNamed = async (ctx: ServerContext): Promise<readonly Workplace[] | undefined> => {
    if (isSetUp) return options.mountedDirectories.map(workplaceAt);
    rootsOfClient ??= askRoots(ctx);
    const roots = await rootsOfClient;
    const named = roots.length > 0 || options.fallback === undefined ? roots : [options.fallback];
    return named.length === 0 ? undefined : Promise.all(named.map((each) => workplaceOf(each, verbs)));
  };
  const found = new WeakMap<ServerContext, ReturnType<typeof findNamed>>();
  /** The same for a whole request. `undefined` if nothing was named. */
  const namedFor = (ctx: ServerContext): ReturnType<typeof findNamed> => {
    const named = found.get(ctx) ?? findNamed(ctx);
    found.set(ctx, named);
    return named;
  };
  const workplacesFor = async (ctx: ServerContext): Promise<readonly Workplace[]> =>
    (await namedFor(ctx)) ??
    (await verbs.grantedDirectories()).slice(0, fixedLimits.mcpEndpoint.mounts).map(workplaceAt);
  const verbsFor = (ctx: ServerContext): ContextVerbs =>
    confineVerbs(verbs, async () => {
      const named = await namedFor(ctx);
      return named && [...new Set(named.map(({ mountedDirectory }) => mountedDirectory))];
    });
  const callerFor = (ctx: ServerContext) => ({
    workplaces: () => workplacesFor(ctx),
    workplaceOf: async (directory: string) => (isSetUp ? workplaceAt(directory) : workplaceOf(directory, verbs)),
    grantable: async (directory: string) => {
      const project = options.looksAround === true ? await placeInProject(directory, verbs.realPath) : undefined;
      return project?.mountedDirectory ?? directory;
    },
    signal: ctx.mcpReq.signal,
  });
  const watch = async (ctx: ServerContext): Promise<readonly Workplace[]> => {
    const workplaces = await workplacesFor(ctx);
    await changes.watch(workplaces);
    return workplaces;
  };
  const mountedFiles = async (ctx: ServerContext) => listFiles(verbsFor(ctx), await watch(ctx));
  const readable = async (ctx: ServerContext, uri: string) => {
    const path = pathOfUri(uri);
    const read = path === undefined ? undefined : await readFile(verbsFor(ctx), await workplacesFor(ctx), path);
    if (read === undefined) throw new ResourceNotFoundError(uri);
    return read;
  };
  return { callerFor, verbsFor, watch, mountedFiles, readable };
}
export type ClientView = ReturnType<typeof createClientView>;
