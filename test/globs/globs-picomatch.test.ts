import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../src/globs/globs.ts';
import { sized } from '../support/test-size.ts';

const minPairs = sized(100_000, 1_000_000, 20_000);
const patternCount = (minPairs * 7) / 100;
const pathsPerPattern = 15;

/** A piece of a pattern and what it stands for once its braces are expanded. */
type Piece = readonly [text: string, ...alternatives: string[]];
const plain = (text: string): Piece => [text, text];
const pieces: readonly Piece[] = [
  ...['a', 'b', 'ab', 'A', '.a', '.', '-', 'é', '1', 'a', 'b', '*', '*', '?', '**', '***'].map(plain),
  ...['[ab]', '[a-b]', '[^b]', '[!a]', '[!.]', '[]a]', '(a)', '+(a)', '@(a|b)', '!(b)', 'a+', 'a|b', 'a,b', '$'].map(
    plain,
  ),
  ['{a,b}', 'a', 'b'],
  ['{a,.b,ab*}', 'a', '.b', 'ab*'],
  ['{?,a/b}', '?', 'a/b'],
  ['{**,a}', '**', 'a'],
  ['{a|b}', 'a', 'b'],
  ['{a}', 'a'],
  ['{,a}', '', 'a'],
  ['{a,{b,1}}', 'a', 'b', '1'],
  ['{1..3}', '1', '2', '3'],
  ['{01..2}', '01', '02'],
  ['{a..b}', 'a', 'b'],
];
const segments: readonly Piece[] = ['**', '**', '**', '*', '*', 'a', 'ab', 'b', '.'].map(plain);
const nameParts = ['a', 'b', 'A', 'ab', '.', '.a', '1', '01', '-', 'É', 'c', '(a)', '+', '|'];

/**
 * What the pattern is in picomatch's words, in steps. A difference is explained by the first step after which picomatch
 * gives our answer; after all of them it must give our answer to everything.
 */
const steps: readonly (readonly [explanation: string, step: (patterns: string[]) => string[]])[] = [
  [
    'braces are expanded first: {x}, {a|b}, {01..2}, and `**` beside a group stays within its segment',
    (patterns) => patterns.filter(Boolean),
  ],
  [
    'outside classes, ( ) | + @ ! $ are text; [!a] is the negation of [a] without extglobs too',
    (patterns) => patterns.map((pattern) => pattern.replaceAll(/\[!/gu, '[^').replaceAll(/[()|+@!$]/gu, '\\$&')),
  ],
  [
    '`.` and empty segments do not count; a trailing `/` covers what lies below',
    (patterns) => patterns.map(withoutDots),
  ],
  ['more stars than one are `**` as a whole segment, else `*`', (patterns) => patterns.map(withFewerStars)],
  [
    'a plain last segment covers what lies below',
    (patterns) =>
      patterns.flatMap((pattern) =>
        isPlain(pattern.slice(pattern.lastIndexOf('/') + 1)) ? [pattern, `${pattern}/**`] : pattern,
      ),
  ],
  [
    '`x/**` does not match `x`; `*.*` matches `x.`, for which picomatch has a shortcut of its own',
    (patterns) => patterns,
  ],
];
const options = { dot: true, nocase: true, noextglob: true, nonegate: true };
const lastOptions = { ...options, strictSlashes: true, fastpaths: false };

function withoutDots(pattern: string): string {
  const written = pattern.split('/');
  const isNothing = (segment: string | undefined) => segment === '' || segment === '.';
  const kept = written.filter((segment) => !isNothing(segment));
  return (isNothing(written.at(-1)) ? [...kept, '**'] : kept).join('/');
}

function withFewerStars(pattern: string): string {
  const segmentsOf = pattern
    .split('/')
    .map((segment) => (/^\*{2,}$/u.test(segment) ? '**' : segment.replaceAll(/\*+/gu, '*')));
  return segmentsOf.filter((segment, at) => segment !== '**' || segmentsOf[at - 1] !== '**').join('/');
}

function isPlain(segment: string): boolean {
  return !/[*?[]/u.test(segment);
}

function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

describe('comparison with picomatch', () => {
  it(`S-52 differs from picomatch in ${minPairs} pairs only for reasons that are named`, { timeout: 600_000 }, () => {
    const random = createRandom(52);
    const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
    const counts = new Map(steps.map(([explanation]) => [explanation, 0]));
    const unexplained: string[] = [];
    let [pairs, matched] = [0, 0];
    for (let n = 0; n < patternCount; n += 1) {
      const written: Piece[] = [];
      for (let segment = random(3); segment >= 0; segment -= 1) {
        written.push(
          ...(random(3) === 0 ? [pick(segments)] : Array.from({ length: 1 + random(3) }, () => pick(pieces))),
        );
        if (segment > 0 || random(12) === 0) written.push(plain('/'));
      }
      const pattern = written.map(([text]) => text).join('');
      const alternatives = written.reduce<string[]>(
        (heads, [, ...tails]) => heads.flatMap((head) => tails.map((tail) => head + tail)),
        [''],
      );
      const compiled = compileGlob(pattern);
      if ('problem' in compiled || compiled.glob.isAbsolute) continue;
      const isMatch = picomatch(pattern, options);
      const translated = steps.map((_, at) =>
        steps.slice(0, at + 1).reduce((patterns, [, step]) => step(patterns), alternatives),
      );
      // Most are not asked, and those that are many times.
      const made: ReturnType<typeof picomatch>[] = [];
      const stageAt = (at: number) =>
        (made[at] ??= picomatch(translated[at] ?? [], at === steps.length - 1 ? lastOptions : options));
      const isMatchInTheEnd = stageAt(steps.length - 1);
      for (let each = 0; each < pathsPerPattern; each += 1) {
        const names = Array.from({ length: 1 + random(4) }, () =>
          Array.from({ length: 1 + random(3) }, () => pick(nameParts)).join(''),
        );
        const path = names.map((name) => (/^\.{1,2}$/u.test(name) ? 'a' : name)).join('/');
        pairs += 1;
        const ours = compiled.glob.matches(path);
        if (ours) matched += 1;
        if (isMatchInTheEnd(path) !== ours) unexplained.push(`${pattern} on ${path}: ${ours}`);
        if (isMatch(path) === ours) continue;
        const explanation = steps.find((_, at) => stageAt(at)(path) === ours)?.[0] ?? '';
        counts.set(explanation, (counts.get(explanation) ?? 0) + 1);
      }
    }
    expect(unexplained.slice(0, 20)).toEqual([]);
    for (const [explanation, count] of counts) expect([explanation, count > 0]).toEqual([explanation, true]);
    expect(pairs).toBeGreaterThan(minPairs);
    expect(matched).toBeGreaterThan(minPairs / 20);
  });
});
