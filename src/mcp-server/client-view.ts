/** The view of one client of the MCP server: its directories, the allowed questions about them, and their files. */

import { ResourceNotFoundError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { onceForEach } from '../pace/once-for-each.ts';
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
   * The only directories that the server serves, as its setup names them. If empty, it serves the projects of the
   * directories that the client names, or of `fallback`.
   */
  mountedDirectories: readonly string[];
  /** The default directory. If `undefined`, the server serves all granted roots. */
  fallback?: string | undefined;
  /** True if the server is a process of the user. It may look outside of granted roots to find what to grant. */
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

  /** Only protocols before 2026-07-28 have roots. A root that is no path of this machine is ignored. */
  const askRoots = async (ctx: ServerContext): Promise<readonly string[]> => {
    if (ctx.mcpReq.envelope !== undefined || server.getClientCapabilities()?.roots === undefined) return [];
    try {
      const { roots } = await ctx.mcpReq.send({ method: 'roots/list' }, { timeout: rootsTimeoutMs });
      return roots.flatMap(({ uri }) => pathOfUri(uri) ?? []).slice(0, fixedLimits.mcpEndpoint.mounts);
    } catch {
      // If the client cancels the request, this question ends too. So the client is asked again next time.
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
  /** Finds the named places once per request. `undefined` if nothing was named. */
  const namedFor = onceForEach(findNamed, new WeakMap());
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
