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
      .describe('What the others are where not given. Default: `normal`.'),
    mode: SearchMode.optional().describe('By meaning, by words, or both. Default `hybrid`.'),
    topK: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Matching chunks that are considered; of one item no more than `topK / topN`.'),
    topN: z.int().min(0).max(200).optional().describe('Items that are selected, besides those of `includeScore`.'),
    includeScore: score.optional().describe('Items with this score or a higher one are always selected.'),
    minScore: score.optional().describe('Items with a lower score are never selected.'),
  })
  .meta({ id: 'SearchOptions', description: 'How to search, and how much to select.' });
export type SearchOptions = z.infer<typeof SearchOptions>;
