import { oneOf, patterns, text } from '../front-matter-key-forms.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';

const ways = {
  always: 'always',
  manually: 'manual',
  'by model decision': 'agent',
  'by file patterns': 'auto',
  off: 'off',
} as const;

const read = readWith(
  { apply: oneOf(ways), patterns, instructions: text },
  ({ apply = 'always', patterns: globs = [], instructions: description = '' }) => {
    if (apply === 'off') return { description, disabledBy: '`apply: off`' };
    return { description, trigger: apply, ...(apply === 'auto' && { globs }) };
  },
);

export const jetbrains: RuleFormat = {
  name: 'jetbrains',
  tool: 'JetBrains AI Assistant',
  keys: { apply: {}, patterns: {}, instructions: {} },
  places: [{ in: 'root', firstOf: ['.aiassistant/rules/'], holds: endsWith('.md'), read }],
};
