import { type RuleFormat, alwaysWhole as read } from './format.ts';

export const copilot: RuleFormat = {
  name: 'copilot',
  tool: 'GitHub Copilot',
  places: [
    { in: 'root', firstOf: ['.github/copilot-instructions.md'], read },
    { in: 'home', firstOf: ['.copilot/copilot-instructions.md'], read },
  ],
};
