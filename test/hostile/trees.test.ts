/** Trees that are too big, too wide or too deep. */
import { renameSync } from 'node:fs';
import { expect } from 'vitest';
import { attackDaemon, attackWith, expectOutcome, type HostileCase } from '../support/hostile-cases.ts';
import { always, type HostileTree } from '../support/hostile-workspaces.ts';
import { isTorture, sized } from '../support/test-size.ts';

const attack = attackDaemon();

const padded = (index: number) => `n${String(index).padStart(7, '0')}`;
/** Only just more than are looked at: making them takes longer than the answers. */
const more = 51_000;
const entries = sized(more, 1_000_000);
const steepFiles = sized(20_000, 50_000);
/** Each is looked at from the top: four times the work for twice as many. */
const bottom = sized(500, 1_000);
/** Two seconds of it to walk. */
const floodMs = 2_500;
const names = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i));
const all = <Value>(paths: string[], value: Value) => Object.fromEntries(paths.map((path) => [path, value]));
const long = 'd'.repeat(255);
const levels = (count: number) => Array.from({ length: count }, (_, i) => `${i}`).join('/');

/** Only what was read is offered and only so much of it active; how many were not is told, not which of 40,000. */
const counted = (
  active: number,
  excluded: Record<string, number>,
  beyond: { available?: number } = {},
): Pick<HostileCase, 'also'> => ({
  also(answer) {
    const states: Record<string, number> = {};
    for (const { state } of answer.files) states[state] = (states[state] ?? 0) + 1;
    expect(states).toEqual({ active, ...beyond });
    const codes: Record<string, number> = {};
    for (const { reason } of answer.excluded) codes[reason.code] = (codes[reason.code] ?? 0) + 1;
    expect(codes).toEqual(excluded);
  },
});
const flood = (name: string, each: Omit<HostileCase, 'name'> & { told: string[] }): HostileCase => ({
  ...each,
  name,
  counts: true,
  warnings: each.told,
});

/** 1,000 a directory. */
function spreadOut(tree: HostileTree, directory: string, count: number): void {
  const directoryOf = (index: number) => padded(Math.floor(index / 1_000));
  for (const name of names(Math.ceil(count / 1_000), padded)) tree.directory(`${directory}/${name}`);
  tree.many(directory, count, (index) => `${directoryOf(index)}/${padded(index)}.md`);
}

const spreadFlood = flood(`S-45 ${entries.toLocaleString('en')} entries, 1,000 a directory`, {
  withinMs: floodMs,
  build: (tree) => spreadOut(tree, '.context', entries),
  told: ['limit_context_files', 'limit_context_files', 'limit_entries'],
  // The directories are entries, too.
  ...counted(2_000, { limit_reached: 40_000 - Math.ceil(entries / 1_000) }, { available: 8_000 }),
});

