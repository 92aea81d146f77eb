import { alwaysWhole, type RuleFormat } from './format.ts';
import { geminiImports } from './imports.ts';

const memory = { read: alwaysWhole, imports: geminiImports };

export const gemini: RuleFormat = {
  name: 'gemini',
  tool: 'Gemini CLI',
  places: [
    { in: 'every', firstOf: ['GEMINI.md'], ...memory },
    { in: 'home', firstOf: ['.gemini/GEMINI.md'], ...memory },
  ],
};
