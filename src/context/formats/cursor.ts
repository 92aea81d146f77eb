import { flag, patterns, text } from '../front-matter-key-forms.ts';
import { alwaysWhole, asOneText, endsWith, ifSaid, type Meaning, type RuleFormat, readWith } from './format.ts';

export const cursorKeys = { description: text, globs: patterns, alwaysApply: flag };

/** Without front matter a rule has none of what would make it apply. */
export function meaningInCursor({ description = '', globs, alwaysApply }: Partial<CursorValues>): Meaning {
  if (alwaysApply) return { description, trigger: 'always' };
  if (globs) return { description, trigger: 'auto', globs };
  return { description, trigger: description === '' ? 'manual' : 'agent' };
}

type CursorValues = { description: string; globs: readonly string[]; alwaysApply: boolean };

export const cursor: RuleFormat = {
  name: 'cursor',
  tool: 'Cursor',
  keys: { description: {}, globs: {}, alwaysApply: {} },
  places: [
    { in: 'every', firstOf: ['.cursor/rules/'], holds: endsWith('.mdc'), read: readWith(cursorKeys, meaningInCursor) },
  ],
  write: {
    folder: '.cursor/rules/',
    extension: '.mdc',
    bare: ['globs'],
    // With a description, what waits for a mention would be chosen by it.
    keysOf: ({ trigger, globs, description }) => ({
      ...(trigger !== 'manual' && ifSaid('description', description)),
      ...(trigger === 'auto' && { globs: asOneText(globs) }),
      alwaysApply: trigger === 'always',
    }),
  },
};

export const cursorrules: RuleFormat = {
  name: 'cursorrules',
  tool: 'Cursor',
  isOlder: true,
  places: [{ in: 'root', firstOf: ['.cursorrules'], read: alwaysWhole }],
};
