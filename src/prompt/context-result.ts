/** All context of a prompt, and what was left out of it. */
import { z } from 'zod';
import { FormatName } from '../context/formats/choose-formats.ts';
import { Part } from '../context/offered-part.ts';
import { SemanticStatus } from '../context/resolve-result.ts';
import { RetrievedItem, RetrieveResult } from '../retrieval/retrieve-result.ts';
import { Reason, Warning } from '../warnings.ts';

/** In the order in which they are sent: the kinds that change least come first. */
export const kinds = [
  'rule',
  'reference',
  'tool',
  'map',
  'supplementary',
  'tab',
  'definition',
  'file',
  'search',
  'changes',
] as const;
export const ContextKind = z.enum(kinds).meta({
  id: 'ContextKind',
  description:
    '`rule`, `reference`, `tool`: items that apply. `map`: names of files. `supplementary`: a file that the user added. `tab`: an open document. `definition`, `file`: what the active document imports, in part or whole. `search`: what the query finds. `changes`: how a file differs from the last commit.',
});
export type ContextKind = z.infer<typeof ContextKind>;

export const ContextItem = z
  .object({
    kind: ContextKind,
    name: z.string().describe('Name of the item, or the path of a file relative to the mounted directory.'),
    path: z.string().optional().describe('Absolute path, if the item comes from a file.'),
    range: RetrievedItem.shape.range,
    format: FormatName.optional().describe('Name of the format, for a rule file of another tool.'),
    language: z.string().optional().describe('Language of the content, if the file name shows it.'),
    reason: Reason.describe('Why the item is included.'),
    score: z.number().min(0).max(1).optional().describe('Relevance to the query, if the query selected the item.'),
    tokens: z.int().min(0).describe('Tokens of the item in its rendered form.'),
    wholeTokens: z.int().min(0).optional().describe('Tokens of the whole item, if only a part of it is here.'),
    part: Part.optional(),
    sha256: z.string().describe('SHA-256 of the content, in hexadecimal.'),
    truncated: z
      .boolean()
      .describe('True if the content is cut, because the file is too large or the budget is too small.'),
    content: z.string().describe('What the model should see. For a tool: its definition as JSON.'),
  })
  .meta({ id: 'ContextItem', description: 'One piece of context.' });
export type ContextItem = z.infer<typeof ContextItem>;

export const OmittedContext = z
  .object({
    kind: ContextKind,
    name: z.string().optional().describe('Name of the item, if it has one.'),
    path: z.string().optional().describe('Absolute path. For an import that leads nowhere: the import as written.'),
    reason: Reason.describe(
      'As in `excluded` of resolve and in `omitted` of retrieve, or `over_budget`, or `missing`.',
    ),
    tokens: z.int().min(0).optional().describe('Tokens that it would have used, if known.'),
  })
  .meta({ id: 'OmittedContext', description: 'Something that was found but is not sent.' });
export type OmittedContext = z.infer<typeof OmittedContext>;

export const ContextResult = z
  .object({
    items: z.array(ContextItem).describe('The items, in the order in which to send them.'),
    omitted: z.array(OmittedContext).describe('What was left out.'),
    usage: z
      .object({
        tokens: z.int().min(0).describe('Tokens of all items in their rendered form, and of the text around them.'),
        maxTokens: z.int().min(0).describe('The budget.'),
        kinds: z.partialRecord(ContextKind, z.int().min(0)).describe('Tokens by kind.'),
      })
      .describe('What the items cost.'),
    activeDocument: RetrieveResult.shape.activeDocument,
    semantic: SemanticStatus.optional(),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
    digest: z.string().describe('SHA-256 of all items, in hexadecimal. The same digest means the same context.'),
    text: z.string().optional().describe('All items as one text, if `render` asks for it.'),
  })
  .meta({ id: 'ContextResult', description: 'All context of a prompt, under one budget.' });
export type ContextResult = z.infer<typeof ContextResult>;
