import { text } from '../front-matter-key-forms.ts';
import { cursorKeys, meaningInCursor } from './cursor.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';

/**
 * Without any of its keys, as rules were before there were such, a rule always applies. One with a `scene` alone is for that:
 * for messages of commits.
 */
const read = readWith({ ...cursorKeys, scene: text }, (values) =>
  Object.keys(values).length === 0 ? { trigger: 'always' } : meaningInCursor(values),
);

export const trae: RuleFormat = {
  name: 'trae',
  tool: 'Trae',
  keys: { description: {}, globs: {}, alwaysApply: {}, scene: {} },
  places: [{ in: 'every', firstOf: ['.trae/rules/'], holds: endsWith('.md'), read }],
};
