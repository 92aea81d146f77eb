/** The JSON Schema (2020-12) of each kind of file, so that editors check while one types (AP-08). */
import { z } from 'zod';
import { ClientContextOptions, McpServer } from '../context/config.ts';
import { ItemType, priorityRange, Trigger } from '../context/context-file.ts';
import { AiContextPolicy } from '../policy/policy-file.ts';
import type { FileKind } from './diagnostic.ts';

const ContextConfigFile = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the schema of this file.'),
  clientContext: z.strictObject(ClientContextOptions.shape).optional().describe('Which files are context.'),
  mcpServers: z
    .record(z.string().regex(/^[^\p{Cc}]{1,128}$/u), McpServer)
    .optional()
    .describe('MCP servers by name. Nothing starts before the user has approved exactly this definition.'),
});

const Patterns = z.union([z.string(), z.array(z.string().nullable())]);

/** The front matter of a context file. Other properties are kept as they are. */
const FrontMatter = z.looseObject({
  description: z.string().nullish().describe('What the file is about. An `agent` file needs it.'),
  instructions: z
    .string()
    .nullish()
    .describe('What the model is told about an `agent` file. Default: the description.'),
  trigger: inAnyCase([...Trigger.options, 'pattern'])
    .nullish()
    .describe(
      '`always`: with every request. `auto` (or `pattern`): when a file in play matches `globs`. `agent`: when it fits what is asked. `manual`: when it is mentioned. Default: `manual`.',
    ),
  globs: Patterns.nullish().describe('The files an `auto` file is for: a list, or a text with commas. Default: all.'),
  appliesTo: Patterns.nullish().describe('Newer name of `globs`; it wins.'),
  disabled: z.boolean().nullish().describe('Whether the file is left out.'),
  name: z.string().max(128).nullish().describe('The name by which it is mentioned. Default: made from its path.'),
  type: inAnyCase(ItemType.options)
    .nullish()
    .describe('How it is presented. Default: `reference` in the folders `references`, `refs` and `docs`, else `rule`.'),
  priority: z
    .int()
    .min(priorityRange.lowest)
    .max(priorityRange.highest)
    .nullish()
    .describe(`A lower number comes first. Default: ${priorityRange.default}.`),
});

/** The values for completion, and a pattern for the same in capitals. */
function inAnyCase(values: readonly string[]) {
  const letter = (character: string): string => `[${character}${character.toUpperCase()}]`;
  const words = values.map((value) => [...value].map(letter).join(''));
  return z.union([
    z.enum(values as [string, ...string[]]),
    z.string().regex(new RegExp(`^(?:${words.join('|')})$`, 'u')),
  ]);
}

const kinds: Record<FileKind, { title: string; schema: z.ZodType }> = {
  'context-config': { title: 'Context configuration (context-config.json)', schema: ContextConfigFile },
  'ai-context-policy': { title: 'AI context policy (.ai-context-policy.yaml)', schema: AiContextPolicy },
  'context-file': { title: 'Front matter of a context file (.md, .mdc)', schema: FrontMatter },
};

/** The schema of a kind of file, as it is published. */
export function jsonSchemaOf(kind: FileKind): Record<string, unknown> {
  const { title, schema } = kinds[kind];
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { $schema, $id: `urn:contextd:schema:${kind}`, title, ...rest };
}
