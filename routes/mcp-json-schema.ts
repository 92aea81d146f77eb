import { z } from 'zod';

type JsonSchema = { type: 'object'; [key: string]: unknown };

/**
 * The JSON Schema of an object without `$ref`, which not every MCP client follows. The schema must not be recursive.
 * Answers may gain fields later; only what is asked is strict.
 */
export function inlineDefinitions(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, $defs: definitions = {}, ...root } = z.toJSONSchema(schema, { io });
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...own } = value as { $ref?: string; additionalProperties?: unknown };
    if ($ref !== undefined) return { ...(inline(definitions[$ref.replace('#/$defs/', '')]) as object), ...own };
    if (io === 'output' && own.additionalProperties === false) delete own.additionalProperties;
    return Object.fromEntries(Object.entries(own).map(([key, each]) => [key, inline(each)]));
  };
  return inline(root) as JsonSchema;
}