attackWith('wide', attack, [
  flood('S-45 5,000 files, 1,000 a directory: 2,000 are active, the others are offered', {
    build: (tree) => spreadOut(tree, '.context', 5_000),
    told: ['limit_context_files'],
    ...counted(2_000, {}, { available: 3_001 }),
  }),
  flood('S-45 exactly as many as may be active', {
    build: (tree) => tree.many('.context/flood', 1_999, (index) => `${padded(index)}.md`),
    told: [],
    ...counted(2_000, {}),
  }),
  flood(`S-45 ${entries.toLocaleString('en')} entries in one directory`, {
    withinMs: floodMs,
    build: (tree) => tree.many('.context/flood', entries, (index) => `${padded(index)}.md`),
    told: ['limit_context_files', 'limit_context_files', 'limit_entries'],
    ...counted(2_000, { limit_reached: 39_999 }, { available: 8_000 }),
  }),
  // Per commit, those of one directory and fewer of several are enough.
  ...(isTorture ? [spreadFlood] : []),
  flood(`S-45 ${more.toLocaleString('en')} entries of other types in one directory`, {
    build: (tree) => tree.many('.context/flood', more, (index) => `${padded(index)}.js`),
    told: ['limit_entries', 'unsupported_type .'],
    ...counted(1, { unsupported_type: 49_998 }),
  }),
  {
    name: `S-45 ${more.toLocaleString('en')} entries beside the context directory are looked at for patterns only`,
    build: (tree) => tree.many('node_modules', more, (index) => `${padded(index)}.md`),
    async also(_answer, tree, attacked) {
      // Now an include pattern walks through them, and finds one.
      renameSync(tree.path('node_modules'), tree.path('src'));
      tree.write('docs/found.md', always('found'));
      tree.config({ clientContext: { includeFiles: ['**/found.md'] } });
      const answer = await attacked.resolve(tree);
      expectOutcome(answer, tree, { counts: true, warnings: ['limit_entries'] });
      counted(2, { excluded_by_config: 1 }).also?.(answer, tree, attacked);
    },
  },
  flood('S-45 64 include patterns that each walk through 10,000 entries', {
    build(tree) {
      tree.many('src', 10_000, (index) => `${padded(index)}.ts`);
      tree.config({ clientContext: { includeFiles: names(64, (index) => `**/*${index}x*/**/*.md`) } });
    },
    told: ['limit_entries'],
    ...counted(1, { excluded_by_config: 1 }),
  }),
  {
    name: 'S-45 2,000 empty directories',
    build(tree) {
      for (const name of names(2_000, padded)) tree.directory(`.context/${name}`);
    },
  },
  {
    name: 'S-45 256 working directories at once, by files in play',
    build(tree) {
      for (const name of names(256, padded)) tree.write(`packages/${name}/.context/x.md`, always(name));
    },
    request: { files: names(256, (index) => `packages/${padded(index)}/a.ts`) },
    files: all(
      names(256, (index) => `../packages/${padded(index)}/.context/x.md`),
      'active',
    ),
  },
]);

attackWith('deep', attack, [
  {
    name: 'S-46 3,000 directories in each other: what lies too deep is told once',
    build: (tree) => tree.deep('.context', 3_000),
    warnings: ['limit_depth'],
  },
  {
    name: 'S-46 3,000 directories in each other beside the context directory',
    build: (tree) => tree.deep('src', 3_000),
  },
  {
    name: 'S-46 S-36 an include pattern goes down 3,000 directories',
    build(tree) {
      tree.deep('src', 3_000);
      tree.config({ clientContext: { includeFiles: ['**/leaf.md', 'src/**/d/**/leaf.md'] } });
    },
    excluded: { 'context-config.json': 'excluded_by_config' },
    warnings: ['limit_depth'],
  },
  {
    name: 'S-46 depth 3 and 16 are found, 17 is not',
    build(tree) {
      for (const depth of [3, 16, 17]) tree.write(`.context/${levels(depth)}/x${depth}.md`, always('x'));
    },
    files: { [`${levels(3)}/x3.md`]: 'active', [`${levels(16)}/x16.md`]: 'active' },
    warnings: ['limit_depth'],
  },
  {
    name: 'S-46 sixteen directories with names as long as they may be: a path can name all but the last',
    build: (tree) => tree.deep('.context', 16, long),
    excluded: { [Array.from({ length: 16 }, () => long).join('/')]: 'unreadable' },
    warnings: [`unreadable ${Array.from({ length: 16 }, () => long).join('/')}`],
  },
  {
    name: 'S-46 a working directory 2,000 directories below that do not exist',
    request: { workingDirectory: 'a/'.repeat(2_000) },
    warnings: ['limit_ancestors'],
  },
  {
    name: `S-46 ${sized(64, 256)} files in play, 1,900 directories below that do not exist`,
    request: { files: names(sized(64, 256), (index) => `${'a/'.repeat(1_900)}${index}/b.ts`) },
    warnings: ['limit_ancestors'],
  },
  {
    name: `S-46 a working directory at the bottom of ${bottom} that exist`,
    build: (tree) => tree.deep('d', bottom),
    request: { workingDirectory: 'd/'.repeat(bottom) },
    warnings: ['limit_ancestors'],
  },
  {
    name: 'S-46 CC-21 300 context directories on the way: the mounted one and the nearest 31 count',
    build(tree) {
      for (let depth = 1; depth <= 300; depth += 1) tree.write(`${'d/'.repeat(depth)}.context/x.md`, always('x'));
    },
    request: { workingDirectory: 'd/'.repeat(300) },
    files: all(
      names(31, (index) => `../${'d/'.repeat(300 - index)}.context/x.md`),
      'active',
    ),
    warnings: ['limit_ancestors'],
  },
]);

