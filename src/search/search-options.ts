/** How much a search selects (SS-05 … SS-07). */
import { z } from 'zod';

export const SearchMode = z.enum(['semantic', 'keyword', 'hybrid']);
export type SearchMode = z.infer<typeof SearchMode>;

const score = z.number().min(0).max(1);

export const SearchOptions = z
  .strictObject({
    preset: z
      .enum(['aggressive', 'normal', 'conservative'])
      .optional()
      .describe('Defaults for the other options. Default: `normal`.'),
    mode: SearchMode.optional().describe('`semantic`: by meaning. `keyword`: by words. `hybrid` (default): both.'),
    topK: z.int().min(1).max(1000).optional().describe('Max items to consider, those that match best.'),
    topN: z
      .int()
      .min(0)
      .max(200)
      .optional()
      .describe('Max items to select. More items are selected if their score is at least `includeScore`.'),
    includeScore: score
      .optional()
      .describe(
        'Items with this score or a higher one are selected even beyond `topN`. An explicit value is enough without an explicit `minScore`, whatever the preset demands.',
      ),
    minScore: score
      .optional()
      .describe(
        'Items with a lower score are never selected. Without it, the preset decides. Then no item is selected that is far less probable than the best one, and in `semantic` none whose similarity does not stand out, unless an explicit `includeScore` is reached.',
      ),
  })
  .meta({ id: 'SearchOptions', description: 'How to search, and how much to select.' });
export type SearchOptions = z.infer<typeof SearchOptions>;

/** The options that have a value. */
export function definedOptions(options: SearchOptions): SearchOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
