/** The directories the user allows to be read (CC-33). No repository can grant anything. */
import { ContextdError } from '../errors.ts';
import type { Clock, Files, Root } from '../ports/ports.ts';
import type { RootStore, StoredRoot } from '../ports/store/store.ts';
import { expandHome } from '../settings.ts';
import { normalizePath } from './paths.ts';

/** A granted root: given at start (`start`), granted for good (`stored`), or a place of the user's global context (`global`). */
export type GrantedRoot = { path: string; origin: 'start' | 'stored' | 'global'; grantedAt?: string };

export type GrantedRoots = {
  list(): Promise<GrantedRoot[]>;
  /** Roots as they really lie at this moment; one that does not exist stands for itself, with nothing in it. */
  locate(looking?: Pick<Files, 'stat' | 'realPath'>): Promise<Root[]>;
  /** Grants a directory for good. Throws `invalid_request`, `not_found`, and `unavailable` when the disk fails. */
  grant(path: string): Promise<{ root: StoredRoot; created: boolean }>;
  /** Takes a stored grant back. Throws `not_found`, and `conflict` for a root given at start. */
  revoke(path: string): Promise<void>;
};

export function createGrantedRoots(ports: {
  files: Files;
  store: RootStore;
  clock: Clock;
  startRoots: readonly string[];
  globalDirectories: readonly string[];
  /** Other places of the global context that are there now, absolute. */
  homePlaces: (looking?: Pick<Files, 'stat'>) => Promise<readonly string[]>;
}): GrantedRoots {
  const { files, store, clock } = ports;
  const fixed: GrantedRoot[] = [
    ...[...new Set(ports.startRoots.map(normalizePath))].map((path) => ({ path, origin: 'start' as const })),
    ...ports.globalDirectories.map((path) => ({ path, origin: 'global' as const })),
  ];

  /** Nobody else changes what is stored. */
  let stored: Promise<StoredRoot[]> | undefined;
  const storedRoots = async (): Promise<StoredRoot[]> => {
    stored ??= store.list();
    try {
      return await stored;
    } catch (error) {
      stored = undefined;
      throw error;
    }
  };
  const changing = async (change: Promise<boolean>): Promise<boolean> => {
    try {
      return await change;
    } finally {
      stored = undefined;
    }
  };

  const list = async (looking: Pick<Files, 'stat'> = files): Promise<GrantedRoot[]> => [
    ...fixed,
    ...(await ports.homePlaces(looking)).map((path) => ({ path, origin: 'global' as const })),
    ...(await storedRoots())
      .filter(({ path }) => !fixed.some((root) => root.path === path))
      .map((root) => ({ ...root, origin: 'stored' as const })),
  ];

  return {
    list: () => list(),
    async locate(looking = files) {
      const paths = [...new Set((await list(looking)).map(({ path }) => path))];
      const located = await Promise.all(paths.map((path) => looking.realPath(path)));
      return paths.map((path, index) => {
        const real = located[index];
        return { path, realPath: real?.ok ? real.realPath : path };
      });
    },
    async grant(path) {
      const normalized = rootPath(path, files.homeDirectory());
      const real = await files.realPath(normalized);
      const stat = real.ok ? await files.stat(real.realPath) : real;
      if (!stat.ok && stat.code === 'io_error')
        throw refusal('unavailable', 'The directory cannot be looked at: the disk reports an error.');
      if (!stat.ok) throw refusal('not_found', 'The directory does not exist.');
      if (stat.kind !== 'directory') throw refusal('invalid_request', 'Only a directory can be granted.');
      const root = { path: normalized, grantedAt: new Date(clock.now()).toISOString() };
      const find = async () => (await list()).find((each) => each.path === normalized);
      const known = await find();
      if (known === undefined && (await changing(store.add(root)))) return { root, created: true };
      const { grantedAt = root.grantedAt } = known ?? (await find()) ?? root;
      return { root: { ...root, grantedAt }, created: false };
    },
    async revoke(path) {
      const normalized = rootPath(path, files.homeDirectory());
      if (await changing(store.remove(normalized))) return;
      if (fixed.some((root) => root.path === normalized))
        throw refusal('conflict', 'This root was given when the daemon started; it ends with the daemon.');
      throw refusal('not_found', 'No such granted root.');
    },
  };
}

function rootPath(path: string, homeDirectory: string): string {
  const expanded = expandHome(path, homeDirectory);
  if (!expanded.startsWith('/')) throw refusal('invalid_request', 'The path must be absolute, or start with "~/".');
  return normalizePath(expanded);
}

function refusal(code: 'invalid_request' | 'not_found' | 'conflict' | 'unavailable', message: string): ContextdError {
  return new ContextdError(code, message, [{ pointer: '/path', message }]);
}
