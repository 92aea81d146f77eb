/** The files on disk together with new files that an editor has not saved yet, and the directories that these need. */
import type { DirectoryEntry, FileRefusal, FileStat } from '../ports/ports.ts';
import { compareText } from '../texts/compare-text.ts';
import type { GateRefusal, GateState } from './gate-state.ts';
import { isInside, joinPath, relativePath } from './paths.ts';
import { nearestPlaceOf } from './real-place.ts';
import type { DirectorySnapshot } from './snapshots.ts';

type Listing = { ok: true; snapshot: DirectorySnapshot } | GateRefusal;
type Texts = ReadonlyMap<string, string>;

type UnsavedFiles = Readonly<{
  /**
   * A directory that will contain a new file has another signature, and counts as just changed, so that nobody caches
   * it.
   */
  stat(path: string): Promise<FileStat | FileRefusal>;
  realPath(path: string): Promise<{ ok: true; realPath: string } | FileRefusal>;
  /**
   * A listing with the new entries of the directory. If the directory itself does not exist yet, a listing of its own.
   */
  listed(path: string, listing: Listing): Promise<Listing>;
}>;

/** `texts`: by absolute path. */
export function addUnsaved({ files, clock }: Pick<GateState, 'files' | 'clock'>, texts: Texts): UnsavedFiles {
  // Only the disk decides where repositories are.
  const paths = [...texts.keys()].filter((path) => !`${path}/`.includes('/.git/'));
  const kindToCome = (path: string): 'file' | 'directory' | undefined => {
    if (paths.includes(path)) return 'file';
    return paths.some((each) => isInside(path, each)) ? 'directory' : undefined;
  };
  /** The entries directly in a directory that are not on disk. */
  const toComeIn = async (directory: string): Promise<DirectoryEntry[]> => {
    const below = paths.filter((path) => path !== directory && isInside(directory, path));
    const names = new Set(below.map((path) => relativePath(directory, path).split('/', 1)[0] as string));
    const entries = await Promise.all(
      [...names].map(async (name): Promise<DirectoryEntry[]> => {
        const path = joinPath(directory, name);
        const kind = kindToCome(path);
        const stat = await files.stat(path);
        return stat.ok || stat.code !== 'not_found' || kind === undefined ? [] : [{ name, kind }];
      }),
    );
    return entries.flat();
  };
  const statToCome = (path: string, kind: 'file' | 'directory'): FileStat => ({
    ok: true,
    kind,
    size: kind === 'file' ? Buffer.byteLength(texts.get(path) ?? '') : 0,
    signature: `unsaved:${path}`,
    identity: `unsaved:${path}`,
    changedAtMs: clock.now(),
  });

  const stat = async (path: string): Promise<FileStat | FileRefusal> => {
    const saved = await files.stat(path);
    const kind = kindToCome(path);
    if (kind === undefined) return saved;
    if (!saved.ok) return saved.code === 'not_found' ? statToCome(path, kind) : saved;
    if (saved.kind !== 'directory' || (await toComeIn(path)).length === 0) return saved;
    return { ...saved, signature: `${saved.signature}:unsaved`, changedAtMs: clock.now() };
  };
  return {
    stat,
    async realPath(path) {
      const saved = await files.realPath(path);
      if (saved.ok || saved.code !== 'not_found' || kindToCome(path) === undefined) return saved;
      const nearest = await nearestPlaceOf(path, files.realPath);
      // A broken link is not a new file, and leads to none.
      if (nearest === undefined || (await files.stat(nearest.firstMissing)).ok) return saved;
      return { ok: true, realPath: nearest.place };
    },
    async listed(path, listing) {
      if (!listing.ok && (listing.code !== 'not_found' || (await files.stat(path)).ok)) return listing;
      const toCome = await toComeIn(path);
      if (toCome.length === 0) return listing;
      const { entries, truncated } = listing.ok ? listing.snapshot : { entries: [], truncated: false };
      const all = [...entries, ...toCome].sort((a, b) => compareText(a.name, b.name));
      return { ok: true, snapshot: Object.freeze({ path, entries: Object.freeze(all), truncated }) };
    },
  };
}
