import { flag, name, notUsed, patterns, text } from '../front-matter-key-forms.ts';
import { alwaysWhole, endsWith, ifSaid, type RuleFormat, readWith } from './format.ts';

// No pattern of a repository becomes a regular expression (S-52).
const regex = notUsed('contextd does not search files with it; "globs", "description" or a mention decide');

const read = readWith(
  { name, regex, globs: patterns, description: text, alwaysApply: flag, invokable: flag },
  ({ globs, regex, description = '', alwaysApply, invokable, ...named }) => {
    const about = { ...named, description };
    if (invokable) return { ...about, trigger: 'manual' };
    if (globs && alwaysApply !== true) return { ...about, trigger: 'auto', globs };
    // With it alone, the rule would not be for everything.
    if (alwaysApply ?? !regex) return { ...about, trigger: 'always' };
    return { ...about, trigger: description === '' ? 'manual' : 'agent' };
  },
);
const holds = endsWith('.md');

export const continueDev: RuleFormat = {
  name: 'continue',
  tool: 'Continue',
  keys: {
    globs: {
      commas: 'reads a text with commas as one pattern; write a list',
      bare: 'cannot read a pattern with this beginning without quotes, and then always applies the rule; add quotes',
    },
    name: {},
    regex: {},
    description: {},
    alwaysApply: {},
    invokable: {},
  },
  places: [
    { in: 'root', firstOf: ['.continue/rules/'], holds, read },
    { in: 'every', firstOf: ['rules.md'], read },
    { in: 'root', firstOf: ['.continuerules'], read: alwaysWhole },
    { in: 'home', firstOf: ['.continue/rules/'], holds, read },
  ],
  write: {
    folder: '.continue/rules/',
    extension: '.md',
    // With a description, what waits for a mention would be chosen by it.
    keysOf: ({ trigger, globs, description, name }) => ({
      ...ifSaid('name', name),
      ...(trigger !== 'manual' && ifSaid('description', description)),
      ...(trigger === 'auto' && { globs }),
      alwaysApply: trigger === 'always',
    }),
  },
};
