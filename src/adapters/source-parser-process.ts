/** Runs as a process of its own: parses one text after the other, and loads the parser of a language when it first meets it. */
import type { SourceExtractor, SourceLanguage } from '../parsed-source.ts';
import type { ParseAnswer, ParseOrder } from './process-source-parser.ts';

const extractors = new Map<SourceLanguage, Promise<SourceExtractor>>();

async function loadExtractor(language: SourceLanguage): Promise<SourceExtractor> {
  if (language === 'typescript' || language === 'tsx' || language === 'javascript') {
    const { createOxcExtractor } = await import('./oxc-extractor.ts');
    return createOxcExtractor(language);
  }
  const { createTreeSitterExtractor } = await import('./tree-sitter-extractor.ts');
  return createTreeSitterExtractor(language);
}

async function answer({ id, language, text }: ParseOrder): Promise<ParseAnswer> {
  try {
    let extractor = extractors.get(language);
    if (extractor === undefined) {
      extractor = loadExtractor(language);
      extractors.set(language, extractor);
    }
    return { id, parsed: (await extractor)(text) };
  } catch (error) {
    return { id, problem: error instanceof Error ? error.message : String(error) };
  }
}

process.on('message', async (order: ParseOrder) => process.send?.(await answer(order)));
// Whoever asked is gone.
process.on('disconnect', () => process.exit());
