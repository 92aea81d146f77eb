/** What is allowed at a place of a file, by the JSON Schema of its kind. */
import type { Position } from 'vscode-languageserver';
import { jsonSchemaOf } from '../../validation/json-schemas.ts';
import type { WrittenFile } from './written-file.ts';

/** The place of a cursor. In `path`, names are keys, and numbers are elements of lists. */
export type PlaceInText = Readonly<{
  path: readonly (string | number)[];
  /** `either`: an element of a list, which may be a value or begin with a key. */
  wants: 'key' | 'value' | 'either';
  /** The key at the cursor, if there is one. */
  key?: string;
  /** The other keys beside the cursor. */
  siblings: ReadonlySet<string>;
  /** The text to replace: from here to `to`, or to the cursor. */
  from: Position;
  to?: Position;
  /** Whether there is a colon after the text to replace. */
  isFollowed: boolean;
}>;

export type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
};

/** For front matter in the format of another tool, only the keys are known. `undefined` without keys. */
export function schemaOf({ path, kind, rule }: WrittenFile): Schema | undefined {
  // A plain text has no front matter.
  const isPlainText = kind === 'context-file' && path.toLowerCase().endsWith('.txt');
  if (rule === undefined) return isPlainText ? undefined : jsonSchemaOf(kind);
  const { keys, tool } = rule.format;
  if (keys === undefined) return undefined;
  const names = Object.keys(keys).map((name) => [name, { description: `A key of ${tool}.` }] as const);
  return { properties: Object.fromEntries(names) };
}

/** The schemas of the value at `path`: several if it may have several types. */
export function schemasAt(root: Schema, path: readonly (string | number)[]): Schema[] {
  let found = kindsOf(root, root);
  for (const part of path)
    found = found.flatMap(({ properties = {}, additionalProperties, items }) => {
      const next =
        typeof part === 'number'
          ? items
          : (Object.hasOwn(properties, part) && properties[part]) || additionalProperties;
      return typeof next === 'object' ? kindsOf(next, root) : [];
    });
  return found;
}

/** The descriptions of the last key of `path`, the most specific first. */
export function describe(root: Schema, path: readonly (string | number)[]): string | undefined {
  const end = path.findLastIndex((part) => typeof part === 'string');
  return schemasAt(root, path.slice(0, end + 1)).find(({ description }) => description !== undefined)?.description;
}

/** The values that a schema lists or, for a list, those of its elements. */
export function valuesOf(root: Schema, schema: Schema): unknown[] {
  const { type, items } = schema;
  if (items !== undefined) return kindsOf(items, root).flatMap((each) => valuesOf(root, each));
  if (schema.const !== undefined) return [schema.const];
  return schema.enum ?? ([type].flat().includes('boolean') ? [true, false] : []);
}

/** A schema, then those that it refers to or chooses from. */
function kindsOf(schema: Schema, root: Schema): Schema[] {
  const { $ref, anyOf = [] } = schema;
  const named = $ref === undefined ? undefined : root.$defs?.[$ref.slice('#/$defs/'.length)];
  return [schema, ...(named ? kindsOf(named, root) : []), ...anyOf.flatMap((each) => kindsOf(each, root))];
}
