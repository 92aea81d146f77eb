/** Patterns that explode, inject, or reach outside, in includeFiles, excludeFiles and globs. */
import { expect } from 'vitest';
import { fixedLimits } from '../../src/settings.ts';
import { attackDaemon, attackWith, canary, type HostileCase } from '../support/hostile-cases.ts';
import { always } from '../support/hostile-workspaces.ts';

const attack = attackDaemon();

type Outcome = 'nothing' | 'invalid_pattern' | 'invalid_config_value';

const bombs: [row: string, what: string, pattern: string, outcome: Outcome][] = [
  ['S-52', 'stars and question marks', '*?*?*?*?*?*?*?*?*?*?*?*?x', 'nothing'],
  ['S-52', 'nested repetition', '(a+)+$', 'nothing'],
  ['S-52', 'alternation under repetition', '(a|aa)+c', 'nothing'],
  ['S-52', 'an extended glob', '+(+(+(+(a)))))!(*)', 'nothing'],
  ['S-52', 'many globstars', `${'**/a*/'.repeat(60)}zz`, 'nothing'],
  ['S-52', 'many stars in one segment', `${'*a'.repeat(250)}`, 'nothing'],
  ['S-52', 'nothing but stars', '*'.repeat(511).concat('x'), 'nothing'],
  ['S-52', 'nothing but question marks', '?'.repeat(512), 'nothing'],
  ['S-52', 'a pattern one character too long', 'a'.repeat(513), 'invalid_config_value'],
  ['S-52', 'a pattern of 100,000 characters', '*a'.repeat(50_000), 'invalid_config_value'],
  ['S-53', 'two to the power of 25', '{a,b}'.repeat(25), 'invalid_pattern'],
  ['S-53', 'a range of a thousand million', '{1..1000000000}', 'invalid_pattern'],
  ['S-53', 'a range beyond numbers', '{1..1e309}', 'nothing'],
  ['S-53', 'open braces', '{'.repeat(512), 'invalid_pattern'],
  ['S-53', 'closed braces', '}'.repeat(512), 'nothing'],
  ['S-53', 'braces in braces', `${'{a,'.repeat(20)}b${'}'.repeat(20)}`, 'invalid_pattern'],
  ['S-53', 'an unbalanced brace', '{a,b', 'nothing'],
  ['S-53', '360 alternatives', `{${Array.from({ length: 180 }, (_, i) => i % 10).join()}}{a,b}`, 'invalid_pattern'],
  ['S-54', 'a class that names an inherited property', '[[:constructor:]]', 'nothing'],
  ['S-54', 'another one', '[[:__proto__:]]', 'nothing'],
  ['S-54', 'an open class', '['.repeat(512), 'nothing'],
  ['S-54', 'an empty class', '[]]', 'nothing'],
  ['S-54', 'an unfinished range', '[a-', 'nothing'],
  ['S-54', 'a range the wrong way round', '[z-a]', 'nothing'],
  ['S-54', 'half a pair', '[\ud800-\udfff]', 'nothing'],
];

/** Of these an ignore file says that they leave nothing out. */
const unusedInIgnoreFiles = new Set(['[[:constructor:]]', '[[:__proto__:]]', '['.repeat(512), '[a-']);

const deepPath = `${'aaaaaaaaaaaaaaaaaaaa/'.repeat(10)}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.md`;

/** As many lines with the pattern as one file may have. */
function ignoreFileCase([row, what, pattern]: readonly [string, string, string]): HostileCase {
  const lines = Array.from({ length: Math.min(900, Math.floor(60_000 / (pattern.length + 1))) }, () => pattern);
  const told = unusedInIgnoreFiles.has(pattern) ? lines.slice(0, fixedLimits.texts.warnings) : [];
  return {
    name: `${row} FX-01 an ignore file: ${what}`,
    build(tree) {
      tree.write(`.context/${deepPath}`, always('a'));
      tree.write('.aiignore', lines.join('\n'));
    },
    files: { [deepPath]: 'active' },
    warnings: told.map(() => 'ignore_pattern_unused'),
  };
}

