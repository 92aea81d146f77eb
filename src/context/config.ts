/** Context configuration files (CC-07 … CC-10, S-61, S-62). */
import { z } from 'zod';
import { fixedLimits } from '../settings.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { dictionary, leaf, list, type Reader, readFields, wrongType } from '../texts/field-readers.ts';
import { parseJsonSource } from '../texts/json-source.ts';
import { createPositions, createWarningList, exceedsBytes, type Report, type SourceMap } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import { Flag, isText, onSingleLine, singleLine } from './config-values.ts';
import { FormatChoice, FormatName } from './formats/choose-formats.ts';
import { Trigger } from './item-values.ts';
import { type ListedServer, McpServer, maxEntries, readServerEntry, serverName } from './server-entry.ts';

/** A glob pattern in a file of a user. `compileGlob` can still refuse it. */
export const GlobPattern = z
  .string(isText)
  .min(1, 'must not be empty')
  .max(fixedLimits.request.patternLength, `must not be longer than ${fixedLimits.request.patternLength} characters`)
  .regex(singleLine, onSingleLine);

const PatternList = z.array(GlobPattern).optional();
const { patterns: maxItems } = fixedLimits.request;

/** An entry of `includeFiles`, with settings for files that cannot have front matter: when they apply. */
export const IncludeEntry = z
  .strictObject({
    pattern: GlobPattern.describe('Glob pattern of the files.'),
    trigger: Trigger.optional().describe('When the files are used, if they do not say it themselves.'),
    globs: PatternList.meta({ maxItems, description: 'Which files in play they are for. `auto` needs it.' }),
    description: z
      .string(isText)
      .min(1, 'must not be empty')
      .optional()
      .describe('What the files are about. `agent` needs it.'),
  })
  .meta({ description: 'A glob pattern, with settings that its files do not have themselves.' });
export type IncludeEntry = z.infer<typeof IncludeEntry>;

/** The options of one file. An absent key is not set. When files are merged, this differs from every value (CC-11). */
export const ClientContextOptions = z.object({
  includeFiles: z
    .array(z.union([GlobPattern, IncludeEntry]))
    .optional()
    .meta({
      maxItems,
      description:
        'Glob patterns of files that are context too, relative to the directory that holds the context directory.',
    }),
  excludeFiles: PatternList.meta({
    maxItems,
    description: 'Glob patterns of files that are not context. They win over `includeFiles`.',
  }),
  formats: FormatChoice.optional().describe(
    'Formats of other tools to read here, among those that the user reads: a list, `all` or `none`.',
  ),
  ignoreGlobalContext: Flag.optional().describe('Whether the context of the user’s home directory is left out.'),
  ignoreAncestorContext: Flag.optional().describe('Whether the context of the directories above is left out.'),
});
export type ClientContextOptions = z.infer<typeof ClientContextOptions>;

/** A parsed configuration file. It has only valid parts. Invalid parts were dropped with a warning. */
export const ContextConfig = z.object({
  clientContext: ClientContextOptions,
  mcpServers: z.map(z.string(), McpServer),
});
export type ContextConfig = Omit<z.infer<typeof ContextConfig>, 'mcpServers'> & {
  mcpServers: Map<string, ListedServer>;
};

/**
 * Parses a configuration that was decoded from UTF-8. An empty text sets nothing. A text that cannot be parsed gives
 * one warning and sets nothing. Otherwise only bad fields are dropped, each with a warning. Warnings quote no values.
 */
export function parseContextConfig(
  text: string,
  options: { path: string; format: 'json' | 'yaml'; configBytes?: number },
): { value: ContextConfig; warnings: Warning[] } {
  const { path, format, configBytes = fixedLimits.request.configBytes } = options;
  const content = withoutMark(text);
  const { report, finish } = createWarningList(path, createPositions(content));
  const nothing = (problem?: { code: WarningCode; message: string; offset: number }) => {
    if (problem !== undefined) report(problem);
    return { value: { clientContext: {}, mcpServers: new Map() }, warnings: finish() };
  };
  if (exceedsBytes(content, configBytes)) {
    const message = `The configuration is larger than ${configBytes} bytes. It is not used.`;
    return nothing({ code: 'config_too_large', message, offset: 0 });
  }
  if (content.trim() === '') return nothing();
  const notUsed = ({ message, offset }: { message: string; offset: number }) =>
    nothing({ code: 'invalid_config', message: `The configuration is not used: ${message}.`, offset });
  const source = format === 'json' ? parseJsonSource(content) : parseYamlSource(content);
  if ('problem' in source) return notUsed(source.problem);
  const { root } = source;
  if (root === undefined) return nothing();
  if (!(root.value instanceof Map)) return notUsed({ message: 'it must be an object', offset: root.offset });
  return { value: readConfig(root.value, report), warnings: finish() };
}

