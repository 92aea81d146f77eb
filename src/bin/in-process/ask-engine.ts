/** Answers a command: by the running daemon or, if none runs or it may not read the directory, in this process. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPlaceOf } from '../../access/real-place.ts';
import type { ResolveRequest } from '../../context/resolve-request.ts';
import type { Engine } from '../../engine.ts';
import { ContextdError } from '../../errors.ts';
import type { StoredSupplementaryItem } from '../../ports/store/supplementary.ts';
import { defaultEngineSettings } from '../../settings.ts';
import type { Warning } from '../../warnings.ts';
import { type DaemonClient, findOwnOrNamed } from '../client/client.ts';
import { daemonPlace } from '../client/daemon-place.ts';
import { grantedRootsOf } from '../client/granted-roots.ts';
import { queryOf } from '../client/query.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { directoriesOfDaemons, type Surroundings, stateNames } from '../state/state-directory.ts';
import { frozenStore, type Kept, silentLogger } from './frozen-store.ts';
import { endDespite } from './held-process.ts';
import type { Question } from './questions.ts';

export type Answered<Result> = {
  result: Result;
  /** True if the answer is from this process because the running daemon may not read the mounted directory. */
  outsideRootsOfDaemon: boolean;
};

type AskOptions = { stateDir: string | undefined; surroundings: Surroundings };

/** Asks one question. Throws `ContextdError`. */
export async function askEngine<Request extends { mountedDirectory: string }, Result extends { warnings: Warning[] }>(
  question: Question<Request, Result>,
  options: AskOptions,
): Promise<Answered<Result>> {
  const asker = await openAsker(question.request.mountedDirectory, options);
  try {
    return await asker.ask(question);
  } finally {
    await asker.dispose();
  }
}

/** Sends several questions about a mounted directory to the same daemon or engine. */
export type Asker = {
  ask<Request extends { mountedDirectory: string }, Result extends { warnings: Warning[] }>(
    question: Question<Request, Result>,
  ): Promise<Answered<Result>>;
  dispose(): Promise<void>;
};

/**
 * Asks the daemon of the state directory, with the caller's `CLIENT_CONTEXT_PATH` and `GLOBAL_CONTEXT_PATH` (CC-02). If
 * none runs, or it answers `path_outside_roots`, this process answers. Then the mounted directory counts as granted,
 * because the user named it, and so do roots that the user granted before.
 */
export async function openAsker(mountedDirectory: string, options: AskOptions): Promise<Asker> {
  const { environment, home } = options.surroundings;
  const { warnings, ...context } = parseContextEnvironment(environment, home);
  const withWarnings = <Result extends { warnings: Warning[] }>(result: Result): Result => ({
    ...result,
    warnings: [...warnings, ...result.warnings],
  });
  const place = daemonPlace(options.stateDir, options.surroundings);
  const found = await findOwnOrNamed(place);
  const own: Partial<ResolveRequest> = {
    clientContextPath: environment.CLIENT_CONTEXT_PATH === undefined ? undefined : context.clientContextPath,
    globalContextPath: context.globalContextPath,
  };
  let opened: Promise<Engine> | undefined;
  const openEngine = async (): Promise<Engine> => {
    const stateDirectory = place as string;
    const { composeEngine } = await import('./compose-engine.ts');
    const engine = await composeEngine({
      settings: { ...defaultEngineSettings, ...context },
      grantedRoots: [mountedDirectory],
      deniedDirectories: directoriesOfDaemons(stateDirectory, options.surroundings),
      store: frozenStore(
        found.ok ? await keptBy(found.client) : await keptOnDisk(stateDirectory, mountedDirectory, warnings),
      ),
      logger: silentLogger,
    });
    endDespite(engine.files.holdThreads);
    return engine;
  };
  return {
    async ask(question) {
      if (found.ok && opened === undefined) {
        try {
          const result = await askDaemon(question, { client: found.client, own });
          return { result: withWarnings(result), outsideRootsOfDaemon: false };
        } catch (error) {
          if (!(error instanceof ContextdError) || error.code !== 'path_outside_roots') throw error;
          if (typeof place !== 'string') throw error;
        }
      }
      opened ??= openEngine();
      const result = await question.ask(await opened, question.request);
      return { result: withWarnings(result), outsideRootsOfDaemon: found.ok };
    },
    dispose: async () => (await opened)?.dispose(),
  };
}

function askDaemon<Request extends { mountedDirectory: string }, Result>(
  { path, request, method }: Question<Request, Result>,
  { client, own }: { client: DaemonClient; own: Partial<ResolveRequest> },
): Promise<Result> {
  const isAboutContext = path.startsWith('/v1/context/');
  const body = { ...(isAboutContext ? own : {}), ...request };
  const sent = method === 'GET' ? { path: `${path}?${queryOf(request)}` } : { path, body };
  return client.request<Result>({ method: method ?? 'POST', ...sent });
}

/** A daemon that may not read the directory has no list of what the user added to it. */
async function keptBy(daemon: DaemonClient): Promise<Kept> {
  const roots = await grantedRootsOf(daemon);
  return { roots: roots.map(({ path, grantedAt = '' }) => ({ path, grantedAt })), supplementary: new Map() };
}

/**
 * The permanently granted roots and added files, if no daemon runs. Nothing without a usable database. A database of an
 * earlier version is not changed, because that version could no longer open it.
 */
async function keptOnDisk(stateDirectory: string, mountedDirectory: string, warnings: Warning[]): Promise<Kept> {
  const path = join(stateDirectory, stateNames.store);
  const nothing: Kept = { roots: [], supplementary: new Map() };
  if (!existsSync(path)) return nothing;
  const { createSqliteStore } = await import('../../adapters/sqlite/store.ts');
  const { commandFiles } = await import('./command-files.ts');
  const { EarlierDatabase } = await import('../../adapters/sqlite/database.ts');
  try {
    const store = createSqliteStore(path);
    const place = (await realPlaceOf(mountedDirectory, commandFiles().realPath)) ?? mountedDirectory;
    const supplementary: [string, StoredSupplementaryItem[]][] = [];
    for (const each of new Set([place, mountedDirectory]))
      supplementary.push([each, await store.supplementary.list(each)]);
    const kept = { roots: await store.roots.list(), supplementary: new Map(supplementary) };
    await store.close();
    return kept;
  } catch (error) {
    if (error instanceof EarlierDatabase)
      warnings.push({
        code: 'database_of_earlier_version',
        message: `Stored roots and supplementary context are not used. ${error.message}`,
        path,
      });
    return nothing;
  }
}
