/** Front matter that wants to run, to explode or to pollute, through the whole daemon. */
import { expect } from 'vitest';
import { attackDaemon, attackWith, type HostileCase } from '../support/hostile-cases.ts';
import { readHostileFixture } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();

const openers = [
  ...['js', 'javascript', 'space-js', 'upper-js', 'mark-js', 'mixed-javascript', 'space-javascript', 'tab-js'],
  ...['no-break-space-js', 'zero-width', 'json', 'coffee', 'cson', 'toml', 'yaml', 'semicolons', 'plus', 'four-dashes'],
  ...['trailing-space', 'carriage-return-js', 'constructor', 'proto', 'blank-line-first'],
];

/** What stands behind any other fence than `---` is body, byte for byte. */
attackWith(
  'openers',
  attack,
  openers.map((name) => ({
    name: `S-56 CC-25 fixtures/hostile/openers/${name}.md is text`,
    build: (tree) => tree.fixture('.context/x.md', `openers/${name}.md`),
    request: { mentions: ['x'] },
    files: { 'x.md': 'active' },
    bodies: {
      'x.md': readHostileFixture(`openers/${name}.md`)
        .toString()
        .replace(/^\uFEFF/u, ''),
    },
    ...(name === 'zero-width' && { warnings: ['suspicious_unicode x.md'] }),
  })),
);

attackWith('code as a value', attack, [
  {
    name: 'S-56 code behind a real fence is a text that fails as YAML or stays a value',
    build: (tree) => tree.fixture('.context/x.md', 'openers/dashes-as-js-value.md'),
    request: { mentions: ['x'] },
    files: { 'x.md': 'active' },
    bodies: { 'x.md': 'Body.\n' },
    warnings: ['invalid_front_matter x.md'],
  },
]);

type Expected = Omit<HostileCase, 'name' | 'build' | 'files'> & { state?: 'active' | 'available' };

/** A file of `fixtures/hostile/front-matter/` as `.context/x.md`; its body is delivered without fences. */
function fixture(row: string, name: string, { state = 'active', ...expected }: Expected): HostileCase {
  return {
    name: `${row} fixtures/hostile/front-matter/${name}.md`,
    build: (tree) => tree.fixture('.context/x.md', `front-matter/${name}.md`),
    files: { 'x.md': state },
    ...(state === 'active' && { bodies: { 'x.md': 'Body.\n' } }),
    ...expected,
  };
}
/** One warning and default properties: `manual`. */
const unusable: Expected = { state: 'available', warnings: ['invalid_front_matter x.md'] };
const invalidProperty = ['invalid_property x.md'];
const property = (key: string, value: unknown): Pick<HostileCase, 'also'> => ({
  also: ({ files }) => expect(files.find(({ path }) => path.endsWith('/x.md'))).toMatchObject({ [key]: value }),
});

attackWith('YAML', attack, [
  fixture('S-58', 'alias-bomb', unusable),
  fixture('S-58', 'merge-key', unusable),
  fixture('S-58', 'recursive-alias', unusable),
  fixture('S-59', 'js-function', unusable),
  fixture('S-59', 'js-regexp', unusable),
  fixture('S-59', 'python-object', unusable),
  fixture('S-59', 'own-tag', unusable),
  fixture('S-59', 'binary-tag', unusable),
  fixture('S-59 S-61', 'proto', {
    warnings: ['invalid_property x.md', 'invalid_property x.md', 'invalid_property x.md'],
    ...property('properties', {}),
  }),
  fixture('S-59 S-61', 'proto-below', { warnings: invalidProperty, ...property('properties', { meta: { fine: 1 } }) }),
  fixture('S-59', 'duplicate-keys', unusable),
  fixture('S-59', 'trigger-no', { state: 'available', warnings: ['unknown_trigger x.md'] }),
  fixture('S-59', 'trigger-list', { state: 'available', warnings: invalidProperty }),
  fixture('S-59', 'disabled-text', { warnings: invalidProperty }),
  fixture('S-59', 'disabled-yes', { warnings: invalidProperty }),
  fixture('S-59', 'priority-octal', { warnings: invalidProperty, ...property('priority', 500) }),
  fixture('S-59', 'priority-infinite', { warnings: invalidProperty, ...property('priority', 500) }),
  fixture('S-59', 'priority-huge', { warnings: invalidProperty, ...property('priority', 500) }),
  fixture('S-59', 'date', property('properties', { made: '2001-12-14t21:59:43.10-05:00' })),
  fixture('S-59', 'globs-map', { state: 'available', warnings: invalidProperty, ...property('globs', ['*']) }),
  fixture('S-59', 'name-colon', { warnings: invalidProperty, ...property('name', 'x') }),
  fixture('S-59', 'name-terminal', { warnings: invalidProperty, ...property('name', 'x') }),
  fixture('S-59', 'several-documents', unusable),
  fixture('S-62', 'unclosed-quote', unusable),
  fixture('S-62', 'tabs', unusable),
  fixture('S-62', 'complex-key', unusable),
  fixture('CC-25', 'unclosed', { state: 'available' }),
  fixture('CC-25', 'empty', { state: 'available' }),
  fixture('CC-25', 'only-fence', { state: 'available' }),
  fixture('CC-25', 'carriage-returns', { state: 'available' }),
]);

