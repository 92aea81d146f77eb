import { baseName } from '../../access/paths.ts';
import { type Form, name, patterns, text } from '../front-matter-key-forms.ts';
import { endsWith, type Meaning, type Place, type RuleFormat, readWith } from './format.ts';

/** Words of a prompt that call the text. */
const words: Form<string[]> = {
  read: ({ value }) =>
    Array.isArray(value) ? value.flatMap((item) => (typeof item.value === 'string' ? [item.value] : [])) : undefined,
  schema: patterns.schema,
};

/** A text with inputs is a task, which waits for its name. */
const inputs: Form<true> = { read: () => true, schema: patterns.schema };

/** Patterns decide alone. The words that call a text say what it is about, so a query is compared with them. */
const read = readWith(
  { name, description: text, paths: patterns, triggers: words, inputs },
  ({ description = '', paths, triggers = [], inputs: isTask, ...about }): Meaning => {
    if (paths) return { ...about, description, trigger: 'auto', globs: paths };
    if (triggers.length === 0) return { ...about, description, trigger: isTask ? 'manual' : 'always' };
    const called = triggers.join(', ');
    return { ...about, description: description === '' ? called : `${description} (${called})`, trigger: 'agent' };
  },
);

const isMarkdown = endsWith('.md');
const isText = (path: string): boolean => {
  const file = baseName(path);
  return isMarkdown(path) && file !== 'README.md' && file.toLowerCase() !== 'skill.md';
};
/** Folders in `skills` are skills with their files. */
const isInFolder = (path: string): boolean => isText(path) && !path.includes('/');

const placesIn = (where: 'root' | 'home'): Place[] => [
  { in: where, firstOf: ['.openhands/skills/'], holds: isInFolder, read },
  { in: where, firstOf: ['.openhands/microagents/'], holds: isText, read },
];

export const openhands: RuleFormat = {
  name: 'openhands',
  tool: 'OpenHands',
  places: [...placesIn('root'), ...placesIn('home')],
};
