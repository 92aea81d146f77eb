import { describe, expect, it } from 'vitest';
import { createProbes } from '../../src/retrieval/keyword-probes.ts';

describe('probes of a text', () => {
  it('SS-07 finds pairs of characters that overlap in a text without spaces', () => {
    const { probe, terms } = createProbes('数据库的迁移');
    expect(terms).toEqual(['数据', '据库', '迁移']);
    expect(probe('我们的数据库迁移脚本')?.counts).toEqual(new Uint16Array([1, 1, 1]));
    expect(probe('数据迁移')?.counts).toEqual(new Uint16Array([1, 0, 1]));
    expect(probe('脚本')).toBeUndefined();
  });

  it('RT-02 count the words of a query that also follow each other in the text, in identifiers too', () => {
    const { probe } = createProbes('close the bottom sheet');
    for (const text of ['closeBottomSheet()', 'closed. Bottom sheets', 'close_bottom and bottom-sheet'])
      expect(probe(text)?.pairs).toBe(1);
    expect(probe('bottom_sheet.close')?.pairs).toBe(0.5);
    for (const text of ['sheet bottom close', 'close what is at the bottom of the whole sheet', 'sheet'])
      expect(probe(text)?.pairs).toBe(0);
    expect(createProbes('sheet').probe('sheet sheet')?.pairs).toBe(0);
  });

  it('RT-02 a word that is there a thousand times hides none that is there once', () => {
    const { probe, terms } = createProbes('config zebra');
    const counts = probe(`${'config '.repeat(1_200)}Zebra`)?.counts ?? new Uint16Array();
    expect(terms.map((_, at) => (counts[at] as number) > 0)).toEqual([true, true]);
    expect(probe(`${'config '.repeat(1_200)}quokka`)?.counts).toContain(0);
  });
});
