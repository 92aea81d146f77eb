import { alwaysWhole, type RuleFormat } from './format.ts';
import { geminiImports } from './imports.ts';
import { namesInJson } from './named-files.ts';

const memory = { read: alwaysWhole, imports: geminiImports };

export const gemini: RuleFormat = {
  name: 'gemini',
  tool: 'Gemini CLI',
  places: [
    { in: 'every', firstOf: ['GEMINI.md'], ...memory },
    { in: 'home', firstOf: ['.gemini/GEMINI.md'], ...memory },
  ],
  write: { file: 'GEMINI.md' },
  // They come beside the usual name, as in versions of the tool since 2026; before, they took its place.
  named: [
    {
      in: 'root',
      settings: ['.gemini/settings.json'],
      namesIn: namesInJson(['context', 'fileName'], ['contextFileName']),
      inEvery: true,
      read: alwaysWhole,
    },
  ],
};