const block = (yaml: string) => `---\n${yaml}\n---\nBody.\n`;
/** A text made here because of its size, as `.context/x.md`. */
const made = (name: string, yaml: string, expected: Expected): HostileCase => ({
  ...fixture('', '', expected),
  name,
  build: (tree) => tree.write('.context/x.md', block(yaml)),
});
const tooLarge: Expected = { state: 'available', warnings: ['front_matter_too_large x.md'] };

attackWith('bombs', attack, [
  made('S-58 35 KB of merge keys', `a: &a {b: 1}\n${'<<: *a\n'.repeat(5_000)}`, tooLarge),
  made('S-58 16 KB of merge keys', `a: &a {b: 1}\n${'<<: *a\n'.repeat(2_300)}`, unusable),
  made('S-58 10,000 open brackets', `a: ${'['.repeat(10_000)}`, unusable),
  made('S-58 10,000 open braces', `a: ${'{'.repeat(10_000)}`, unusable),
  made('S-58 16 KB of block lists in each other', `${'- '.repeat(8_000)}a`, unusable),
  made('S-58 16 KB of question marks', '? '.repeat(8_000), unusable),
  made('S-58 16 KB of anchors', '&a '.repeat(5_000), unusable),
  made('S-58 16 KB of commas in globs', `globs: ${'a,'.repeat(8_000)}`, { state: 'available' }),
  made('S-58 1,500 keys', Array.from({ length: 1_500 }, (_, i) => `k${i}: ${i}`).join('\n'), unusable),
  made('S-58 16 KB of blanks', ' '.repeat(16_000), { state: 'available' }),
  made('S-58 16 KB of line ends', '\n'.repeat(16_000), { state: 'available' }),
  made('S-58 16 KB of quotes', `description: ${"'".repeat(16_000)}`, { state: 'available' }),
  made('S-58 16 KB of bare stars', '- **/*\n'.repeat(2_300), unusable),
  made('S-58 a description as long as it may be', `trigger: always\ndescription: ${'x'.repeat(16_000)}`, {}),
  made('S-58 1 MB of front matter', `trigger: always\ndescription: ${'x'.repeat(1_000_000)}`, tooLarge),
  {
    name: 'S-58 200 files with an alias bomb each',
    build: (tree) => {
      for (let i = 0; i < 200; i += 1) tree.fixture(`.context/${i}.md`, 'front-matter/alias-bomb.md');
    },
    files: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}.md`, 'available'])),
    warnings: Array.from({ length: 200 }, (_, i) => `invalid_front_matter ${i}.md`),
  },
  {
    name: 'S-57 the same broken file three times gives the same warning three times',
    build: (tree) => tree.fixture('.context/x.md', 'front-matter/unclosed-quote.md'),
    files: { 'x.md': 'available' },
    warnings: ['invalid_front_matter x.md'],
    async also(first, tree, { resolve }) {
      for (let again = 0; again < 2; again += 1) expect((await resolve(tree)).warnings).toEqual(first.warnings);
      tree.fixture('.context/x.md', 'front-matter/unclosed-quote.md');
      expect((await resolve(tree)).warnings).toEqual(first.warnings);
    },
  },
]);
