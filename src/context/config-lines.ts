/** Where in a configuration file a pattern or a flag was written. Only looked up when somebody is told about it. */
import type { ContextConfig } from './config.ts';
import { parseJsonSource } from './json-source.ts';
import type { LoadedConfig } from './merge.ts';
import { positionAt, type SourceNode } from './source-tree.ts';
import { parseYamlSource } from './yaml-source.ts';

type Field = 'includeFiles' | 'excludeFiles' | 'ignoreGlobalContext' | 'ignoreAncestorContext';

/** Keys under which a field may be written: in `clientContext`, or misplaced at the top. */
const topKeys: Partial<Record<Field, readonly string[]>> = {
  includeFiles: ['includeFiles', 'include'],
  excludeFiles: ['excludeFiles', 'exclude'],
};

const known = new WeakMap<ContextConfig, Map<string, string>>();

/** `<path>:<line>` of a field, or of one pattern in it; the path alone where it cannot be found. */
export function writtenAt(config: LoadedConfig, field: Field, pattern?: string): string {
  const places = known.get(config.value) ?? new Map<string, string>();
  known.set(config.value, places);
  const key = `${field}:${pattern ?? ''}`;
  const before = places.get(key);
  if (before !== undefined) return before;
  const node = findField(config, field, pattern);
  const place = node === undefined ? config.path : `${config.path}:${positionAt(config.text, node.offset).line}`;
  places.set(key, place);
  return place;
}

function findField(config: LoadedConfig, field: Field, pattern: string | undefined): SourceNode | undefined {
  const source = config.path.endsWith('.json') ? parseJsonSource(config.text) : parseYamlSource(config.text);
  if ('problem' in source || !(source.root?.value instanceof Map)) return undefined;
  const root = source.root.value;
  const client = root.get('clientContext')?.node.value;
  const nodes = [
    ...(client instanceof Map ? [client.get(field)?.node] : []),
    ...(topKeys[field] ?? []).map((key) => root.get(key)?.node),
  ];
  for (const node of nodes) {
    if (node === undefined) continue;
    if (pattern === undefined) return node;
    const items = Array.isArray(node.value) ? node.value : [];
    const found = items.find((item) => item.value === pattern);
    if (found) return found;
  }
  return undefined;
}
