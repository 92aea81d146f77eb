/** What a caller asks to have converted, and the plan that is answered. Nothing is written by it. */
import { z } from 'zod';
import { Reason, Warning } from '../../warnings.ts';
import { formatNames, targetNames } from '../formats/format-names.ts';
import { RequestPath, ResolveRequest } from '../resolve-request.ts';

const sourceNames = ['context', ...formatNames];
const { clientContextPath, globalContextPath } = ResolveRequest.shape;

export const ConvertTarget = z
  .enum(targetNames as [string, ...string[]], `must be one of ${targetNames.join(', ')}`)
  .meta({ id: 'ConvertTarget', description: 'What rules can be written as: `context`, or a format of another tool.' });

export const ConvertRequest = z
  .strictObject({
    mountedDirectory: RequestPath.describe('The project root: absolute, or starting with `~/`.'),
    to: ConvertTarget,
    from: z
      .array(z.enum(sourceNames as [string, ...string[]], `must be one of ${sourceNames.join(', ')}`))
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Formats whose rules are taken; `context` for those of the context directory. Default: all that are read.',
      ),
    clientContextPath,
    globalContextPath,
  })
  .meta({ id: 'ConvertRequest', description: 'Which rules are to be written in which format?' });
export type ConvertRequest = z.infer<typeof ConvertRequest>;

const relative = z.string().describe('Path relative to the mounted directory.');

const Loss = z
  .object({
    path: relative,
    to: relative.describe('The file in which it is lost, relative to the mounted directory.'),
    key: z.string().describe('What the other format cannot say: a key, `imports`, `links` or `boundaries`.'),
    line: z.int().min(1).optional().describe('Line of the body, counted from 1.'),
    message: z.string().describe('What becomes of it, for people.'),
  })
  .meta({ id: 'ConvertLoss', description: 'What a rule says and the other format cannot.' });
export type Loss = z.infer<typeof Loss>;

const PlannedFile = z
  .object({
    path: relative,
    content: z.string().describe('All of its text.'),
    from: z.array(z.string()).describe('The files that it is made from, relative to the mounted directory.'),
    replaces: z
      .string()
      .optional()
      .describe('SHA-256 of the present file, in hexadecimal, where `content` is its text with more behind it.'),
  })
  .meta({ id: 'PlannedFile', description: 'A file to write.' });
export type PlannedFile = z.infer<typeof PlannedFile>;

export const ConvertResult = z
  .object({
    mountedDirectory: z.string().describe('Absolute path.'),
    to: ConvertTarget,
    files: z
      .array(PlannedFile)
      .describe('Files to write, by path. Whether one is there already is for the writer to see.'),
    present: z
      .array(z.object({ path: relative, by: relative }))
      .describe('Rules that a file of the target says already.'),
    lost: z.array(Loss).describe('What the target cannot say, by file and key.'),
    left: z.array(z.object({ path: relative, reason: Reason })).describe('Rules that are not converted, and why.'),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
  })
  .meta({ id: 'ConvertResult', description: 'What would be written, and what would be lost.' });
export type ConvertResult = z.infer<typeof ConvertResult>;
