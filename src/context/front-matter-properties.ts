/** The typed properties of a context file, by the table of keys (CC-27, CC-29, CC-30). */
import type { QuotedKeys } from '../texts/bare-values.ts';
import { plainValue, type Report, type SourceMap } from '../texts/source-tree.ts';
import type { Form } from './front-matter-key-forms.ts';
import { type FrontMatterKey, foreignKeys, frontMatterKeys } from './front-matter-keys.ts';

type Keys = typeof frontMatterKeys;
type Value<Key extends keyof Keys> = Keys[Key] extends { form: Form<infer Type> } ? Type : never;
type WithDefault = { [Key in keyof Keys]: Keys[Key] extends { default: unknown } ? Key : never }[keyof Keys];
type Alias = { [Key in keyof Keys]: Keys[Key] extends { aliasOf: string } ? Key : never }[keyof Keys];

/**
 * Keys without a default are absent unless the file sets them. `properties`: keys without a meaning here, as written.
 * `disabledBy`: what disables a file of another tool.
 */
export type FrontMatterProperties = { [Key in WithDefault]: Value<Key> } & {
  [Key in Exclude<keyof Keys, WithDefault | Alias>]?: Value<Key>;
} & { properties: Record<string, unknown>; disabledBy?: string };

const table: readonly (readonly [string, FrontMatterKey])[] = Object.entries(frontMatterKeys);

/** Keys with a meaning. Others are kept as they are. */
export const knownKeys: readonly string[] = table.map(([name]) => name);

/** The names under which a key can be written, the strongest first. */
export function namesOfKey(key: string): string[] {
  return table.flatMap(([name, { aliasOf = name }]) => (aliasOf === key ? [name] : []));
}

/** Keys whose values are understood without the quotes that YAML demands. */
export const quotedKeys: QuotedKeys = new Map([
  ...table.map(([name, { form }]) => [name, form.quotes] as const),
  ...Object.entries(foreignKeys).map(([name, { quotes }]) => [name, quotes] as const),
]);

const signs = new Set([
  ...knownKeys,
  ...Object.keys(foreignKeys).filter((key) => foreignKeys[key]?.isSign === 'anywhere'),
]);

const signsBelowFence = new Set(
  [...knownKeys, ...Object.keys(foreignKeys).filter((key) => foreignKeys[key]?.isSign)].map((key) => key.toLowerCase()),
);

/** Whether a text that begins with this line begins with properties. */
export function startsWithProperty(text: string): boolean {
  return signs.has(/^([\w$-]+)[ \t]*:(?!\S)/u.exec(text)?.[1] ?? '');
}

/**
 * Whether a line below a possible fence is a property, ours or of another tool. A horizontal rule in Markdown (`---`)
 * is followed by other text.
 */
export function isPropertyBelowFence(line: string): boolean {
  return signsBelowFence.has(/^\s*["']?([\w$-]+)["']?\s*:(?:\s|$)/u.exec(line)?.[1]?.toLowerCase() ?? '');
}

const defaults = Object.fromEntries(
  table.flatMap(([name, key]) => (key.default === undefined ? [] : [[name, key.default]])),
);

export function defaultProperties(): FrontMatterProperties {
  return { ...defaults, properties: {} } as FrontMatterProperties;
}

/** Reads the properties. A property with a wrong type is reported and gets its default. */
export function readProperties(root: SourceMap, report: Report): FrontMatterProperties {
  const found: Record<string, unknown> = {};
  for (const [key, { form, aliasOf = key }] of table) {
    const node = root.get(key)?.node;
    if (node === undefined || node.value === null) continue;
    const value = form.read(node, { key, report, above: found });
    if (value !== undefined) found[aliasOf] ??= value;
  }
  return { ...defaults, ...found, properties: readUnknown(root, report) } as FrontMatterProperties;
}

/** The keys without a meaning, as written. */
export function readUnknown(
  root: SourceMap,
  report: Report,
  known: readonly string[] = knownKeys,
): Record<string, unknown> {
  const unknown = new Map([...root].filter(([key]) => !known.includes(key)));
  const message = 'This key is a name that cannot be used for a property. It is ignored.';
  const refuse = (pointer: string, offset: number): void =>
    report({ code: 'invalid_property', message, offset, pointer });
  return plainValue({ offset: 0, value: unknown }, '', refuse) as Record<string, unknown>;
}
