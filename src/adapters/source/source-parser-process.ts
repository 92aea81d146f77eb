/**
 * Runs as a separate process. Parses one text after the other, and loads the parser of a language when it is first
 * needed.
 */
import { boundedSource, type SourceExtractor, type SourceLanguage } from '../../ports/parsed-source.ts';
import { loadExtractor } from './load-extractor.ts';
import type { ParseAnswer, ParseOrder } from './process-source-parser.ts';
import { RuntimeError } from './web-assembly.ts';

const extractors = new Map<SourceLanguage, SourceExtractor>();

/** Resolves when the message is sent, because parsing then blocks the event loop. */
const send = (answer: ParseAnswer): Promise<void> =>
  new Promise((resolve) => process.send?.(answer, undefined, undefined, () => resolve()));

const mostBytes = 384 * 1024 * 1024;

/**
 * Counts the memory of the parsers in WebAssembly, and of JavaScript. All that the process takes would be too much: for
 * a while, V8 takes gigabytes to optimize large functions of some parsers (Java, Swift). The parser of TypeScript keeps
 * what one text needed, and uses it again.
 */
function isTooLarge(): boolean {
  const { external, heapTotal } = process.memoryUsage();
  return external + heapTotal > mostBytes;
}

async function answer({ id, language, text }: ParseOrder): Promise<ParseAnswer> {
  try {
    let extractor = extractors.get(language);
    if (extractor === undefined) {
      extractor = await loadExtractor(language);
      extractors.set(language, extractor);
      await send({ id, loaded: true });
    }
    return { id, parsed: boundedSource(extractor(text)) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    // After a failure inside of it, WebAssembly is in no known state.
    return { id, problem, ...(error instanceof RuntimeError && { isSpent: true as const }) };
  }
}

process.on('message', async (order: ParseOrder) => {
  const answered = await answer(order);
  await send(isTooLarge() ? { ...answered, isSpent: true } : answered);
});
// The daemon is gone.
process.on('disconnect', () => process.exit());
