/** Finds the line of a pattern or a flag in a configuration file. Only used for messages. */
import { fixedLimits } from '../settings.ts';
import { parseJsonSource } from '../texts/json-source.ts';
import { createPositions, entriesOf, type SourceNode } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import { type ContextConfig, misplacedKeys } from './config.ts';
import type { LoadedConfig } from './merge.ts';

const fields = ['includeFiles', 'excludeFiles', 'ignoreGlobalContext', 'ignoreAncestorContext'] as const;
type Field = (typeof fields)[number];

/** Keys at the top under which a field may be written. */
const topKeys: Partial<Record<Field, readonly string[]>> = misplacedKeys;

const known = new WeakMap<ContextConfig, ReadonlyMap<string, number>>();

/** `<path>:<line>` of a field, or of one pattern in it. Only the path if the line is not found. */
export function writtenAt(config: LoadedConfig, field: Field, pattern?: string): string {
  const lines = known.get(config.value) ?? findLines(config);
  known.set(config.value, lines);
  const line = lines.get(keyOf(field, pattern));
  return line === undefined ? config.path : `${config.path}:${line}`;
}

function keyOf(field: Field, pattern: string | undefined): string {
  return pattern === undefined ? field : `${field}:${pattern}`;
}

/**
 * Finds all lines in one pass, because a repository chooses how large the text is and how many patterns are looked up.
 */
function findLines(config: LoadedConfig): Map<string, number> {
  const lines = new Map<string, number>();
  const source = config.path.endsWith('.json') ? parseJsonSource(config.text) : parseYamlSource(config.text);
  const root = entriesOf(source);
  if (root === undefined) return lines;
  const client = root.get('clientContext')?.node.value;
  const placeOf = createPositions(config.text);
  const note = (key: string, node: SourceNode): void => {
    if (!lines.has(key)) lines.set(key, placeOf(node.offset).line);
  };
  for (const field of fields) {
    const inClient = client instanceof Map ? client.get(field)?.node : undefined;
    for (const node of [inClient, ...(topKeys[field] ?? []).map((key) => root.get(key)?.node)]) {
      if (node === undefined) continue;
      note(field, node);
      // What is past the limit is not read as a pattern either.
      const items = Array.isArray(node.value) ? node.value.slice(0, fixedLimits.request.patterns) : [];
      for (const item of items) {
        const pattern = item.value instanceof Map ? item.value.get('pattern')?.node.value : item.value;
        if (typeof pattern === 'string') note(keyOf(field, pattern), item);
      }
    }
  }
  return lines;
}
