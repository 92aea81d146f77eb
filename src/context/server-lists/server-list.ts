import { withoutMark } from '../../texts/decode-text.ts';
import { dictionary, type Reader, wrongType } from '../../texts/field-readers.ts';
import { parseForeignJson } from '../../texts/json-source.ts';
import {
  createWarningList,
  positionAt,
  type Report,
  type SourceMap,
  type SourceNode,
} from '../../texts/source-tree.ts';
import type { Warning } from '../../warnings.ts';
import { type ContextConfig, maxServers, readServerCommand, readServerEntry, serverName } from '../config.ts';
import type { Spelling } from './variables.ts';

export type ServerList = Readonly<{
  /** What people call the tool. */
  tool: string;
  /** Where it lies: in the mounted directory (`root`), also in each directory on the way to the working one (`every`). */
  in: 'root' | 'every';
  /** The first that is there counts. */
  firstOf: readonly string[];
  /** It is read where one of these formats is. */
  formats: readonly string[];
  /** The key that holds the servers. */
  key: string;
  variables: Spelling;
  /** Names of fields that mean one of ours. What an address under another name than `url` is spoken to by comes with it. */
  fields?: Readonly<Record<string, 'env' | 'url'>>;
  /** What `url` means without a type. */
  urlType?: 'sse';
}>;

/** Words for how a server is spoken to, as one tool or another has them. */
const types: Readonly<Record<string, string>> = {
  ...{ stdio: 'stdio', local: 'stdio', sse: 'sse' },
  ...{ http: 'http', remote: 'http', 'streamable-http': 'http', streamableHttp: 'http' },
};

/** Comments and commas at an end are read past, as most of the tools do. What a broken entry says is a warning; the others stand. */
export function parseServerList(
  text: string,
  list: ServerList,
  path: string,
): { value: ContextConfig; warnings: Warning[] } {
  const content = withoutMark(text);
  const { report, finish } = createWarningList(path, (offset) => positionAt(content, offset));
  const done = (mcpServers: ContextConfig['mcpServers'] = new Map()) => ({
    value: { clientContext: {}, mcpServers },
    warnings: finish(),
  });
  if (content.trim() === '') return done();
  const source = parseForeignJson(content);
  const problem = 'problem' in source ? source.problem : undefined;
  const root = 'root' in source ? source.root : undefined;
  if (problem !== undefined || (root !== undefined && !(root.value instanceof Map))) {
    const { message, offset } = problem ?? { message: 'it must be an object', offset: 0 };
    report({ code: 'invalid_config', message: `The servers of ${list.tool} are not used: ${message}.`, offset });
    return done();
  }
  const servers = root?.value instanceof Map ? root.value.get(list.key)?.node : undefined;
  if (servers === undefined || servers.value === null) return done();
  const read = dictionary(entryReader(list), { max: maxServers, name: serverName });
  return done(read(servers, `/${list.key}`, report));
}

const kept = new Set(['command', 'args', 'env', 'url', 'headers', 'type', 'disabled']);

/** An entry in our words: fields that nobody here knows are gone, as they are for other tools. */
function entryReader(list: ServerList): Reader<ReturnType<ContextConfig['mcpServers']['get']> & object> {
  return (node, pointer, report) => {
    if (!(node.value instanceof Map)) return wrongType('an object', 'The server is left out.')(node, pointer, report);
    const written = node.value;
    const fields: SourceMap = new Map();
    /** Where a field of ours was written, if elsewhere. */
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

/** Fields of another kind of server, of which no tool takes notice. */
function unfit(fields: SourceMap): readonly string[] {
  if (fields.has('command')) return fields.has('url') ? [] : ['headers'];
  return fields.has('url') ? ['args', 'env'] : [];
}

type Entry = { offset: number; node: SourceNode; duplicate?: true };

function withOurType(key: string, entry: Entry): Entry {
  const { value } = entry.node;
  if (key !== 'type' || typeof value !== 'string' || !Object.hasOwn(types, value)) return entry;
  return { ...entry, node: { ...entry.node, value: types[value] as string } };
}

function typeOfUrl(written: SourceMap, { fields = {}, urlType }: ServerList): string | undefined {
  if (Object.entries(fields).some(([key, meaning]) => meaning === 'url' && written.has(key))) return 'http';
  return written.has('url') && !written.has('type') ? urlType : undefined;
}

function placed(pointer: string | undefined, origins: readonly [string, string][]): string {
  const [ours, theirs] = origins.find(([from]) => pointer === from || pointer?.startsWith(`${from}/`)) ?? ['', ''];
  return `${theirs}${(pointer ?? '').slice(ours.length)}`;
}
