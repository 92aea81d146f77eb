/** What a caller asks for all context of a prompt. Strict. */
import { z } from 'zod';
import { AgentId } from '../agent/agent.ts';
import { Budget, RequestPath, ResolveRequest } from '../context/resolve-request.ts';
import { ImportMode } from '../retrieval/retrieve-request.ts';

const Position = z
  .strictObject({
    line: z.int().min(0).max(10_000_000).describe('Line, counted from 0.'),
    column: z.int().min(0).max(10_000_000).describe('UTF-16 code unit in the line, counted from 0.'),
  })
  .meta({ id: 'Position', description: 'A place in a text, as editors and language servers count.' });

export const OpenDocument = z
  .strictObject({
    path: RequestPath.describe('Relative to the mounted directory, or absolute. It need not exist.'),
    content: z
      .string()
      .max(1024 * 1024)
      .optional()
      .describe(
        'What the editor shows, when it is not what is on disk. Of a rule file, a configuration or a policy, what it says then counts, also where the file is not there yet. All texts together have the size of a request, 1 MiB, at most.',
      ),
    language: z
      .string()
      .max(64)
      .optional()
      .describe('The editor’s name of the language. Default, and when it is empty: by the name of the file.'),
    cursor: Position.optional().describe(
      'Of the active document: what is imported and used near it comes first, and definitions of the name under it are whole.',
    ),
    selection: z
      .strictObject({ start: Position, end: Position })
      .optional()
      .describe('Of the active document: names in it count like the one under the cursor.'),
    isActive: z.boolean().optional().describe('The document that is worked on. Default: the first of the list.'),
  })
  .meta({ id: 'OpenDocument', description: 'A document that is open in an editor.' });
export type OpenDocument = z.infer<typeof OpenDocument>;

export const Include = z
  .strictObject({
    rules: z.boolean().optional().describe('Rules and references that apply, tools of an agent. Default true.'),
    supplementary: z.boolean().optional().describe('Files that the user has added. Default true.'),
    tabs: z.boolean().optional().describe('Documents besides the active one. Default true.'),
    imports: ImportMode.optional(),
    search: z.boolean().optional().describe('Files that the query finds. Default true.'),
    changes: z
      .boolean()
      .optional()
      .describe('How files of the git repository, and documents, differ from its last commit. Default false.'),
    map: z.boolean().optional().describe('The names of the files of the workspace. Default false.'),
  })
  .meta({ id: 'Include', description: 'What is gathered.' });

export const ContextRequest = z
  .strictObject({
    mountedDirectory: RequestPath.describe('The project root the editor has open: absolute, or starting with `~/`.'),
    documents: z
      .array(OpenDocument)
      .max(256)
      .optional()
      .describe(
        'Documents that are open, most important first; of one that is there twice, the first. The active one is an item only where it is a rule itself.',
      ),
    query: z.string().max(32_768).optional().describe('What the user asks; selects rules and files by relevance.'),
    mentions: ResolveRequest.shape.mentions,
    expand: ResolveRequest.shape.expand,
    agentId: AgentId.optional().describe('Whose rules, references and tools. Default: those of the directory.'),
    sessionId: z.string().min(1).max(64).optional().describe('Whose items: those of its agent, and those added to it.'),
    formats: ResolveRequest.shape.formats,
    include: Include.optional(),
    budget: Budget.optional().describe('How much the answer may hold. Default 16,000 tokens.'),
    render: z
      .enum(['none', 'markdown', 'xml'])
      .optional()
      .describe('Whether the items are told as one text as well, and how. Tokens are then those of that text.'),
  })
  .refine(({ agentId, sessionId }) => agentId === undefined || sessionId === undefined, {
    path: ['agentId'],
    message: 'A session has its agent; send one of both.',
  })
  .meta({ id: 'ContextRequest', description: 'All context for a prompt.' });
export type ContextRequest = z.infer<typeof ContextRequest>;
