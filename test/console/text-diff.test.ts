/** What the console shows between two versions of a policy. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffLines } from '../../src/console/views/policy/text-diff.ts';

const shown = (before: string, after: string) =>
  diffLines(before, after).map((part) => (part.kind === 'hidden' ? `${part.count}` : `${part.kind} ${part.text}`));

it('shows what goes and what comes, with three lines around, whatever ends the lines', () => {
  const lines = Array.from({ length: 12 }, (_, index) => `l${index}`);
  const changed = lines.with(6, 'new').join('\r\n');
  expect(shown(lines.join('\n'), changed)).toEqual([
    ...['3', 'same l3', 'same l4', 'same l5', 'old l6', 'new new', 'same l7', 'same l8', 'same l9', '2'],
  ]);
  expect(shown('a\n', 'a')).toEqual(['1']);
  expect(shown('', 'a\n')).toEqual(['new a']);
});

it('holds both texts whole, also where they are too large to be compared', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const [old, fresh] = [before, after].map((each) => each.replace(/\n$/u, ''));
      const parts = diffLines(before, after);
      if (parts.some(({ kind }) => kind === 'hidden')) return;
      const side = (kind: string) =>
        parts.flatMap((part) => ('text' in part && (part.kind === kind || part.kind === 'same') ? [part.text] : []));
      expect(side('old').join('\n')).toBe(old);
      expect(side('new').join('\n')).toBe(fresh);
    }),
    { seed: 1 },
  );
  const large = (letter: string) => Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join('\n');
  expect(shown(large('a'), large('b'))).toHaveLength(10_000);
});
