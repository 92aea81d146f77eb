/** Finds parts of files in the workspace that contain the words of a query (RT-02, "search-based context"). */

import type { FileSnapshot } from '../access/gate.ts';
import { joinPath, parentPath, relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import type { FileExclusion } from '../context/file-exclusion.ts';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { createPause, nextTurn, type Pause } from '../pace/turns.ts';
import type { Clock } from '../ports/ports.ts';
import { type CountedDocument, indexDocument } from '../search/keyword-document.ts';
import { type Corpus, scoreDocuments } from '../search/keyword-scores.ts';
import { queryTerms } from '../search/question.ts';
import { fixedLimits } from '../settings.ts';
import type { FileIndex } from '../supplementary/file-index.ts';
import { definedNames } from './defined-names.ts';
import type { Part } from './fetch.ts';
import { packagesOf, shareOfKinds } from './file-kinds.ts';
import { withoutInstructions } from './instructions.ts';
import { bestProbed, createProbes, type Probed, type ProbedFile } from './keyword-probes.ts';
import { sayUncompared, statusOf } from './keyword-status.ts';
import { nearestFirst } from './nearest-first.ts';
import type { Found } from './retrieve.ts';
import { beginningOf, isShort, type PartRange, splitParts, textOf } from './text-parts.ts';

/** Max values of one search. */
export type KeywordLimits = { files: number; characters: number; comparedCharacters: number; ms: number };

/** Max files of which every word is counted. */
const maxCounted = 160;
const parallelReads = 32;
/** A match must have this share of the score of the best match. */
const minShareOfBest = 0.3;
/**
 * Beside how often its words occur, these tell that a file is meant, as shares of the query: words that follow each
 * other, words in its path, and, if no kind makes it count less, words in its headings and in the names that it defines.
 * All of one multiplies the score by e to this power.
 */
const hintPower = 0.5;

/**
 * `without`: paths that cannot match. `document`: the path of the active one. `exclude`: why a file cannot match.
 * `isOver`: the caller no longer waits.
 */
type Place = {
  mountedDirectory: string;
  world: World;
  without: ReadonlySet<string>;
  document?: string | undefined;
  exclude?: FileExclusion;
  isOver?(): boolean;
};

type KeywordContext = { search(query: string, place: Place): Promise<Found> };

/** `pairs`: as in `Probed`. */
type Counted = Readonly<{ snapshot: FileSnapshot; indexed: Indexed; pairs: number }>;

type Indexed = { name: string; sha256: string; document: CountedDocument; parts: readonly PartRange[] };

/** The words of a file are counted once while it is unchanged. */
export function createKeywordContext(ports: {
  clock: Clock;
  fileIndex: FileIndex;
  limits?: Partial<KeywordLimits>;
}): KeywordContext {
  const { clock, fileIndex } = ports;
  const limits = { ...fixedLimits.keywords, ...ports.limits };
  const known = createBoundedCache<Indexed>({ maxWeight: 24 * 1024 * 1024, maxEntries: 2_000 });

  const indexFile = async (snapshot: FileSnapshot, name: string, pause: Pause) => {
    const { sha256, text = '' } = snapshot;
    const key = JSON.stringify([name, snapshot.path]);
    const before = known.get(key);
    if (before?.sha256 === sha256) return before;
    const split = splitParts(text);
    const passages = split.map((part) => part.text);
    const document = await indexDocument({ name, description: definedNames(text), passages }, pause);
    const parts = split.map(({ start, end }) => ({ start, end }));
    const indexed = { name, sha256, document, parts };
    known.set(key, indexed, document.weight + 16 * parts.length);
    return indexed;
  };

  /** Counts the words of files until their characters are as many as one search compares. `compared`: how many. */
  const countFiles = async (
    files: readonly FoundFile[],
    place: Place,
    { shareOf, pause }: { shareOf(name: string): number; pause: Pause },
  ): Promise<{ counted: Counted[]; compared: number }> => {
    const counted: Counted[] = [];
    let left = limits.comparedCharacters;
    let compared = 0;
    for (const { name, text: probed } of files) {
      if (place.isOver?.() || left <= 0) break;
      compared += 1;
      const snapshot = await readText(name, place, shareOf);
      if (snapshot === undefined) continue;
      left -= snapshot.text?.length ?? 0;
      counted.push({ snapshot, indexed: await indexFile(snapshot, name, pause), pairs: probed?.pairs ?? 0 });
    }
    return { counted, compared };
  };

  return {
    async search(asked, place) {
      const query = withoutInstructions(asked);
      const { mountedDirectory, world, document } = place;
      const deadline = clock.elapsed() + limits.ms;
      const pause = createPause(() => clock.elapsed());
      const listing = await fileIndex.look(mountedDirectory, world);
      const active = document && relativePath(mountedDirectory, document);
      const near = document === undefined ? '.' : relativePath(mountedDirectory, parentPath(document));
      const isPackage = packagesOf(asked, active);
      const names = await nearestFirst(listing, { query, near, isLast: isPackage, pause });
      const probes = createProbes(query);
      const shareOf = shareOfKinds(asked, active);
      const isLate = (): boolean => clock.elapsed() > deadline;
      const run = { probe: probes.probe, shareOf, limits, isLate, pause };
      const { found, searched, looked, ended } = await probeFiles(names, place, run);
      const { best, having } = bestProbed(found, { max: maxCounted, terms: probes.terms.length });
      const files = best.map((at) => found[at] as FoundFile);
      const { counted, compared } = await countFiles(files, place, { shareOf, pause });
      await nextTurn();
      const corpus = found.length > best.length ? { documents: searched, having } : undefined;
      const matches = bestMatches(query, counted, { corpus, shareOf });
      const uncompared = sayUncompared(best.length - compared, best.length, limits.comparedCharacters);
      const status = statusOf(names, { looked, ended, uncompared, isPackage }, listing.warnings);
      return { matches, status, warnings: [...listing.warnings] };
    },
  };
}

type FoundFile = ProbedFile & { name: string; share: number };

/**
 * The files that have something of the query. `searched`: how many were read. `looked`: how many were reached before a
 * limit `ended` this.
 */
async function probeFiles(
  names: readonly string[],
  place: Place,
  run: {
    probe(text: string): Probed | undefined;
    shareOf(name: string, text?: string): number;
    limits: KeywordLimits;
    isLate(): boolean;
    pause: Pause;
  },
) {
  const { without, exclude, isOver } = place;
  const { probe, shareOf, limits, isLate, pause } = run;
  const found: FoundFile[] = [];
  let looked = 0;
  let searched = 0;
  let left = limits.characters;
  let ended: string | undefined;
  while (looked < names.length) {
    if (looked >= limits.files) ended = `reads at most ${limits.files.toLocaleString('en-US')} files`;
    else if (left <= 0) ended = `reads at most ${limits.characters.toLocaleString('en-US')} characters`;
    else if (isLate()) ended = `takes at most ${limits.ms / 1_000} s`;
    if (ended !== undefined || isOver?.()) break;
    const batch = names.slice(looked, Math.min(looked + parallelReads, limits.files));
    const reads = await Promise.all(batch.map((name) => readText(name, place, shareOf)));
    looked += batch.length;
    for (const [index, snapshot] of reads.entries()) {
      if (snapshot === undefined || without.has(snapshot.path)) continue;
      const name = batch[index] as string;
      const { text: content = '' } = snapshot;
      left -= content.length;
      searched += 1;
      const [text, ofName] = [probe(content), probe(name)];
      if ((text || ofName) && !exclude?.(snapshot.path))
        found.push({ name, text, ofName, share: shareOf(name, content) });
      await pause();
    }
  }
  return { found, searched, looked, ended };
}

/** The share of what the query asks for that a match must have. The same share of many words is less often chance. */
function minScoreOf(terms: number): number {
  return Math.min(0.2, 0.5 / Math.sqrt(terms));
}

function bestMatches(
  query: string,
  counted: readonly Counted[],
  { corpus, shareOf }: { corpus: Corpus | undefined; shareOf(name: string, text?: string): number },
): { path: string; part?: Part }[] {
  const documents = counted.map(({ indexed }) => indexed.document);
  const minScore = minScoreOf(queryTerms(query).length);
  const scored = scoreDocuments(query, documents, corpus)
    .map(({ score, passage, inName, inDescription }, at) => {
      const { snapshot, indexed, pairs } = counted[at] as Counted;
      const share = shareOf(indexed.name, snapshot.text);
      const hints = pairs + inName + (share < 1 ? 0 : inDescription);
      return { at, passage, share, score: score * Math.exp(hintPower * hints) };
    })
    .filter(({ score }) => score >= minScore)
    .map(({ at, passage, share, score }) => ({ at, passage, score: score * share }));
  const sorted = scored.toSorted((a, b) => b.score - a.score || a.at - b.at);
  const min = (sorted[0]?.score ?? 0) * minShareOfBest;
  const seen = new Set<string>();
  const best: { path: string; part?: Part }[] = [];
  for (const { score, passage, at } of sorted) {
    if (score < min || best.length === fixedLimits.keywords.matches) break;
    const { snapshot, indexed } = counted[at] as Counted;
    const match = matchOf(snapshot, indexed, passage);
    // Copies of a file, and files that were copied and then changed elsewhere, have the same text here.
    const text = match.part?.truncated === false ? match.part.content : snapshot.sha256;
    if (!seen.has(text)) best.push(match);
    seen.add(text);
  }
  return best;
}

/** Reads with the limit that a chosen file has, so that it is read only once. Of a longer file, this is the beginning. */
async function readText(
  name: string,
  { mountedDirectory, world: { gate, reach, limits } }: Place,
  shareOf: (name: string) => number,
): Promise<FileSnapshot | undefined> {
  const { fileCharacters, sourceCharacters } = fixedLimits.keywords;
  const path = joinPath(mountedDirectory, name);
  const read = await gate.read(path, { ...reach, maxBytes: limits.fileBytes, isOneOfMany: true });
  if (!read.ok || read.snapshot.text === undefined) return undefined;
  const { length } = read.snapshot.text;
  return length <= fileCharacters || (length <= sourceCharacters && shareOf(name) >= 1) ? read.snapshot : undefined;
}

function matchOf(
  { path, text = '' }: FileSnapshot,
  { parts }: Indexed,
  passage: number,
): { path: string; part?: Part } {
  const part = parts[passage];
  const content = part === undefined ? beginningOf(text) : textOf(text, part).trimEnd();
  if (isShort(text) || content === text) return { path };
  const { start } = part ?? { start: 0 };
  const range = { startLine: start + 1, endLine: start + content.split('\n').length };
  return { path, part: { content, range, truncated: part === undefined } };
}
