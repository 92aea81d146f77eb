/** Reads the lists of MCP servers page by page, limited in number and size (S-30). */

import { z } from 'zod';
import type { McpPrompt, McpResource, McpTool } from '../../ports/mcp-launcher.ts';
import { fixedLimits } from '../../settings.ts';
import { shorten } from '../../texts/shorten.ts';
import type { Reason } from '../../warnings.ts';
import { tooMuch } from './flood-guard.ts';

const listLimits = fixedLimits.mcpLists;

type Page<Item> = { items: Item[]; nextCursor?: string | undefined };
export type AskPage<Item> = (params: { cursor?: string }, timeoutMs: number) => Promise<Page<Item>>;

/** All pages of a list. Returns up to one item more than allowed, so that the caller notices. */
export async function listPages<Item>(limitMs: number, ask: AskPage<Item>): Promise<Item[]> {
  const end = performance.now() + limitMs;
  const items: Item[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < listLimits.pages; page += 1) {
    const leftMs = Math.max(1, end - performance.now());
    const answer = await ask(cursor === undefined ? {} : { cursor }, leftMs);
    for (const item of answer.items) {
      bytes += JSON.stringify(item).length;
      if (bytes > listLimits.bytes) throw tooMuch(`It sent a list larger than ${listLimits.bytes} bytes.`);
      items.push(item);
      if (items.length > listLimits.items) return items;
    }
    if (answer.nextCursor === undefined || answer.nextCursor === cursor) return items;
    cursor = answer.nextCursor;
  }
  throw tooMuch(`It sent a list of more than ${listLimits.pages} pages.`);
}

const Schema = z.looseObject({});
/** The form of a list of tools as a whole. Each tool is checked by itself. */
export const ToolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const ListedTool = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  outputSchema: Schema.optional(),
  annotations: Schema.optional(),
  execution: Schema.optional().catch(undefined),
});
const onlyAsTask: Reason = {
  code: 'unsupported',
  detail: 'It runs only as a task, and contextd does not support tasks.',
};

/** The known fields of a tool. The check of tools limits its texts and schemas. */
export function toolOf(listed: unknown): McpTool {
  const { success, data, error } = ListedTool.safeParse(listed);
  if (!success) {
    const name = (listed as { name?: unknown } | null | undefined)?.name;
    const [issue] = error.issues;
    const detail = `What the server says about it is not valid: ${issue?.path.join('.')}: ${issue?.message}.`;
    const problem: Reason = { code: 'invalid_schema', detail };
    return { name: typeof name === 'string' ? name : '', description: '', inputSchema: {}, problem };
  }
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = data;
  return {
    name,
    ...(execution?.taskSupport === 'required' && { problem: onlyAsTask }),
    title,
    description: description ?? '',
    inputSchema,
    outputSchema,
    annotations,
  };
}

type Listed = { name: string; description?: string | undefined };

/** A resource with its texts cut. */
export function resourceOf({
  uri,
  name,
  description,
  mimeType,
}: Listed & { uri: string; mimeType?: string | undefined }): McpResource {
  return {
    uri,
    name: cut(name),
    description: description && cut(description),
    mimeType: mimeType && cut(mimeType),
  };
}

type ListedArgument = Listed & { required?: boolean | undefined };

/** A prompt with its texts cut. */
export function promptOf({
  name,
  description,
  arguments: given,
}: Listed & { arguments?: ListedArgument[] | undefined }): McpPrompt {
  return {
    name,
    description: description && cut(description),
    arguments: (given ?? []).slice(0, fixedLimits.mcpLists.promptArguments).map((argument) => ({
      name: cut(argument.name),
      description: argument.description && cut(argument.description),
      required: argument.required === true,
    })),
  };
}

/** The beginning of a text, up to the limit. */
export function cut(text: string): string {
  return shorten(text, fixedLimits.mcpLists.textCharacters);
}
