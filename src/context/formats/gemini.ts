import { type RuleFormat, alwaysWhole as read } from './format.ts';

export const gemini: RuleFormat = {
  name: 'gemini',
  tool: 'Gemini CLI',
  places: [
    { in: 'every', firstOf: ['GEMINI.md'], read },
    { in: 'home', firstOf: ['.gemini/GEMINI.md'], read },
  ],
};
