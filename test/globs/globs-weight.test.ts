import { describe, expect, it } from 'vitest';
import { globOf } from '../../src/context/candidate.ts';
import { compileGlob } from '../../src/globs/globs.ts';
import { memoryInUse } from '../support/memory-in-use.ts';

const characters = (count: number, step = 1, write = (character: string) => character) =>
  Array.from({ length: count }, (_, n) => write(String.fromCodePoint(0x4e00 + n * step))).join('');

/** What takes much memory for its length, each in as many versions as there are numbers. */
const greedy: Record<string, (version: number) => string> = {
  'plain text': (version) => `${'a'.repeat(500)}${version}`,
  'short text': (version) => `*.${version}`,
  stars: (version) => `${'*a'.repeat(250)}${version}`,
  'many characters, nine times': (version) => `*${characters(440)}{,,,,,,,}${version}`,
  'fewer characters, more often': (version) => `**/*${characters(200)}{${',x'.repeat(14)}}${version}`,
  'many classes': (version) => `*${characters(100, 2, (each) => `[${each}-龥]`)}${version}`,
  'classes of one character': (version) => `*${characters(160, 2, (each) => `[${each}]`)}${version}`,
  'classes, many times': (version) => `*${characters(60, 2, (each) => `[!${each}]`)}{${','.repeat(50)}}${version}`,
  'one class of many ranges': (version) => `*[${characters(160, 3, (each) => `${each}-${each}`)}]${version}`,
  'much for its length': (version) => `*{1..100}{a,b}xyzvw${version}`,
  'the most alternatives': (version) => `{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}/${version}`,
  'the most directories': (version) => `{,a}{,a}{,a}{,a}/${'**/*/'.repeat(25)}${version}`,
};

/** So that every table is made that a pattern can have. */
function useUp(pattern: string): unknown {
  const compiled = compileGlob(pattern);
  if (!('glob' in compiled)) throw new Error(`${pattern}: ${compiled.problem.message}`);
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
  const ranges = characters(500);
  for (const path of [ascii, ranges, `a/${ranges}/../b`, characters(500, 37)]) {
    compiled.glob.matches(path);
    compiled.glob.mayMatchBelow(path);
  }
  return compiled;
}

describe('the memory of patterns', () => {
  it.each(Object.entries(greedy))('S-53 is what they weigh, about: %s', (_kind, make) => {
    const weight = weightOf(make(1_000));
    useUp(make(1_000));
    // So many that what else is on the heap makes no difference.
    const versions = Array.from({ length: Math.ceil(3_000_000 / weight) }, (_, at) => make(2_000 + at));
    const before = memoryInUse();
    const kept = versions.map(useUp);
    const each = (memoryInUse() - before) / kept.length;
    expect(each).toBeLessThan(2 * weight);
  });

  it('S-53 is bounded for those that are kept: hostile ones take the place of many', () => {
    const kept = globOf('**/*.kept');
    expect(globOf('**/*.kept')).toBe(kept);
    const make = greedy['many characters, nine times'] as (version: number) => string;
    for (let version = 1_000; version < 1_100; version += 1) globOf(make(version));
    expect(globOf(make(1_099))).toBe(globOf(make(1_099)));
    expect(globOf('**/*.kept')).not.toBe(kept);
  });

  it('S-53 is not taken by patterns that are refused for their length', () => {
    const endless = 'a'.repeat(30 * 1024 * 1024);
    expect(globOf(endless)).not.toBe(globOf(endless));
  });
});

function weightOf(pattern: string): number {
  const compiled = compileGlob(pattern);
  return 'glob' in compiled ? compiled.glob.weight : 0;
}
