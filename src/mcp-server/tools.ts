/**
 * The tools of contextd's own MCP server (MC-05): few parameters, short descriptions, and answers that are text for a
 * model within a budget. All of it goes into the context of the model, so it is kept small.
 */
import { z } from 'zod';
import { expandChoice } from '../context/offered-part.ts';
import { RequestPath } from '../context/resolve-request.ts';
import { ContextdError, type FieldError } from '../errors.ts';
import { longestQuery } from '../texts/longest-query.ts';
import { parseInput, refuseInput } from '../texts/parse-input.ts';
import { Alongside, contextRequestOf } from './alongside.ts';
import { NotServedError } from './confinement.ts';
import { fitSections, type Section } from './sections.ts';
import {
  sectionsOfContext,
  sectionsOfDecisions,
  sectionsOfExplanation,
  sectionsOfRetrieval,
  sectionsOfSearch,
} from './text.ts';
import type { ContextVerbs } from './verbs.ts';
import { inPlace, type Named, notGranted, onlyOne, type Working, type Workplace, workingIn } from './workplace.ts';

/** The description of a tool in `tools/list`. */
type ToolDescription = {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [key: string]: unknown };
  annotations: typeof annotations;
};
/** The answer of a call. An error is a text, and `contextd/error` in `_meta`. */
type ToolAnswer = {
  content: { type: 'text'; text: string }[];
  isError?: true;
  _meta?: Record<string, unknown>;
};
/**
 * `workplaces`: where the caller works. `workplaceOf`: the project of a directory that the caller names. `grantable`:
 * what the user should grant to make that directory readable. `signal` is aborted when the caller no longer waits.
 */
type Caller = {
  workplaces(): Promise<readonly Workplace[]>;
  workplaceOf(directory: string): Promise<Workplace>;
  grantable(directory: string): Promise<string>;
  signal: AbortSignal;
};
type Tool = {
  description: ToolDescription;
  call(verbs: ContextVerbs, given: unknown, caller: Caller): Promise<ToolAnswer>;
};

/** The tools change nothing. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** Default tokens of a whole answer. */
const defaultMaxTokens = 4_000;
/** Rules must be followed completely. Those of most projects fit into this. */
const defaultRuleTokens = 8_000;
/** How many times contents are requested, each time with less room, because the text around them needs tokens too. */
const maxAttempts = 4;

