/** The answer of `retrieve` (RT-01, RT-04, RT-05). */
import { z } from 'zod';
import { SemanticStatus } from '../context/resolve-result.ts';
import { Reason, Warning } from '../warnings.ts';

export const Origin = z
  .enum(['supplementary', 'open-tab', 'import', 'search'])
  .describe('Where it comes from: the list of the user, an open tab, an import of the active document, or the query.');
export type Origin = z.infer<typeof Origin>;

export const RetrievedItem = z
  .object({
    origin: Origin,
    path: z.string().describe('Absolute path.'),
    relativePath: z.string().describe('Path relative to the mounted directory.'),
    content: z.string().describe('Text of the item.'),
    language: z.string().optional().describe('Language of the content, if the file name shows it.'),
    tokens: z.int().min(0).describe('Tokens of the content.'),
    truncated: z.boolean().describe('True if the file is too large and the content is only its beginning.'),
    range: z
      .object({
        startLine: z.int().min(1).describe('First line.'),
        endLine: z.int().min(1).describe('Last line, which is included.'),
      })
      .optional()
      .describe(
        'The lines, counted from 1, from which the content was taken. Absent if the content is the whole file. Lines between the definitions are left out and marked with `…`.',
      ),
  })
  .meta({ id: 'RetrievedItem', description: 'A file, or a part of a file, for the prompt.' });
export type RetrievedItem = z.infer<typeof RetrievedItem>;

export const OmittedItem = z
  .object({
    origin: Origin,
    path: z.string().describe('Absolute path. For an import that leads nowhere: the import as written.'),
    reason: Reason.describe(
      '`over_budget`, `excluded_by_config` (a configuration excludes it), `blocked_by_policy`, `blocked_by_ignore_file`, `sensitive`, `configuration` (its text is never delivered), `not_found`, `unreadable`, `symlink`, `not_regular_file`, `binary`, `invalid_utf8`, `outside_roots`, `parse_failed`, `parse_timeout`, `outside_workspace` (the import leads above the mounted directory, where contextd does not look), `unsupported` (contextd cannot tell what the import means), `limit_reached`.',
    ),
    tokens: z.int().min(0).optional().describe('Tokens that it would have used, if known.'),
  })
  .meta({ id: 'OmittedItem', description: 'Something that was found but left out.' });
export type OmittedItem = z.infer<typeof OmittedItem>;

export const RetrieveResult = z
  .object({
    items: z
      .array(RetrievedItem)
      .describe('The items: files the user added, open tabs, imports, files from search. Each path occurs only once.'),
    omitted: z.array(OmittedItem).describe('What was left out, in the order in which it was found.'),
    usage: z
      .object({
        tokens: z.int().min(0).describe('Tokens of all items.'),
        maxTokens: z.int().min(0).optional().describe('The budget that was asked for.'),
      })
      .describe('What the items cost.'),
    warnings: z
      .array(Warning)
      .describe(
        'Mistakes in the user’s files and limits that were reached. `unsupported_language`: there is no parser for the language of the active document.',
      ),
    activeDocument: z
      .object({
        allowed: z.boolean().describe('Whether the document may be used.'),
        reason: Reason.optional().describe(
          'Why the document may not be used: `sensitive`, `blocked_by_policy`, `blocked_by_ignore_file`, or `outside_roots` (it is outside the mounted directory). The answer then has none of its imports, even if the request had its content.',
        ),
      })
      .optional()
      .describe('The decision about the active document. Absent if there is none.'),
    semantic: SemanticStatus.optional(),
  })
  .meta({ id: 'RetrieveResult', description: 'The context of a prompt, and what was left out.' });
export type RetrieveResult = z.infer<typeof RetrieveResult>;
