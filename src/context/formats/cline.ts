import { flag, patternsOrNone, text } from '../key-forms.ts';
import { alwaysWhole, endsWith, type RuleFormat, readWith } from './format.ts';

const read = readWith(
  { paths: patternsOrNone, alwaysApply: flag, description: text },
  ({ paths, description = '' }) => {
    if (paths === undefined) return { description, trigger: 'always' };
    return paths.length === 0 ? { description, disabled: true } : { description, trigger: 'auto', globs: paths };
  },
);
const holds = endsWith('.md', '.txt');
const enters = (path: string): boolean => !['workflows', 'hooks', 'skills'].includes(path);

export const cline: RuleFormat = {
  name: 'cline',
  tool: 'Cline',
  keys: {
    paths: { text: 'takes only a list here, and applies the rule always' },
    name: {},
    disabled: {},
    enabled: {},
  },
  places: [
    { in: 'root', firstOf: ['.clinerules/'], holds, enters, read },
    { in: 'root', firstOf: ['.clinerules'], read: alwaysWhole },
    { in: 'home', firstOf: ['Documents/Cline/Rules/'], holds, enters, read },
  ],
};
