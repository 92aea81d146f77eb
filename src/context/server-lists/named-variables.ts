/** Fields that name variables of the environment, instead of spelling them in a value. */
import { z } from 'zod';
import { dictionary, leaf, list, type Reader, wrongType } from '../../texts/field-readers.ts';
import type { Report, SourceMap, SourceNode } from '../../texts/source-tree.ts';
import { leftOut, maxEntries, serverName } from '../server-entry.ts';
import { variableName } from './variables.ts';

const name = leaf(z.string('must be the name of a variable').regex(variableName, 'must be the name of a variable'));

/** `"NAME"`, or `{ name = "NAME" }` for a variable of this machine. */
const named: Reader<string> = (node, pointer, report) => {
  const { value } = node;
  const isHere = value instanceof Map && value.get('source')?.node.value !== 'remote';
  return name((isHere && value.get('name')?.node) || node, pointer, report);
};
const names = list(named, { max: maxEntries });
const variables = dictionary(name, { max: maxEntries, name: serverName });

/**
 * Adds the variables that an entry names to its `env` and its headers, spelled for its list. `env_vars` are given on,
 * `env_http_headers` are whole headers, `bearer_token_env_var` is a token. Undefined for an entry that only disables or
 * changes a server of the user's own list, and for one that has no room for them.
 */
export function withNamedVariables(
  entry: SourceMap,
  { pointer, report }: Readonly<{ pointer: string; report: Report }>,
  { spell, headers }: Readonly<{ spell(name: string): string; headers: string }>,
): SourceMap | undefined {
  if (!entry.has('command') && !entry.has('url')) return undefined;
  const nodeOf = (field: string): SourceNode | undefined => entry.get(field)?.node;
  for (const field of ['env', headers]) {
    const node = nodeOf(field);
    if (node !== undefined && !(node.value instanceof Map))
      return wrongType('a table', leftOut)(node, `${pointer}/${field}`, report);
  }
  const fields = new Map(entry);
  const add = (field: string, key: string, { offset, value }: { offset: number; value: string }): void => {
    const { node } = fields.get(field) ?? { node: { offset, value: new Map() } };
    const values = new Map(node.value as SourceMap).set(key, { offset, node: { offset, value } });
    fields.set(field, { offset: node.offset, node: { ...node, value: values } });
  };
  const passed = nodeOf('env_vars');
  const own = nodeOf('env')?.value;
  for (const each of (passed && names(passed, `${pointer}/env_vars`, report)) ?? [])
    if (!(own instanceof Map && own.has(each))) add('env', each, { offset: passed?.offset ?? 0, value: spell(each) });
  const byHeader = nodeOf('env_http_headers');
  for (const [header, variable] of (byHeader && variables(byHeader, `${pointer}/env_http_headers`, report)) ?? [])
    add(headers, header, { offset: byHeader?.offset ?? 0, value: spell(variable) });
  const token = nodeOf('bearer_token_env_var');
  const variable = token && name(token, `${pointer}/bearer_token_env_var`, report);
  if (variable !== undefined)
    add(headers, 'Authorization', { offset: token?.offset ?? 0, value: `Bearer ${spell(variable)}` });
  return fields;
}
