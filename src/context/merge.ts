/** Merges the configurations on the way to the AI working directory (CC-10, CC-11, CC-32). */

import { compareText } from '../texts/compare-text.ts';
import { findSecrets } from '../texts/find-secrets.ts';
import { maskEach, maskSecrets, maskUrl } from '../texts/mask.ts';
import type { ContextConfig, IncludeEntry } from './config.ts';
import { chooseFormats, type FormatChoice } from './formats/choose-formats.ts';
import type { Scope } from './item-values.ts';
import type { ClientContextConfig, ShownMcpServer } from './resolve-result.ts';
import type { ListedServer } from './server-entry.ts';
import type { ServerList } from './server-lists/server-list.ts';

/**
 * A configuration file that was read. `owner`: the directory that contains its context directory. `text` has no BOM.
 * `etag`: its version. `list`: present for a server list of another tool, which is never written.
 */
export type LoadedConfig = Readonly<{
  path: string;
  owner: string;
  scope: Scope;
  text: string;
  value: ContextConfig;
  etag?: string;
  list?: ServerList;
}>;

/** The writer of a pattern: the file, and the directory where its patterns start. */
export type Writer = Pick<LoadedConfig, 'path' | 'owner' | 'scope'>;

/**
 * A glob pattern and the configurations that have it, weakest first. Without writers it is a default. `given`: the last
 * settings for files that have none of their own.
 */
export type WrittenPattern = Readonly<{ pattern: string; writers: readonly LoadedConfig[]; given?: IncludeEntry }>;

/** A flag, and the last configuration that set it. Without one, the value is the default. */
type WrittenFlag = Readonly<{ value: boolean; writer?: LoadedConfig }>;

/** `also`: other places of the same definition. */
type MergedMcpServer = Readonly<{
  server: ListedServer;
  writer: LoadedConfig;
  shadows: readonly LoadedConfig[];
  also: readonly LoadedConfig[];
}>;
export type MergedServers = ReadonlyMap<string, MergedMcpServer>;

export type MergedConfig = Readonly<{
  includeFiles: readonly WrittenPattern[];
  excludeFiles: readonly WrittenPattern[];
  /** Names of the formats that all configurations allow. Absent if no configuration restricts formats. */
  formats?: readonly string[];
  ignoreGlobalContext: WrittenFlag;
  ignoreAncestorContext: WrittenFlag;
}>;

/** The pattern that stands for every file of a context directory. */
export const defaultIncludePattern = '*';
export const defaultExcludePattern = 'context-config.json';

/** The configurations with another choice of formats in one of them, which need not exist yet. */
export function withFormatsOf(
  configs: readonly LoadedConfig[],
  { path, owner, formats }: Pick<LoadedConfig, 'path' | 'owner'> & { formats: FormatChoice },
): readonly LoadedConfig[] {
  const nothing: ContextConfig = { clientContext: {}, mcpServers: new Map() };
  const isThere = configs.some((config) => config.path === path);
  const all = isThere ? configs : [...configs, { path, owner, scope: 'static' as const, text: '', value: nothing }];
  return all.map((config) =>
    config.path === path
      ? { ...config, value: { ...config.value, clientContext: { ...config.value.clientContext, formats } } }
      : config,
  );
}

/** The configuration that disables a format. Undefined if none does. */
export function leavesOut(format: string, configs: readonly LoadedConfig[]): LoadedConfig | undefined {
  return configs.find(({ value }) => !chooseFormats(value.clientContext.formats).includes(format));
}

