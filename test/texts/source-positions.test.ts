import { describe, expect, it } from 'vitest';
import { writtenAt } from '../../src/context/config-lines.ts';
import { readList } from '../../src/ignore/settings-list.ts';
import { fixedLimits } from '../../src/settings.ts';
import { createPositions, positionAt } from '../../src/texts/source-tree.ts';
import { checkConfig } from '../../src/validation/check-config.ts';
import { expectQuick } from '../support/expect-quick.ts';

const { patterns, configBytes } = fixedLimits.request;
const quoted = (count: number, name: string): string =>
  Array.from({ length: count }, (_, at) => `"${name}${at}"`).join(',');

/** The largest text of `bytes` whose values all stand behind its line breaks. */
const behindLines = (bytes: number, text: string): string => '\n'.repeat(bytes - text.length) + text;

describe('createPositions', () => {
  it('finds the same places as `positionAt`, in any order of the offsets', () => {
    const text = 'a\nbc\n\n😀d\n';
    const offsets = Array.from({ length: text.length + 1 }, (_, offset) => offset);
    for (const order of [offsets, offsets.toReversed(), [9, 2, 2, 0, 5, 4]]) {
      const placeOf = createPositions(text);
      for (const offset of order) expect(placeOf(offset)).toEqual(positionAt(text, offset));
    }
    expect([0, 1, 2, 5, 6].map((offset) => positionAt(text, offset))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 2, column: 1 },
      { line: 3, column: 1 },
      { line: 4, column: 1 },
    ]);
  });

  it('S-58 is quick in a text of many lines, in any order of the offsets', () => {
    const text = '\n'.repeat(configBytes);
    const far = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? at : text.length - at));
    for (const order of [far, far.toSorted((a, b) => b - a)]) {
      const lines = expectQuick(() => order.map(createPositions(text)), 100).map(({ line }) => line);
      expect(lines).toEqual(order.map((offset) => offset + 1));
    }
  });

  it('S-58 reads the settings of a repository quickly, however many lines are before their entries', () => {
    const { bytes, lines } = fixedLimits.ignoreFiles;
    const text = behindLines(bytes, `{"permissions":{"deny":[${quoted(lines, 'Read')}]}}`);
    const read = expectQuick(() => readList(text, ['permissions', 'deny']), 200);
    expect(read).toMatchObject({ values: { length: lines } });
  });

  it('S-58 finds the patterns and servers of a configuration quickly, however many lines are before them', () => {
    const lists = ['includeFiles', 'excludeFiles'].map((key) => `"${key}":[${quoted(patterns, 'src/')}]`).join(',');
    const servers = quoted(fixedLimits.configurations.entries, 's').split(',');
    const text = behindLines(
      configBytes,
      `{"clientContext":{${lists}},"mcpServers":{${servers.map((name) => `${name}:{"command":"x"}`).join(',')}}}`,
    );
    const checked = expectQuick(() => checkConfig(text, '/p/.context/context-config.json'), 300);
    expect(checked.patterns).toHaveLength(2 * patterns);
    expect(checked.servers).toHaveLength(fixedLimits.configurations.entries);
    const config = { path: '/c.json', owner: '/', scope: 'static', text } as const;
    const place = expectQuick(() => {
      const value = { clientContext: {}, mcpServers: new Map() };
      return writtenAt({ ...config, value }, 'excludeFiles', 'src/63');
    }, 300);
    expect(place).toBe(`/c.json:${text.lastIndexOf('\n') + 2}`);
  });
});
