/** Loads the parser of a language. */
import type { SourceExtractor, SourceLanguage } from '../../ports/parsed-source.ts';

export async function loadExtractor(language: SourceLanguage): Promise<SourceExtractor> {
  if (language === 'typescript' || language === 'tsx' || language === 'javascript') {
    const { createOxcExtractor } = await import('./oxc-extractor.ts');
    return createOxcExtractor(language);
  }
  if (language === 'vue' || language === 'svelte' || language === 'astro') {
    const { longComponent, onlyMarkup, onlyScripts } = await import('./component-scripts.ts');
    const { createOxcExtractor } = await import('./oxc-extractor.ts');
    const extract = createOxcExtractor('typescript');
    return (text) => {
      const parsed = extract(onlyScripts(text, language), onlyMarkup(text, language));
      const component = longComponent(text, language, parsed.definitions);
      return component ? { ...parsed, definitions: [component, ...parsed.definitions] } : parsed;
    };
  }
  const { createTreeSitterExtractor } = await import('./tree-sitter-extractor.ts');
  return createTreeSitterExtractor(language);
}
