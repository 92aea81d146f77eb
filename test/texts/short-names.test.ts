/** Ends of names that mean items, and what is said of those that do not (CC-28). */
import { describe, expect, it } from 'vitest';
import { createShortNames } from '../../src/texts/short-names.ts';
import { processorMs } from '../support/expect-quick.ts';

const of = (names: readonly string[]) => createShortNames(names, (name) => [name, name]);
const range = <Made>(length: number, make: (index: number) => Made): Made[] =>
  Array.from({ length }, (_, index) => make(index));

describe('short names', () => {
  it('CC-28 the nearest name is looked for a few times in one request', () => {
    const { hint } = of(['.cursor/rules/task-list.mdc']);
    expect(range(6, (before) => hint('task_lst', before))).toEqual([
      ...range(4, () => ' Did you mean ".cursor/rules/task-list.mdc"?'),
      '',
      '',
    ]);
    expect(hint('other/task-list', 200)).toBe(' Did you mean ".cursor/rules/task-list.mdc"?');
  });

  it('CC-28 many names with the same last part are no more work than others', () => {
    const spentOn = (lastPart: (index: number) => string): number => {
      const short = of(range(10_000, (index) => `packages/${index % 100}/docs/${index}/${lastPart(index)}.md`));
      const mentions = range(256, (index) => [`${index}/index.md`, 'docs/index', 'index.md', `x${index}/index`]).flat();
      short.fitting('index');
      return processorMs(() => {
        for (const mention of mentions) {
          short.fitting(mention);
          short.hint(mention, 9);
        }
      });
    };
    const others = spentOn((index) => `index${index}`);
    expect(spentOn(() => 'index') / (others + 10)).toBeLessThan(20);
    const short = of(range(10_000, (index) => `packages/${index % 100}/docs/${index}/index.md`));
    expect(short.fitting('7/index.md')).toEqual(['packages/7/docs/7/index.md']);
  });

  it('CC-28 of many that fit, as many are named as help', () => {
    const short = of(['c/a.md', 'b/a.md', 'a.md', 'd/a.md', 'f/a.md', 'e/a.md', 'aa/ba.md']);
    expect(short.fitting('a')).toHaveLength(2);
    expect(short.hint('a', 0)).toBe(' It could mean "c/a.md", "b/a.md", "a.md", "d/a.md" or others.');
    expect(short.hint('x/a', 0)).toBe(' Did you mean "c/a.md", "b/a.md", "a.md", "d/a.md" or others?');
    expect(of(['b/a.md', 'c/a.md']).hint('a', 0)).toBe(' It could mean "b/a.md" or "c/a.md".');
  });

  it('CC-28 nothing is the end of no name', () => {
    const short = of(['.cursorrules', 'services/.cursorrules', 'sub/.x']);
    for (const mention of ['', '@', '/', 'services/', 'sub/', '@sub/', '@@'])
      expect([short.fitting(mention), short.hint(mention, 0)], mention).toEqual([[], '']);
    expect(short.fitting('services/.cursorrules')).toEqual(['services/.cursorrules']);
    expect(short.fitting('.x')).toEqual(['sub/.x']);
  });
});
