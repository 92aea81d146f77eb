import { describe, expect, it } from 'vitest';
import { createProbes } from '../../src/retrieval/keyword-probes.ts';

describe('probes of a text', () => {
  it('RT-02 a word that is there a thousand times hides none that is there once', () => {
    const { probe, terms } = createProbes('config zebra');
    const counts = probe(`${'config '.repeat(1_200)}Zebra`)?.counts ?? new Uint16Array();
    expect(terms.map((_, at) => (counts[at] as number) > 0)).toEqual([true, true]);
    expect(probe(`${'config '.repeat(1_200)}quokka`)?.counts).toContain(0);
  });
});
