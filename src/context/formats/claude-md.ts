import { type RuleFormat, alwaysWhole as read } from './format.ts';

export const claudeMd: RuleFormat = {
  name: 'claude-md',
  tool: 'Claude Code',
  places: [
    { in: 'every', firstOf: ['CLAUDE.md'], read },
    { in: 'every', firstOf: ['.claude/CLAUDE.md'], read },
    { in: 'every', firstOf: ['CLAUDE.local.md'], read },
    { in: 'home', firstOf: ['.claude/CLAUDE.md'], read },
  ],
};