const patterns = list(leaf(GlobPattern), { max: maxItems });

/** Drops a trigger that is wrong or lacks a field that it needs. The files stay. */
const includeEntry: Reader<string | IncludeEntry> = (node, pointer, report) => {
  if (!(node.value instanceof Map)) return leaf(GlobPattern)(node, pointer, report);
  const trigger = leaf(z.enum(Trigger.options, `must be one of ${Trigger.options.join(', ')}`));
  const readers = {
    pattern: leaf(GlobPattern),
    trigger,
    globs: patterns,
    description: leaf(IncludeEntry.shape.description.unwrap()),
  };
  const { pattern, ...given } = readFields<IncludeEntry>(node.value, readers, { pointer, report });
  const say = (message: string): void =>
    report({ code: 'invalid_config_value', message, offset: node.offset, pointer });
  if (pattern === undefined) {
    if (!node.value.has('pattern')) say('An entry needs a "pattern". It is ignored.');
    return undefined;
  }
  const needed = { auto: 'globs', agent: 'description' } as const;
  const lacking = given.trigger && given.trigger in needed ? needed[given.trigger as keyof typeof needed] : undefined;
  if (lacking === undefined || given[lacking]?.length) return { pattern, ...given };
  say(`The trigger "${given.trigger}" needs "${lacking}". It is ignored.`);
  return pattern;
};
const includeEntries = list(includeEntry, { max: maxItems });

const formatList = list(leaf(FormatName), { max: 64 });
const allOrNone = leaf(z.enum(['all', 'none'], 'must be a list of formats, "all" or "none"'));
const formats: Reader<FormatChoice> = (node, ...at) =>
  Array.isArray(node.value) ? formatList(node, ...at) : allOrNone(node, ...at);

const clientContext: Reader<ClientContextOptions> = (node, pointer, report) => {
  if (!(node.value instanceof Map)) return wrongType('an object')(node, pointer, report);
  const flag = leaf(Flag);
  return readFields<ClientContextOptions>(
    node.value,
    {
      includeFiles: includeEntries,
      excludeFiles: patterns,
      formats,
      ignoreGlobalContext: flag,
      ignoreAncestorContext: flag,
    },
    { pointer, report },
  );
};

const mcpServers = dictionary(readServerEntry, { max: maxEntries, name: serverName });

/** Keys that other versions of the format have at the top. `include` and `exclude` come from the migration example. */
export const misplacedKeys = {
  includeFiles: ['includeFiles', 'include'],
  excludeFiles: ['excludeFiles', 'exclude'],
} as const;

function readConfig(root: SourceMap, report: Report): ContextConfig {
  const known = new Map(root);
  known.delete('$schema');
  const moved = <Entry>(field: keyof typeof misplacedKeys, read: Reader<Entry[]>): Entry[] =>
    misplacedKeys[field].flatMap((key) => {
      const entry = known.get(key);
      if (!known.delete(key) || entry === undefined) return [];
      const message = `"${key}" belongs in "clientContext" as "${field}". It is used as if it were there.`;
      report({ code: 'misplaced_config_key', message, offset: entry.offset, pointer: `/${key}` });
      return read(entry.node, `/${key}`, report) ?? [];
    });
  const includeFiles = moved('includeFiles', includeEntries);
  const excludeFiles = moved('excludeFiles', patterns);
  const read = readFields<ContextConfig>(known, { clientContext, mcpServers }, { pointer: '', report });
  const options: ClientContextOptions = read.clientContext ?? {};
  if (includeFiles.length > 0) options.includeFiles = [...(options.includeFiles ?? []), ...includeFiles];
  if (excludeFiles.length > 0) options.excludeFiles = [...(options.excludeFiles ?? []), ...excludeFiles];
  return { clientContext: options, mcpServers: read.mcpServers ?? new Map() };
}
