/** Parsed source texts. Each text is parsed once while it is cached (RT-02). */
import { hash } from 'node:crypto';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { type ParsedSource, ParseFailure, type SourceLanguage } from '../ports/parsed-source.ts';
import type { Clock, SourceParser } from '../ports/ports.ts';

/** `sha256`: the hash of the text, if it is known. */
export type SourceText = { text: string; sha256?: string | undefined };

export type ParsedSources = {
  /**
   * Rejects with a `ParseFailure`. A text that failed twice is not parsed again for some minutes. `beforeParsing`,
   * which may throw, is called only if the text is not cached.
   */
  parse(source: SourceText, language: SourceLanguage, beforeParsing?: () => void): Promise<ParsedSource>;
};

/**
 * The failure may have been the machine's, for example without free memory. So the text is tried again after this time.
 */
const retryMs = 5 * 60_000;

export function createParsedSources(
  sourceParser: Pick<SourceParser, 'parse'> | undefined,
  clock: Pick<Clock, 'elapsed'>,
): ParsedSources {
  const known = createBoundedCache<Promise<ParsedSource>>({
    maxWeight: 32 * 1024 * 1024,
    maxEntries: 20_000,
    maxUnusedMs: 60 * 60_000,
  });
  const failed = createBoundedCache<{ atMs: number }>({ maxWeight: 1_000, maxEntries: 1_000 });
  return {
    async parse({ text, sha256 = hash('sha256', text) }, language, beforeParsing) {
      if (sourceParser === undefined) throw new ParseFailure('parse_failed', 'There is no parser.');
      const key = `${language}:${sha256}`;
      const failure = failed.get(key);
      if (failure !== undefined && clock.elapsed() - failure.atMs >= retryMs) {
        failed.remove(key);
        known.remove(key);
      }
      const before = known.get(key);
      if (before) return before;
      beforeParsing?.();
      const parsed = sourceParser.parse({ language, text }).then((result) => {
        known.set(key, parsed, weightOf(result, text));
        // The machine may have been busy.
        if (result.readLines !== undefined) failed.set(key, { atMs: clock.elapsed() }, 1);
        return result;
      });
      known.set(key, parsed, 256 + text.length);
      parsed.catch((error: unknown) => {
        const isOfText = !(error instanceof ParseFailure) || error.isOfText;
        // A first failure may have been the machine's. A text that fails again would cost every request time.
        if (!isOfText || failed.get(key) === undefined) known.remove(key);
        if (isOfText) failed.set(key, { atMs: clock.elapsed() }, 1);
      });
      return parsed;
    },
  };
}

/** The approximate bytes. Many definitions of a short text can take more than the text. */
export function weightOf({ imports, definitions, exports = [] }: ParsedSource, text: string): number {
  return 256 + text.length + 200 * (imports.length + definitions.length + exports.length);
}
