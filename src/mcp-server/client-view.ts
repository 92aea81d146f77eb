/** What one client of the MCP server is served: which directories, what may be asked about them, and their files. */

import { ResourceNotFoundError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { fixedLimits } from '../settings.ts';
import type { ContextChanges } from './changes.ts';
import { confineVerbs } from './confinement.ts';
import { listFiles, pathOfUri, readFile } from './files.ts';
import type { ContextVerbs } from './verbs.ts';

export type ContextServerOptions = {
  verbs: ContextVerbs;
  changes: ContextChanges;
  version: string;
  /**
   * Directories the server is about and confined to, as whoever set it up wrote them. When empty, those the client names,
   * or `fallback`.
   */
  mountedDirectories: readonly string[];
  /** The directory when nobody names any; undefined where it is about all that the user granted. */
  fallback?: string | undefined;
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
      // Asked again the next time: a request that was given up takes its question along.
      rootsOfClient = undefined;
      return [];
    }
  };
  /** What it is confined to; undefined where nobody named anything. */
  const servedFor = (ctx: ServerContext) => async (): Promise<readonly string[] | undefined> => {
    if (options.mountedDirectories.length > 0) return options.mountedDirectories;
    rootsOfClient ??= askRoots(ctx);
    const roots = await rootsOfClient;
    if (roots.length > 0) return roots;
    return options.fallback === undefined ? undefined : [options.fallback];
  };
  const mountsFor = (ctx: ServerContext) => async (): Promise<readonly string[]> =>
    (await servedFor(ctx)()) ?? (await verbs.grantedDirectories()).slice(0, fixedLimits.mcpEndpoint.mounts);
  const verbsFor = (ctx: ServerContext): ContextVerbs => confineVerbs(verbs, servedFor(ctx));
  const mountedFiles = async (ctx: ServerContext) => {
    const mounts = await mountsFor(ctx)();
    await changes.watch(mounts);
    return listFiles(verbsFor(ctx), mounts);
  };
  const readable = async (ctx: ServerContext, uri: string) => {
    const path = pathOfUri(uri);
    const read = path === undefined ? undefined : await readFile(verbsFor(ctx), await mountsFor(ctx)(), path);
    if (read === undefined) throw new ResourceNotFoundError(uri);
    return read;
  };
  return { changes, mountsFor, verbsFor, mountedFiles, readable };
}
export type ClientView = ReturnType<typeof createClientView>;
