/** The slowest glob that is allowed, on the longest paths, beside a literal comparison (S-52). */
import { compileGlob } from '../../src/globs/globs.ts';
import type { Figure } from './figures.ts';

const limitMs = 5;
const patternLength = 512;
const pathLength = 4096;
const finalists = 8;
const looks = 40;

const units = ['*a', '*?', '**/', '**/a*/', '[!b]*', '{*,a*}', '{**/,*/}', '{,a}', '?*', '../', '*[a-z]'];
const endings = ['', 'x', '/zz', '*a?'];
const prefixes = ['', '**/', '{*,a*}{*,a*}{*,a*}', '{**/,*/}{**/,*/}{**/,*/}', '{,a}{,a}{,a}{,a}{,a}{,a}{,a}{,a}'];

const paths = [
  'a'.repeat(pathLength),
  'a/'.repeat(pathLength / 2).slice(0, -1),
  `${'aaaaaaa/'.repeat(pathLength / 8 - 1)}zz`,
  `${'../'.repeat(pathLength / 3 - 1)}a`,
  String.fromCodePoint(...Array.from({ length: pathLength }, (_, n) => 0x4e00 + n)),
];

function patterns(): string[] {
  const filled = units.flatMap((unit) =>
    prefixes.flatMap((prefix) =>
      endings.map((ending) => {
        const room = patternLength - prefix.length - ending.length;
        return prefix + unit.repeat(Math.floor(room / unit.length)) + ending;
      }),
    ),
  );
  // Every prefix multiplies the alternatives, so a shorter filling may be the longest that is accepted.
  const shorter = filled.flatMap((pattern) => [256, 128, 96, 64].map((length) => pattern.slice(0, length)));
  return [...new Set([...filled, ...shorter])].filter((pattern) => 'glob' in compileGlob(pattern));
}

/** Compiles anew each time, so that nothing remembered helps. Of many looks the fastest counts: others work here too. */
export function measureGlobs(): Figure[] {
  const candidates = patterns();
  const cases = paths.flatMap((path) => candidates.map((pattern) => ({ path, pattern })));
  const [slowest] = slowestOf(slowestOf(cases, 3).slice(0, finalists), looks);
  if (slowest === undefined) throw new Error('no pattern was accepted');
  const literal = slowest.path.slice(0, patternLength);
  const compare = () => slowest.path.toLowerCase() === literal;
  const baseline = Math.min(...Array.from({ length: 1_000 }, () => timeOf(compare)));
  return [
    {
      name: `slowest of ${candidates.length} hostile globs, against comparing texts`,
      unit: 'ms',
      ours: slowest.ms,
      baseline,
      ratio: slowest.ms / baseline,
      target: `≤ ${limitMs} ms`,
      met: slowest.ms <= limitMs,
      rounds: [[slowest.ms, baseline]],
      note: `${slowest.pattern.slice(0, 40)}… on ${slowest.path.slice(0, 16)}…`,
    },
  ];
}

type Case = { path: string; pattern: string };

/** Slowest first, each by the fastest of so many looks. */
function slowestOf(cases: readonly Case[], looks: number): (Case & { ms: number })[] {
  return cases
    .map(({ path, pattern }) => {
      const run = () => matches(pattern, path);
      return { path, pattern, ms: Math.min(...Array.from({ length: looks }, () => timeOf(run))) };
    })
    .sort((a, b) => b.ms - a.ms);
}

function matches(pattern: string, path: string): boolean {
  const compiled = compileGlob(pattern);
  return 'glob' in compiled && compiled.glob.matches(path);
}

function timeOf(run: () => unknown): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}
