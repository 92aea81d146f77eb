import { hash } from 'node:crypto';
import type { SearchItem } from './search-item.ts';

/**
 * Ten texts as rules are written, about ten subjects. Their similarities to a question are what is usual with this model,
 * where there are too few items to tell. Chosen with `npm run bench:relevance`: with texts about other things than
 * software, half of the rules stand out from them, whatever the question is.
 */
const subjects: readonly (readonly [name: string, description: string, text: string])[] = [
  [
    'commit-messages',
    'Say what changed and why',
    'The first line has at most fifty characters and is written in the imperative. The body names the reason and what was considered instead.',
  ],
  [
    'spacing-and-colours',
    'Which ones a page may use',
    'Take distances from the scale of the design system, and colours from its palette. Text needs enough contrast with its background.',
  ],
  [
    'queries',
    'How tables are read quickly',
    'Select only the columns that are needed, and add an index for each condition that filters many rows. Look at the plan before you merge.',
  ],
  [
    'logging',
    'What is recorded when something fails',
    'Log each error once, where it is handled, with an identifier of the request. Passwords and tokens never appear.',
  ],
  [
    'container-images',
    'How they are built and published',
    'Use a small base image, copy only what runs, and do not run as root. The tag is the version of the release.',
  ],
  [
    'tests-of-time',
    'How to avoid waiting',
    'Pass the clock as a parameter and move it forward in the test. A test that sleeps is slow, and fails on a busy machine.',
  ],
  [
    'keyboard-and-screen-readers',
    'What each control needs',
    'Every button has a name, the focus is visible, and the order of the tab key follows the page.',
  ],
  [
    'pages-of-lists',
    'How many entries an answer of the service has, and in which order',
    'An answer has at most one hundred entries and a cursor for the next ones. Unknown parameters are refused.',
  ],
  [
    'releases',
    'Version numbers and the list of changes',
    'A change that breaks users raises the first number. Each entry of the list says what a user has to do.',
  ],
  [
    'translations',
    'Where texts for people are kept',
    'No sentence is put together from parts. Each language has a file, and the key says where the text is shown.',
  ],
];

/** `serverName`: no rule of a user has one, so none is taken for one of these. */
export const background: readonly SearchItem[] = subjects.map(([name, description, text]) => ({
  type: 'rule',
  serverName: 'contextd',
  name,
  description,
  text,
  sha256: hash('sha256', `${name}\n${description}\n${text}`),
}));
