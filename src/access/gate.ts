/**
 * The one place that decides about file content and reads it: granted roots, sensitive files, AI context policies, file
 * kind, size (AP-06, CC-18, CC-31, CC-33, CC-35, S-34 … S-48). An unchanged file costs one `stat`: cached content is
 * revalidated before each use (CC-36).
 */
import { type CacheSize, sizeOf } from '../pace/bounded-cache.ts';
import type { FileRefusal, FileStat, Files, ReachOptions, Root } from '../ports/ports.ts';
import type { ContentPolicy, ContentReach } from './content-policy.ts';
import {
  createGateState,
  type GatePorts,
  type GateRefusal,
  type GateState,
  keptAs,
  locate,
  outsideRoots,
} from './gate-state.ts';
import type { LookRecorder } from './looks.ts';
import { isFirstOfMany, keepBy, type Many } from './many.ts';
import { isInside, parentPath } from './paths.ts';
import { isPolicyFile } from './policy-file-names.ts';
import { createPlaceReader, type Read } from './read-place.ts';
import { leadsOutside } from './real-place.ts';
import { isSettled } from './settled.ts';
import { type DirectorySnapshot, sameEntries } from './snapshots.ts';
import { addUnsaved } from './unsaved-files.ts';

export type { GateRefusal, Unsaved } from './gate-state.ts';
export type { DirectorySnapshot, FileSnapshot } from './snapshots.ts';

export type Gate = Readonly<{
  stat(path: string): Promise<FileStat | FileRefusal>;
  realPath: Files['realPath'];
  list(path: string, reach: ReachOptions & Many): Promise<{ ok: true; snapshot: DirectorySnapshot } | GateRefusal>;
  /** Content that may be delivered. */
  read(path: string, options: ContentReach & Many & { maxBytes: number }): Promise<Read>;
  /**
   * A file that says how contextd must work: a configuration, a policy, the settings of a tool of the workspace. Only
   * its settings may be delivered, never its text. Policies are asked only if `policies` are given. `sensitiveAs`: the
   * one pattern of sensitive files that does not prevent reading.
   */
  readSettings(
    path: string,
    options: ReachOptions & { maxBytes: number; sensitiveAs?: string },
    policies?: ContentPolicy,
  ): Promise<Read>;
  /** A policy in the granted roots, or in a directory above one, where nothing else is read. Follows no link. */
  readPolicy(path: string, options: { roots: readonly Root[]; maxBytes: number }): Promise<Read>;
  /**
   * The SHA-256, hexadecimal, of a whole file, and its signature, to compare the file later. Takes at most `maxMs`. No
   * content is delivered, so it may be any file in the roots.
   */
  hash(
    path: string,
    options: ReachOptions & { maxMs: number },
  ): Promise<{ ok: true; sha256: string; signature: string } | GateRefusal | { ok: false; code: 'too_slow' }>;
  /**
   * The same gate with texts that an editor has not saved yet, by absolute path. The gate reads them instead of the
   * files on disk, and decides about them in the same way. A file that does not exist yet counts as existing.
   */
  withUnsaved(texts: ReadonlyMap<string, string>): Gate;
  /** The same gate, with everything that it asks the disk recorded. */
  recorded(recorder: Pick<LookRecorder, 'record' | 'spoil'>): Gate;
  /** How often the disk was read, for status pages and for tests that nothing is read twice. */
  statistics(): { filesRead: number; directoriesListed: number };
  /**
   * Reads that were refused by name, by a policy or by an ignore file, and the size of the caches. The weight of
   * contents is about their bytes.
   */
  figures(): { readsBlocked: number; contents: CacheSize; listings: CacheSize };
}>;

export function createGate(ports: GatePorts): Gate {
  return openGate(createGateState(ports), new Map());
}

