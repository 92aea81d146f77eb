import { endsWith, type RuleFormat, alwaysWhole as read } from './format.ts';

export const junie: RuleFormat = {
  name: 'junie',
  tool: 'Junie',
  places: [
    {
      in: 'root',
      firstOf: ['.junie/AGENTS.md', 'AGENTS.md', '.junie/guidelines.md', '.junie/guidelines/'],
      holds: endsWith('.md'),
      read,
    },
    { in: 'home', firstOf: ['.junie/AGENTS.md'], read },
  ],
};
