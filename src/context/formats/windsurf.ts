import { oneOf, patterns, text } from '../front-matter-key-forms.ts';
import { alwaysWhole, asOneText, endsWith, ifSaid, type RuleFormat, readWith } from './format.ts';

// `always` is not a word of the tool, but many write it.
const triggers = {
  always_on: 'always',
  always: 'always',
  model_decision: 'agent',
  glob: 'auto',
  manual: 'manual',
} as const;

const words = { always: 'always_on', agent: 'model_decision', auto: 'glob', manual: 'manual' } as const;

/** Of Windsurf, now called Devin, and of Antigravity. */
export const readWindsurfRule = readWith(
  { trigger: oneOf(triggers), globs: patterns, description: text },
  ({ globs, trigger = globs ? 'auto' : 'always', ...about }) =>
    trigger === 'auto' ? { trigger, globs: globs ?? [], ...about } : { trigger, ...about },
);
const read = readWindsurfRule;
const holds = endsWith('.md');

export const windsurf: RuleFormat = {
  name: 'windsurf',
  tool: 'Windsurf',
  keys: { trigger: {}, globs: {}, description: {} },
  places: [
    { in: 'every', firstOf: ['.devin/rules/'], holds, read },
    { in: 'every', firstOf: ['.windsurf/rules/'], holds, read },
    { in: 'root', firstOf: ['.windsurfrules'], read: alwaysWhole },
    { in: 'home', firstOf: ['.devin/rules/'], holds, read },
    { in: 'home', firstOf: ['.config/devin/AGENTS.md'], read: alwaysWhole },
    { in: 'home', firstOf: ['.codeium/windsurf/memories/global_rules.md'], read: alwaysWhole },
  ],
  write: {
    folder: '.windsurf/rules/',
    extension: '.md',
    bare: ['globs'],
    keysOf: ({ trigger, globs, description }) => ({
      trigger: words[trigger],
      ...(trigger === 'auto' && { globs: asOneText(globs) }),
      ...ifSaid('description', description),
    }),
  },
};
