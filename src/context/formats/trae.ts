import { readCursorRule as read } from './cursor.ts';
import { endsWith, type RuleFormat } from './format.ts';

export const trae: RuleFormat = {
  name: 'trae',
  tool: 'Trae',
  keys: { description: {}, globs: {}, alwaysApply: {} },
  places: [{ in: 'root', firstOf: ['.trae/rules/'], holds: endsWith('.md'), read }],
};
