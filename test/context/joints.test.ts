import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, definitionsOf, linesOf, sectionsOf } from '../../src/context/joints.ts';
import { atOnce, createPause, inTurns } from '../../src/pace/turns.ts';
import { eachTurn } from '../support/each-turn.ts';

const markdown = 'intro\n# One\n\ntext\n```sh\n# no heading\n```\n## Two\nmore\n';

describe('joints', () => {
  it('sections begin at headings, and not at what only looks like one in code', () => {
    expect(atOnce(sectionsOf(markdown))).toEqual([
      'intro\n',
      '# One\n\ntext\n```sh\n# no heading\n```\n',
      '## Two\nmore\n',
    ]);
  });

  it('definitions of a file begin at its own, not at those of a type in it', () => {
    const text = 'import a;\nclass A {\n  b() {}\n}\n\nfunction c() {}\n';
    const definitions = [
      { name: 'A', startLine: 2, endLine: 4, text: '' },
      { name: 'b', startLine: 3, endLine: 3, text: '' },
      { name: 'c', startLine: 6, endLine: 6, text: '' },
    ];
    expect(atOnce(definitionsOf(text, definitions))).toEqual([
      'import a;\n',
      'class A {\n  b() {}\n}\n\n',
      'function c() {}\n',
    ]);
  });

  it('blocks begin behind an empty line where nothing is indented', () => {
    expect(atOnce(blocksOf('a\n\n  b\n\nc\nd'))).toEqual(['a\n\n  b\n\n', 'c\nd']);
  });

  it('are not more than can be counted', () => {
    const pieces = atOnce(linesOf('\n'.repeat(1_000_000)));
    expect(pieces).toHaveLength(2_001);
    expect(pieces.join('')).toHaveLength(1_000_000);
  });

  it('S-52 let others have their turn, however many lines there are', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
    };
    await eachTurn(count, () => inTurns(sectionsOf('\n'.repeat(1 << 20)), createPause()));
    expect(turns).toBeGreaterThan(5);
  });

  it('pieces put together are the text, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('# h', '', '  x', 'y', '```', '\r', '~~~', '> #', '\u2028'), { maxLength: 20 }),
        fc.boolean(),
        (lines, hasEnd) => {
          const text = lines.join('\n') + (hasEnd ? '\n' : '');
          const definitions = [{ name: 'a', startLine: 2, endLine: 3, text: '' }];
          for (const steps of [sectionsOf(text), blocksOf(text), linesOf(text), definitionsOf(text, definitions)]) {
            const pieces = atOnce(steps);
            expect(pieces.join('')).toBe(text);
            expect(pieces).not.toContain('');
          }
        },
      ),
      { seed: 1 },
    );
  });
});
