/** Ends of names that mean items, and what is said of those that do not (CC-28). */
import { describe, expect, it } from 'vitest';
import { createShortNames } from '../../src/texts/short-names.ts';

const of = (names: readonly string[]) => createShortNames(names, (name) => [name]);
const range = <Made>(length: number, make: (index: number) => Made): Made[] =>
  Array.from({ length }, (_, index) => make(index));
const millisecondsOf = (run: () => void): number => {
  const started = performance.now();
  run();
  return performance.now() - started;
};

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

  it('CC-28 a request of many unknown mentions is answered at once, however long the names are', () => {
    const names = range(1_200, (index) => `.context/${`${index}`.repeat(200).slice(0, 200)}.md`);
    const { hint } = of(names);
    const unknown = range(256, (index) => `unknown-${'x'.repeat(20)}${index}`);
    expect(millisecondsOf(() => unknown.map(hint))).toBeLessThan(500);
  });
});
