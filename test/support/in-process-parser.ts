import { loadExtractor } from '../../src/adapters/source/load-extractor.ts';
import { boundedSource, type SourceLanguage } from '../../src/ports/parsed-source.ts';
import type { SourceParser } from '../../src/ports/ports.ts';

type InProcessParser = SourceParser & {
  /** What was parsed, in order. */
  parsed: { language: SourceLanguage; text: string }[];
};

/** The real parsers without a process of their own: `before` is told of each text, and may fail it. */
export function createInProcessParser(before: (text: string) => void | Promise<void> = () => {}): InProcessParser {
  const parsed: InProcessParser['parsed'] = [];
  return {
    parsed,
    async parse(source) {
      await before(source.text);
      parsed.push(source);
      const extract = await loadExtractor(source.language);
      return boundedSource(extract(source.text));
    },
    figures: () => ({ starts: 0, failures: 0 }),
    dispose() {},
  };
}
