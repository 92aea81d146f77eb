import { flag, name, patternsOrNone, text } from '../front-matter-key-forms.ts';
import { alwaysWhole, endsWith, ifSaid, type RuleFormat, readWith } from './format.ts';

// Older versions read `paths`, newer ones the switches and the name.
const read = readWith(
  { paths: patternsOrNone, alwaysApply: flag, description: text, name, disabled: flag, enabled: flag },
  ({ paths, description = '', disabled, enabled, name: ownName }) => {
    const about = { description, ...(ownName && { name: ownName }) };
    if (disabled ?? enabled === false)
      return { ...about, disabledBy: disabled === true ? '`disabled: true`' : '`enabled: false`' };
    if (paths === undefined) return { ...about, trigger: 'always' };
    return paths.length === 0 ? { ...about, disabledBy: '`paths: []`' } : { ...about, trigger: 'auto', globs: paths };
  },
);
const holds = endsWith('.md', '.markdown', '.txt');
const enters = (path: string): boolean => !['workflows', 'hooks', 'skills'].includes(path);

export const cline: RuleFormat = {
  name: 'cline',
  tool: 'Cline',
  keys: {
    paths: { text: 'accepts only a list here, and otherwise always applies the rule' },
    name: {},
    disabled: {},
    enabled: {},
  },
  places: [
    { in: 'root', firstOf: ['.clinerules/'], holds, enters, read },
    { in: 'root', firstOf: ['.clinerules'], read: alwaysWhole },
    { in: 'root', firstOf: ['.cline/rules/'], holds, read },
    { in: 'home', firstOf: ['.cline/rules/'], holds, read },
    { in: 'home', firstOf: ['Documents/Cline/Rules/'], holds, enters, read },
  ],
  write: {
    folder: '.clinerules/',
    extension: '.md',
    keysOf: ({ trigger, globs, description, name }) => ({
      ...ifSaid('name', name),
      ...ifSaid('description', description),
      ...(trigger === 'auto' && { paths: globs }),
    }),
  },
};
