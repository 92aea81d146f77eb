/** Files that settings of other tools name: which names stand in their texts (FM-13). */
import { fixedLimits } from '../../settings.ts';
import { parseForeignJson } from '../../texts/json-source.ts';
import type { ParsedSource, SourceNode } from '../../texts/source-tree.ts';
import { parseForeignYaml, parseYamlSource } from '../../texts/yaml-source.ts';
import type { ReadFile } from '../front-matter.ts';

/**
 * Settings, all of which count that are there, and the names in them. A name is a path or, with `patterns`, a glob, from the
 * directory in which the settings lie, or from that above their own folder; with `inEvery` it is looked for in each
 * directory on the way from there.
 */
export type NamedFiles = Readonly<{
  in: 'root' | 'every';
  settings: readonly string[];
  /** Settings that are on the list of sensitive files by this pattern: the names are all that is taken from them. */
  sensitiveAs?: string;
  namesIn(text: string): WrittenNames;
  patterns?: true;
  inEvery?: true;
  read: ReadFile;
}>;

/** Names with their offsets; `problem` where there is something that cannot be read. */
export type WrittenNames = Readonly<{
  names: readonly Readonly<{ name: string; offset: number }>[];
  problem?: Readonly<{ message: string; offset: number }>;
}>;

/** One name or a list, below these keys of a JSON text with comments; of several places the first that is written. */
export function namesInJson(...places: readonly (readonly string[])[]): (text: string) => WrittenNames {
  return (text) => namesIn(parseForeignJson(text), places);
}

/** The same of a YAML text. */
export function namesInYaml(...places: readonly (readonly string[])[]): (text: string) => WrittenNames {
  return (text) => {
    const root = parseForeignYaml(text);
    return namesIn(root === undefined ? parseYamlSource(text) : { root }, places);
  };
}

function namesIn(source: ParsedSource, places: readonly (readonly string[])[]): WrittenNames {
  if ('problem' in source) return { names: [], problem: source.problem };
  const { root } = source;
  const node = places.map((keys) => below(root, keys)).find((each) => each !== undefined && each.value !== null);
  if (node === undefined) return { names: [] };
  const items = Array.isArray(node.value) ? node.value : [node];
  const { patterns: most, patternLength } = fixedLimits.request;
  const names: { name: string; offset: number }[] = [];
  let problem: WrittenNames['problem'];
  for (const { value, offset } of items) {
    const name = typeof value === 'string' ? value.trim() : undefined;
    if (name === '') continue;
    if (name === undefined) problem ??= { message: 'a name must be text', offset };
    else if (name.length > patternLength)
      problem ??= { message: `a name is longer than ${patternLength} characters`, offset };
    else if (names.length === most) problem ??= { message: `there are more than ${most} names`, offset };
    else names.push({ name, offset });
  }
  return { names, ...(problem && { problem }) };
}

function below(root: SourceNode | undefined, keys: readonly string[]): SourceNode | undefined {
  let at = root;
  for (const key of keys) at = at?.value instanceof Map ? at.value.get(key)?.node : undefined;
  return at;
}
