/** What the gate uses, what it caches, and where it looks. */

import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { createTurns } from '../pace/turns.ts';
import type { Clock, FileRefusal, Files, ReachOptions } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { withoutSecrets } from '../texts/mask.ts';
import { createDeniedPlaces } from './denied-places.ts';
import { rootsAround } from './reach.ts';
import type { DirectorySnapshot, FileSnapshot } from './snapshots.ts';

export type GateRefusal = Readonly<{
  ok: false;
  code: FileRefusal['code'] | 'sensitive' | 'configuration' | 'blocked_by_policy' | 'blocked_by_ignore_file';
  /**
   * What decided: the pattern of a sensitive file or a configuration, or the policy or ignore file with pattern and
   * line.
   */
  detail?: string;
}>;

/** Enough for searches of several large repositories. The search itself limits how many characters it reads. */
const keptContent = { maxWeight: 160 * 1024 * 1024, maxEntries: 3 * fixedLimits.keywords.files };
const keptListings = { maxWeight: 500_000, maxEntries: 3 * fixedLimits.fileIndex.folders };
const keptHashes = { maxWeight: 20_000, maxEntries: 20_000 };

export const outsideRoots = { ok: false, code: 'outside_roots' } as const;

/**
 * Texts that an editor has not saved, by absolute path. `decides`: whether policies and ignore files among them take
 * effect, by any name or link.
 */
export type Unsaved = Readonly<{ texts: ReadonlyMap<string, string>; decides: boolean }>;

type Kept<Snapshot> = { signature: string; settled: boolean; snapshot: Snapshot };

/**
 * `deniedDirectories`, absolute, are never read, by any name: the daemon's own directories (S-08). `clientContextPath`
 * adds places of configurations to the usual ones.
 */
export type GatePorts = {
  files: Files;
  clock: Clock;
  maxEntries: number;
  clientContextPath?: string;
  deniedDirectories?: readonly string[];
  /** Whether secrets that are found in content are masked. */
  maskSecrets?: boolean;
};

export function createGateState(ports: GatePorts) {
  return {
    ...ports,
    ...createDeniedPlaces({ files: ports.files, clock: ports.clock, directories: ports.deniedDirectories ?? [] }),
    contents: createBoundedCache<Kept<FileSnapshot>>(keptContent),
    listings: createBoundedCache<Kept<DirectorySnapshot>>(keptListings),
    hashes: createBoundedCache<Kept<string>>(keptHashes),
    counted: { filesRead: 0, directoriesListed: 0, readsBlocked: 0 },
    /** Of notebooks, much more is read than is kept. */
    notebookTurns: createTurns(fixedLimits.notebooks.atOnce),
    masked: onceForEach((snapshot: FileSnapshot) => withoutSecrets(snapshot), new WeakMap()),
    /** Called if something that was read or listed must be read or listed again the next time. */
    spoil: (): void => undefined,
  };
}
export type GateState = ReturnType<typeof createGateState>;

function refuseOutside(gate: GateState, path: string, { roots }: ReachOptions): GateRefusal | undefined {
  const around = rootsAround(path, roots);
  return around.length > 0 && !gate.isDenied(path, around) ? undefined : outsideRoots;
}

/**
 * Where to look. Links are resolved only here, so the gate decides about the same path that it opens and caches.
 * `realPath` also knows files that are not saved yet. Default: that of the disk.
 */
export async function locate(
  gate: GateState,
  path: string,
  reach: ReachOptions & { realPath?: Files['realPath'] },
): Promise<{ ok: true; place: string } | GateRefusal> {
  const refusal = refuseOutside(gate, path, reach);
  if (refusal) return refusal;
  if (!reach.followSymlinks) return { ok: true, place: path };
  const real = await (reach.realPath ?? gate.files.realPath)(path);
  if (!real.ok) return real;
  return refuseOutside(gate, real.realPath, reach) ?? { ok: true, place: real.realPath };
}

/** What was read is kept by this. Who follows no link must not get what was read through one. */
export function keptAs(path: string, place: string): string {
  return place === path ? path : `${path}\0${place}`;
}
