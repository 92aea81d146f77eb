import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGate } from '../../src/access/gate.ts';
import type { World } from '../../src/access/world.ts';
import { createNodeFiles } from '../../src/adapters/files/node-files.ts';
import { decideIgnored, type IgnoreRules, parseIgnoreFile } from '../../src/ignore/ignore-rules.ts';
import type { Steps } from '../../src/pace/turns.ts';
import { fixedLimits } from '../../src/settings.ts';
import { createFileIndex, filesBelow } from '../../src/supplementary/file-index.ts';
import { expectQuick } from '../support/expect-quick.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

function atOnce<Value>(steps: Steps<Value>): Value {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function rulesOf(text: string, more: Partial<IgnoreRules> = {}): IgnoreRules {
  return { directory: '', rules: atOnce(parseIgnoreFile(text, fixedLimits.ignoreFiles.lines)).rules, ...more };
}

function isIgnored(...asked: Parameters<typeof decideIgnored>): boolean {
  return atOnce(decideIgnored(...asked));
}

describe('decideIgnored', () => {
  const cases: [text: string, path: string, ignored: boolean][] = [
    ['dist', 'dist', true],
    ['dist', 'a/b/dist', true],
    ['dist', 'dist2', false],
    ['/dist', 'dist', true],
    ['/dist', 'a/dist', false],
    ['a/dist', 'a/dist', true],
    ['a/dist', 'b/a/dist', false],
    ['*.log', 'a/x.log', true],
    ['*.LOG', 'a/x.log', true],
    ['*.log', 'x.log.txt', false],
    ['**/x/*.bak', 'a/b/x/c.bak', true],
    ['a/**/z', 'a/z', true],
    ['a/**', 'a', false],
    ['a/**', 'a/b', true],
    ['# a', 'a', false],
    ['\\#a', '#a', true],
    ['\\!a', '!a', true],
    ['a  ', 'a', true],
    ['a\\ ', 'a ', true],
    ['*\n!keep', 'keep', false],
    ['!keep\n*', 'keep', true],
    ['{a,b}', 'a', false],
    ['{a,b}', '{a,b}', true],
    ['v[0-9]', 'v7', true],
    ['v[!0-9]', 'v7', false],
    ['v?', 'v7', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['[', '[', false],
    ['', 'a', false],
    ['/', 'a', false],
  ];
  it.each(cases)('SU-01 %j and %j: %s', (text, path, ignored) => {
    expect(isIgnored(path, false, rulesOf(text))).toBe(ignored);
  });

  it('SU-01 takes a trailing slash for directories only', () => {
    expect(isIgnored('dist', true, rulesOf('dist/'))).toBe(true);
    expect(isIgnored('dist', false, rulesOf('dist/'))).toBe(false);
  });

  it('SU-01 a nearer file decides, relative to its own directory', () => {
    const above = rulesOf('*.gen.ts\n/only-top');
    const nearest = rulesOf('!keep.gen.ts\n/here', { directory: 'packages/a', above });
    expect(isIgnored('packages/a/x.gen.ts', false, nearest)).toBe(true);
    expect(isIgnored('packages/a/keep.gen.ts', false, nearest)).toBe(false);
    expect(isIgnored('packages/a/here', false, nearest)).toBe(true);
    expect(isIgnored('packages/a/b/here', false, nearest)).toBe(false);
    expect(isIgnored('packages/a/only-top', false, nearest)).toBe(false);
  });

  it('S-52 hostile lines cost little and leave nothing else out', () => {
    const hostile = ['*?*?*?*?*?*?*?*?*?*?*?*?x', '(a|aa)+c', '(a+)+$', `${'**/a*/'.repeat(40)}zz`, '['.repeat(500)];
    const rules = rulesOf(Array.from({ length: 5_000 }, (_, n) => hostile[n % hostile.length]).join('\n'));
    expect(rules.rules.length).toBeLessThanOrEqual(fixedLimits.ignoreFiles.lines);
    expect(expectQuick(() => isIgnored(`${'a/'.repeat(30)}${'a'.repeat(200)}`, false, rules))).toBe(false);
  });
});

const names = 'a b foo bar build x.log y.txt foo.txt v1 v2 foo* tmp {q} [z] #h !n'.split(' ');
const pieces =
  String.raw`a b foo bar build *.log *.txt f* *o ** ? v[12] v[!1] \#h \!n #h !n \[z\] [z] {q} {a,b} foo\* tmp * b*d`.split(
    ' ',
  );

/** Names and patterns that are the same in every run. */
function createDice(seed: number) {
  let state = seed;
  const roll = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const pick = (choices: readonly string[]) => choices[roll(choices.length)] as string;
  const path = () => Array.from({ length: 1 + roll(4) }, () => pick(names)).join('/');
  const line = () => {
    const parts = Array.from({ length: 1 + roll(3) }, () => pick(pieces)).join('/');
    return `${roll(4) === 0 ? '!' : ''}${roll(4) === 0 ? '/' : ''}${parts}${roll(4) === 0 ? '/' : ''}`;
  };
  return { roll, path, lines: () => Array.from({ length: 1 + roll(4) }, line).join(roll(2) === 0 ? '\n' : '\r\n') };
}

function hasGit(): boolean {
  try {
    return execFileSync('git', ['--version'], { encoding: 'utf8' }).startsWith('git');
  } catch {
    return false;
  }
}

describe.skipIf(!hasGit())('beside git', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('SU-01 lists the files that git lists, workspace %i', async (seed) => {
    const directory = temporaryDirectory();
    const { roll, path, lines } = createDice(seed * 7_919);
    const write = (name: string, text: string) => {
      const absolute = join(directory, name);
      try {
        mkdirSync(dirname(absolute), { recursive: true });
        if (!existsSync(absolute)) writeFileSync(absolute, text);
      } catch {
        // A file is where a folder would have to be.
      }
    };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' });
    git('init', '-q');
    for (let n = 0; n < 60; n += 1) write(path(), 'x');
    for (const folder of ['', 'a/', 'foo/', 'build/']) if (roll(2) === 0) write(`${folder}.gitignore`, lines());
    writeFileSync(join(directory, '.git/info/exclude'), lines());
    const listed = git('-c', 'core.excludesFile=/dev/null', 'ls-files', '-o', '-z', '--exclude-standard').split('\0');
    const clock = { now: () => Date.now(), elapsed: () => performance.now() };
    const world = {
      gate: createGate({ files: createNodeFiles(), clock, maxEntries: 1_000 }),
      reach: {
        roots: [{ path: directory, realPath: directory }],
        followSymlinks: false,
        policies: { notice() {}, searchEvidence: async () => [] },
      },
    } as unknown as World;
    const listing = await createFileIndex({ clock }).look(directory, world);
    expect([...filesBelow(listing, '')].sort()).toEqual(listed.filter(Boolean).sort());
  });
});

/** Names, and lines of ignore files, that reach what the syntax has. A character is one for us, and several bytes for git. */
const oddNames = String.raw`a b.log B.LOG [x] \ {a,b} ! # a- 7 ab _`.split(' ');
const oddLines =
  String.raw`[[:alpha:]] [[:digit:]]* [[:upper:]].log [!a] [^a-f]* [a\]b] []x] [x\-z] a[-]b *.l?g \!* \#* \\ {a,b} **/a a/** /** /*/ a/**/b [a-b/]b.log \[x] ?? a\- [!a-z]* [[:punct:]] ?.log b.log\  #x x**y`.split(
    ' ',
  );

describe.skipIf(!hasGit())('beside git check-ignore', () => {
  /** The rules of each directory that has some, with those above. */
  const rulesIn = (files: ReadonlyMap<string, string>): ReadonlyMap<string, IgnoreRules> => {
    const top = rulesOf(files.get('') as string, { directory: '' });
    const below = (directory: string, text: string) => rulesOf(text, { directory, above: top });
    return new Map([...files].map(([directory, text]) => [directory, directory === '' ? top : below(directory, text)]));
  };
  const isLeftOut = (path: string, rules: ReadonlyMap<string, IgnoreRules>): boolean => {
    const segments = path.split('/');
    return segments.some((_, at) => {
      const nearest = (at > 0 ? rules.get(segments[0] as string) : undefined) ?? rules.get('');
      return nearest !== undefined && isIgnored(segments.slice(0, at + 1).join('/'), at < segments.length - 1, nearest);
    });
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'FX-01 leaves out what git leaves out, whether letter case matters to it or not, tree %i',
    (seed) => {
      const directory = temporaryDirectory();
      const { roll } = createDice(seed * 104_729);
      const pick = (choices: readonly string[]) => choices[roll(choices.length)] as string;
      const path = () => Array.from({ length: 1 + roll(3) }, () => pick(oddNames)).join('/');
      const line = () => {
        const parts = Array.from({ length: 1 + roll(2) }, () => pick(oddLines)).join('/');
        return `${roll(4) === 0 ? '!' : ''}${roll(4) === 0 ? '/' : ''}${parts}${roll(4) === 0 ? '/' : ''}`;
      };
      const lines = () => Array.from({ length: 1 + roll(3) }, line).join('\n');
      execFileSync('git', ['init', '-q'], { cwd: directory });
      const folders = ['a', 'ab', '7'];
      const paths = [...new Set(Array.from({ length: 150 }, path))].filter((each) => !folders.includes(each));
      for (let round = 0; round < 12; round += 1) {
        const files = new Map([['', lines()], ...(roll(2) === 0 ? [[pick(folders), lines()] as const] : [])]);
        for (const [folder, text] of files) {
          mkdirSync(join(directory, folder), { recursive: true });
          writeFileSync(join(directory, folder, '.gitignore'), text);
        }
        const ask = (ignoreCase: boolean) => {
          const options = { cwd: directory, input: paths.join('\0'), encoding: 'utf8' } as const;
          const args = ['-c', `core.ignoreCase=${ignoreCase}`, '-c', 'core.excludesFile=/dev/null', 'check-ignore'];
          const { stdout } = spawnSync('git', [...args, '--no-index', '-z', '--stdin'], options);
          return new Set(stdout.split('\0').filter(Boolean));
        };
        const [exact, folded] = [ask(false), ask(true)];
        // What both say of it is so; what only one of them leaves out is left out.
        const rules = rulesIn(files);
        const wrong = paths.filter((each) => {
          if (exact.has(each) || folded.has(each)) return !isLeftOut(each, rules);
          return each === each.toLowerCase() && isLeftOut(each, rules);
        });
        expect(wrong, JSON.stringify(Object.fromEntries(files))).toEqual([]);
        for (const folder of files.keys()) rmSync(join(directory, folder, '.gitignore'));
      }
    },
  );
});