/** `configs`: weakest first. Patterns are appended and keep their first place. The last flag that was set wins. */
export function mergeConfigs(configs: readonly LoadedConfig[]): MergedConfig {
  const formats = configs.map(({ value }) => value.clientContext.formats).filter((choice) => choice !== undefined);
  return {
    includeFiles: mergePatterns(defaultIncludePattern, configs, (config) => config.clientContext.includeFiles),
    excludeFiles: mergePatterns(defaultExcludePattern, configs, (config) => config.clientContext.excludeFiles),
    ignoreGlobalContext: mergeFlag(configs, (config) => config.clientContext.ignoreGlobalContext),
    ignoreAncestorContext: mergeFlag(configs, (config) => config.clientContext.ignoreAncestorContext),
    formats: formats.length > 0 ? chooseFormats(...formats) : undefined,
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
  return [...merged].map(([pattern, { writers, given }]) => ({ pattern, writers, given }));
}

function mergeFlag(
  configs: readonly LoadedConfig[],
  flagOf: (config: ContextConfig) => boolean | undefined,
): WrittenFlag {
  const writer = configs.findLast((config) => flagOf(config.value) !== undefined);
  return writer === undefined ? { value: false } : { value: flagOf(writer.value) ?? false, writer };
}

/**
 * `configs`: weakest first. The last server with a name wins. In one directory, our own configurations are stronger
 * than the lists of other tools. A definition that such a list has too is one server, whatever its name, and ours if we
 * have it (FM-11).
 */
export function mergeServers(configs: readonly LoadedConfig[], lists: readonly LoadedConfig[]): MergedServers {
  const levelOf = ({ scope, owner }: LoadedConfig): number => (scope === 'global' ? -1 : owner.length);
  // The sort is stable: equal levels keep their order.
  const writers = lists.length === 0 ? configs : [...lists, ...configs].sort((a, b) => levelOf(a) - levelOf(b));
  const byName = new Map<string, MergedMcpServer>();
  for (const writer of writers) {
    for (const [name, server] of writer.value.mcpServers) {
      const stronger = { server, writer, shadows: [], also: [] };
      const weaker = byName.get(name);
      byName.set(name, weaker === undefined ? stronger : (asOne(weaker, stronger) ?? hide(weaker, stronger)));
    }
  }
  return lists.length === 0 ? byName : uniteSame(byName, writers);
}

/** Makes one server of those with the same definition, under the name of the definition that is kept. */
function uniteSame(byName: MergedServers, writers: readonly LoadedConfig[]): MergedServers {
  const merged = new Map<string, MergedMcpServer>();
  const nameOf = new Map<string, string>();
  const inOrder = [...byName].sort(([, a], [, b]) => writers.indexOf(a.writer) - writers.indexOf(b.writer));
  for (const [name, server] of inOrder) {
    const definition = sameness(server);
    const other = nameOf.get(definition);
    const weaker = other === undefined ? undefined : merged.get(other);
    const one = weaker && asOne(weaker, server);
    let kept = name;
    if (other !== undefined && one !== undefined) {
      merged.delete(other);
      if (one.server === weaker?.server) kept = other;
    }
    merged.set(kept, one ?? server);
    nameOf.set(definition, kept);
  }
  return merged;
}

/** Two servers with one definition, at least one from another tool. */
function asOne(weaker: MergedMcpServer, stronger: MergedMcpServer): MergedMcpServer | undefined {
  if (!weaker.writer.list && !stronger.writer.list) return undefined;
  if (sameness(weaker) !== sameness(stronger)) return undefined;
  // A server that only one tool disables is used. Our own definition always wins, and the first one in one list.
  const isBehind = stronger.server.disabled === true || stronger.writer === weaker.writer;
  const isWeakerUsed = isBehind && weaker.server.disabled !== true;
  const isWeakerKept = stronger.writer.list !== undefined && (!weaker.writer.list || isWeakerUsed);
  const [stands, other] = isWeakerKept ? [weaker, stronger] : [stronger, weaker];
  const shadows = [...weaker.shadows, ...stronger.shadows];
  const places = new Set([...stands.also, other.writer, ...other.also]);
  places.delete(stands.writer);
  return { ...stands, shadows, also: [...places] };
}

function hide(weaker: MergedMcpServer, stronger: MergedMcpServer): MergedMcpServer {
  return { ...stronger, shadows: [...weaker.shadows, weaker.writer, ...weaker.also] };
}

/** Equal text for definitions with equal meaning. The working directory of a program is part of it. */
function sameness({ server, writer: { list, owner } }: MergedMcpServer): string {
  const pieces = (text: string) => list?.variables(text) ?? [text];
  const record = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values)
      .map(([name, value]) => [name, pieces(value)] as const)
      .sort(([a], [b]) => compareText(a, b));
  if ('url' in server) return JSON.stringify([server.type === 'sse', pieces(server.url), record(server.headers)]);
  const { command, args = [], env, cwd = '.' } = server;
  return JSON.stringify([owner, pieces(cwd), pieces(command), args.map(pieces), record(env)]);
}

/**
 * `clientContext` as the answer shows it. For several working directories, patterns are united, and a flag is true only
 * if it is true in each.
 */
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

/**
 * Server definitions for answers. Values of `env` and `headers`, secret parts of a URL, and secrets in a command line
 * are masked.
 */
export function showMcpServers(merged: readonly MergedServers[]): Record<string, ShownMcpServer> {
  const shown = new Map<string, ShownMcpServer>();
  for (const servers of merged) {
    for (const [name, { server, writer, shadows, also }] of servers) {
      shown.set(name, {
        ...showDefinition(server),
        definedIn: writer.path,
        scope: writer.scope,
        alsoDefinedIn: also.length > 0 ? also.map(({ path }) => path) : undefined,
        shadows: shadows.length > 0 ? shadows.map(({ path, scope }) => ({ path, scope })) : undefined,
      });
    }
  }
  // `fromEntries` defines own properties, so `__proto__` is an ordinary name of a server.
  return Object.fromEntries([...shown].sort(([a], [b]) => compareText(a, b)));
}

const withoutSecrets = (text: string): string => maskSecrets(text, findSecrets(text));

function showDefinition(server: ListedServer): Omit<ShownMcpServer, 'definedIn' | 'scope'> {
  if ('command' in server) {
    const { env, args, command, ...rest } = server;
    return {
      ...rest,
      command: withoutSecrets(command),
      args: args?.map(withoutSecrets),
      env: env && maskEach(env),
    };
  }
  const { headers, url, ...rest } = server;
  return { ...rest, url: maskUrl(url), headers: headers && maskEach(headers) };
}
