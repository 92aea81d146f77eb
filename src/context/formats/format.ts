/** What a format of another tool is: where its files lie, and what they say (FM-01). */
import type { ItemType, Trigger } from '../context-file.ts';
import {
  type ContextFileSource,
  type KeyReader,
  parseFrontMatter,
  parsePlainText,
  type ReadFile,
} from '../front-matter.ts';
import type { Form } from '../front-matter-key-forms.ts';
import { defaultProperties, readUnknown } from '../front-matter-properties.ts';
import type { ImportSyntax } from './imports.ts';
import type { NamedFiles } from './named-files.ts';

export type RuleFormat = Readonly<{
  /** As settings and answers have it. */
  name: string;
  /** What people call the tool. */
  tool: string;
  places: readonly Place[];
  /** Keys of front matter that the tool itself knows; absent where it knows none. */
  keys?: Readonly<Record<string, ValueOfTool>>;
  named?: readonly NamedFiles[];
  /** Absent where nothing is converted to the format. */
  write?: WriteRules;
}>;

/** What a rule says besides its text, whatever its format. Patterns are about files below the mounted directory. */
export type Rule = Readonly<
  Pick<ContextFileSource, 'trigger' | 'globs' | 'description' | 'instructions' | 'name' | 'priority' | 'properties'> & {
    type: ItemType;
  }
>;

/**
 * How rules become files of a format: each a file of its own in a folder at one of `places`, whose front matter `keysOf` says as
 * much as the format can (patterns that its tool wants without quotes are `bare`); or all texts of a directory one `file`.
 */
export type WriteRules = Readonly<
  | { folder: string; extension: string; keysOf(rule: Rule, path: string): Keys; bare?: readonly string[] }
  | { file: string }
>;
type Keys = Readonly<Record<string, unknown>>;

/**
 * What the tool itself does with a list, with a text, with commas in a text, or with a pattern whose first character needs
 * quotes in YAML, where it does not understand it.
 */
export type ValueOfTool = Readonly<{ list?: string; text?: string; commas?: string; bare?: string }>;

/**
 * Where files of a format lie: in the mounted directory (`root`), also in each directory on the way from there to a file in
 * play (`every`), or in the home directory of the user (`home`). Of several paths the first counts at which something is: a
 * file, or with `/` at its end a folder, of which all files count that `holds` accepts by their path in it. A name with `*` at
 * its end means all files that begin so, right in the directory. `imports` where the tool follows imports in them.
 */
export type Place = Readonly<{
  in: 'root' | 'every' | 'home';
  firstOf: readonly string[];
  holds?: (path: string) => boolean;
  /** Which folders in it are looked into. */
  enters?: (path: string) => boolean;
  /** The other files of the folder of each that counts belong to it: they are named, and given to whoever asks for one. */
  withFolder?: true;
  read: ReadFile;
  imports?: ImportSyntax;
}>;

/** What front matter of another tool means here. What is absent has the default of every context file. */
export type Meaning = Partial<{
  trigger: Trigger;
  globs: readonly string[];
  description: string;
  name: string;
  type: ItemType;
  /** What in it switches the file off, in the words of its own tool. */
  disabledBy: string;
}>;

/** A file without front matter, which always applies. */
export const alwaysWhole: ReadFile = (text) => ({
  value: { ...parsePlainText(text), trigger: 'always' },
  warnings: [],
});

/** A file that another one imports: its text as it is. */
export const importedWhole: ReadFile = (text) => ({
  value: { ...parsePlainText(text), type: 'reference' },
  warnings: [],
});

/** A rule without front matter, which applies where it is mentioned. */
export const manualWhole: ReadFile = (text) => ({ value: parsePlainText(text), warnings: [] });

/** A file that belongs to another one, whatever it is. */
export const supportingFile: ReadFile = (text) => ({
  value: { ...parsePlainText(text), type: 'reference' },
  warnings: [],
});

/**
 * Files whose front matter has these keys. `mean` says what their values mean together; keys that are not written, or
 * cannot be read, are absent. Other keys are kept as written.
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

/** A key that is written only where it says something. */
export function ifSaid<Key extends string>(key: Key, value: string | undefined): Partial<Record<Key, string>> {
  return value === undefined || value === '' ? {} : ({ [key]: value } as Record<Key, string>);
}

/** Accepts files by the end of their names, in any case. */
export function endsWith(...ends: readonly string[]): (path: string) => boolean {
  return (path) => ends.some((end) => path.toLowerCase().endsWith(end));
}
