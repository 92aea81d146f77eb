/** The description of a format of another tool: where its files are, and what they mean (FM-01). */

import {
  type ContextFileSource,
  type KeyReader,
  parseFrontMatter,
  parsePlainText,
  type ReadFile,
} from '../front-matter.ts';
import type { Form } from '../front-matter-key-forms.ts';
import { defaultProperties, readUnknown } from '../front-matter-properties.ts';
import type { ItemType, Trigger } from '../item-values.ts';
import type { ImportSyntax } from './imports.ts';
import type { NamedFiles } from './named-files.ts';

export type RuleFormat = Readonly<{
  /** The name in settings and answers. */
  name: string;
  /** The name of the tool for people. */
  tool: string;
  places: readonly Place[];
  /** Keys of front matter that the tool supports. Absent if it supports none. */
  keys?: Readonly<Record<string, ValueOfTool>>;
  named?: readonly NamedFiles[];
  /** Its own tool has another format in place of it. */
  isOlder?: true;
  /** Absent if the format is not a target of conversions. */
  write?: WriteRules;
}>;

/** The meaning of a rule besides its text, in any format. Patterns match files below the mounted directory. */
export type Rule = Readonly<
  Pick<ContextFileSource, 'trigger' | 'globs' | 'description' | 'instructions' | 'name' | 'priority' | 'properties'> & {
    type: ItemType;
  }
>;

/**
 * How rules become files of a format. Either each rule is its own file in a folder at one of `places`, and `keysOf`
 * makes its front matter, as far as the format can express it (`bare`: patterns that the tool wants without quotes). Or
 * all texts of a directory are one `file`.
 */
export type WriteRules = Readonly<
  | { folder: string; extension: string; keysOf(rule: Rule, path: string): Keys; bare?: readonly string[] }
  | { file: string }
>;
type Keys = Readonly<Record<string, unknown>>;

/**
 * What the tool does with a form that it does not understand: a list, a text, commas in a text, or a pattern whose
 * first character needs quotes in YAML.
 */
export type ValueOfTool = Readonly<{ list?: string; text?: string; commas?: string; bare?: string }>;

/**
 * Where files of a format are: in the mounted directory (`root`), also in each directory on the way from there to a
 * file in play (`every`), or in the home directory of the user (`home`). Of several paths, the first existing one
 * counts: a file, or a folder if the path ends with `/`. In a folder, all files count that `holds` accepts by their
 * path in it. A name with `*` at its end means all files in the directory that begin like it. `imports`: present if the
 * tool follows imports in these files.
 */
export type Place = Readonly<{
  in: 'root' | 'every' | 'home';
  firstOf: readonly string[];
  holds?: (path: string) => boolean;
  /** Which sub-folders are read. */
  enters?: (path: string) => boolean;
  /**
   * The other files in the folder of such a file belong to it: they are listed, and delivered if a request asks for
   * one.
   */
  withFolder?: true;
  /** The files are in sub-folders `rules-<mode>`, and named `<mode>/…`. */
  ofModes?: true;
  read: ReadFile;
  imports?: ImportSyntax;
}>;

/** The meaning of front matter of another tool. Absent values have the defaults of context files. */
export type Meaning = Partial<{
  trigger: Trigger;
  globs: readonly string[];
  description: string;
  name: string;
  type: ItemType;
  /** The key that disables the file, in the words of its own tool. */
  disabledBy: string;
}>;

/** A file without front matter, which always applies. */
export const alwaysWhole: ReadFile = (text) => ({
  value: { ...parsePlainText(text), trigger: 'always' },
  warnings: [],
});

/** A file of any kind that another one imports, or that belongs to it: its text as it is. */
export const referenceWhole: ReadFile = (text) => ({
  value: { ...parsePlainText(text), type: 'reference' },
  warnings: [],
});

/** A rule without front matter that applies when it is mentioned. */
export const manualWhole: ReadFile = (text) => ({ value: parsePlainText(text), warnings: [] });

/**
 * Reads files whose front matter has these keys. `mean`: the meaning of their values together. Keys that are not
 * written or cannot be read are absent. Other keys are kept as written.
 */
export function readWith<Values extends Record<string, unknown>>(
  forms: { [Key in keyof Values]: Form<Values[Key]> },
  mean: (values: Partial<Values>) => Meaning,
): ReadFile {
  const entries = Object.entries(forms) as [string, Form<unknown>][];
  const propertiesOf = (values: Partial<Values>, properties: Record<string, unknown>) => {
    const { globs, ...meaning } = mean(values);
    const disabled = meaning.disabledBy !== undefined;
    return { ...defaultProperties(), disabled, ...meaning, ...(globs && { globs: [...globs] }), properties };
  };
  const keys: KeyReader = {
    quoted: new Map(entries.map(([key, { quotes }]) => [key, quotes])),
    mayBlanksFollowFences: true,
    read(root, report) {
      const values: Record<string, unknown> = {};
      for (const [key, form] of entries) {
        const node = root.get(key)?.node;
        if (node === undefined || node.value === null) continue;
        const value = form.read(node, { key, report, above: values });
        if (value !== undefined) values[key] = value;
      }
      const read = propertiesOf(values as Partial<Values>, readUnknown(root, report, Object.keys(forms)));
      const [first] = entries.flatMap(([key]) => (root.has(key) ? [{ key, offset: root.get(key)?.offset ?? 0 }] : []));
      if (first && read.trigger === 'auto' && read.globs.length === 0) {
        const message = 'The rule is for certain files, but no pattern names them. It applies to no file.';
        report({ code: 'rule_without_patterns', message, offset: first.offset, pointer: `/${first.key}` });
      }
      return read;
    },
    defaults: () => propertiesOf({}, {}),
  };
  return (text, options) =>
    parseFrontMatter(text, options, keys) ?? {
      value: { ...parsePlainText(text), ...keys.defaults() },
      warnings: [],
    };
}

/** Patterns as one text with commas. */
export function asOneText(globs: readonly string[]): string {
  return globs.join(',');
}

/** A key that is written only if it has a value. */
export function ifSaid<Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> {
  return value === undefined || value === '' ? {} : ({ [key]: value } as Record<Key, string>);
}

/** Accepts files by the end of their names, in any case of letters. */
export function endsWith(...ends: readonly string[]): (path: string) => boolean {
  return (path) => ends.some((end) => path.toLowerCase().endsWith(end));
}
