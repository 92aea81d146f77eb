import { name, patterns, text } from '../front-matter-key-forms.ts';
import { asOneText, endsWith, ifSaid, type RuleFormat, readWith } from './format.ts';

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
    applyTo: {
      list: 'does not accept a list here in VS Code, and then never applies the rule by itself; write a text with commas',
    },
    name: {},
    description: {},
    excludeAgent: {},
  },
  places: [
    { in: 'root', firstOf: ['.github/instructions/'], holds, read },
    { in: 'home', firstOf: ['.copilot/instructions/'], holds, read },
  ],
  write: {
    folder: '.github/instructions/',
    extension: '.instructions.md',
    keysOf: ({ trigger, globs, description, name }) => ({
      ...ifSaid('name', name),
      ...(trigger !== 'manual' && ifSaid('description', description)),
      ...(trigger === 'always' && { applyTo: '**' }),
      ...(trigger === 'auto' && { applyTo: asOneText(globs) }),
    }),
  },
};
