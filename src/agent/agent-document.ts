/** An agent as one YAML or JSON document (AG-05). */
import { z } from 'zod';
import { ContextdError, type FieldError } from '../errors.ts';
import { type Problem, parseJsonValue } from '../texts/json-source.ts';
import { parseInput, refuseInput } from '../texts/parse-input.ts';
import { isReservedName, plainValue, pointerTo, positionAt } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import { Agent } from './agent.ts';

export const DocumentFormat = z.enum(['yaml', 'json']);
export type DocumentFormat = z.infer<typeof DocumentFormat>;

export const ImportRequest = z
  .strictObject({
    format: DocumentFormat.optional().describe('Format of the document. Default `yaml`. JSON is also valid YAML.'),
    content: z.string().min(1).max(1_048_576).describe('The document, in the form of an export.'),
    replace: z.boolean().optional().describe('Whether to replace an agent with the same id. Default false.'),
  })
  .meta({ id: 'ImportRequest', description: 'A document that contains an agent.' });
export type ImportRequest = z.infer<typeof ImportRequest>;

const unusable = 'The document cannot be used as an agent.';

/**
 * The agent as a document. The caller masks secrets first. An agent that is too large to be read as YAML again is
 * written as JSON, which is also YAML and is read quickly.
 */
export async function writeAgentDocument(agent: Agent, format: DocumentFormat): Promise<string> {
  const json = `${JSON.stringify(agent, undefined, 2)}\n`;
  if (format === 'json') return json;
  const { stringify } = await import('yaml');
  const yaml = stringify(agent, { version: '1.2', schema: 'core', aliasDuplicateObjects: false, lineWidth: 0 });
  return 'problem' in parseYamlSource(yaml) ? json : yaml;
}

/** Throws `invalid_request` at `/content`, with the problem and its place in the document. */
export function parseAgentDocument(request: ImportRequest): Agent {
  const result = parseInput(Agent, parseDocument(request));
  if (result.success) return result.data;
  throw inDocument(refuseInput(unusable, result.error));
}

/** The mistakes of an agent, as mistakes of the document that it was read from. */
export function inDocument({ code, message, errors }: ContextdError): ContextdError {
  const inside = errors.map((error) => {
    const message = error.pointer === '' ? error.message : `${error.pointer}: ${error.message}`;
    return { pointer: '/content', message };
  });
  return new ContextdError(code, message, inside);
}

/** The value of a document, not checked yet. Throws `invalid_request` at `/content`. */
export function parseDocument({ content, format }: Pick<ImportRequest, 'content' | 'format'>): unknown {
  const parsed = parseAs(content, format);
  if ('problem' in parsed) {
    const { line, column } = positionAt(content, parsed.problem.offset);
    throw refuse([`${parsed.problem.message} (line ${line}, column ${column})`]);
  }
  if (parsed.reserved.length > 0) throw refuse(parsed.reserved.map((pointer) => `${pointer}: this key is not allowed`));
  return parsed.value;
}

type Parsed = { value: unknown; reserved: readonly string[] };

function parseAs(content: string, format: DocumentFormat | undefined): Parsed | { problem: Problem } {
  const mayBeJson = format === 'json' || content.trimStart().startsWith('{');
  const json = mayBeJson ? parseJsonValue(content) : undefined;
  if (json !== undefined && 'value' in json) return { value: json.value, reserved: [...reservedIn(json.value, '')] };
  if (json !== undefined && format === 'json') return json;
  const yaml = parseYamlSource(content);
  if ('problem' in yaml) return yaml;
  if (yaml.root === undefined) throw refuse(['it is empty']);
  const reserved: string[] = [];
  return { value: plainValue(yaml.root, '', (pointer) => reserved.push(pointer)), reserved };
}

/** Pointers to reserved names. */
function* reservedIn(value: unknown, pointer: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const key in value) {
    const below = (value as Record<string, unknown>)[key];
    if (!Array.isArray(value) && isReservedName(key)) yield pointerTo(pointer, key);
    else if (typeof below === 'object') yield* reservedIn(below, pointerTo(pointer, key));
  }
}

function refuse(messages: string[]): ContextdError {
  const errors = messages.slice(0, 64).map((message): FieldError => ({ pointer: '/content', message }));
  return new ContextdError('invalid_request', unusable, errors);
}
