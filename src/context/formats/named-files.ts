/** Reads the file names in settings of other tools (FM-13). */
import { fixedLimits } from '../../settings.ts';
import { parseForeignJson } from '../../texts/json-source.ts';
import type { SourceNode, SourceTree } from '../../texts/source-tree.ts';
import { parseForeignYaml, parseYamlSource } from '../../texts/yaml-source.ts';
import type { ReadFile } from '../front-matter.ts';

/**
 * Settings files, all existing ones of which count, and the names in them. A name is a path or, with `patterns`, a
 * glob, relative to the directory of the settings, or to the directory above their own folder. With `inEvery`, each
 * directory on the way from there is searched for it.
 */
export type NamedFiles = Readonly<{
  in: 'root' | 'every';
  settings: readonly string[];
  /** The pattern of the list of sensitive files that matches these settings. Only the names are taken from them. */
  sensitiveAs?: string;
  namesIn(text: string): WrittenNames;
  patterns?: true;
  inEvery?: true;
  read: ReadFile;
}>;

/** Names with their offsets. `problem`: something that cannot be read. */
export type WrittenNames = Readonly<{
  names: readonly Readonly<{ name: string; offset: number }>[];
  problem?: Readonly<{ message: string; offset: number }>;
}>;

/**
 * One name or a list, below these keys of a JSON text with comments. Of several places, the first written one counts.
 */
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

function namesIn(source: SourceTree, places: readonly (readonly string[])[]): WrittenNames {
  if ('problem' in source) return { names: [], problem: source.problem };
  const { root } = source;
  const node = places.map((keys) => below(root, keys)).find((each) => each !== undefined && each.value !== null);
  if (node === undefined) return { names: [] };
  const items = Array.isArray(node.value) ? node.value : [node];
  const { patterns: maxNames, patternLength } = fixedLimits.request;
  const names: { name: string; offset: number }[] = [];
  let problem: WrittenNames['problem'];
  for (const { value, offset } of items) {
    const name = typeof value === 'string' ? value.trim() : undefined;
    if (name === '') continue;
    if (name === undefined) problem ??= { message: 'a name must be text', offset };
    else if (name.length > patternLength)
      problem ??= { message: `a name is longer than ${patternLength} characters`, offset };
    else if (names.length === maxNames) problem ??= { message: `there are more than ${maxNames} names`, offset };
    else names.push({ name, offset });
  }
  return { names, problem };
}

function below(root: SourceNode | undefined, keys: readonly string[]): SourceNode | undefined {
  let at = root;
  for (const key of keys) at = at?.value instanceof Map ? at.value.get(key)?.node : undefined;
  return at;
}
