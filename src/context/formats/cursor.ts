import { flag, patterns, text } from '../key-forms.ts';
import { alwaysWhole, endsWith, type RuleFormat, readWith } from './format.ts';

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
};

export const cursorrules: RuleFormat = {
  name: 'cursorrules',
  tool: 'Cursor',
  places: [{ in: 'root', firstOf: ['.cursorrules'], read: alwaysWhole }],
};
