/** The directories that the user allows to be read (CC-33). No repository can grant anything. */
import { z } from 'zod';
import { type ContextdError, refuseField } from '../errors.ts';
import { createTurns } from '../pace/turns.ts';
import type { Clock, Files, Root } from '../ports/ports.ts';
import type { RootStore, StoredRoot } from '../ports/store/store.ts';
import { expandHome } from '../settings.ts';
import type { EndingFiles } from './ending-files.ts';
import { isGranted } from './granted-paths.ts';
import { createLookRound } from './looks.ts';
import { normalizePath } from './paths.ts';
import { createRootPlaces, type RootPlaces } from './root-places.ts';

export const GrantedRoot = z
  .object({
    path: z.string().describe('Absolute path of the directory.'),
    origin: z
      .enum(['start', 'stored', 'global'])
      .describe(
        '`start`: granted when the daemon started. `stored`: granted permanently. `global`: the global context directory.',
      ),
    grantedAt: z.string().optional().describe('When it was granted permanently, ISO 8601 UTC.'),
  })
  .meta({ id: 'GrantedRoot', description: 'A directory whose files may be read.' });
export type GrantedRoot = z.infer<typeof GrantedRoot>;

/** A root and its present real place. */
type Placed = { root: GrantedRoot; place: string };

export type RootVerbs = {
  /**
   * One root for each place, by its granted name, and also all global ones. A root on a dead mount counts as its own
   * place.
   */
  list(): Promise<GrantedRoot[]>;
  /**
   * The roots with their real places now. A root that does not exist, or does not answer, has its own path as real
   * path.
   */
  locate(looking?: Pick<Files, 'stat' | 'realPath'>): Promise<Root[]>;
  /**
   * Grants a directory permanently. If it is granted already, by any name, `created` is false, and `root` is the
   * permanent grant.
   * Throws `invalid_request`, `not_found`, and `unavailable` if the disk fails or does not answer.
   */
  grant(path: string): Promise<{ root: GrantedRoot; created: boolean }>;
  /**
   * Revokes the stored grants of a place, by any name. Throws `not_found`; `conflict` for a root granted at start,
   * which stays; and `unavailable` if the disk does not tell whether another root is the same place.
   */
  revoke(path: string): Promise<void>;
};

export function createRootVerbs(ports: {
  files: EndingFiles;
  store: RootStore;
  clock: Clock;
  startRoots: readonly string[];
  globalDirectories: readonly string[];
  /** Other places of the global context that exist now, absolute. */
  homePlaces: (looking?: Pick<Files, 'stat'>) => Promise<readonly string[]>;
}): RootVerbs {
  const { files, store, clock } = ports;
  const fixed: GrantedRoot[] = [
    ...[...new Set(ports.startRoots.map(normalizePath))].map((path) => ({ path, origin: 'start' as const })),
    ...ports.globalDirectories.map((path) => ({ path, origin: 'global' as const })),
  ];

  const { storedRoots, changing } = rememberStored(store);
  const listAll = async (looking: Pick<Files, 'stat'> = files): Promise<GrantedRoot[]> => {
    const stored = await storedRoots();
    return [
      ...fixed.filter((root) => !isGranted(root) || !stored.some(({ path }) => path === root.path)),
      ...(await ports.homePlaces(looking)).map((path) => ({ path, origin: 'global' as const })),
      ...stored.map((root) => ({ ...root, origin: 'stored' as const })),
    ];
  };
  const places = createRootPlaces(files);
  const { inTime, withPlaces } = places;
  const revoke = revoking({ fixed, store, storedRoots, changing, ...places });
  // One change after the other, so that two grants of one place by different names become one root.
  const inTurn = createTurns(1);

  return {
    async list() {
      const roots = await withPlaces(await listAll());
      const isShown = (each: Placed): boolean => !isGranted(each.root) || each === standingFor(each.place, roots);
      return roots.filter(isShown).map(({ root }) => root);
    },
    async locate(looking = createLookRound(files)) {
      const paths = [...new Set((await listAll(looking)).map(({ path }) => path))];
      const located = await Promise.all(paths.map((path) => inTime(path, () => looking.realPath(path))));
      return paths.map((path, index) => {
        const real = located[index];
        return { path, realPath: real?.ok ? real.realPath : path };
      });
    },
    grant: (path) =>
      inTurn(async () => {
        const normalized = rootPath(path, files.homeDirectory());
        const place = await directoryAt(normalized, files, inTime);
        const grantedAt = new Date(clock.now()).toISOString();
        const known = standingFor(place, await withPlaces(await listAll()))?.root;
        if (known === undefined) {
          const root = { path: normalized, grantedAt };
          const created = await changing(store.add(root));
          return { root: { ...root, origin: 'stored' }, created };
        }
        // The known root may end with the daemon, or may be a link that leads elsewhere later. So this one is granted
        // for good, too: by the same name, else the place itself.
        const lasting = known.path === normalized ? normalized : place;
        const isPassing = known.origin === 'start';
        if (isPassing || known.path !== lasting) await changing(store.add({ path: lasting, grantedAt }));
        const kept = isPassing ? (await storedRoots()).find(({ path: each }) => each === lasting) : undefined;
        return { root: kept === undefined ? known : { ...kept, origin: 'stored' }, created: false };
      }),
    revoke: (path) => inTurn(() => revoke(rootPath(path, files.homeDirectory()))),
  };
}

