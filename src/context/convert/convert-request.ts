/** The request for a conversion, and the plan that is its answer. It writes nothing. */
import { z } from 'zod';
import { Reason, Warning } from '../../warnings.ts';
import { formatNames, targetNames } from '../formats/format-names.ts';
import { mountedDirectory, ResolveRequest } from '../resolve-request.ts';

const sourceNames = ['context', ...formatNames];
const { clientContextPath, globalContextPath } = ResolveRequest.shape;

const ConvertTarget = z
  .enum(targetNames as [string, ...string[]], `must be one of ${targetNames.join(', ')}`)
  .meta({ id: 'ConvertTarget', description: 'Target of a conversion: `context`, or a format of another tool.' });

export const ConvertRequest = z
  .strictObject({
    mountedDirectory,
    to: ConvertTarget,
    from: z
      .array(z.enum(sourceNames as [string, ...string[]], `must be one of ${sourceNames.join(', ')}`))
      .min(1)
      .max(64)
      .optional()
      .describe('Formats to convert from. `context` means the context directory. Default: all formats that are read.'),
    clientContextPath,
    globalContextPath,
  })
  .meta({ id: 'ConvertRequest', description: 'Which rules to convert, and to which format.' });
export type ConvertRequest = z.infer<typeof ConvertRequest>;

const relative = z.string().describe('Path relative to the mounted directory.');

const Loss = z
  .object({
    path: relative,
    to: relative.describe('The written file that lacks it: path relative to the mounted directory.'),
    key: z.string().describe('What the other format cannot express: a key, `imports`, `links` or `boundaries`.'),
    line: z.int().min(1).optional().describe('Line of the body, counted from 1.'),
    message: z.string().describe('What happens to it, for people.'),
  })
  .meta({ id: 'ConvertLoss', description: 'Something in a rule that the other format cannot express.' });
export type Loss = z.infer<typeof Loss>;

const PlannedFile = z
  .object({
    path: relative,
    content: z.string().describe('Whole text of the file.'),
    from: z.array(z.string()).describe('The files that it is made from, relative to the mounted directory.'),
    replaces: z
      .string()
      .optional()
      .describe(
        'SHA-256 of the existing file, in hexadecimal. Present if `content` is the existing text with more text at the end.',
      ),
  })
  .meta({ id: 'PlannedFile', description: 'A file to write.' });
export type PlannedFile = z.infer<typeof PlannedFile>;

export const ConvertResult = z
  .object({
    mountedDirectory: z.string().describe('Absolute path.'),
    to: ConvertTarget,
    files: z
      .array(PlannedFile)
      .describe('Files to write, sorted by path. The client must check whether a file already exists.'),
    present: z
      .array(z.object({ path: relative, by: relative }))
      .describe('Rules that a file of the target format already contains.'),
    lost: z.array(Loss).describe('What the target format cannot express, by file and key.'),
    left: z.array(z.object({ path: relative, reason: Reason })).describe('Rules that are not converted, and why.'),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
  })
  .meta({ id: 'ConvertResult', description: 'What would be written, and what would be lost.' });
export type ConvertResult = z.infer<typeof ConvertResult>;
