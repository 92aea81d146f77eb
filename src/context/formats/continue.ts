import { flag, name, notRead, patterns, text } from '../key-forms.ts';
import { alwaysWhole, endsWith, type RuleFormat, readWith } from './format.ts';

const regex = notRead('The rule applies by its "globs"; without them, where it is mentioned.');

const read = readWith(
  { name, globs: patterns, regex, description: text, alwaysApply: flag, invokable: flag },
  ({ globs, regex: isForContents, description = '', alwaysApply, invokable, ...named }) => {
    const about = { ...named, description };
    if (invokable) return { ...about, trigger: 'manual' };
    if (alwaysApply) return { ...about, trigger: 'always' };
    if (globs) return { ...about, trigger: 'auto', globs };
    if (alwaysApply === undefined && !isForContents) return { ...about, trigger: 'always' };
    return { ...about, trigger: description === '' || isForContents ? 'manual' : 'agent' };
  },
);
const holds = endsWith('.md');

export const continueDev: RuleFormat = {
  name: 'continue',
  tool: 'Continue',
  places: [
    { in: 'root', firstOf: ['.continue/rules/'], holds, read },
    { in: 'every', firstOf: ['rules.md'], read },
    { in: 'root', firstOf: ['.continuerules'], read: alwaysWhole },
    { in: 'home', firstOf: ['.continue/rules/'], holds, read },
  ],
};