/** Every pattern in each of the four places; the innocent file stays, and the long path is matched by none of them. */
attackWith(
  'bombs',
  attack,
  bombs.flatMap(([row, what, pattern, outcome]): HostileCase[] => {
    const code = outcome === 'nothing' ? [] : [`${outcome} context-config.json`];
    const excluded = { 'context-config.json': 'excluded_by_config' };
    return [
      {
        name: `${row} includeFiles: ${what}`,
        build(tree) {
          tree.write(`src/${deepPath}`, 'text');
          tree.config({ clientContext: { includeFiles: [pattern] } });
        },
        excluded,
        warnings: code,
      },
      {
        name: `${row} excludeFiles: ${what}`,
        build(tree) {
          tree.write(`.context/${deepPath}`, always('a'));
          tree.config({ clientContext: { excludeFiles: [pattern] } });
        },
        files: { [deepPath]: 'active' },
        excluded,
        warnings: code,
      },
      // A longer line blocks everything, which test/spec tells.
      ...(pattern.length > 1_100 ? [] : [ignoreFileCase([row, what, pattern])]),
      {
        name: `${row} globs: ${what}`,
        build: (tree) =>
          tree.write('.context/x.md', `---\ntrigger: auto\nglobs:\n  - ${JSON.stringify(pattern)}\n---\nx`),
        request: { files: [deepPath] },
        files: { 'x.md': 'available' },
        warnings:
          outcome === 'nothing'
            ? []
            : [
                `${pattern.length > 16_000 ? 'front_matter_too_large' : outcome === 'invalid_pattern' ? outcome : 'invalid_property'} x.md`,
              ],
      },
    ];
  }),
);

const escapes = [
  ...[
    '/**/Desktop/**',
    '/etc/*',
    '/etc/pass*',
    '/proc/self/environ',
    '/proc/**',
    '/../../etc/*',
    '~/.ssh/**',
    '~/**/*.md',
  ],
  ...['../../../../../../**/*.md', '{..,x}/../etc/*', '[.][.]/x.md', '@(..)/x.md', '**/../../etc/*', 'src/../../**'],
  ...['..', '../..', '..\\..\\..\\..\\outside\\*', '//etc/passwd', '{/etc/*,/proc/*}', './../../../../outside/*.md'],
  ...['..{/..,}/../../outside/*.md', '%2e%2e/outside/*.md', 'C:\\Windows\\*', 'file:///etc/*'],
];
/** These name a place inside, where nothing of the kind lies. */
const harmless = ['%2e%2e/outside/*.md', 'C:\\Windows\\*', 'file:///etc/*'];

attackWith('patterns that reach outside', attack, [
  ...escapes.map(
    (pattern): HostileCase => ({
      name: `S-36 CC-12 includeFiles ${JSON.stringify(pattern)}`,
      build: (tree) => tree.config({ clientContext: { includeFiles: [pattern] } }),
      excluded: { 'context-config.json': 'excluded_by_config' },
      warnings: harmless.includes(pattern) ? [] : ['pattern_outside_granted_roots context-config.json'],
    }),
  ),
  {
    name: 'S-36 an absolute pattern finds inside what was granted, and only there',
    build(tree) {
      tree.write('docs/x.md', always('x'));
      tree.config({ clientContext: { includeFiles: [`${tree.root}/docs/*.md`, `${attack.outside}/*.md`] } });
    },
    files: { '../docs/x.md': 'active' },
    excluded: { 'context-config.json': 'excluded_by_config' },
    warnings: ['pattern_outside_granted_roots context-config.json'],
  },
  {
    name: 'S-36 a pattern that would find every workspace of the user stays below the granted root',
    build: (tree) => tree.config({ clientContext: { includeFiles: ['/**/secret.md'] } }),
    excluded: { 'context-config.json': 'excluded_by_config' },
    warnings: ['pattern_outside_granted_roots context-config.json'],
    also: ({ text }) => expect(text).not.toContain(canary),
  },
]);

const many = (count: number, pattern: (index: number) => string) => Array.from({ length: count }, (_, i) => pattern(i));
const steep = (index: number) => `**/a*/**/a*a*a*a*a*/**/*a*a*a*a*${index}b*`;
const at = 'aaaaaaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaa';

attackWith('many patterns', attack, [
  {
    name: 'S-52 CC-06 100 patterns in a list: 64 are used, the others are told',
    build: (tree) => tree.config({ clientContext: { excludeFiles: many(100, (index) => `x${index}`) } }),
    excluded: { 'context-config.json': 'excluded_by_config' },
    warnings: ['invalid_config_value context-config.json'],
    also: ({ config }) => expect(config.clientContext.excludeFiles).toHaveLength(65),
  },
  {
    name: 'S-52 64 steep patterns in each place at once, on 100 files',
    build(tree) {
      for (let i = 0; i < 100; i += 1) tree.write(`.context/${at}/${i}.md`, 'text');
      tree.config({ clientContext: { includeFiles: many(64, steep), excludeFiles: many(64, steep) } });
    },
    excluded: { 'context-config.json': 'excluded_by_config' },
    files: Object.fromEntries(many(100, (index) => `${at}/${index}.md`).map((path) => [path, 'available'])),
  },
]);
