import { type RuleFormat, alwaysWhole as read } from './format.ts';
import { namesInJson } from './named-files.ts';

export const gemini: RuleFormat = {
  name: 'gemini',
  tool: 'Gemini CLI',
  places: [
    { in: 'every', firstOf: ['GEMINI.md'], read },
    { in: 'home', firstOf: ['.gemini/GEMINI.md'], read },
  ],
  // They come beside the usual name, as in versions of the tool since 2026; before, they took its place.
  named: [
    {
      in: 'root',
      settings: ['.gemini/settings.json'],
      namesIn: namesInJson(['context', 'fileName'], ['contextFileName']),
      inEvery: true,
      read,
    },
  ],
};
