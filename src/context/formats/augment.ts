import { oneOf, text } from '../front-matter-key-forms.ts';
import { alwaysWhole, endsWith, type RuleFormat, readWith } from './format.ts';

const types = { always_apply: 'always', manual: 'manual', agent_requested: 'agent' } as const;

const read = readWith({ type: oneOf(types), description: text }, ({ type: trigger = 'always', ...about }) => ({
  trigger,
  ...about,
}));

export const augment: RuleFormat = {
  name: 'augment',
  tool: 'Augment',
  keys: { type: {}, description: {} },
  places: [
    { in: 'root', firstOf: ['.augment/rules/'], holds: endsWith('.md'), read },
    { in: 'root', firstOf: ['.augment-guidelines'], read: alwaysWhole },
    // Those of the user always apply, whatever they say.
    {
      in: 'home',
      firstOf: ['.augment/rules/'],
      holds: endsWith('.md'),
      read: readWith({}, () => ({ trigger: 'always' })),
    },
  ],
};
