/** Checks the text of a context configuration (CC-09, AP-08). */

import { ClientContextOptions, GlobPattern, misplacedKeys, parseContextConfig } from '../context/config.ts';
import { McpServer } from '../context/server-entry.ts';
import { readIncludePattern } from '../context/sources/include-pattern.ts';
import { fixedLimits } from '../settings.ts';
import { closestName } from '../texts/closest-name.ts';
import { withoutMark } from '../texts/decode-text.ts';
import { parseJsonSource } from '../texts/json-source.ts';
import { createPositions, entriesOf, pointerTo, type SourceMap, type SourceNode } from '../texts/source-tree.ts';
import { parseYamlSource } from '../texts/yaml-source.ts';
import type { WarningCode } from '../warning-codes.ts';
import type { Warning } from '../warnings.ts';
import { checkText } from './check-text.ts';
import { placeInText } from './finish.ts';
import { globProblem, type PatternFinding, syntaxProblem } from './glob-syntax-checks.ts';

/** The place of something in a file. `pointer` is a JSON pointer. */
export type PlaceInFile = { path: string; line: number; column: number; pointer: string };

/** A pattern without mistakes, and its place. */
export type PlacedPattern = { field: 'includeFiles' | 'excludeFiles'; pattern: string; place: PlaceInFile };

export type CheckedConfig = {
  warnings: Warning[];
  patterns: PlacedPattern[];
  servers: { name: string; place: PlaceInFile }[];
};

/**
 * Everything that the text alone shows. `text` is decoded from UTF-8. The extension of `path` decides whether it is
 * YAML.
 */
export function checkConfig(text: string, path: string): CheckedConfig {
  const format = /\.ya?ml$/iu.test(path) ? 'yaml' : 'json';
  const content = withoutMark(text);
  const warnings = parseContextConfig(content, { path, format }).warnings.map(explainUnknownKey);
  const patterns: PlacedPattern[] = [];
  const servers: CheckedConfig['servers'] = [];
  if (!warnings.some(({ code }) => code === 'config_too_large')) {
    const root = entriesOf(format === 'json' ? parseJsonSource(content) : parseYamlSource(content)) ?? new Map();
    const positionOf = createPositions(content);
    const placeOf = (offset: number, pointer: string): PlaceInFile => ({ path, ...positionOf(offset), pointer });
    for (const { field, node, pointer } of writtenPatterns(root)) {
      const pattern = node.value as string;
      const place = placeOf(node.offset, pointer);
      const problem = patternProblem(field, pattern);
      if (problem) warnings.push({ ...problem, ...place });
      else patterns.push({ field, pattern, place });
    }
    for (const { name, entries, offset } of writtenServers(root)) {
      const pointer = pointerTo('/mcpServers', name);
      servers.push({ name, place: placeOf(offset, pointer) });
      for (const { node, pointer: below, ...problem } of serverProblems(entries, pointer))
        warnings.push({ ...problem, ...placeOf(node.offset, below) });
    }
    warnings.push(...checkText(content, path));
  }
  return { warnings: placeInText(warnings, content), patterns, servers };
}

const topKeys = ['clientContext', 'mcpServers', ...Object.keys(ClientContextOptions.shape)];
const serverKeys = [...new Set(McpServer.options.flatMap((option) => Object.keys(option.shape)))];

/** An unknown key that is close to a known one gets its own code, because it has no effect. */
function explainUnknownKey(warning: Warning): Warning {
  const { code, pointer } = warning;
  if (code !== 'unknown_config_key' || pointer === undefined) return warning;
  const at = pointer.lastIndexOf('/');
  const parent = pointer.slice(0, at);
  const known = parent === '' ? topKeys : parent === '/clientContext' ? topKeys.slice(2) : serverKeys;
  const meant = closestName(pointer.slice(at + 1), known);
  if (meant === undefined) return warning;
  const inside = parent === '' && known.indexOf(meant) >= 2 ? ' in "clientContext"' : '';
  return { ...warning, code: 'misspelled_config_key', message: `This key has no effect; write "${meant}"${inside}.` };
}

function writtenPatterns(root: SourceMap) {
  const client = root.get('clientContext')?.node.value;
  return Object.entries(misplacedKeys).flatMap(([name, topNames]) => {
    const field = name as keyof typeof misplacedKeys;
    const lists: [SourceNode | undefined, string][] = topNames.map((key) => [root.get(key)?.node, `/${key}`]);
    if (client instanceof Map) lists.unshift([client.get(field)?.node, `/clientContext/${field}`]);
    return lists.flatMap(([node, pointer]) =>
      (Array.isArray(node?.value) ? node.value : [])
        .slice(0, fixedLimits.request.patterns)
        .map((item, index) => {
          const entry = item.value instanceof Map ? item.value.get('pattern')?.node : undefined;
          const at = pointerTo(pointer, index);
          return entry ? { field, node: entry, pointer: `${at}/pattern` } : { field, node: item, pointer: at };
        })
        .filter((item) => GlobPattern.safeParse(item.node.value).success),
    );
  });
}

function patternProblem(field: PlacedPattern['field'], pattern: string): PatternFinding | undefined {
  if (field === 'excludeFiles') return globProblem(pattern);
  const read = readIncludePattern(pattern.replaceAll('\\', '/'));
  if (!('problem' in read)) return syntaxProblem(pattern);
  return { code: read.problem.code, message: `The pattern ${read.problem.message.replace(/\.?$/u, '.')}` };
}

function writtenServers(root: SourceMap): { name: string; entries: SourceMap; offset: number }[] {
  const servers = root.get('mcpServers')?.node.value;
  if (!(servers instanceof Map)) return [];
  return [...servers]
    .slice(0, fixedLimits.configurations.entries)
    .flatMap(([name, { node, offset }]) => (node.value instanceof Map ? [{ name, entries: node.value, offset }] : []));
}

function serverProblems(entries: SourceMap, pointer: string) {
  const problems: { code: WarningCode; message: string; node: SourceNode; pointer: string }[] = [];
  const [url, type] = ['url', 'type'].map((key) => entries.get(key)?.node);
  if (typeof url?.value === 'string' && !/^https?:$/u.test(URL.parse(url.value)?.protocol ?? '')) {
    const message = 'The address must begin with "http://" or "https://".';
    problems.push({ code: 'invalid_server_url', message, node: url, pointer: `${pointer}/url` });
  }
  if (typeof type?.value === 'string' && (type.value === 'stdio') === (url !== undefined)) {
    const message = url
      ? 'A server with "url" is reached over "http" or "sse", not "stdio".'
      : 'A server with "command" speaks over "stdio". Remove "type", or give it a "url".';
    problems.push({ code: 'server_type_mismatch', message, node: type, pointer: `${pointer}/type` });
  }
  return problems;
}
