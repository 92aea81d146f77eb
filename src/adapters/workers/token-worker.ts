/**
 * Runs in a worker thread. Counts tokens with gpt-tokenizer. Byte-pair merging takes quadratic time for a long run
 * without a break (100,000 times one letter: ten seconds). So a text is counted in pieces that end where every encoding
 * breaks anyway. A run of more than 1,024 characters without such a place is cut there, which can change the count by
 * one token.
 */
import { parentPort } from 'node:worker_threads';
import type { TokenEncoding } from '../../ports/token-encoding.ts';

type Encoding = {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
  clearMergeCache(): void;
};

const loaders: Record<TokenEncoding, () => Promise<Encoding>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  o200k_harmony: () => import('gpt-tokenizer/encoding/o200k_harmony'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  p50k_edit: () => import('gpt-tokenizer/encoding/p50k_edit'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
};

const pieceLength = 256;
const longestRun = 1_024;
const nothing = { disallowedSpecial: new Set<string>() };
/** Every encoding breaks between a letter and a character that is not a letter, mark or apostrophe. */
const safeBreak = /\p{L}(?=[^\p{L}\p{M}'’])/gu;

/** The pieces of a text, in order and complete. */
export function* splitForCounting(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceLength, text.length);
    if (end < text.length) {
      const limit = Math.min(start + longestRun, text.length);
      safeBreak.lastIndex = end;
      const found = safeBreak.exec(text.slice(0, limit + 1));
      end = found ? safeBreak.lastIndex : limit;
      // Never between the halves of a surrogate pair.
      if (/[\uD800-\uDBFF]/u.test(text.charAt(end - 1)) && end < text.length) end += 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** Tokens of one text. */
function countTokens(text: string, encoding: Encoding): number {
  let tokens = 0;
  for (const piece of splitForCounting(text)) tokens += encoding.countTokens(piece, nothing);
  return tokens;
}

parentPort?.on('message', async (message: { id: number; texts: string[]; encoding: TokenEncoding }) => {
  try {
    const encoding = await loaders[message.encoding]();
    const counts = message.texts.map((text) => countTokens(text, encoding));
    // The keys of the cache are slices, and each keeps its whole text in memory.
    encoding.clearMergeCache();
    parentPort?.postMessage({ id: message.id, counts });
  } catch (error) {
    parentPort?.postMessage({ id: message.id, problem: error instanceof Error ? error.message : String(error) });
  }
});
