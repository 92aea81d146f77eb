import { flag, name, patterns, text } from '../key-forms.ts';
import { alwaysWhole, endsWith, type RuleFormat, readWith } from './format.ts';

const read = readWith(
  { name, globs: patterns, description: text, alwaysApply: flag, invokable: flag },
  ({ globs, description = '', alwaysApply, invokable, ...named }) => {
    const about = { ...named, description };
    if (invokable) return { ...about, trigger: 'manual' };
    if (globs && alwaysApply !== true) return { ...about, trigger: 'auto', globs };
    if (alwaysApply !== false) return { ...about, trigger: 'always' };
    return { ...about, trigger: description === '' ? 'manual' : 'agent' };
  },
);
const holds = endsWith('.md');

export const continueDev: RuleFormat = {
  name: 'continue',
  tool: 'Continue',
  keys: {
    globs: { commas: 'takes a text with commas for one pattern; write a list' },
    ...{ name: {}, regex: {}, description: {}, alwaysApply: {}, invokable: {} },
  },
  places: [
    { in: 'root', firstOf: ['.continue/rules/'], holds, read },
    { in: 'every', firstOf: ['rules.md'], read },
    { in: 'root', firstOf: ['.continuerules'], read: alwaysWhole },
    { in: 'home', firstOf: ['.continue/rules/'], holds, read },
  ],
};
