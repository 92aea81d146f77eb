import { patterns } from '../front-matter-key-forms.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';
import { claudeImports } from './imports.ts';

const read = readWith({ paths: patterns, globs: patterns }, ({ paths, globs = paths }) =>
  globs === undefined ? { trigger: 'always' } : { trigger: 'auto', globs },
);
const rules = { holds: endsWith('.md'), read, imports: claudeImports };

export const claudeRules: RuleFormat = {
  name: 'claude-rules',
  tool: 'Claude Code',
  keys: { paths: {}, globs: {} },
  places: [
    { in: 'every', firstOf: ['.claude/rules/'], ...rules },
    { in: 'home', firstOf: ['.claude/rules/'], ...rules },
  ],
  write: {
    folder: '.claude/rules/',
    extension: '.md',
    keysOf: ({ trigger, globs }) => (trigger === 'auto' ? { paths: globs } : {}),
  },
};
