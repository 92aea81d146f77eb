/** Finds files of a workspace by some letters of their paths (SU-01). */
import { go, type Prepared, prepare } from 'fuzzysort';
import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../ports.ts';
import { createPace, type FileListing, filesBelow, type Pace } from './file-index.ts';

export type FileMatch = { relativePath: string; score: number };

/** Files that are compared before others may have the event loop. */
const sliceSize = 2_000;
/** Below it, letters are spread over the path by chance. */
const threshold = 0.2;
/** A prepared path takes about 1.4 KB. */
const kept = { maxWeight: 200_000, maxEntries: 8 };

type PreparedFiles = {
  listing: FileListing;
  /** By the `files` of a folder, which stay the same object as long as the folder does. */
  ofFolders: ReadonlyMap<readonly string[], readonly Prepared[]>;
  slices: readonly Prepared[][];
};

/** What was prepared of folders that did not change is used again. */
export function createFileSearch(ports: { clock: Pick<Clock, 'elapsed'> }) {
  const preparedOf = createBoundedCache<PreparedFiles>(kept);

  async function prepareFiles(listing: FileListing, pace: Pace): Promise<PreparedFiles> {
    const before = preparedOf.get(listing.directory);
    if (before?.listing === listing) return before;
    const ofFolders = new Map<readonly string[], readonly Prepared[]>();
    const slices: Prepared[][] = [];
    let slice: Prepared[] = [];
    for (const { files } of listing.folders) {
      const prepared = before?.ofFolders.get(files) ?? (await prepareAll(files, pace));
      ofFolders.set(files, prepared);
      for (const each of prepared) {
        if (slice.push(each) < sliceSize) continue;
        slices.push(slice);
        slice = [];
      }
    }
    slices.push(slice);
    const fresh = { listing, ofFolders, slices };
    preparedOf.set(listing.directory, fresh, listing.files);
    return fresh;
  }

  return Object.freeze({
    /** The files that fit best, best first; for an empty query the first ones. */
    async search(listing: FileListing, query: string, limit: number): Promise<FileMatch[]> {
      if (query.trim() === '') return firstFiles(listing, limit);
      const pace = createPace(ports.clock);
      const { slices } = await prepareFiles(listing, pace);
      const found: FileMatch[] = [];
      for (const slice of slices) {
        for (const { target, score } of go(query, slice, { limit, threshold }))
          found.push({ relativePath: target, score });
        await pace();
      }
      return found.sort(byScore).slice(0, limit);
    },
  });
}

async function prepareAll(files: readonly string[], pace: Pace): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const [at, file] of files.entries()) {
    if (at % 256 === 0) await pace();
    prepared.push(prepare(file));
  }
  return prepared;
}

function firstFiles(listing: FileListing, limit: number): FileMatch[] {
  const first: FileMatch[] = [];
  for (const relativePath of filesBelow(listing, '')) {
    if (first.length === limit) break;
    first.push({ relativePath, score: 0 });
  }
  return first;
}

/** Of equal ones the shorter path is the likelier. */
function byScore(a: FileMatch, b: FileMatch): number {
  const byLength = a.relativePath.length - b.relativePath.length;
  return b.score - a.score || byLength || (a.relativePath < b.relativePath ? -1 : 1);
}
