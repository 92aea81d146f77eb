/** Finds parts of the workspace's files that have the words of a query (RT-02, "search-based context"). */
import { createBoundedCache } from '../bounded-cache.ts';
import type { World } from '../context/world.ts';
import type { FileSnapshot } from '../gate.ts';
import { joinPath } from '../paths.ts';
import type { Clock } from '../ports.ts';
import { type IndexedDocument, indexDocument, scoreDocuments } from '../search/keyword-scores.ts';
import { type FileIndex, filesBelow } from '../supplementary/file-index.ts';
import { createPause, nextTurn, type Pause } from '../turns.ts';
import type { Part } from './fetch.ts';
import type { Found } from './retrieve.ts';

/** Upper bounds of one search. */
const maxFiles = 5_000;
const maxFileBytes = 256 * 1024;
const searchMs = 2_500;
const maxMatches = 8;
const parallelReads = 32;
/** A match must have this part of what is asked for, and of what the best match has. */
const minScore = 0.2;
const minShareOfBest = 0.5;
/** A part of a file ends at an empty line once it has so many lines, and anyway when it has so many. */
const partLines = { least: 20, most: 40 };
const neverText =
  /\.(?:png|jpe?g|gif|webp|ico|pdf|zip|gz|tgz|wasm|woff2?|ttf|otf|mp[34]|webm|mov|so|dylib|dll|exe|class|jar|sqlite|db|lock|map|snap|min\.\w+)$/iu;

export type KeywordContext = {
  /** `isOver`: nobody waits for it any more. */
  search(
    query: string,
    place: { mountedDirectory: string; world: World; without: ReadonlySet<string>; isOver?(): boolean },
  ): Promise<Found>;
};

type Indexed = { sha256: string; document: IndexedDocument; starts: readonly number[] };

/** What the text of a file says is counted once for as long as it is unchanged. */
export function createKeywordContext(ports: { clock: Clock; fileIndex: FileIndex }): KeywordContext {
  const { clock, fileIndex } = ports;
  const known = createBoundedCache<Indexed>({ maxWeight: 96 * 1024 * 1024, maxEntries: 20_000 });

  const indexFile = async (snapshot: FileSnapshot, name: string, pause: Pause) => {
    const { sha256 } = snapshot;
    const key = JSON.stringify([name, snapshot.path]);
    const before = known.get(key);
    if (before?.sha256 === sha256) return before;
    const parts = splitParts(snapshot.text ?? '');
    const document = await indexDocument({ name, description: '', passages: parts.map(({ text }) => text) }, pause);
    const indexed = { sha256, document, starts: parts.map(({ start }) => start) };
    known.set(key, indexed, document.weight + 8 * parts.length);
    return indexed;
  };

  return {
    async search(query, { mountedDirectory, world, without, isOver = () => false }) {
      const deadline = clock.elapsed() + searchMs;
      const pause = createPause(() => clock.elapsed());
      const listing = await fileIndex.look(mountedDirectory, world);
      const names = await namedFirst(filesBelow(listing, ''), query, pause);
      const searched: { name: string; snapshot: FileSnapshot; indexed: Indexed }[] = [];
      let looked = 0;
      for (
        ;
        looked < Math.min(names.length, maxFiles) && clock.elapsed() <= deadline && !isOver();
        looked += parallelReads
      ) {
        const batch = names.slice(looked, Math.min(looked + parallelReads, maxFiles));
        const reads = await Promise.all(batch.map((name) => readText(joinPath(mountedDirectory, name), world)));
        for (const [index, snapshot] of reads.entries()) {
          const name = batch[index] as string;
          if (snapshot === undefined || without.has(snapshot.path)) continue;
          searched.push({ name, snapshot, indexed: await indexFile(snapshot, name, pause) });
        }
        await pause();
      }
      const documents = searched.map(({ indexed }) => indexed.document);
      await nextTurn();
      const scored = scoreDocuments(query, documents).map((score, at) => ({ ...score, at }));
      const best = scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, maxMatches);
      const least = Math.max(minScore, (best[0]?.score ?? 0) * minShareOfBest);
      const matches = best.flatMap(({ score, passage, at }) => {
        const { snapshot, indexed } = searched[at] as (typeof searched)[number];
        return score < least ? [] : [matchOf(snapshot, indexed, passage)];
      });
      const left = names.length - Math.min(names.length, looked, maxFiles);
      const status =
        left > 0
          ? {
              status: 'degraded' as const,
              engine: 'keyword',
              detail: `${left} of ${names.length} files were not searched.`,
            }
          : { status: 'ready' as const, engine: 'keyword' };
      return { matches, status, warnings: [...listing.warnings] };
    },
  };
}

/** Files that may be text. When they are more than can be searched, those with a word of the query in their path come first. */
async function namedFirst(files: Iterable<string>, query: string, pause: Pause): Promise<string[]> {
  const asked = query.slice(0, 1_000).toLowerCase();
  const words = asked.match(/[\p{L}\p{N}]{4,}/gu) ?? [];
  const all: string[] = [];
  const named = new Set<string>();
  for (const name of files) {
    if (all.length % 512 === 511) await pause();
    if (neverText.test(name)) continue;
    all.push(name);
    const lower = name.toLowerCase();
    if (words.some((word) => lower.includes(word))) named.add(name);
  }
  return all.length <= maxFiles ? all : [...named, ...all.filter((name) => !named.has(name))];
}

/** Read as it will be if it is chosen, so that it is read once. */
async function readText(path: string, { gate, reach, limits }: World): Promise<FileSnapshot | undefined> {
  const read = await gate.read(path, { ...reach, maxBytes: limits.fileBytes });
  return read.ok && read.snapshot.text !== undefined && read.snapshot.bytes <= maxFileBytes ? read.snapshot : undefined;
}

function matchOf(
  { path, text = '' }: FileSnapshot,
  { starts }: Indexed,
  passage: number,
): { path: string; part?: Part } {
  const lines = text.split('\n');
  if (lines.length <= partLines.most) return { path };
  const start = starts[passage] ?? 0;
  const end = starts[passage + 1] ?? lines.length;
  const content = lines.slice(start, end).join('\n').trimEnd();
  return { path, part: { content, range: { startLine: start + 1, endLine: start + content.split('\n').length } } };
}

/** Consecutive parts of a text; `start` counts lines from 0. */
function splitParts(text: string): { start: number; text: string }[] {
  const lines = text.split('\n');
  const parts: { start: number; text: string }[] = [];
  let start = 0;
  for (let at = 1; at <= lines.length; at += 1) {
    const length = at - start;
    const isBreak = length >= partLines.least && (lines[at - 1] ?? '').trim() === '';
    if (at < lines.length && !isBreak && length < partLines.most) continue;
    parts.push({ start, text: lines.slice(start, at).join('\n') });
    start = at;
  }
  return parts;
}
