import { type RuleFormat, alwaysWhole as read } from './format.ts';

export const agentsMd: RuleFormat = {
  name: 'agents-md',
  tool: 'AGENTS.md',
  places: [
    // What stands for the file in its directory, the file, and its old name.
    { in: 'every', firstOf: ['AGENTS.override.md', 'AGENTS.md', 'AGENT.md'], read },
    { in: 'every', firstOf: ['AGENTS.local.md'], read },
    { in: 'home', firstOf: ['.codex/AGENTS.override.md', '.codex/AGENTS.md'], read },
    { in: 'home', firstOf: ['.config/opencode/AGENTS.md'], read },
    { in: 'home', firstOf: ['.agents/AGENTS.md'], read },
  ],
  write: { file: 'AGENTS.md' },
};
