/** The tools of contextd's own MCP server (MC-05): the requests of the routes, with defaults that suit models. */
import { z } from 'zod';
import { ItemSearchResult, SearchRequest } from '../src/agent/item-search.ts';
import { ExplainRequest, ExplainResult } from '../src/context/explain-result.ts';
import { Budget, ResolveRequest } from '../src/context/resolve-request.ts';
import { ResolveResult } from '../src/context/resolve-result.ts';
import { ContextdError, type FieldError } from '../src/errors.ts';
import { PolicyCheckRequest, PolicyCheckResult } from '../src/policy/policy-requests.ts';
import { RetrieveRequest } from '../src/retrieval/retrieve-request.ts';
import { RetrieveResult } from '../src/retrieval/retrieve-result.ts';
import { resultForAgents } from './agent-view.ts';
import { inlineDefinitions } from './mcp-json-schema.ts';
import { textOfDecisions, textOfExplanation, textOfResolution, textOfRetrieval, textOfSearch } from './mcp-text.ts';
import type { ContextVerbs } from './mcp-verbs.ts';
import { fieldErrorsOf } from './operation.ts';

/** What a tool says of itself in `tools/list`. */
export type ToolDescription = {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  outputSchema: { type: 'object'; [key: string]: unknown };
  annotations: typeof annotations;
};
/** What a call answers; a mistake is told in words, and as `contextd/error` in `_meta`. */
export type ToolAnswer = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
};
/** `mounts` are the directories it works in; `signal` is aborted when it waits no more. */
type Caller = { mounts(): Promise<readonly string[]>; signal: AbortSignal };
type Tool = {
  description: ToolDescription;
  call(verbs: ContextVerbs, given: unknown, caller: Caller): Promise<ToolAnswer>;
};

/** Nothing is changed, here or elsewhere. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** Most tokens of contents in one answer where the caller does not say; clients cut off much longer ones. */
export const defaultMaxTokens = 20_000;
/** A structured answer is as long at most, in characters of its JSON. */
const maxAnswerCharacters = 1024 * 1024;

const mountedDirectory = ResolveRequest.shape.mountedDirectory
  .optional()
  .describe('The project root: absolute, or starting with `~/`. Default: the only directory this server serves.');
const budget = z
  .strictObject({
    ...Budget.shape,
    maxTokens: Budget.shape.maxTokens.describe(`Most tokens of all contents together. Default: ${defaultMaxTokens}.`),
  })
  .optional()
  .describe('How much the answer may hold.');
/** Where context lies is the user's to decide, not the model's. */
const userDecides = { clientContextPath: true, globalContextPath: true } as const;

const tools: readonly Tool[] = [
  defineTool({
    name: 'resolve_context',
    title: 'Context that applies',
    description:
      'Returns the rules and references that the user wrote for this project and that apply to the work at hand. Call it before you write or change code, with the files you are about to touch in `files` and the task in `query`. Follow active rules. Files that are listed as available can be had by naming them in `mentions`.',
    input: ResolveRequest.omit(userDecides).extend({ mountedDirectory, budget }),
    output: ResolveResult,
    run: async (verbs, request) => resultForAgents(await verbs.resolve(withBudget(request))),
    text: textOfResolution,
  }),
  defineTool({
    name: 'explain_context',
    title: 'Why context applies',
    description:
      'Says for each context file, or for the one at `path`, why it is active, available or excluded for a request, step by step, with the pattern, file and line that decided. Use it when the user asks why a rule is or is not followed.',
    input: ExplainRequest.omit({ ...userDecides, content: true, budget: true }).extend({ mountedDirectory }),
    output: ExplainResult,
    run: (verbs, request) => verbs.explain({ ...request, content: false }),
    text: textOfExplanation,
  }),
  defineTool({
    name: 'retrieve_context',
    title: 'Files that go with a prompt',
    description:
      'Gathers source files that matter for a document: files that the user added, open tabs, what the document imports, and what the query finds. Only what the AI context policies of the project allow is returned.',
    input: RetrieveRequest.extend({ mountedDirectory, budget }),
    output: RetrieveResult,
    run: (verbs, request, signal) => verbs.retrieve(withBudget(request), signal),
    text: textOfRetrieval,
  }),
  defineTool({
    name: 'search_context',
    title: 'Search rules and references',
    description:
      'Searches the rules and references of a project, or of an agent that the user set up (`agentId`), by meaning and by words, and returns the part of each that fits best. Use it to find out whether the user wrote something about a subject.',
    input: SearchRequest.extend({ mountedDirectory }),
    output: ItemSearchResult,
    run: (verbs, request) => verbs.search(request),
    text: textOfSearch,
  }),
  defineTool({
    name: 'check_policy',
    title: 'May a file be seen',
    description:
      'Says for each path whether the AI context policies of the project allow an AI system to see its content, and which policy decided. Check files before you read or quote them; do not read what is blocked.',
    input: PolicyCheckRequest.extend({ mountedDirectory }),
    output: PolicyCheckResult,
    run: (verbs, request) => verbs.checkPolicy(request),
    text: textOfDecisions,
  }),
];

