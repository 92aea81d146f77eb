/**
 * The keys of front matter (CC-27). Everything that knows keys uses this table: the reader, the recognition of front
 * matter that is not read, the hint for a misspelled key, the JSON Schema, and the table of the documentation.
 */

import { type Form, flag, itemType, name, patterns, priority, text, trigger } from './front-matter-key-forms.ts';
import { priorityRange } from './item-values.ts';

/**
 * `means`: the description in the JSON Schema and the documentation. `example`: a value as people write it. A key
 * without a default is absent unless it is written. Of a key and its aliases, the first written one in this order
 * counts.
 */
export type FrontMatterKey = {
  form: Form<unknown>;
  means: string;
  example: string;
  default?: unknown;
  aliasOf?: string;
};

/** In the order in which mistakes are reported. */
export const frontMatterKeys = {
  description: {
    form: text,
    default: '' as string,
    means: 'What the file is about. An `agent` file needs it.',
    example: '"How errors are handled"',
  },
  instructions: {
    form: text,
    means: 'What the model is told about an `agent` file. Default: the description.',
    example: 'Read it before you change how errors are shown.',
  },
  name: {
    form: name,
    means: 'The name for mentions. Default: made from the path.',
    example: 'errors',
  },
  type: {
    form: itemType,
    means: 'Kind of the file. Default: `reference` in the folders `references`, `refs` and `docs`, else `rule`.',
    example: 'rule',
  },
  appliesTo: {
    form: patterns,
    aliasOf: 'globs',
    means: 'Newer name of `globs`. It wins over `globs`.',
    example: '["src/**"]',
  },
  globs: {
    form: patterns,
    default: Object.freeze(['*']) as string[],
    means: 'The files an `auto` file is for: a list, or a text with commas. Default: all.',
    example: 'src/**/*.{ts|tsx}, *.mts',
  },
  disabled: {
    form: flag,
    default: false as boolean,
    means: 'Whether the file is left out.',
    example: 'true',
  },
  trigger: {
    form: trigger,
    default: 'manual',
    means:
      '`always`: with every request. `auto` (or `pattern`): when a file in play matches `globs`. `agent`: when it fits the question. `manual`: when it is mentioned. Default: `manual`.',
    example: 'auto',
  },
  priority: {
    form: priority,
    default: priorityRange.default as number,
    means: `A lower number comes first. Default: ${priorityRange.default}.`,
    example: '100',
  },
} as const satisfies Record<string, FrontMatterKey>;

/**
 * A key of another tool. It is kept as written and has no effect. `like`: our key with the same meaning. `write`: how
 * to write it. `isSign`: the key shows that a text is front matter, anywhere or only below a line that looks like a
 * fence.
 */
type ForeignKey = {
  like?: string;
  write?: string;
  quotes?: 'other-patterns';
  isSign?: 'anywhere' | 'below-fence';
};

const patternsOfOthers = { like: 'globs', write: '"globs" with "trigger: auto"', quotes: 'other-patterns' } as const;

export const foreignKeys: Readonly<Record<string, ForeignKey>> = {
  alwaysApply: { like: 'trigger', write: '"trigger: always"', isSign: 'anywhere' },
  applyTo: { ...patternsOfOthers, isSign: 'anywhere' },
  paths: { ...patternsOfOthers, isSign: 'below-fence' },
  glob: { ...patternsOfOthers, isSign: 'below-fence' },
  fileMatchPattern: { quotes: 'other-patterns' },
  title: { isSign: 'below-fence' },
  tags: { isSign: 'below-fence' },
};
