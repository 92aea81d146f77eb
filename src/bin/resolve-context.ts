/** `resolve` for one command: by the running daemon, or here when none runs or it may not read the directory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolveRequest } from '../context/resolve-request.ts';
import type { ResolveResult } from '../context/resolve-result.ts';
import { ContextdError } from '../errors.ts';
import type { Logger, Store, StoredRoot } from '../ports.ts';
import { defaultEngineSettings, parseContextEnvironment } from '../settings.ts';
import { type DaemonClient, findDaemon } from './client.ts';
import { type Surroundings, stateNames } from './state-directory.ts';

export type Resolution = {
  result: ResolveResult;
  /** Set when a daemon runs that may not read the mounted directory, and the answer was therefore made here. */
  outsideRootsOfDaemon: boolean;
};

/**
 * Asks the daemon of the state directory with the caller's own `CLIENT_CONTEXT_PATH` and `GLOBAL_CONTEXT_PATH` (CC-02).
 * Without one, or when it answers `path_outside_roots`, the mounted directory counts as granted for this one run, since
 * the person named it; so does what the user granted before. Throws `ContextdError`.
 */
export async function resolveContext(
  request: ResolveRequest,
  options: { stateDirectory: string; surroundings: Surroundings },
): Promise<Resolution> {
  const { environment, home } = options.surroundings;
  const { warnings, ...context } = parseContextEnvironment(environment, home);
  const found = await findDaemon(options.stateDirectory);
  if (found.ok) {
    const own: Partial<ResolveRequest> = {
      ...(environment.CLIENT_CONTEXT_PATH === undefined ? {} : { clientContextPath: context.clientContextPath }),
      ...(context.globalContextPath === undefined ? {} : { globalContextPath: context.globalContextPath }),
    };
    const body = { ...own, ...request };
    try {
      const result = await found.client.request<ResolveResult>({ method: 'POST', path: '/v1/context/resolve', body });
      return { result: { ...result, warnings: [...warnings, ...result.warnings] }, outsideRootsOfDaemon: false };
    } catch (error) {
      if (!(error instanceof ContextdError) || error.code !== 'path_outside_roots') throw error;
    }
  }
  const { composeEngine } = await import('./compose-engine.ts');
  const engine = await composeEngine({
    settings: { ...defaultEngineSettings, ...context },
    grantedRoots: [request.mountedDirectory],
    store: frozenStore(found.ok ? await rootsOf(found.client) : await rootsOnDisk(options.stateDirectory)),
    logger: silent,
  });
  try {
    const result = await engine.resolve(request);
    return { result: { ...result, warnings: [...warnings, ...result.warnings] }, outsideRootsOfDaemon: found.ok };
  } finally {
    engine.dispose();
  }
}

async function rootsOf({ request }: DaemonClient): Promise<StoredRoot[]> {
  const { roots } = await request<{ roots: { path: string; grantedAt?: string }[] }>({
    method: 'GET',
    path: '/v1/roots',
  });
  return roots.map(({ path, grantedAt = '' }) => ({ path, grantedAt }));
}

/** What was granted for good, when no daemon runs; without a usable database, nothing. */
async function rootsOnDisk(stateDirectory: string): Promise<StoredRoot[]> {
  const path = join(stateDirectory, stateNames.store);
  if (!existsSync(path)) return [];
  const { createSqliteStore } = await import('../adapters/sqlite-store.ts');
  try {
    const store = createSqliteStore(path);
    const roots = store.listRoots();
    store.close();
    return roots;
  } catch {
    return [];
  }
}

function frozenStore(roots: StoredRoot[]): Store {
  const refuse = () => {
    throw new ContextdError('unavailable', 'Roots are granted through the daemon.');
  };
  return { listRoots: () => roots, addRoot: refuse, removeRoot: refuse, close: () => {} };
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
