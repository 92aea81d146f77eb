import { endsWith, type RuleFormat } from './format.ts';
import { readWindsurfRule as read } from './windsurf.ts';

const holds = endsWith('.md');

export const antigravity: RuleFormat = {
  name: 'antigravity',
  tool: 'Antigravity',
  keys: { trigger: {}, globs: {}, description: {} },
  places: [
    { in: 'root', firstOf: ['.agents/rules/'], holds, read },
    { in: 'root', firstOf: ['.agent/rules/'], holds, read },
  ],
};
