/** The request of `retrieve` (RT-01). Strict. */
import { z } from 'zod';
import { RequestPath, ResolveRequest } from '../context/resolve-request.ts';
import { TokenEncoding } from '../ports/token-encoding.ts';

export const ImportMode = z
  .enum(['files', 'definitions', 'off'])
  .describe(
    'What to take from imported files. `files`: whole files. `definitions` (default): only what is imported. `off`: nothing.',
  );
export type ImportMode = z.infer<typeof ImportMode>;

export const RetrieveRequest = z
  .strictObject({
    mountedDirectory: ResolveRequest.shape.mountedDirectory,
    activeDocument: z
      .strictObject({
        path: RequestPath.describe(
          'Relative to the mounted directory, or absolute. It need not exist. A document outside the mounted directory is in `omitted`.',
        ),
        content: z
          .string()
          .max(1024 * 1024)
          .optional()
          .describe('The text in the editor, if it differs from the file on disk.'),
        language: z
          .string()
          .max(64)
          .optional()
          .describe(
            'The editor’s name of the language, such as `typescriptreact`. If it is absent or empty, the name of the file decides.',
          ),
      })
      .optional()
      .describe('The document that is being edited. It is never an item itself.'),
    openTabs: ResolveRequest.shape.files.describe(
      'Other open files, most important first: relative to the mounted directory or absolute.',
    ),
    query: ResolveRequest.shape.query.describe('The question of the user. It selects files by their words.'),
    automatic: z
      .strictObject({
        imports: ImportMode.optional(),
        search: z.boolean().optional().describe('Whether to search the workspace for the query. Default true.'),
      })
      .optional()
      .describe('What is added automatically.'),
    budget: z
      .strictObject({
        maxTokens: z.int().min(0).max(100_000_000).optional().describe('Max tokens of all items together.'),
        encoding: TokenEncoding.optional(),
      })
      .optional()
      .describe('How much the answer may contain.'),
  })
  .meta({ id: 'RetrieveRequest', description: 'Asks for the context of a prompt.' });
export type RetrieveRequest = z.infer<typeof RetrieveRequest>;
