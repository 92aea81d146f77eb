/** What is on disk with the files that an editor has not saved for the first time yet: they, and the directories they need, are there. */
import type { DirectoryEntry, FileRefusal, FileStat } from '../ports/ports.ts';
import { compareText } from '../texts/compare-text.ts';
import type { GateRefusal, GateState } from './gate-state.ts';
import { isInside, joinPath, parentPath, relativePath } from './paths.ts';
import type { DirectorySnapshot } from './snapshots.ts';

type Listing = { ok: true; snapshot: DirectorySnapshot } | GateRefusal;
type Texts = ReadonlyMap<string, string>;

export type UnsavedFiles = Readonly<{
  /** That of a directory in which something is to come is another than without it, and is not to be kept. */
  stat(path: string): Promise<FileStat | FileRefusal>;
  realPath(path: string): Promise<{ ok: true; realPath: string } | FileRefusal>;
  /** A listing with what is to come in the directory; one of its own where the directory is to come itself. */
  listed(path: string, listing: Listing): Promise<Listing>;
}>;

/** `texts` by absolute path. */
export function addUnsaved({ files, clock }: Pick<GateState, 'files' | 'clock'>, texts: Texts): UnsavedFiles {
  // Where repositories are is for the disk to say.
  const paths = [...texts.keys()].filter((path) => !`${path}/`.includes('/.git/'));
  const kindToCome = (path: string): 'file' | 'directory' | undefined => {
    if (paths.includes(path)) return 'file';
    return paths.some((each) => isInside(path, each)) ? 'directory' : undefined;
  };
  /** What is right in a directory and is not on disk. */
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
    ...{ kind, size: kind === 'file' ? Buffer.byteLength(texts.get(path) ?? '') : 0 },
    ...{ signature: `unsaved:${path}`, identity: `unsaved:${path}`, changedAtMs: clock.now() },
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
      // A link that leads to nothing is not a file to come.
      if ((await files.stat(path)).ok) return saved;
      const nearest = await nearestThere(path);
      const above = await files.realPath(nearest);
      return above.ok ? { ok: true, realPath: joinPath(above.realPath, relativePath(nearest, path)) } : above;
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

  async function nearestThere(path: string): Promise<string> {
    let above = path;
    while (above !== '/' && !(await files.stat(above)).ok) above = parentPath(above);
    return above;
  }
}
