import { describe, expect, it } from 'vitest';
import { mentionsIn as findMentions } from '../../../src/bin/hooks/mentions.ts';
import { atOnce, createPause, inTurns } from '../../../src/pace/turns.ts';
import { expectQuick, longestTurnMs } from '../../support/expect-quick.ts';

const mentionsIn = (...asked: Parameters<typeof findMentions>): string[] => atOnce(findMentions(...asked));

describe('mentions in a prompt', () => {
  it('are what stands behind an @ that begins a word', () => {
    expect(mentionsIn('Look at @src/a.ts and (@b.md) for ada@example.org')).toEqual(['src/a.ts', 'b.md)', 'b.md']);
    expect(mentionsIn('@"my file.md" and @c.ts#L10-20.')).toEqual([
      'my file.md',
      'c.ts#L10-20.',
      'c.ts#L10-20',
      'c.ts',
    ]);
    expect(mentionsIn('@ @')).toEqual([]);
  });

  it('may be quoted, escaped, or end where a tool ends a path', () => {
    expect(mentionsIn("@'my file.md'")).toContain('my file.md');
    expect(mentionsIn('@my\\ file.md, and')).toContain('my file.md');
    expect(mentionsIn('@a.md,and @b.md:10-20')).toEqual(expect.arrayContaining(['a.md', 'b.md']));
    expect(mentionsIn('x@a.md')).toEqual([]);
    expect(mentionsIn('x@a.md', { inWords: true })).toContain('a.md');
  });

  it('are all found, and too many are refused', () => {
    const prompt = `${Array.from({ length: 1_000 }, (_, at) => `@n${at}`).join(' ')} @last.md`;
    expect(mentionsIn(prompt)).toContain('last.md');
    expect(() => mentionsIn('@x '.repeat(20_000))).toThrow(/more than 16384 mentions/u);
  });

  it('are bounded, and found in time', () => {
    const [many, long] = expectQuick(() => [
      mentionsIn(`${'@.'.repeat(200_000)} ${'@x '.repeat(10_000)}`),
      mentionsIn(`@${'.'.repeat(100_000)}`),
    ]);
    expect(many?.length).toBeLessThan(400);
    expect(long?.length).toBeLessThan(30);
  });

  it.each(['@', '@a\\', '@\\ ', '@a.,;:'])('S-45 are found in short turns: %s', async (mention) => {
    const prompt = mention.repeat(16_384);
    expect(await longestTurnMs(() => inTurns(findMentions(prompt), createPause()))).toBeLessThan(100);
  });
});
