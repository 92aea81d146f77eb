/**
 * Runs as a separate process. Parses one text after the other, and loads the parser of a language when it is first
 * needed.
 */
import { boundedSource, type SourceExtractor, type SourceLanguage } from '../../ports/parsed-source.ts';
import { loadExtractor } from './load-extractor.ts';
import type { ParseAnswer, ParseOrder } from './process-source-parser.ts';

const extractors = new Map<SourceLanguage, SourceExtractor>();

/** Resolves when the message is sent, because parsing then blocks the event loop. */
const send = (answer: ParseAnswer): Promise<void> =>
  new Promise((resolve) => process.send?.(answer, undefined, undefined, () => resolve()));

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
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}

process.on('message', async (order: ParseOrder) => send(await answer(order)));
// The daemon is gone.
process.on('disconnect', () => process.exit());
