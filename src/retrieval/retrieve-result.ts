/** What `retrieve` answers (RT-01, RT-04, RT-05). */
import { z } from 'zod';
import { SemanticStatus } from '../context/resolve-result.ts';
import { Reason, Warning } from '../warnings.ts';

export const origins = ['supplementary', 'open-tab', 'import', 'search'] as const;
export const Origin = z
  .enum(origins)
  .describe('Why it is there: the user’s list, an open tab, an import of the active document, or the query.');
export type Origin = z.infer<typeof Origin>;

export const RetrievedItem = z
  .object({
    origin: Origin,
    path: z.string().describe('Absolute path.'),
    relativePath: z.string().describe('Path relative to the mounted directory.'),
    content: z.string().describe('What goes with the prompt.'),
    language: z.string().optional().describe('Language of the content, where its file name tells.'),
    tokens: z.int().min(0).describe('Tokens of the content.'),
    truncated: z.boolean().describe('Whether the file is larger than may be read and this is its beginning.'),
    range: z
      .object({
        startLine: z.int().min(1).describe('First line.'),
        endLine: z.int().min(1).describe('Last line, which belongs to it.'),
      })
      .optional()
      .describe(
        'The lines, counted from 1, from which the content was taken. Absent if the content is the whole file. Lines between the definitions are left out and marked with `…`.',
      ),
  })
  .meta({ id: 'RetrievedItem', description: 'A file, or a part of it, that goes with the prompt.' });
export type RetrievedItem = z.infer<typeof RetrievedItem>;

export const OmittedItem = z
  .object({
    origin: Origin,
    path: z.string().describe('Absolute path; of an import that leads nowhere, what is written there.'),
    reason: Reason.describe(
      '`over_budget`, `excluded_by_config` (a configuration leaves it out of what is found), `blocked_by_policy`, `blocked_by_ignore_file`, `sensitive`, `configuration` (its text is never delivered), `not_found`, `unreadable`, `symlink`, `not_regular_file`, `binary`, `invalid_utf8`, `outside_roots`, `parse_failed`, `parse_timeout`, `outside_workspace` (an import leads above the mounted directory, where nothing is looked at), `unsupported` (what an import means cannot be told), `limit_reached`.',
    ),
    tokens: z.int().min(0).optional().describe('Tokens it would have cost, where that is known.'),
  })
  .meta({ id: 'OmittedItem', description: 'What was found and does not go with the prompt.' });
export type OmittedItem = z.infer<typeof OmittedItem>;

export const RetrieveResult = z
  .object({
    items: z.array(RetrievedItem).describe('What goes with the prompt, most important first. Each path once.'),
    omitted: z.array(OmittedItem).describe('What does not, in the order in which it was found.'),
    usage: z
      .object({
        tokens: z.int().min(0).describe('Tokens of all items.'),
        maxTokens: z.int().min(0).optional().describe('The budget that was asked for.'),
      })
      .describe('What the items cost.'),
    warnings: z
      .array(Warning)
      .describe(
        'Mistakes in the user’s files and limits that were reached; `unsupported_language` where there is no parser for the language of the active document.',
      ),
    activeDocument: z
      .object({
        allowed: z.boolean().describe('Whether anything of it may be used.'),
        reason: Reason.optional().describe(
          'Why it may not be used: `sensitive`, `blocked_by_policy`, `blocked_by_ignore_file`, or `outside_roots` (it is outside the mounted directory). Its imports are then not in the answer, even if the request had its content.',
        ),
      })
      .optional()
      .describe('What was decided about the active document; absent where there is none.'),
    semantic: SemanticStatus.optional(),
  })
  .meta({ id: 'RetrieveResult', description: 'The context that goes with a prompt, and what was left out of it.' });
export type RetrieveResult = z.infer<typeof RetrieveResult>;