/** These limits are checked, and a caller that exceeds one gets an error. The model need not read them. */
const unsaid = ['$schema', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'];

const mountedDirectory = RequestPath.optional().describe(
  'Project root. Default: the only one that this server serves.',
);
const maxTokensOr = (usual: number) =>
  z.int().min(100).max(1_000_000).optional().describe(`Max tokens of the answer. Default: ${usual}.`);
const maxTokens = maxTokensOr(defaultMaxTokens);
const files = z.array(RequestPath).max(256).optional();
const query = z.string().min(1).max(longestQuery);

const tools: readonly Tool[] = [
  defineTool({
    name: 'resolve_context',
    title: 'Context that applies',
    description:
      'The rules and references that the user wrote for this project and that apply to the work at hand. Call it before you write or change code. Follow active rules.',
    input: z.strictObject({
      mountedDirectory,
      files: files.describe('Files you are about to touch.'),
      mentions: z.array(z.string().min(1).max(4096)).max(256).optional().describe('Available items to get too.'),
      query: query.optional().describe('The task.'),
      expand: expandChoice.optional().describe('Long items to get whole if `query` finds them: names, or `all`.'),
      include: Alongside.optional().describe('What else to get from the project, for the first of `files`.'),
      maxTokens: maxTokensOr(defaultRuleTokens),
    }),
    answer: async (verbs, { maxTokens: max = defaultRuleTokens, include, ...asked }, { signal, working }) => {
      const request = { ...asked, ...(asked.files?.length ? {} : working) };
      const resolved = await verbs.resolve({ ...request, content: false });
      return answerWithin(verbs, max, async (budget) => {
        const found = await verbs.gather(contextRequestOf(request, { include, budget }), signal);
        const sections = sectionsOfContext(resolved, found, { isAlone: include === undefined });
        return { sections, tokens: found.usage.tokens };
      });
    },
  }),
  defineTool({
    name: 'explain_context',
    title: 'Why context applies',
    description:
      'Why a context file is active, available or excluded, step by step. Use it when the user asks why a rule is or is not followed.',
    input: z.strictObject({
      mountedDirectory,
      path: RequestPath.optional().describe('One file. Default: all.'),
      files: files.describe('Files in play.'),
      maxTokens,
    }),
    answer: (verbs, { maxTokens: max, ...request }, { working }) =>
      answerWithin(verbs, max, async () => ({
        sections: sectionsOfExplanation(
          await verbs.explain({ ...request, ...(request.files?.length ? {} : working), content: false }),
        ),
      })),
  }),
  defineTool({
    name: 'retrieve_context',
    title: 'Files that go with a prompt',
    description:
      'Source code that matters for a document or a question: what the user added, what the document imports, what the query finds. Contains only what the policies of the project allow.',
    input: z.strictObject({
      mountedDirectory,
      path: RequestPath.optional().describe('The document.'),
      query: query.optional().describe('The question.'),
      maxTokens,
    }),
    answer: (verbs, { maxTokens: max, path, ...request }, { signal }) =>
      answerWithin(verbs, max, async (room) => {
        const activeDocument = path === undefined ? undefined : { path };
        const found = await verbs.retrieve({ ...request, activeDocument, budget: room }, signal);
        return { sections: sectionsOfRetrieval(found), tokens: found.usage.tokens };
      }),
  }),
  defineTool({
    name: 'search_context',
    title: 'Search rules and references',
    description:
      'Searches the rules and references of the project and returns the passage of each that fits best. Use it to find out whether the user wrote something about a subject.',
    input: z.strictObject({ mountedDirectory, query, maxTokens }),
    answer: (verbs, { maxTokens: max, ...request }, { working }) =>
      answerWithin(verbs, max, async () => ({
        sections: sectionsOfSearch(await verbs.search({ ...request, ...working, types: ['rule', 'reference'] })),
      })),
  }),
  defineTool({
    name: 'check_policy',
    title: 'May a file be seen',
    description:
      'Whether the policies of the project allow an AI system to see files, and which policy decided. Check before you read or quote; do not read what is blocked.',
    input: z.strictObject({ mountedDirectory, paths: z.array(RequestPath).min(1).max(256), maxTokens }),
    answer: (verbs, { maxTokens: max, ...request }) =>
      answerWithin(verbs, max, async () => ({ sections: sectionsOfDecisions(await verbs.checkPolicy(request)) })),
  }),
];

/** The tools as in `tools/list`. */
export const toolDescriptions: readonly ToolDescription[] = tools.map(({ description }) => description);

/** Calls a tool. Returns undefined if there is no tool with this name. Throws only unexpected errors. */
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

type Asking = { signal: AbortSignal; working: Working };

function defineTool<Input extends Named>(definition: {
  name: string;
  title: string;
  description: string;
  input: z.ZodType<Input>;
  answer(verbs: ContextVerbs, request: Input & { mountedDirectory: string }, asking: Asking): Promise<string>;
}): Tool {
  const { name, title, description, input, answer } = definition;
  return {
    description: { name, title, description, annotations, inputSchema: schemaOf(input) },
    async call(verbs, given, { workplaces, workplaceOf, grantable, signal }) {
      const parsed = parseInput(input, given);
      if (!parsed.success) throw refuseInput('The arguments are not valid.', parsed.error);
      const { mountedDirectory: directory } = parsed.data;
      const place = directory === undefined ? onlyOne(await workplaces()) : await workplaceOf(directory);
      try {
        const request = await inPlace(parsed.data, place, verbs);
        const text = await answer(verbs, request, { signal, working: workingIn(place) });
        return { content: [{ type: 'text', text }] };
      } catch (error) {
        throw isNotGranted(error) ? notGranted(await grantable(place.mountedDirectory)) : error;
      }
    },
  };
}

function schemaOf(schema: z.ZodType): ToolDescription['inputSchema'] {
  const json = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), (key, value) =>
    unsaid.includes(key) ? undefined : value,
  );
  return JSON.parse(json);
}

/**
 * The text of an answer of at most `max` tokens. `ask` gets the max tokens of the contents and returns how many they
 * have. It is called again with less until contents and the text around them fit together.
 */
async function answerWithin(
  verbs: ContextVerbs,
  max: number = defaultMaxTokens,
  ask: (room: { maxTokens: number }) => Promise<{ sections: readonly Section[]; tokens?: number }>,
): Promise<string> {
  let room = max;
  for (let attempt = 1; ; attempt += 1) {
    const { sections, tokens = 0 } = await ask({ maxTokens: room });
    const { text, excess } = await fitSections(sections, max, verbs.countTokens);
    if (excess === 0 || room === 0) return text;
    room = attempt < maxAttempts ? Math.max(0, Math.min(room, tokens) - excess) : 0;
  }
}

function isNotGranted(error: unknown): boolean {
  if (!(error instanceof ContextdError) || error.code !== 'path_outside_roots') return false;
  return !(error instanceof NotServedError) && error.errors.every(({ pointer }) => pointer === '/mountedDirectory');
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
