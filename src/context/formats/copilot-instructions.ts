import { name, patterns, text } from '../key-forms.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';

const everything = ['*', '**', '**/*'];

const read = readWith({ applyTo: patterns, description: text, name }, ({ applyTo, description = '', ...named }) => {
  if (applyTo?.some((pattern) => everything.includes(pattern))) return { ...named, description, trigger: 'always' };
  if (applyTo) return { ...named, description, trigger: 'auto', globs: applyTo };
  return { ...named, description, trigger: description === '' ? 'manual' : 'agent' };
});
const holds = endsWith('.instructions.md');

export const copilotInstructions: RuleFormat = {
  name: 'copilot-instructions',
  tool: 'GitHub Copilot',
  keys: {
    applyTo: { list: 'takes no list here in VS Code, and never applies the rule by itself; write a text with commas' },
    ...{ name: {}, description: {}, excludeAgent: {} },
  },
  places: [
    { in: 'root', firstOf: ['.github/instructions/'], holds, read },
    { in: 'home', firstOf: ['.copilot/instructions/'], holds, read },
  ],
};
