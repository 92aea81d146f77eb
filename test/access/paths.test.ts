import fc from 'fast-check';
import { expect, it } from 'vitest';
import { directoriesBetween, directoriesDown, normalizePath } from '../../src/access/paths.ts';
import { requestNames } from '../../src/access/request-names.ts';

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

it('AN-03 a path is shown by the name that the request used, and by no link that it did not use', () => {
  const others = [
    { path: '/other', realPath: '/srv' },
    { path: '/other/deep', realPath: '/deep' },
    { path: '/link/deep', realPath: '/far' },
  ];
  const mounted = { path: '/link/sub', realPath: '/elsewhere' };
  const { shown, real } = requestNames(mounted, [{ path: '/link', realPath: '/data' }, ...others]);
  const names = ['/link/sub/a', '/link/a', '/none/a'];
  const places = ['/elsewhere/a', '/data/a', '/none/a'];
  expect([...places, '/srv/a'].map(shown)).toEqual([...names, '/srv/a']);
  expect([...names, '/other/a', '/other/deep/a', '/link/deep/a'].map(real)).toEqual([
    ...[...places, '/srv/a', '/deep/a'],
    '/far/a',
  ]);
});
