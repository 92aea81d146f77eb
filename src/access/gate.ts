/**
 * The one place that decides about and reads file content: granted roots, sensitive files, AI context policies, file kind,
 * size (AP-06, CC-18, CC-31, CC-33, CC-35, S-34 … S-48). Unchanged files cost one `stat`: what was read is kept and
 * revalidated, never trusted (CC-36).
 */
import { type CacheSize, createBoundedCache, sizeOf } from '../pace/bounded-cache.ts';
import type { Clock, FileRefusal, FileStat, Files, ReachOptions, Root } from '../ports/ports.ts';
import { withoutSecrets } from '../texts/mask.ts';
import type { ContentPolicy, ContentReach } from './content-policy.ts';
import { createDeniedPlaces } from './denied-places.ts';
import { isInside, parentPath } from './paths.ts';
import { isPolicyFile } from './policy-file-names.ts';
import { isInRoots, realNamesOf } from './reach.ts';
import { refuseNames } from './refused-names.ts';
import { type DirectorySnapshot, type FileSnapshot, sameContent, sameEntries, takeSnapshot } from './snapshots.ts';

export type { DirectorySnapshot, FileSnapshot } from './snapshots.ts';

export type GateRefusal = Readonly<{
  ok: false;
  code: FileRefusal['code'] | 'sensitive' | 'configuration' | 'blocked_by_policy' | 'blocked_by_ignore_file';
  /** What decided: the pattern of the list of sensitive files or of configurations, or policy or ignore file, pattern and line. */
  detail?: string;
}>;

type Read = { ok: true; snapshot: FileSnapshot } | GateRefusal;
type SettingsOptions = ReachOptions & { maxBytes: number; sensitiveAs?: string };

export type Gate = Readonly<{
  stat(path: string): Promise<FileStat | FileRefusal>;
  realPath: Files['realPath'];
  list(path: string, reach: ReachOptions): Promise<{ ok: true; snapshot: DirectorySnapshot } | GateRefusal>;
  /** Content, which may be given away. */
  read(path: string, options: ContentReach & { maxBytes: number }): Promise<Read>;
  /**
   * A file that says how contextd has to work: a configuration, a policy, what a tool of the workspace is set up with.
   * Nothing of it may be given away but the settings it holds; a policy is asked only where `policies` are given.
   * `sensitiveAs` is the one pattern of the list of sensitive files by which it is read all the same.
   */
  readSettings(path: string, options: SettingsOptions, policies?: ContentPolicy): Promise<Read>;
  /** A policy in the granted roots, or in a directory above one, where nothing else is read. No link is followed. */
  readPolicy(path: string, options: { roots: readonly Root[]; maxBytes: number }): Promise<Read>;
  /**
   * SHA-256, hexadecimal, of a whole file, for which `maxMs` may be taken, and its signature: whether it is still the same
   * file. Nothing of it is given away, so it may be any file in the roots.
   */
  hash(
    path: string,
    options: ReachOptions & { maxMs: number },
  ): Promise<{ ok: true; sha256: string; signature: string } | GateRefusal | { ok: false; code: 'too_slow' }>;
  /** How often the disk was really read, for status pages and for tests that nothing is read twice. */
  statistics(): { filesRead: number; directoriesListed: number };
  /** Reads that the list of sensitive files or a policy refused, and what is kept; contents weigh about their bytes. */
  figures(): { readsBlocked: number; contents: CacheSize; listings: CacheSize };
}>;

/**
 * A signature can be trusted once the last change lies this far behind the moment of reading: a later write within the
 * granularity of the file system's clock could otherwise leave it the same. Two seconds is the coarsest granularity in use.
 */
const settleMs = 2_000;
const keptContent = { maxWeight: 64 * 1024 * 1024, maxEntries: 20_000 };
const keptListings = { maxWeight: 500_000, maxEntries: 20_000 };
const keptHashes = { maxWeight: 20_000, maxEntries: 20_000 };

const outsideRoots = { ok: false, code: 'outside_roots' } as const;

type Kept<Snapshot> = { signature: string; settled: boolean; snapshot: Snapshot };

/**
 * `deniedDirectories`, absolute, are never read, by whatever name: where the daemon keeps its own (S-08).
 * `clientContextPath` says where configurations lie besides the usual places.
 */
type GatePorts = {
  files: Files;
  clock: Clock;
  maxEntries: number;
  clientContextPath?: string;
  deniedDirectories?: readonly string[];
  /** Whether content is given without the secrets that are found in it. */
  maskSecrets?: boolean;
};

/** What the gate asks and what it keeps. */
function createGateState(ports: GatePorts) {
  return {
    ...ports,
    ...createDeniedPlaces({ files: ports.files, clock: ports.clock, directories: ports.deniedDirectories ?? [] }),
    contents: createBoundedCache<Kept<FileSnapshot>>(keptContent),
    listings: createBoundedCache<Kept<DirectorySnapshot>>(keptListings),
    hashes: createBoundedCache<Kept<string>>(keptHashes),
    counted: { filesRead: 0, directoriesListed: 0 },
    masked: new WeakMap<FileSnapshot, FileSnapshot>(),
    readsBlocked: 0,
  };
}
type GateState = ReturnType<typeof createGateState>;

