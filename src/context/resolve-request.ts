/** The request of `resolve`. Strict: an unknown key is a mistake of the caller. */
import { z } from 'zod';
import { TokenEncoding } from '../ports/token-encoding.ts';
import { longestQuery } from '../texts/longest-query.ts';
import { FormatChoice } from './formats/choose-formats.ts';
import { Scope } from './item-values.ts';
import { Expand } from './offered-part.ts';

/** A path as a caller writes it: 1 to 4,096 characters, no NUL. */
export const RequestPath = z
  .string()
  .min(1)
  .max(4096)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character')
  .refine((path) => path.isWellFormed(), 'must be well-formed Unicode');

/** The field of most requests. */
export const mountedDirectory = RequestPath.describe('The project root: absolute, or starting with `~/`.');

export const Budget = z
  .strictObject({
    maxTokens: z
      .int()
      .min(0)
      .max(100_000_000)
      .optional()
      .describe(
        'Max tokens. `resolve` and `explain` count the bodies of all active files. Other requests count what their `budget` says.',
      ),
    encoding: TokenEncoding.optional(),
  })
  .meta({ id: 'Budget', description: 'How much the answer may contain.' });
export type Budget = z.infer<typeof Budget>;

export const ResolveRequest = z
  .strictObject({
    mountedDirectory: RequestPath.describe('The project root the editor has open: absolute, or starting with `~/`.'),
    workingDirectory: RequestPath.optional().describe(
      'The directory where work happens now: relative to the mounted directory, or absolute inside it. Default: the directory of each of `files`, else the mounted directory.',
    ),
    files: z
      .array(RequestPath)
      .max(256)
      .optional()
      .describe(
        'Files in play, relative to the mounted directory or absolute. They need not exist. Those that do not exist, and files outside the mounted directory, are in `omitted`.',
      ),
    mentions: z
      .array(z.string().min(1).max(4096))
      .max(256)
      .optional()
      .describe(
        'Context files the user asks for, by item name, relative path or absolute path. The end of a path from a `/` on is enough if it fits only one file.',
      ),
    query: z
      .string()
      .max(longestQuery)
      .optional()
      .describe('The question of the user. It selects `agent` files by relevance.'),
    expand: Expand.optional(),
    scopes: z.array(Scope).min(1).max(3).optional().describe('Scopes to look in. Default: all three.'),
    content: z.boolean().optional().describe('Whether active files contain their bodies. Default true.'),
    budget: Budget.optional(),
    formats: FormatChoice.optional().describe(
      'Formats of other tools to read. Only formats that the daemon reads are possible. Default: all of these.',
    ),
    clientContextPath: z
      .string()
      .min(1)
      .max(1024)
      .optional()
      .describe('Replaces the daemon’s client context path (default `.context`) for this request. Relative.'),
    globalContextPath: RequestPath.optional().describe(
      'Replaces the daemon’s global context path for this request. Absolute or `~/…`, inside a granted root.',
    ),
  })
  .meta({ id: 'ResolveRequest', description: 'Asks which context applies.' });
export type ResolveRequest = z.infer<typeof ResolveRequest>;
