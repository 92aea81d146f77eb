/** Merges the configurations on the way to the AI working directory (CC-10, CC-11, CC-32). */

import { maskEach, maskUrl } from '../texts/mask.ts';
import type { ContextConfig, IncludeEntry, McpServer } from './config.ts';
import type { Scope } from './context-file.ts';
import { chooseFormats } from './formats/choose-formats.ts';
import type { ClientContextConfig, ShownMcpServer } from './resolve-result.ts';

/** A configuration file that was read. `owner` is the directory that holds its context directory; `text` is without BOM. */
export type LoadedConfig = Readonly<{ path: string; owner: string; scope: Scope; text: string; value: ContextConfig }>;

/**
 * A glob pattern and the configurations that wrote it, weakest first; without writers it is a default. `given`: the last
 * entry that says with it what its files do not say themselves.
 */
export type WrittenPattern = Readonly<{ pattern: string; writers: readonly LoadedConfig[]; given?: IncludeEntry }>;

/** A flag and the configuration that set it last; without one it is the default. */
export type WrittenFlag = Readonly<{ value: boolean; writer?: LoadedConfig }>;

export type MergedMcpServer = Readonly<{ server: McpServer; writer: LoadedConfig; shadows: readonly LoadedConfig[] }>;

export type MergedConfig = Readonly<{
  includeFiles: readonly WrittenPattern[];
  excludeFiles: readonly WrittenPattern[];
  /** Names of the formats that all configurations allow; absent where none says so. */
  formats?: readonly string[];
  ignoreGlobalContext: WrittenFlag;
  ignoreAncestorContext: WrittenFlag;
  mcpServers: ReadonlyMap<string, MergedMcpServer>;
}>;

/** The pattern that stands for every file of a context directory. */
export const defaultIncludePattern = '*';
export const defaultExcludePattern = 'context-config.json';

/** `configs` weakest first. Patterns append and keep their first place; the last flag that was set wins; so does the last server. */
export function mergeConfigs(configs: readonly LoadedConfig[]): MergedConfig {
  const formats = configs.map(({ value }) => value.clientContext.formats).filter((choice) => choice !== undefined);
  return {
    includeFiles: mergePatterns(defaultIncludePattern, configs, (config) => config.clientContext.includeFiles),
    excludeFiles: mergePatterns(defaultExcludePattern, configs, (config) => config.clientContext.excludeFiles),
    ignoreGlobalContext: mergeFlag(configs, (config) => config.clientContext.ignoreGlobalContext),
    ignoreAncestorContext: mergeFlag(configs, (config) => config.clientContext.ignoreAncestorContext),
    mcpServers: mergeServers(configs),
    ...(formats.length > 0 && { formats: chooseFormats(...formats) }),
  };
}

function mergePatterns(
  defaultPattern: string,
  configs: readonly LoadedConfig[],
  patternsOf: (config: ContextConfig) => readonly (string | IncludeEntry)[] | undefined,
): WrittenPattern[] {
  const merged = new Map<string, { writers: LoadedConfig[]; given?: IncludeEntry }>([
    [defaultPattern, { writers: [] }],
  ]);
  for (const config of configs) {
    for (const entry of patternsOf(config.value) ?? []) {
      const pattern = typeof entry === 'string' ? entry : entry.pattern;
      const known = merged.get(pattern) ?? { writers: [] };
      if (!known.writers.includes(config)) known.writers.push(config);
      if (typeof entry !== 'string' && entry.trigger) known.given = entry;
      merged.set(pattern, known);
    }
  }
  return [...merged].map(([pattern, { writers, given }]) => ({ pattern, writers, ...(given && { given }) }));
}

function mergeFlag(
  configs: readonly LoadedConfig[],
  flagOf: (config: ContextConfig) => boolean | undefined,
): WrittenFlag {
  const writer = configs.findLast((config) => flagOf(config.value) !== undefined);
  return writer === undefined ? { value: false } : { value: flagOf(writer.value) ?? false, writer };
}

function mergeServers(configs: readonly LoadedConfig[]): Map<string, MergedMcpServer> {
  const merged = new Map<string, MergedMcpServer>();
  for (const writer of configs) {
    for (const [name, server] of writer.value.mcpServers) {
      const weaker = merged.get(name);
      merged.set(name, { server, writer, shadows: weaker ? [...weaker.shadows, weaker.writer] : [] });
    }
  }
  return merged;
}

/** `clientContext` as the answer shows it. With several working directories patterns are united and a flag holds only if it holds in each. */
export function showClientContext(merged: readonly MergedConfig[]): ClientContextConfig {
  const unite = (patternsOf: (config: MergedConfig) => readonly WrittenPattern[]): string[] => [
    ...new Set(merged.flatMap((config) => patternsOf(config).map(({ pattern }) => pattern))),
  ];
  return {
    includeFiles: unite((config) => config.includeFiles),
    excludeFiles: unite((config) => config.excludeFiles),
    ignoreGlobalContext: merged.every((config) => config.ignoreGlobalContext.value),
    ignoreAncestorContext: merged.every((config) => config.ignoreAncestorContext.value),
  };
}

/** Server definitions as the answer shows them: no value of `env` or `headers` and no secret part of a URL leaves the daemon. */
export function showMcpServers(merged: readonly MergedConfig[]): Record<string, ShownMcpServer> {
  const shown = new Map<string, ShownMcpServer>();
  for (const { mcpServers } of merged) {
    for (const [name, { server, writer, shadows }] of mcpServers) {
      shown.set(name, {
        ...showDefinition(server),
        definedIn: writer.path,
        scope: writer.scope,
        ...(shadows.length === 0 ? {} : { shadows: shadows.map(({ path, scope }) => ({ path, scope })) }),
      });
    }
  }
  // fromEntries defines own properties, so a server named `__proto__` is only a name.
  return Object.fromEntries([...shown].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function showDefinition(server: McpServer): Omit<ShownMcpServer, 'definedIn' | 'scope'> {
  if ('command' in server) {
    const { env, ...rest } = server;
    return { ...rest, ...(env === undefined ? {} : { env: maskEach(env) }) };
  }
  const { headers, url, ...rest } = server;
  return { ...rest, url: maskUrl(url), ...(headers === undefined ? {} : { headers: maskEach(headers) }) };
}
