/** Extracts imports and definitions with tree-sitter. */
import type { SourceExtractor, SourceLanguage } from '../parsed-source.ts';

/** The extractor of a language other than TypeScript and JavaScript. Rejects when its grammar cannot be loaded. */
export async function createTreeSitterExtractor(language: SourceLanguage): Promise<SourceExtractor> {
  throw new Error(`There is no parser for ${language} yet.`);
}
