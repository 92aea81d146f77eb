/** Extracts imports and definitions of TypeScript and JavaScript with oxc. */
import { parseSync } from 'oxc-parser';
import type { SourceExtractor, SourceLanguage } from '../parsed-source.ts';

export function createOxcExtractor(language: SourceLanguage): SourceExtractor {
  return (text) => {
    parseSync(`a.${language === 'typescript' ? 'ts' : 'tsx'}`, text);
    return { imports: [], definitions: [] };
  };
}
