import { withoutMark } from '../../texts/decode-text.ts';
import { dictionary, type Reader, wrongType } from '../../texts/field-readers.ts';
import { parseForeignJson } from '../../texts/json-source.ts';
import { ownValue } from '../../texts/own-value.ts';
import {
  createPositions,
  createWarningList,
  type Report,
  type SourceMap,
  type SourceNode,
  type SourceTree,
} from '../../texts/source-tree.ts';
import type { Warning } from '../../warnings.ts';
import type { ContextConfig } from '../config.ts';
import { maxEntries, readServerCommand, readServerEntry, serverName } from '../server-entry.ts';
import type { Spelling } from './variables.ts';

export type ServerList = Readonly<{
  /** The name of the tool for people. */
  tool: string;
  /**
   * Where the list is: in the mounted directory (`root`), also in each directory on the way to the working directory
   * (`every`).
   */
  in: 'root' | 'every';
  /** The first existing file counts. */
  firstOf: readonly string[];
  /** The list is read if one of these formats is read. */
  formats: readonly string[];
  /** The key that holds the servers. */
  key: string;
  variables: Spelling;
  /** Other names of our fields. An address under another name than `url` also names its transport. */
  fields?: Readonly<Record<string, 'env' | 'url' | 'headers'>>;
  /** The transport of `url` without a type. */
  urlType?: 'sse';
  /** The list is TOML instead of JSON. */
  isToml?: true;
  /** An entry with the fields that most tools have. Undefined if the tool itself does not start it. */
  adapt?: (entry: SourceMap, at: Readonly<{ pointer: string; report: Report }>) => SourceMap | undefined;
}>;

/** Names of transports in the tools. */
const types: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  local: 'stdio',
  sse: 'sse',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
};

/**
 * In JSON, comments and trailing commas are allowed, as in most of the tools. A broken entry gives a warning, and the
 * others count.
 */
export async function parseServerList(
  text: string,
  list: ServerList,
  path: string,
): Promise<{ value: ContextConfig; warnings: Warning[] }> {
  const content = withoutMark(text);
  const { report, finish } = createWarningList(path, createPositions(content));
  const done = (mcpServers: ContextConfig['mcpServers'] = new Map()) => ({
    value: { clientContext: {}, mcpServers },
    warnings: finish(),
  });
  if (content.trim() === '') return done();
  const source = list.isToml ? await parseToml(content) : parseForeignJson(content);
  const problem = 'problem' in source ? source.problem : undefined;
  const root = 'root' in source ? source.root : undefined;
  if (problem !== undefined || (root !== undefined && !(root.value instanceof Map))) {
    const { message, offset } = problem ?? { message: 'it must be an object', offset: 0 };
    report({ code: 'invalid_config', message: `The servers of ${list.tool} are not used: ${message}.`, offset });
    return done();
  }
  const servers = root?.value instanceof Map ? root.value.get(list.key)?.node : undefined;
  if (servers === undefined || servers.value === null) return done();
  const read = dictionary(entryReader(list), { max: maxEntries, name: serverName });
  return done(read(servers, `/${list.key}`, report));
}

/** The parser is loaded when there is a list in TOML. */
async function parseToml(text: string): Promise<SourceTree> {
  const { parseTomlSource } = await import('../../texts/toml-source.ts');
  return parseTomlSource(text);
}

const kept = new Set(['command', 'args', 'env', 'url', 'headers', 'type', 'disabled']);

/** An entry with our field names. Unknown fields are dropped. */
function entryReader(list: ServerList): Reader<ReturnType<ContextConfig['mcpServers']['get']> & object> {
  return (node, pointer, report) => {
    if (!(node.value instanceof Map)) return wrongType('an object', 'The server is left out.')(node, pointer, report);
    const written = list.adapt ? list.adapt(node.value, { pointer, report }) : node.value;
    if (written === undefined) return undefined;
    const fields: SourceMap = new Map();
    /** The place of a field with another name. */
    const origins: [ours: string, theirs: string][] = [];
    for (const [key, entry] of written) {
      const meaning = list.fields?.[key];
      if (meaning !== undefined) {
        fields.set(meaning, entry);
        origins.push([`${pointer}/${meaning}`, `${pointer}/${key}`]);
      } else if (kept.has(key)) fields.set(key, withOurType(key, entry));
    }
    const command = written.get('command');
    if (Array.isArray(command?.node.value)) {
      const [program, ...args] = command.node.value;
      fields.set('command', { ...command, node: program ?? { offset: command.offset, value: '' } });
      fields.set('args', { ...command, node: { offset: command.offset, value: args } });
      origins.push([`${pointer}/args`, `${pointer}/command`]);
    }
    const enabled = written.get('enabled');
    if (enabled?.node.value === false) fields.set('disabled', { ...enabled, node: { ...enabled.node, value: true } });
    for (const key of unfit(fields)) fields.delete(key);
    const type = typeOfUrl(written, list);
    if (type !== undefined) fields.set('type', { offset: node.offset, node: { offset: node.offset, value: type } });
    const place: Report = (finding) => report({ ...finding, pointer: placed(finding.pointer, origins) });
    const server = readServerEntry({ ...node, value: fields }, pointer, place);
    const cwd = written.get('cwd')?.node;
    if (server === undefined || cwd === undefined || !('command' in server)) return server;
    const directory = readServerCommand(cwd, `${pointer}/cwd`, report);
    return directory === undefined ? undefined : { ...server, cwd: directory };
  };
}

/** Fields of another kind of server, which the tools ignore. */
function unfit(fields: SourceMap): readonly string[] {
  if (fields.has('command')) return fields.has('url') ? [] : ['headers'];
  return fields.has('url') ? ['args', 'env'] : [];
}

type Entry = { offset: number; node: SourceNode; duplicate?: true };

function withOurType(key: string, entry: Entry): Entry {
  const { value } = entry.node;
  const type = key === 'type' && typeof value === 'string' ? ownValue(types, value) : undefined;
  return type === undefined ? entry : { ...entry, node: { ...entry.node, value: type } };
}

function typeOfUrl(written: SourceMap, { fields = {}, urlType }: ServerList): string | undefined {
  if (Object.entries(fields).some(([key, meaning]) => meaning === 'url' && written.has(key))) return 'http';
  return written.has('url') && !written.has('type') ? urlType : undefined;
}

function placed(pointer: string | undefined, origins: readonly [string, string][]): string {
  const [ours, theirs] = origins.find(([from]) => pointer === from || pointer?.startsWith(`${from}/`)) ?? ['', ''];
  return `${theirs}${(pointer ?? '').slice(ours.length)}`;
}
