/** The request and the answer of validation (`POST /v1/config/validate`; AP-08). */
import { z } from 'zod';
import { RequestPath, ResolveRequest } from '../context/resolve-request.ts';
import { Warning } from '../warnings.ts';

/** The kinds of files that can be checked. */
export const CheckedKind = z
  .enum(['context-config', 'ai-context-policy', 'context-file'])
  .describe('Kind of the file: a context configuration, a policy, or a context file.');
export type CheckedKind = z.infer<typeof CheckedKind>;

/**
 * A finding about a file. An `error`: the file, or a part of it, does not work as written. A `warning`: it is only
 * suspicious. Findings about the content of a file have a line and a column. Findings about a directory, a link or a
 * limit have none.
 */
export const Diagnostic = Warning.extend({
  severity: z
    .enum(['error', 'warning'])
    .describe('`error`: the file, or a part of it, does not work as written. `warning`: it looks wrong.'),
  consequences: z
    .array(Warning)
    .optional()
    .describe(
      'Effects of the finding on other files, for example files that a wrong policy blocks. These files need no fix.',
    ),
}).meta({ id: 'Diagnostic', description: 'A finding about a file, and how to fix it.' });
export type Diagnostic = z.infer<typeof Diagnostic>;

export const ValidateContentRequest = z
  .strictObject({
    kind: CheckedKind,
    content: z
      .string()
      .max(1024 * 1024)
      .describe('Text of the file. The file need not exist.'),
    path: RequestPath.optional().describe(
      'Path of the file, in any form. The extension tells JSON from YAML, and Markdown from plain text. Each finding contains this path. A context file at a place of another tool, such as `.cursor/rules/a.mdc`, is checked as that tool reads it.',
    ),
  })
  .meta({ id: 'ValidateContentRequest', description: 'Checks a text.' });
export type ValidateContentRequest = z.infer<typeof ValidateContentRequest>;

const ValidateTreeRequest = z
  .strictObject({
    mountedDirectory: RequestPath.describe('The directory to check, with everything below it: absolute, or `~/…`.'),
    clientContextPath: ResolveRequest.shape.clientContextPath,
  })
  .meta({ id: 'ValidateTreeRequest', description: 'Checks all files of a tree.' });

/** Only the first has `content`, which distinguishes the two. */
export const ValidateRequest = z.union([ValidateContentRequest, ValidateTreeRequest]);
export type ValidateRequest = z.infer<typeof ValidateRequest>;

export const ValidateResult = z
  .object({
    valid: z.boolean().describe('True if there are no errors. There may be warnings.'),
    diagnostics: z.array(Diagnostic).describe('The findings, sorted by path, line and column.'),
  })
  .meta({ id: 'ValidateResult', description: 'What is wrong, where, and how to fix it.' });
export type ValidateResult = z.infer<typeof ValidateResult>;