function openGate(gate: GateState, unsaved: ReadonlyMap<string, string>): Gate {
  const over = unsaved.size === 0 ? undefined : addUnsaved(gate, unsaved);
  const { stat, realPath } = over ?? gate.files;
  const readPlace = createPlaceReader(gate, unsaved, realPath);
  const looks: Pick<Files, 'stat' | 'realPath'> = {
    stat: (path) => stat(path),
    async realPath(path) {
      const real = await realPath(path);
      return real.ok && gate.isDenied(real.realPath) ? outsideRoots : real;
    },
  };
  return Object.freeze({
    ...looks,
    async list(path, reach) {
      const listing = await list(gate, path, reach);
      return over === undefined ? listing : over.listed(path, listing);
    },
    async read(path, options) {
      const read = await readPlace(path, options, { policies: options.policies, isContent: true });
      if (!read.ok) return tellsOfFile(read) && (await leadsOutside(path, options.roots, looks)) ? outsideRoots : read;
      if (gate.maskSecrets !== true) return read;
      return { ok: true, snapshot: gate.masked(read.snapshot) };
    },
    readSettings: (path, { sensitiveAs, ...options }, policies) => readPlace(path, options, { policies, sensitiveAs }),
    readPolicy(path, { roots, maxBytes }) {
      const directory = parentPath(path);
      const isAbove = isPolicyFile(path) && roots.some(({ realPath }) => isInside(directory, realPath));
      const reach = isAbove ? [...roots, { path: directory, realPath: directory }] : roots;
      return readPlace(path, { roots: reach, followSymlinks: false, maxBytes });
    },
    hash: (path, given) => hash(gate, path, given),
    withUnsaved: (texts) => openGate(gate, texts),
    recorded: ({ record, spoil }) => openGate({ ...gate, files: record(gate.files), spoil }, unsaved),
    statistics() {
      const { filesRead, directoriesListed } = gate.counted;
      return { filesRead, directoriesListed };
    },
    figures: () => ({
      readsBlocked: gate.counted.readsBlocked,
      contents: sizeOf(gate.contents),
      listings: sizeOf(gate.listings),
    }),
  } satisfies Gate);
}

/** Whether a refusal tells whether a file exists. Nothing outside the granted roots may be told (S-37). */
function tellsOfFile({ code }: GateRefusal): boolean {
  return ['not_found', 'unreadable', 'not_directory', 'not_regular_file', 'pseudo_file'].includes(code);
}

async function list(gate: GateState, path: string, reach: ReachOptions & Many) {
  const located = await locate(gate, path, reach);
  if (!located.ok) return located;
  const { place } = located;
  const key = keptAs(path, place);
  const kept = gate.listings.get(key);
  if (!isFirstOfMany(kept, reach)) {
    const stat = await gate.files.stat(place);
    if (!stat.ok) return stat;
    if (kept?.settled && stat.signature === kept.signature) return { ok: true, snapshot: kept.snapshot } as const;
  }
  gate.counted.directoriesListed += 1;
  const listing = await gate.files.list(place, { ...reach, followSymlinks: false, maxEntries: gate.maxEntries });
  if (!listing.ok) return listing;
  const settled = isSettled(listing.stat, gate.clock);
  const isDenied = await gate.isDeniedAs(place, listing.stat);
  if (isDenied || !settled) gate.spoil();
  if (isDenied) return outsideRoots;
  // Looked up again: a parallel run may have cached its snapshot since.
  const before = gate.listings.get(key)?.snapshot;
  const snapshot =
    before && sameEntries(before, listing.entries)
      ? before
      : Object.freeze({ path, entries: listing.entries, truncated: listing.truncated });
  gate.listings[keepBy(reach)](
    key,
    { signature: listing.stat.signature, settled, snapshot },
    1 + listing.entries.length,
  );
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
  gate.hashes.set(place, { signature, settled: isSettled(hashed.stat, gate.clock), snapshot: hashed.sha256 }, 1);
  return { ok: true, sha256: hashed.sha256, signature } as const;
}