export function createGate(ports: GatePorts): Gate {
  const gate = createGateState(ports);

  return Object.freeze({
    stat: (path: string) => gate.files.stat(path),
    async realPath(path: string) {
      const real = await gate.files.realPath(path);
      return real.ok && gate.isDenied(real.realPath) ? outsideRoots : real;
    },
    statistics: () => ({ ...gate.counted }),
    figures: () => ({
      readsBlocked: gate.readsBlocked,
      contents: sizeOf(gate.contents),
      listings: sizeOf(gate.listings),
    }),

    list: (path, reach) => list(gate, path, reach),

    async read(path: string, options: ContentReach & { maxBytes: number }) {
      const read = await readPlace(gate, path, options, { policies: options.policies, isContent: true });
      if (!read.ok || gate.maskSecrets !== true) return read;
      const snapshot = gate.masked.get(read.snapshot) ?? withoutSecrets(read.snapshot);
      gate.masked.set(read.snapshot, snapshot);
      return { ok: true, snapshot } as const;
    },
    readSettings: (path: string, { sensitiveAs, ...options }: SettingsOptions, policies?: ContentPolicy) =>
      readPlace(gate, path, options, { policies, sensitiveAs }),
    readPolicy(path: string, { roots, maxBytes }: { roots: readonly Root[]; maxBytes: number }) {
      const directory = parentPath(path);
      const isAbove = isPolicyFile(path) && roots.some(({ realPath }) => isInside(directory, realPath));
      const reach = isAbove ? [...roots, { path: directory, realPath: directory }] : roots;
      return readPlace(gate, path, { roots: reach, followSymlinks: false, maxBytes });
    },

    hash: (path, given) => hash(gate, path, given),
  });
}

function isSettled(gate: GateState, stat: FileStat): boolean {
  return gate.clock.now() - stat.changedAtMs > settleMs;
}

function refuseOutside(gate: GateState, path: string, { roots }: ReachOptions): GateRefusal | undefined {
  const around = roots.filter((root) => isInRoots(path, [root]));
  return around.length > 0 && !gate.isDenied(path, around) ? undefined : outsideRoots;
}

/** Where to look: links are resolved here if at all, so that what is decided about is what is opened and remembered. */
async function locate(
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

async function readPlace(
  gate: GateState,
  path: string,
  options: ReachOptions & { maxBytes: number },
  {
    policies,
    isContent = false,
    sensitiveAs,
  }: { policies?: ContentPolicy | undefined; isContent?: boolean; sensitiveAs?: string | undefined } = {},
): Promise<Read> {
  const located = await locate(gate, path, options);
  if (!located.ok) return located;
  const { place } = located;
  // Where a link was followed, both its name and what it leads to must be allowed.
  const names = place === path ? [path] : [path, place];
  const realNames = realNamesOf(place, options.roots);
  const { clientContextPath } = gate;
  const refusal = await refuseNames(names, { realNames, isContent, clientContextPath, policies, sensitiveAs });
  if (refusal) {
    if (refusal.code !== 'not_found') gate.readsBlocked += 1;
    return refusal;
  }
  const key = `${options.maxBytes}:${path}`;
  const kept = gate.contents.get(key);
  if (kept?.settled) {
    const stat = await gate.files.stat(place);
    if (stat.ok && stat.signature === kept.signature) return { ok: true, snapshot: kept.snapshot };
  }
  gate.counted.filesRead += 1;
  const { roots, maxBytes } = options;
  const content = await gate.files.read(place, { roots, maxBytes, followSymlinks: false });
  if (!content.ok) return content;
  if (await gate.isDeniedAs(place, content.stat)) return outsideRoots;
  const fresh = takeSnapshot(path, content);
  const before = gate.contents.get(key)?.snapshot;
  const snapshot = before && sameContent(before, fresh) ? before : fresh;
  const settled = isSettled(gate, content.stat);
  gate.contents.set(
    key,
    { signature: content.stat.signature, settled, snapshot },
    256 + 2 * (snapshot.text?.length ?? 0),
  );
  return { ok: true, snapshot };
}

async function list(gate: GateState, path: string, reach: ReachOptions) {
  const located = await locate(gate, path, reach);
  if (!located.ok) return located;
  const { place } = located;
  const kept = gate.listings.get(path);
  const stat = await gate.files.stat(place);
  if (!stat.ok) return stat;
  if (kept?.settled && stat.signature === kept.signature) return { ok: true, snapshot: kept.snapshot } as const;
  gate.counted.directoriesListed += 1;
  const listing = await gate.files.list(place, { ...reach, followSymlinks: false, maxEntries: gate.maxEntries });
  if (!listing.ok) return listing;
  if (await gate.isDeniedAs(place, listing.stat)) return outsideRoots;
  // Asked for again: a run beside this one may have kept its snapshot meanwhile.
  const before = gate.listings.get(path)?.snapshot;
  const snapshot =
    before && sameEntries(before, listing.entries)
      ? before
      : Object.freeze({ path, entries: listing.entries, truncated: listing.truncated });
  const settled = isSettled(gate, listing.stat);
  gate.listings.set(path, { signature: listing.stat.signature, settled, snapshot }, 1 + listing.entries.length);
  return { ok: true, snapshot } as const;
}

async function hash(gate: GateState, path: string, { maxMs, ...reach }: ReachOptions & { maxMs: number }) {
  const located = await locate(gate, path, reach);
  if (!located.ok) return located;
  const { place } = located;
  const kept = gate.hashes.get(place);
  if (kept?.settled) {
    const stat = await gate.files.stat(place);
    if (stat.ok && stat.signature === kept.signature)
      return { ok: true, sha256: kept.snapshot, signature: kept.signature } as const;
  }
  gate.counted.filesRead += 1;
  const hashed = await gate.files.hash(place, { ...reach, maxMs, followSymlinks: false });
  if (!hashed.ok) return hashed;
  if (await gate.isDeniedAs(place, hashed.stat)) return outsideRoots;
  const { signature } = hashed.stat;
  gate.hashes.set(place, { signature, settled: isSettled(gate, hashed.stat), snapshot: hashed.sha256 }, 1);
  return { ok: true, sha256: hashed.sha256, signature } as const;
}