const steep = (index: number) => `**/a*/**/a*a*a*a*a*/**/*a*a*a*a*${index}b*`;
const at = '.context/aaaaaaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaaaaaa';
const told: HostileCase['also'] = ({ warnings }) =>
  expect(warnings.map(({ code }) => code).filter((code) => !/^limit_/u.test(code))).toEqual([]);

/** What is decided depends on the machine; that it ends in time, and says what it left out, does not. */
attackWith('many of everything', attack, [
  {
    name: 'S-52 S-45 64 steep excludeFiles on 10,000 files',
    build(tree) {
      tree.many(at, 10_000, (index) => `${'a'.repeat(32)}${index}.md`);
      tree.config({ clientContext: { excludeFiles: names(64, steep) } });
    },
    anything: true,
    also: told,
  },
  {
    name: `S-52 64 steep includeFiles on ${steepFiles.toLocaleString('en')} files`,
    build(tree) {
      tree.many(at.replace('.context', 'src'), steepFiles, (index) => `${'a'.repeat(32)}${index}.md`);
      tree.config({ clientContext: { includeFiles: names(64, steep) } });
    },
    anything: true,
    also: told,
  },
  {
    name: 'S-52 30 directories with 256 steep patterns each, and 2,000 files',
    build(tree) {
      for (let depth = 0; depth < 30; depth += 1) {
        for (const [nth, file] of ['context-config.json', 'config.json', 'config.yaml', 'config.yml'].entries()) {
          const patterns = names(64, (index) => steep(depth * 1_000 + nth * 100 + index));
          const config = { clientContext: { includeFiles: patterns, excludeFiles: patterns } };
          tree.write(`${'a/'.repeat(depth)}.context/${file}`, JSON.stringify(config));
        }
      }
      tree.many(at, 2_000, (index) => `${'a'.repeat(32)}${index}.md`);
    },
    request: { files: names(256, (index) => `${'a/'.repeat(29)}${index}/x.ts`) },
    // Walking may take two seconds alone; matching comes on top of it, and takes longer beside other tests.
    withinMs: 6_000,
    anything: true,
    also: told,
  },
  {
    name: 'S-52 500 files with 64 steep globs, 256 files in play',
    build(tree) {
      const globs = JSON.stringify(names(64, steep));
      for (let i = 0; i < 500; i += 1) tree.write(`.context/${i}.md`, `---\ntrigger: auto\nglobs: ${globs}\n---\n${i}`);
    },
    request: { workingDirectory: '.', files: names(256, (index) => `${at}/${'a'.repeat(32)}${index}.ts`) },
    anything: true,
    also: told,
  },
  {
    name: 'S-58 400 files with 4 KB of dense YAML',
    build(tree) {
      const yaml = names(300, (index) => `k${index}: [1, 2]`).join('\n');
      for (let i = 0; i < 400; i += 1) tree.write(`.context/${i}.md`, `---\n${yaml}\n---\n${i}`);
    },
    anything: true,
    async also(answer, tree, attacked) {
      told(answer, tree, attacked);
      // What was parsed once is not parsed again: in the end all of it is there.
      let last = answer;
      for (let again = 0; again < 30 && last.warnings.length > 0; again += 1) last = await attacked.resolve(tree);
      expect(last.files).toHaveLength(401);
    },
  },
]);
