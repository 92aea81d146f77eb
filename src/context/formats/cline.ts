import { flag, patternsOrNone, text } from '../key-forms.ts';
import { alwaysWhole, type RuleFormat, readWith } from './format.ts';

const read = readWith(
  { paths: patternsOrNone, alwaysApply: flag, description: text },
  ({ paths, description = '' }) => {
    if (paths === undefined) return { description, trigger: 'always' };
    return paths.length === 0 ? { description, disabled: true } : { description, trigger: 'auto', globs: paths };
  },
);
const isElsewhere = /^(?:workflows|hooks|skills)\//u;
const holds = (path: string): boolean => /\.(?:md|txt)$/iu.test(path) && !isElsewhere.test(path);

export const cline: RuleFormat = {
  name: 'cline',
  tool: 'Cline',
  places: [
    { in: 'root', firstOf: ['.clinerules/'], holds, read },
    { in: 'root', firstOf: ['.clinerules'], read: alwaysWhole },
    { in: 'home', firstOf: ['Documents/Cline/Rules/'], holds, read },
  ],
};
