/** The JSON Schema (2020-12) of each kind of file, so that editors check files while the user types (AP-08). */
import { z } from 'zod';
import { ClientContextOptions } from '../context/config.ts';
import { frontMatterKeys } from '../context/front-matter-keys.ts';
import { McpServer, serverName } from '../context/server-entry.ts';
import { AiContextPolicy } from '../policy/policy-file.ts';
import type { CheckedKind } from './diagnostic.ts';

const ContextConfigFile = z.strictObject({
  $schema: z.string().optional().describe('Where an editor finds the schema of this file.'),
  clientContext: z.strictObject(ClientContextOptions.shape).optional().describe('Which files are context.'),
  mcpServers: z
    .record(z.string().regex(serverName), McpServer)
    .optional()
    .describe('MCP servers by name. Nothing starts before the user has approved exactly this definition.'),
});

/** The front matter of a context file. Other properties are kept as they are. */
const FrontMatter = z.looseObject(
  Object.fromEntries(
    Object.entries(frontMatterKeys).map(([name, { form, means }]) => [name, form.schema.nullish().describe(means)]),
  ),
);

const kinds: Record<CheckedKind, { title: string; schema: z.ZodType }> = {
  'context-config': { title: 'Context configuration (context-config.json)', schema: ContextConfigFile },
  'ai-context-policy': { title: 'AI context policy (.ai-context-policy.yaml)', schema: AiContextPolicy },
  'context-file': { title: 'Front matter of a context file (.md, .mdc)', schema: FrontMatter },
};

/** The published schema of a kind of file. */
export function jsonSchemaOf(kind: CheckedKind): Record<string, unknown> {
  const { title, schema } = kinds[kind];
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { $schema, $id: `urn:contextd:schema:${kind}`, title, ...rest };
}
