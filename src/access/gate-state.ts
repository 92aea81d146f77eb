/** What the gate asks and what it keeps, and where it looks. */
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { Clock, FileRefusal, FileStat, Files, ReachOptions } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { createDeniedPlaces } from './denied-places.ts';
import { rootsAround } from './reach.ts';
import type { DirectorySnapshot, FileSnapshot } from './snapshots.ts';

export type GateRefusal = Readonly<{
  ok: false;
  code: FileRefusal['code'] | 'sensitive' | 'configuration' | 'blocked_by_policy' | 'blocked_by_ignore_file';
  /** What decided: the pattern of the list of sensitive files or of configurations, or policy or ignore file, pattern and line. */
  detail?: string;
}>;

/**
 * A signature can be trusted once the last change lies this far behind the moment of reading: a later write within the
 * granularity of the file system's clock could otherwise leave it the same. Two seconds is the coarsest granularity in use.
 */
const settleMs = 2_000;
/** As much as searches of several large repositories look at: what one of them reads is bounded by characters, too. */
const keptContent = { maxWeight: 160 * 1024 * 1024, maxEntries: 3 * fixedLimits.keywords.files };
const keptListings = { maxWeight: 500_000, maxEntries: 3 * fixedLimits.fileIndex.folders };
const keptHashes = { maxWeight: 20_000, maxEntries: 20_000 };

export const outsideRoots = { ok: false, code: 'outside_roots' } as const;

/**
 * Texts that an editor has not saved, by absolute path. `decides`: whether what they say as policies and ignore files counts,
 * whatever name or link leads to these.
 */
export type Unsaved = Readonly<{ texts: ReadonlyMap<string, string>; decides: boolean }>;

export type Kept<Snapshot> = { signature: string; settled: boolean; snapshot: Snapshot };

/**
 * `deniedDirectories`, absolute, are never read, by whatever name: where the daemon keeps its own (S-08).
 * `clientContextPath` says where configurations lie besides the usual places.
 */
export type GatePorts = {
  files: Files;
  clock: Clock;
  maxEntries: number;
  clientContextPath?: string;
  deniedDirectories?: readonly string[];
  /** Whether content is given without the secrets that are found in it. */
  maskSecrets?: boolean;
};

/**
 * `isOneOfMany`: of thousands that are looked at together, which must not push each other, or what was asked for by its
 * name, out of what is kept.
 */
export type Many = { isOneOfMany?: boolean };

/** How what was read or listed is kept. */
export function keepBy({ isOneOfMany }: Many): 'offer' | 'set' {
  return isOneOfMany ? 'offer' : 'set';
}

/** What the gate asks and what it keeps. */
export function createGateState(ports: GatePorts) {
  return {
    ...ports,
    ...createDeniedPlaces({ files: ports.files, clock: ports.clock, directories: ports.deniedDirectories ?? [] }),
    contents: createBoundedCache<Kept<FileSnapshot>>(keptContent),
    listings: createBoundedCache<Kept<DirectorySnapshot>>(keptListings),
    hashes: createBoundedCache<Kept<string>>(keptHashes),
    counted: { filesRead: 0, directoriesListed: 0, readsBlocked: 0 },
    masked: new WeakMap<FileSnapshot, FileSnapshot>(),
    /** Called when something that was read or listed must be read or listed again next time. */
    spoil: (): void => undefined,
  };
}
export type GateState = ReturnType<typeof createGateState>;

export function isSettled(gate: GateState, stat: FileStat): boolean {
  return gate.clock.now() - stat.changedAtMs > settleMs;
}

function refuseOutside(gate: GateState, path: string, { roots }: ReachOptions): GateRefusal | undefined {
  const around = rootsAround(path, roots);
  return around.length > 0 && !gate.isDenied(path, around) ? undefined : outsideRoots;
}

/** Where to look: links are resolved here if at all, so that what is decided about is what is opened and remembered. */
export async function locate(
  gate: GateState,
  path: string,
  reach: ReachOptions,
): Promise<{ ok: true; place: string } | GateRefusal> {
  const refusal = refuseOutside(gate, path, reach);
  if (refusal) return refusal;
  if (!reach.followSymlinks) return { ok: true, place: path };
  const real = await gate.files.realPath(path);
  if (!real.ok) return real;
  return refuseOutside(gate, real.realPath, reach) ?? { ok: true, place: real.realPath };
}
