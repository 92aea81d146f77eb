/** The request and the answer of `explain`. */
import { z } from 'zod';
import { Step } from '../access/trace.ts';
import { Reason, Warning } from '../warnings.ts';
import { RequestPath, ResolveRequest } from './resolve-request.ts';

export const ExplainRequest = ResolveRequest.extend({
  path: RequestPath.optional().describe(
    'The one file to explain: relative to the mounted directory, absolute, or `~/…`. It need not exist and may be anywhere. Default: every candidate.',
  ),
}).meta({ id: 'ExplainRequest', description: 'Asks why context files apply or do not apply.' });
export type ExplainRequest = z.infer<typeof ExplainRequest>;

export const Explanation = z
  .object({
    path: z.string().describe('Absolute path.'),
    verdict: z.enum(['active', 'available', 'excluded']).describe('What `resolve` says about the file.'),
    reason: Reason,
    truncated: z
      .boolean()
      .optional()
      .describe(
        'True if only the beginning of the file is used. The step `size` says where the file was cut. Absent for excluded files.',
      ),
    steps: z.array(Step).describe('The steps that led to the verdict, in order.'),
  })
  .meta({ id: 'Explanation', description: 'A verdict, and the steps that led to it.' });
export type Explanation = z.infer<typeof Explanation>;

export const ExplainResult = z
  .object({
    candidates: z.array(Explanation).describe('All candidate files, sorted by path, or the one file of the request.'),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
  })
  .meta({ id: 'ExplainResult', description: 'Why files are active, available or excluded.' });
export type ExplainResult = z.infer<typeof ExplainResult>;
