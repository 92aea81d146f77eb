/** The beginning of an item that is too large, up to a place where it can be cut. */
import { createHash } from 'node:crypto';
import type { TokenCounts } from '../budget/token-counts.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { ContextItem } from './context-result.ts';
import { blocksOf, linesOf } from './joints.ts';
import { type Rendering, renderItem } from './render-items.ts';

/** A smaller piece says nothing. */
const fewestTokens = 100;
/** Stands where the rest is left out. */
const mark = '…\n';

type Cutting = {
  rendering: Rendering;
  encoding: TokenEncoding;
  tokenCounts: TokenCounts;
  /** The coarsest pieces of the content: sections, or definitions. */
  piecesOf(item: ContextItem): Promise<readonly string[]>;
};

export function createCut({ rendering, encoding, tokenCounts, piecesOf }: Cutting) {
  const count = async (texts: readonly string[]): Promise<number[]> => {
    const keyed = texts.map((text) => ({ key: hashOf(text), text }));
    return (await tokenCounts.count(keyed, encoding)).counts;
  };
  const rendered = (item: ContextItem, content: string): string => renderItem({ ...item, content }, rendering);

  return async <Item extends ContextItem>(item: Item, maxTokens: number): Promise<Item | undefined> => {
    if (maxTokens < fewestTokens) return undefined;
    const [frame = 0] = await count([rendered(item, mark)]);
    const room = maxTokens - frame;
    const levels = [() => piecesOf(item), async () => blocksOf(item.content), async () => linesOf(item.content)];
    for (const level of levels) {
      const pieces = await level();
      const counts = await count(pieces);
      let taken = 0;
      let tokens = 0;
      while (taken < pieces.length - 1 && tokens + (counts[taken] as number) <= room) {
        tokens += counts[taken] as number;
        taken += 1;
      }
      // Put together, pieces can have a few tokens more than each by itself.
      for (; taken > 0; taken -= 1) {
        const content = `${withEnd(pieces.slice(0, taken).join(''))}${mark}`;
        const [whole = 0] = await count([rendered(item, content)]);
        if (whole <= maxTokens) return { ...item, content, tokens: whole, sha256: hashOf(content), truncated: true };
      }
    }
    return undefined;
  };
}

function withEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
