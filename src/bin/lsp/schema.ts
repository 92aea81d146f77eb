/** What may stand at a place of a file, by the JSON Schema of its kind. */
import type { Position } from 'vscode-languageserver';
import { jsonSchemaOf } from '../../validation/json-schemas.ts';
import type { WrittenFile } from './written-file.ts';

/** Where a cursor is. Names in `path` are keys, numbers stand for elements of lists. */
export type PlaceInText = Readonly<{
  path: readonly (string | number)[];
  /** `either`: an element of a list, which may be a value or begin with a key. */
  wants: 'key' | 'value' | 'either';
  /** The key that the cursor is in, where it is in one. */
  key?: string;
  /** The other keys beside the cursor. */
  siblings: ReadonlySet<string>;
  /** What is replaced: from here to `to`, or to the cursor. */
  from: Position;
  to?: Position;
  /** Whether a colon stands behind what is replaced. */
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

/** Of front matter in the format of another tool it says the names of the keys only. Undefined where there are none. */
export function schemaOf({ kind, rule }: WrittenFile): Schema | undefined {
  if (rule === undefined) return jsonSchemaOf(kind);
  const { keys, tool } = rule.format;
  if (keys === undefined) return undefined;
  const names = Object.keys(keys).map((name) => [name, { description: `A key of ${tool}.` }] as const);
  return { properties: Object.fromEntries(names) };
}

/** The schemas of a value that is reached by `path`: several where it may be of several kinds. */
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

/** What is told of the last key of `path`, the most particular first. */
export function describe(root: Schema, path: readonly (string | number)[]): string | undefined {
  const end = path.findLastIndex((part) => typeof part === 'string');
  return schemasAt(root, path.slice(0, end + 1)).find(({ description }) => description !== undefined)?.description;
}

/** The values that a schema lists; those of its elements, where it is about a list. */
export function valuesOf(root: Schema, schema: Schema): unknown[] {
  const { type, items } = schema;
  if (items !== undefined) return kindsOf(items, root).flatMap((each) => valuesOf(root, each));
  if (schema.const !== undefined) return [schema.const];
  return schema.enum ?? ([type].flat().includes('boolean') ? [true, false] : []);
}

/** A schema and those that it refers to or chooses from. What stands beside them comes first. */
function kindsOf(schema: Schema, root: Schema): Schema[] {
  const { $ref, anyOf = [] } = schema;
  const named = $ref === undefined ? undefined : root.$defs?.[$ref.slice('#/$defs/'.length)];
  return [schema, ...(named ? kindsOf(named, root) : []), ...anyOf.flatMap((each) => kindsOf(each, root))];
}
