/** Prepares items of which only a part is sent. */
import type { CatalogItem } from '../agent/catalog-item.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import { type OfferedPart, textOfPart, wordsOfPart } from '../context/offered-part.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { Reason } from '../warnings.ts';
import type { ChosenItem } from './choose-items.ts';
import { modelText } from './model-messages.ts';
import { itemMessage } from './request-messages.ts';

/** `text` is sent instead of the whole text, which would cost `wholeTokens`. */
export type SentPart = { part: OfferedPart['part']; text: string; wholeTokens: number };

/** Whole items stay unchanged. `estimated`: tokens could only be estimated. */
export async function sendParts<Chosen extends ChosenItem>(
  chosen: readonly Chosen[],
  { tokenCounts, encoding }: { tokenCounts: TokenCounts; encoding: TokenEncoding },
): Promise<{ chosen: (Chosen & { sent?: SentPart })[]; estimated: boolean }> {
  const offered = chosen.filter(({ part }) => part !== undefined);
  if (offered.length === 0) return { chosen: [...chosen], estimated: false };
  const { counts, estimated } = await tokenCounts.count(
    offered.map(({ item }) => ({ key: itemKey(item), text: sentText(item) })),
    encoding,
  );
  const tokens = new Map(offered.map(({ item }, at) => [item, counts[at] ?? 0]));
  const sent = chosen.map((each) => {
    const { item, part, reason } = each;
    if (part === undefined) return each;
    const wholeTokens = tokens.get(item) ?? 0;
    const { name, path, searchItem } = item;
    const text = textOfPart(part, { name, path, description: searchItem.description, wholeTokens });
    return {
      ...each,
      reason: withWords(reason, wordsOfPart(part, wholeTokens)),
      sent: { part: part.part, text, wholeTokens },
    };
  });
  return { chosen: sent, estimated };
}

function withWords({ code, detail }: Reason, words: string): Reason {
  return { code, detail: detail === undefined ? words : `${detail}; ${words}` };
}

/** The key for the count of tokens of `sentText`. */
export function itemKey({ type, sha256 }: CatalogItem): string {
  return `${type}:${sha256}`;
}

/** The text of an item for counting its tokens. */
export function sentText({ type, text, name, description, inputSchema }: CatalogItem): string {
  return type === 'tool' ? JSON.stringify({ name, description, inputSchema }) : modelText(itemMessage({ type, text }));
}
