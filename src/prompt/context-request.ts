/** The request for all context of a prompt. Strict. */
import { z } from 'zod';
import { AgentId } from '../agent/agent.ts';
import { Budget, RequestPath, ResolveRequest } from '../context/resolve-request.ts';
import { Position } from '../retrieval/attention.ts';
import { ImportMode } from '../retrieval/retrieve-request.ts';

export const OpenDocument = z
  .strictObject({
    path: RequestPath.describe('Relative to the mounted directory, or absolute. It need not exist.'),
    content: z
      .string()
      .max(1024 * 1024)
      .optional()
      .describe(
        'The text in the editor, if it differs from the file on disk. The text of a rule file, a configuration or a policy is then used instead of the file, even if the file does not exist yet. All texts together have at most 1 MiB, the max size of a request.',
      ),
    language: z
      .string()
      .max(64)
      .optional()
      .describe('The editor’s name of the language. If it is absent or empty, the name of the file decides.'),
    cursor: Position.optional().describe(
      'The cursor in the active document. Imports that are used near it come first. Definitions of the name under it are complete.',
    ),
    selection: z
      .strictObject({ start: Position, end: Position })
      .optional()
      .describe('The selection in the active document. Names in it count like the name under the cursor.'),
    isActive: z.boolean().optional().describe('True for the active document. Default: the first document is active.'),
  })
  .meta({ id: 'OpenDocument', description: 'A document that is open in an editor.' });
export type OpenDocument = z.infer<typeof OpenDocument>;

export const Include = z
  .strictObject({
    rules: z.boolean().optional().describe('Rules and references that apply, and tools of the agent. Default true.'),
    supplementary: z.boolean().optional().describe('Files that the user has added. Default true.'),
    tabs: z.boolean().optional().describe('Documents other than the active one. Default true.'),
    imports: ImportMode.optional(),
    search: z.boolean().optional().describe('Files that the query finds. Default true.'),
    changes: z
      .boolean()
      .optional()
      .describe('How files of the git repository and open documents differ from the last commit. Default false.'),
    map: z.boolean().optional().describe('The names of the files of the workspace. Default false.'),
  })
  .meta({ id: 'Include', description: 'What to gather.' });

export const ContextRequest = z
  .strictObject({
    mountedDirectory: ResolveRequest.shape.mountedDirectory,
    workingDirectory: ResolveRequest.shape.workingDirectory.describe(
      'The directory where work happens now: relative to the mounted directory, or absolute inside it. Its rules are used. Default: the directory of each document, else the mounted directory. An agent has its own.',
    ),
    documents: z
      .array(OpenDocument)
      .max(256)
      .optional()
      .describe(
        'Open documents, most important first. If a document is listed twice, only the first entry counts. The active document is an item only if it is itself a rule.',
      ),
    query: ResolveRequest.shape.query.describe('The question of the user. It selects rules and files by relevance.'),
    mentions: ResolveRequest.shape.mentions,
    expand: ResolveRequest.shape.expand,
    agentId: AgentId.optional().describe(
      'The agent whose rules, references and tools are used. Default: the rules and references of the directory.',
    ),
    sessionId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The session whose items are used: items of its agent, and items that were added to the session.'),
    formats: ResolveRequest.shape.formats,
    include: Include.optional(),
    budget: Budget.optional().describe('Max tokens of all items together. Default 16,000.'),
    render: z
      .enum(['none', 'markdown', 'xml'])
      .optional()
      .describe(
        'Form of an additional text with all items. `none` (default): no text. Tokens are counted for this form.',
      ),
  })
  .refine(({ agentId, sessionId }) => agentId === undefined || sessionId === undefined, {
    path: ['agentId'],
    message: 'A session has its own agent. Send only one of the two.',
  })
  .refine((asked) => asked.workingDirectory === undefined || (asked.agentId ?? asked.sessionId) === undefined, {
    path: ['workingDirectory'],
    message: 'An agent has its own working directory.',
  })
  .meta({ id: 'ContextRequest', description: 'Asks for all context of a prompt.' });
export type ContextRequest = z.infer<typeof ContextRequest>;
