import fc from 'fast-check';
import { expect, it } from 'vitest';
import { directoriesBetween, directoriesDown, normalizePath } from '../../src/access/paths.ts';

/** Much of what is between slashes, and what is not normalised. */
const pathText = fc
  .array(fc.constantFrom('/', '//', 'a', 'b', '.', '..', 'ab', '...'), { maxLength: 8 })
  .map((parts) => `/${parts.join('')}`);

it('the directories on the way down are those of every component, and end whatever the two paths are', () => {
  expect(directoriesBetween('/', '/a/b')).toEqual(['/', '/a', '/a/b']);
  expect(directoriesBetween('/a', '/a/bc/d')).toEqual(['/a', '/a/bc', '/a/bc/d']);
  expect(directoriesBetween('/a', '/a')).toEqual(['/a']);
  fc.assert(
    fc.property(pathText, pathText, (top, bottom) => {
      let previous = '';
      for (const each of directoriesDown(top, bottom)) {
        expect(each.length).toBeGreaterThan(previous.length);
        previous = each;
      }
      if (top !== bottom) expect(previous).toBe(bottom);
    }),
    { seed: 1 },
  );
});

it('S-34 a path is normalised the same whether or not it is already', () => {
  fc.assert(
    fc.property(pathText, (path) => {
      const expected: string[] = [];
      for (const part of path.split('/'))
        if (part === '..') expected.pop();
        else if (part !== '' && part !== '.') expected.push(part);
      expect(normalizePath(path)).toBe(`/${expected.join('/')}`);
      expect(normalizePath(normalizePath(path))).toBe(normalizePath(path));
    }),
    { seed: 1 },
  );
});
