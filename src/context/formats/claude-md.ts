import { alwaysWhole, type RuleFormat } from './format.ts';
import { claudeImports } from './imports.ts';

const memory = { read: alwaysWhole, imports: claudeImports };

export const claudeMd: RuleFormat = {
  name: 'claude-md',
  tool: 'Claude Code',
  places: [
    { in: 'every', firstOf: ['CLAUDE.md'], ...memory },
    { in: 'every', firstOf: ['.claude/CLAUDE.md'], ...memory },
    { in: 'every', firstOf: ['CLAUDE.local.md'], ...memory },
    { in: 'home', firstOf: ['.claude/CLAUDE.md'], ...memory },
  ],
  write: { file: 'CLAUDE.md' },
};
