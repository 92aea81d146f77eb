import { patterns } from '../key-forms.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';

const read = readWith({ paths: patterns, globs: patterns }, ({ paths, globs = paths }) =>
  globs === undefined ? { trigger: 'always' } : { trigger: 'auto', globs },
);
const holds = endsWith('.md');

export const claudeRules: RuleFormat = {
  name: 'claude-rules',
  tool: 'Claude Code',
  keys: { paths: {}, globs: {} },
  places: [
    { in: 'every', firstOf: ['.claude/rules/'], holds, read },
    { in: 'home', firstOf: ['.claude/rules/'], holds, read },
  ],
};
