/** A context file as the answer shows it. */
import { z } from 'zod';
import { Reason } from '../warnings.ts';
import { FormatName } from './formats/choose-formats.ts';
import { ItemType, priorityRange, Scope, Trigger } from './item-values.ts';
import { Part } from './offered-part.ts';

export const Importer = z
  .object({
    path: z.string().describe('Absolute path of the file that imports.'),
    line: z.int().min(1).describe('Line in that file, counted from 1.'),
  })
  .meta({ id: 'Importer', description: 'Where a rule file imports another file.' });
export type Importer = z.infer<typeof Importer>;

export const ContextFile = z
  .object({
    name: z.string().describe('Name of the item. A request can mention it by this name.'),
    type: ItemType,
    path: z.string().describe('Absolute path.'),
    relativePath: z.string().describe('Path relative to the mounted directory; `~/…` for files of the global scope.'),
    scope: Scope,
    source: z
      .enum(['context-directory', 'format', 'include', 'import'])
      .describe(
        'How the file was found: in a context directory, as a rule file of another tool, by an `includeFiles` pattern, or because a file of another tool imports it.',
      ),
    format: FormatName.optional().describe(
      'The name of the format, for a rule file of another tool and for a file that is only imported.',
    ),
    importedBy: z.array(Importer).optional().describe('Lines of rule files that import this file.'),
    owner: z.string().describe('Absolute path of the directory that contains the context directory of this file.'),
    trigger: Trigger,
    description: z.string().describe('Description from the front matter. Empty if there is none.'),
    instructions: z
      .string()
      .optional()
      .describe('What the model is told about an `agent` file, if it differs from the description.'),
    globs: z.array(z.string()).describe('Glob patterns of the files that the context applies to. `*` means all files.'),
    priority: z.int().min(priorityRange.lowest).max(priorityRange.highest).describe('A lower number comes first.'),
    properties: z.record(z.string(), z.unknown()).describe('Front-matter keys that contextd does not use, as written.'),
    state: z
      .enum(['active', 'available'])
      .describe('`active`: the model should see the file. `available`: a request can ask for the file.'),
    reason: Reason,
    similarityScore: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Relevance to the query, for files that the query selected.'),
    content: z
      .string()
      .optional()
      .describe(
        'Body without front matter, or the `part` of the body that is delivered. Only for active files, and not with `content: false`.',
      ),
    supportingFiles: z
      .array(z.string())
      .optional()
      .describe(
        'Other files in the folder of a skill, relative to the folder. To get such a file, put its path or `<name of the skill>/<file>` into `mentions`.',
      ),
    bytes: z.int().min(0).describe('Size of the whole file in bytes.'),
    part: Part.optional(),
    tokens: z.int().min(0).describe('Tokens of the body, or of its `part`, in the encoding of the budget.'),
    wholeTokens: z.int().min(0).optional().describe('Tokens of the whole body, if only a part of it is delivered.'),
    truncated: z.boolean().describe('True if the file is larger than the limit and only its beginning is delivered.'),
    sha256: z.string().describe('SHA-256 of the bytes that were read, in hexadecimal.'),
  })
  .meta({ id: 'ContextFile', description: 'A file of the context, its state, and the reason for the state.' });
export type ContextFile = z.infer<typeof ContextFile>;
