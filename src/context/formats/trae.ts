import { text } from '../front-matter-key-forms.ts';
import { cursorKeys, meaningInCursor } from './cursor.ts';
import { endsWith, type RuleFormat, readWith } from './format.ts';

/**
 * A rule without any of its keys always applies, as rules did before these keys existed. A rule with only a `scene` is
 * for that scene: messages of commits.
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
