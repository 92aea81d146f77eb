/** Items that a user adds to the context of a workspace (SU-01, SU-02). */

import { z } from 'zod';
import { RequestPath, ResolveRequest } from '../context/resolve-request.ts';
import { fixedLimits } from '../settings.ts';
import { Reason, Warning } from '../warnings.ts';

export const SupplementaryKind = z
  .enum(['file', 'folder', 'tab'])
  .describe('`file`: a file. `folder`: the files below it. `tab`: a file that is open in the editor.');
export type SupplementaryKind = z.infer<typeof SupplementaryKind>;

const disabledReasons = z
  .array(Reason)
  .describe(
    'Why the item cannot be used now: `outside_roots`, `sensitive`, `configuration` (its text is never delivered), `blocked_by_policy`, `blocked_by_ignore_file`, `symlink`, `not_found`, `unreadable`, `not_regular_file` (a file is expected), `not_directory` (a folder is expected), `io_error`. Empty if the item can be used.',
  );
const enabled = z.boolean().describe('Whether the item can be used now.');

export const SupplementaryItem = z
  .object({
    id: z.string().describe('Random id: 32 hexadecimal digits.'),
    kind: SupplementaryKind,
    path: z.string().describe('Absolute path.'),
    relativePath: z
      .string()
      .describe('Path relative to the mounted directory. It begins with `..` if the item is outside.'),
    addedAt: z.string().describe('When it was added, ISO 8601 UTC.'),
    enabled,
    disabledReasons,
  })
  .meta({
    id: 'SupplementaryItem',
    description: 'A file, folder or tab that the user added, and whether it can be used now.',
  });
export type SupplementaryItem = z.infer<typeof SupplementaryItem>;

export const SupplementaryList = z
  .object({
    items: z.array(SupplementaryItem).describe('The items, in the order of the user.'),
    etag: z
      .string()
      .describe('Version of the list, for preconditions. It does not depend on whether items can be used.'),
  })
  .meta({ id: 'SupplementaryList', description: 'What the user added to the context of a mounted directory.' });
export type SupplementaryList = z.infer<typeof SupplementaryList>;

const { mountedDirectory } = ResolveRequest.shape;
const path = RequestPath.describe(
  'Relative to the mounted directory, or absolute (or `~/…`) inside a granted root. It need not exist.',
);

export const SupplementaryAddition = z
  .strictObject({ mountedDirectory, kind: SupplementaryKind, path })
  .meta({ id: 'SupplementaryAddition', description: 'What to add to the context of a mounted directory.' });
export type SupplementaryAddition = z.infer<typeof SupplementaryAddition>;

export const SupplementaryReplacement = z
  .strictObject({
    mountedDirectory,
    items: z
      .array(z.strictObject({ kind: SupplementaryKind, path }))
      .max(fixedLimits.supplementary.items)
      .describe('The whole list, in order. Duplicates are stored once. Items that were in the list keep their id.'),
  })
  .meta({ id: 'SupplementaryReplacement', description: 'A new list that replaces the existing one.' });
export type SupplementaryReplacement = z.infer<typeof SupplementaryReplacement>;

export const FileSearchRequest = z
  .strictObject({
    mountedDirectory,
    query: z
      .string()
      .max(256)
      .describe(
        'Letters of the path, in order; gaps are allowed. Words can be in any order. If it is empty, the answer has the first files.',
      ),
    limit: z.int().min(1).max(1_000).optional().describe('Max files in the answer. Default: 100.'),
  })
  .meta({ id: 'FileSearchRequest', description: 'Searches files of a workspace.' });
export type FileSearchRequest = z.infer<typeof FileSearchRequest>;

export const FoundFile = z
  .object({
    path: z.string().describe('Absolute path.'),
    relativePath: z.string().describe('Path relative to the mounted directory.'),
    score: z.number().min(0).max(1).describe('How well the file matches. 1 is an exact match.'),
    enabled,
    disabledReasons,
  })
  .meta({ id: 'FoundFile', description: 'A file of the workspace that matches a query.' });
export type FoundFile = z.infer<typeof FoundFile>;

export const FileSearchResult = z
  .object({
    files: z.array(FoundFile).describe('The files, best match first.'),
    warnings: z.array(Warning).describe('Limits that were reached, and problems with policies.'),
  })
  .meta({ id: 'FileSearchResult', description: 'The files of a workspace that match a query.' });
export type FileSearchResult = z.infer<typeof FileSearchResult>;
