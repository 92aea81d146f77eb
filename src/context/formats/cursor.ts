import { flag, patterns, text } from '../front-matter-key-forms.ts';
import { alwaysWhole, asOneText, endsWith, ifSaid, type RuleFormat, readWith } from './format.ts';

/** Without front matter a rule has none of what would make it apply. */
export const readCursorRule = readWith(
  { description: text, globs: patterns, alwaysApply: flag },
  ({ description = '', globs, alwaysApply }) => {
    if (alwaysApply) return { description, trigger: 'always' };
    if (globs) return { description, trigger: 'auto', globs };
    return { description, trigger: description === '' ? 'manual' : 'agent' };
  },
);

export const cursor: RuleFormat = {
  name: 'cursor',
  tool: 'Cursor',
  keys: { description: {}, globs: {}, alwaysApply: {} },
  places: [{ in: 'every', firstOf: ['.cursor/rules/'], holds: endsWith('.mdc'), read: readCursorRule }],
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
  places: [{ in: 'root', firstOf: ['.cursorrules'], read: alwaysWhole }],
};
