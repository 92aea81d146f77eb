/** Search over items by words (SS-07). What an item says is counted once for as long as it is unchanged. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts';
import { chunkItem, indexedText } from './chunk.ts';
import { type IndexedDocument, indexDocument, type KeywordScore, scoreDocuments } from './keyword-scores.ts';
import type { SearchItem } from './search-item.ts';

export type KeywordIndex = {
  /** A score for each item, in their order; `passage` is the index of its best chunk. */
  score(query: string, items: readonly SearchItem[]): Promise<KeywordScore[]>;
};

/** In bytes, about. */
const maxIndexBytes = 128 * 1024 * 1024;
/** How long counting may hold one turn of the event loop. */
const mostHeldMs = 8;

export function createKeywordIndex(): KeywordIndex {
  const known: BoundedCache<IndexedDocument> = createBoundedCache({ maxWeight: maxIndexBytes, maxEntries: 100_000 });
  const underWay = new Map<string, Promise<IndexedDocument>>();

  const index = (key: string, item: SearchItem, pause: Pause): Promise<IndexedDocument> => {
    const indexing = indexDocument(documentOf(item), pause)
      .then((document) => {
        known.set(key, document, document.weight);
        return document;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, indexing);
    return indexing;
  };

  return {
    async score(query, items) {
      const pause = createPause();
      const documents: IndexedDocument[] = [];
      for (const item of items) {
        const key = `${item.type === 'tool' ? 'tool' : 'text'} ${item.sha256}`;
        documents.push(known.get(key) ?? (await (underWay.get(key) ?? index(key, item, pause))));
      }
      return scoreDocuments(query, documents);
    },
  };
}

/** The chunks are the passages; name and description, with which the first begins, are fields of their own. */
function documentOf(item: SearchItem): { name: string; description: string; passages: string[] } {
  const title = indexedText({ ...item, text: '' });
  const passages = chunkItem(item);
  if (passages[0]?.startsWith(title)) passages[0] = passages[0].slice(title.length);
  return { name: `${item.serverName ?? ''} ${item.name}`, description: item.description, passages };
}

type Pause = () => Promise<void> | undefined;

/** Lets others have the event loop when it was held for long. */
function createPause(): Pause {
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < mostHeldMs) return undefined;
    return nextTurn().then(() => {
      sinceMs = performance.now();
    });
  };
}
