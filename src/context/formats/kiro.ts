import { name, oneOf, patterns, text } from '../front-matter-key-forms.ts';
import { endsWith, ifSaid, type RuleFormat, readWith } from './format.ts';
import { kiroImports } from './imports.ts';

// What Kiro calls "auto" is what we call "agent".
const inclusions = { always: 'always', fileMatch: 'auto', manual: 'manual', auto: 'agent' } as const;

const words = { always: 'always', auto: 'fileMatch', manual: 'manual', agent: 'auto' } as const;

const read = readWith(
  { inclusion: oneOf(inclusions), fileMatchPattern: patterns, name, description: text },
  ({ inclusion: trigger = 'always', fileMatchPattern: globs = [], ...about }) =>
    trigger === 'auto' ? { trigger, globs, ...about } : { trigger, ...about },
);
const steering = { holds: endsWith('.md'), read, imports: kiroImports };

export const kiro: RuleFormat = {
  name: 'kiro',
  tool: 'Kiro',
  keys: { inclusion: {}, fileMatchPattern: {}, name: {}, description: {} },
  places: [
    { in: 'root', firstOf: ['.kiro/steering/'], ...steering },
    { in: 'home', firstOf: ['.kiro/steering/'], ...steering },
  ],
  write: {
    folder: '.kiro/steering/',
    extension: '.md',
    keysOf: ({ trigger, globs, description, name }) => ({
      inclusion: words[trigger],
      ...(trigger === 'auto' && { fileMatchPattern: globs }),
      ...ifSaid('name', name),
      ...ifSaid('description', description),
    }),
  },
};