/** Revokes the stored grants of a place. The path is absolute and normalised. Throws as `RootVerbs` says. */
function revoking(
  parts: { fixed: readonly GrantedRoot[]; store: RootStore } & ReturnType<typeof rememberStored> & RootPlaces,
) {
  const { fixed, store, storedRoots, changing, learnPlace, withPlaces } = parts;
  return async (normalized: string): Promise<void> => {
    // First the exact name, before the disk is asked.
    let isRevoked = await changing(store.remove(normalized));
    const learnt = await learnPlace(normalized);
    const place = learnt ?? normalized;
    const isMeant = (each: { root: { path: string }; place: string }): boolean =>
      each.root.path === normalized || each.place === place;
    for (const each of (await withPlaces(await storedRoots())).filter(isMeant))
      if (await changing(store.remove(each.root.path))) isRevoked = true;
    const staying = (await withPlaces(fixed)).filter(isMeant);
    if (staying.some(({ root }) => root.origin === 'start') || (staying.length > 0 && !isRevoked))
      throw refusal('conflict', 'This root was granted when the daemon started. The grant ends when the daemon stops.');
    const given = fixed.filter(({ origin }) => origin === 'start');
    const other =
      learnt === undefined ? await firstSilent([...(await storedRoots()), ...given], learnPlace) : undefined;
    if (other !== undefined) {
      const said = isRevoked ? 'The root is revoked under this name. ' : '';
      throw refusal(
        'unavailable',
        `${said}The disk does not answer. The granted root ${other} may be the same directory.`,
      );
    }
    if (!isRevoked) throw refusal('not_found', `No root is granted under this name: ${normalized}`);
  };
}

/** The first root whose disk does not answer. It may be the same place as the given path. */
async function firstSilent(
  roots: readonly { path: string }[],
  learnPlace: RootPlaces['learnPlace'],
): Promise<string | undefined> {
  for (const { path } of roots) if ((await learnPlace(path)) === undefined) return path;
  return undefined;
}

/** Only this process changes the stored roots. So they are read once, and again after each change. */
function rememberStored(store: RootStore) {
  let stored: Promise<StoredRoot[]> | undefined;
  return {
    async storedRoots(): Promise<StoredRoot[]> {
      stored ??= store.list();
      try {
        return await stored;
      } catch (error) {
        stored = undefined;
        throw error;
      }
    },
    async changing(change: Promise<boolean>): Promise<boolean> {
      try {
        return await change;
      } finally {
        stored = undefined;
      }
    },
  };
}

/**
 * The granted root that represents a place. A root of the start goes first. Among stored roots, one that names a link
 * goes first, because it was granted first.
 */
function standingFor(place: string, roots: readonly Placed[]): Placed | undefined {
  const here = roots.filter((each) => each.place === place && isGranted(each.root));
  return here.find(({ root }) => root.origin !== 'stored') ?? here.find(({ root }) => root.path !== place) ?? here[0];
}

/** The real path of an existing directory. Throws as `grant`. */
async function directoryAt(
  path: string,
  files: Pick<Files, 'stat' | 'realPath'>,
  inTime: RootPlaces['inTime'],
): Promise<string> {
  const look = async () => {
    const real = await files.realPath(path);
    return { real, stat: real.ok ? await files.stat(real.realPath) : real };
  };
  const found = await inTime(path, look);
  if (found === undefined) throw refusal('unavailable', 'The directory cannot be read: the disk does not answer.');
  const { real, stat } = found;
  if (!stat.ok && stat.code === 'io_error')
    throw refusal('unavailable', 'The directory cannot be read: the disk fails or does not answer.');
  if (!real.ok || !stat.ok) throw refusal('not_found', `The directory does not exist: ${path}`);
  if (stat.kind !== 'directory') throw refusal('invalid_request', 'Only a directory can be granted.');
  return real.realPath;
}

function rootPath(path: string, homeDirectory: string): string {
  const expanded = expandHome(path, homeDirectory);
  if (!expanded.startsWith('/')) throw refusal('invalid_request', 'The path must be absolute, or start with "~/".');
  return normalizePath(expanded);
}

function refusal(code: 'invalid_request' | 'not_found' | 'conflict' | 'unavailable', message: string): ContextdError {
  return refuseField(code, '/path', message);
}
