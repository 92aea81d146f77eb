/** Finds files of a workspace by letters of their paths (SU-01). */
import { go, type Prepared, prepare } from 'fuzzysort';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { createPause, type Pause } from '../pace/turns.ts';
import type { Clock } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Warning } from '../warnings.ts';
import { type FileListing, filesBelow } from './file-index.ts';

export type FileMatch = { relativePath: string; score: number };

/** There is a warning if files were left out because comparing took too long. */
type FileMatches = { matches: FileMatch[]; warnings: Warning[] };

/** How long one comparison should block the event loop, and the number of files in the first one. */
const sliceMs = 5;
const firstSlice = 250;
const largestSlice = 4_000;
/** Below this score, the letters are in the path by chance. */
const threshold = 0.2;
/** A prepared path needs about 1.4 KB. */
const kept = { maxWeight: 150_000, maxEntries: 8 };

type SearchOptions = { limit: number; isLeftOut?(relativePath: string): boolean };

type PreparedFiles = {
  listing: FileListing;
  /** By the `files` of a folder, which stay the same object as long as the folder does. */
  ofFolders: ReadonlyMap<readonly string[], readonly Prepared[]>;
  all: readonly Prepared[];
};

/** Prepared paths of unchanged folders are used again. */
export function createFileSearch({ clock }: { clock: Pick<Clock, 'elapsed'> }) {
  const preparedOf = createBoundedCache<PreparedFiles>(kept);

  async function prepareFiles(listing: FileListing, pause: Pause): Promise<readonly Prepared[]> {
    const before = preparedOf.get(listing.directory);
    if (before?.listing === listing) return before.all;
    const ofFolders = new Map<readonly string[], readonly Prepared[]>();
    const all: Prepared[] = [];
    for (const { files } of listing.folders) {
      const prepared = before?.ofFolders.get(files) ?? (await prepareAll(files, pause));
      ofFolders.set(files, prepared);
      for (const each of prepared) all.push(each);
    }
    preparedOf.set(listing.directory, { listing, ofFolders, all }, listing.files);
    return all;
  }

  return Object.freeze({
    /** The best matches, best first. For an empty query, the first files. */
    async search(listing: FileListing, query: string, options: SearchOptions): Promise<FileMatches> {
      const { limit, isLeftOut = () => false } = options;
      if (query.trim() === '') return { matches: firstOf(allFiles(listing), { limit, isLeftOut }), warnings: [] };
      const pause = createPause(() => clock.elapsed());
      const files = await prepareFiles(listing, pause);
      const deadline = clock.elapsed() + fixedLimits.supplementary.searchMs;
      let best: FileMatch[] = [];
      let size = firstSlice;
      for (let at = 0; at < files.length; ) {
        const begun = clock.elapsed();
        if (begun > deadline) return { matches: best, warnings: [tooSlow(files.length - at)] };
        // Files that are worse than all kept ones need no exact score.
        const worst = best.length < limit ? threshold : Math.max(threshold, best.at(-1)?.score ?? 0);
        // All matches, because some may be left out. Without a limit the library loses some.
        const found = go(query, files.slice(at, at + size), { limit: largestSlice, threshold: worst });
        if (found.length > 0) {
          const matches = firstOf(found, { limit, isLeftOut });
          best = [...best, ...matches].sort(byScore).slice(0, limit);
        }
        at += size;
        size = clock.elapsed() - begun > sliceMs ? Math.max(1, size >> 2) : Math.min(largestSlice, size * 2);
        await pause();
      }
      return { matches: best, warnings: [] };
    },
  });
}

function tooSlow(leftOut: number): Warning {
  const message = `Comparing files with a query stops after ${fixedLimits.supplementary.searchMs} ms; ${leftOut} were left out. Use a shorter query.`;
  return { code: 'limit_search_time', message };
}

async function prepareAll(files: readonly string[], pause: Pause): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const [at, file] of files.entries()) {
    if (at % 256 === 0) await pause();
    prepared.push(prepare(file));
  }
  return prepared;
}

/** The first that are not left out. */
function firstOf(
  found: Iterable<{ target: string; score: number }>,
  { limit, isLeftOut }: Required<SearchOptions>,
): FileMatch[] {
  const first: FileMatch[] = [];
  for (const { target, score } of found) {
    if (first.length === limit) break;
    if (!isLeftOut(target)) first.push({ relativePath: target, score });
  }
  return first;
}

function* allFiles(listing: FileListing): Generator<{ target: string; score: number }> {
  for (const target of filesBelow(listing, '')) yield { target, score: 0 };
}

/** With equal scores, the shorter path is more likely. */
function byScore(a: FileMatch, b: FileMatch): number {
  const byLength = a.relativePath.length - b.relativePath.length;
  return b.score - a.score || byLength || compareText(a.relativePath, b.relativePath);
}
