/** What `explain` is asked and answers. */
import { z } from 'zod';
import { Step } from '../access/trace.ts';
import { Reason, Warning } from '../warnings.ts';
import { RequestPath, ResolveRequest } from './resolve-request.ts';

export const ExplainRequest = ResolveRequest.extend({
  path: RequestPath.optional().describe(
    'The one file to explain: relative to the mounted directory, absolute, or `~/…`. It need not exist and may lie anywhere. Default: every candidate.',
  ),
}).meta({ id: 'ExplainRequest', description: 'Why does this context apply, or why not?' });
export type ExplainRequest = z.infer<typeof ExplainRequest>;

export const Explanation = z
  .object({
    path: z.string().describe('Absolute path.'),
    verdict: z.enum(['active', 'available', 'excluded']).describe('What `resolve` says of it.'),
    reason: Reason,
    truncated: z
      .boolean()
      .optional()
      .describe(
        'Only the beginning of the file is used; the step `size` says where it was cut. Not for excluded files.',
      ),
    steps: z.array(Step).describe('The steps that led to the verdict, in their order.'),
  })
  .meta({ id: 'Explanation', description: 'A verdict and how it came about.' });
export type Explanation = z.infer<typeof Explanation>;

export const ExplainResult = z
  .object({
    candidates: z.array(Explanation).describe('Every candidate file by path, or the one that was asked for.'),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
  })
  .meta({ id: 'ExplainResult', description: 'Why files are active, available or excluded.' });
export type ExplainResult = z.infer<typeof ExplainResult>;
