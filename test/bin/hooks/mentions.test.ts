import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../../src/bin/hooks/mentions.ts';

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

  it('are bounded, and found in time', () => {
    const begun = performance.now();
    expect(mentionsIn(`${'@.'.repeat(200_000)} ${'@x '.repeat(10_000)}`).length).toBeLessThan(400);
    expect(mentionsIn(`@${'.'.repeat(100_000)}`).length).toBeLessThan(20);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