/** The tools as `tools/list` tells them. */
export const toolDescriptions: readonly ToolDescription[] = tools.map(({ description }) => description);

/** Calls a tool; undefined when there is none of this name. Throws only what nobody foresaw. */
export async function callTool(
  verbs: ContextVerbs,
  { name, arguments: given = {} }: { name: string; arguments?: unknown },
  caller: Caller,
): Promise<ToolAnswer | undefined> {
  const tool = tools.find(({ description }) => description.name === name);
  if (tool === undefined) return undefined;
  try {
    return await tool.call(verbs, given, caller);
  } catch (error) {
    if (error instanceof ContextdError && error.code !== 'internal') return answerOfError(error);
    throw error;
  }
}

type Mountable = { mountedDirectory?: string | undefined; agentId?: string | undefined };

function defineTool<Input extends Mountable, Output extends object>(definition: {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<Input>;
  output: z.ZodType<Output>;
  run(verbs: ContextVerbs, request: Input & { mountedDirectory: string }, signal: AbortSignal): Promise<Output>;
  text(result: Output): string;
}): Tool {
  const { name, title, description, input, output, run, text } = definition;
  return {
    description: {
      ...{ name, title, description, annotations },
      inputSchema: inlineDefinitions(input, 'input'),
      outputSchema: inlineDefinitions(output, 'output'),
    },
    async call(verbs, given, { mounts, signal }) {
      const parsed = input.safeParse(given);
      if (!parsed.success)
        throw new ContextdError('invalid_request', 'The arguments are not valid.', fieldErrorsOf(parsed.error));
      const request = parsed.data;
      const place = request.agentId === undefined ? (request.mountedDirectory ?? onlyOne(await mounts())) : undefined;
      try {
        // Only `search_context` knows agents, and leaves the directory out then.
        const result = await run(verbs, { ...request, ...(place && { mountedDirectory: place }) } as never, signal);
        return answerOfResult(result, text);
      } catch (error) {
        throw place === undefined ? error : withAdvice(error, place);
      }
    },
  };
}

function onlyOne(mounts: readonly string[]): string {
  const [first, ...others] = mounts;
  if (first !== undefined && others.length === 0) return first;
  const detail =
    first === undefined
      ? 'Say which directory is meant. The user grants directories with: contextd roots grant <dir>'
      : `Say which directory is meant: ${mounts.slice(0, 16).join(', ')}`;
  throw new ContextdError('invalid_request', detail, [{ pointer: '/mountedDirectory', message: 'Required.' }]);
}

function withBudget<Request extends { budget?: Budget | undefined }>(request: Request): Request & { budget: Budget } {
  return { ...request, budget: { ...request.budget, maxTokens: request.budget?.maxTokens ?? defaultMaxTokens } };
}

function answerOfResult<Output extends object>(result: Output, text: (result: Output) => string): ToolAnswer {
  if (JSON.stringify(result).length > maxAnswerCharacters)
    throw new ContextdError(
      'payload_too_large',
      'The answer would be too long. Ask for less: fewer paths, one `path`, or a smaller `budget.maxTokens`.',
    );
  return { content: [{ type: 'text', text: text(result) }], structuredContent: result as Record<string, unknown> };
}

/** No tool grants anything: a model that asks for a directory is not the user who grants it. */
function withAdvice(error: unknown, place: string): unknown {
  if (!(error instanceof ContextdError) || error.code !== 'path_outside_roots') return error;
  if (error.errors.some(({ pointer }) => pointer !== '/mountedDirectory')) return error;
  const command = `contextd roots grant '${place.replaceAll("'", "'\\''")}'`;
  const message = `This directory is not granted. Only the user can grant it, with: ${command}`;
  return new ContextdError(error.code, message, [{ pointer: '/mountedDirectory', message }]);
}

function answerOfError({ code, message, errors }: ContextdError): ToolAnswer {
  const lines = errors.map(({ pointer, message: wrong }: FieldError) =>
    wrong === message ? `  ${pointer}` : `  ${pointer || '(all)'}: ${wrong}`,
  );
  return {
    content: [{ type: 'text', text: [`${code}: ${message}`, ...lines].join('\n') }],
    isError: true,
    _meta: { 'contextd/error': { code, message, errors } },
  };
}
