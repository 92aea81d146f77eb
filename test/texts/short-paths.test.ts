import { describe, expect, it } from 'vitest';
import { shortenPaths } from '../../src/texts/short-paths.ts';

describe('paths in a text', () => {
  it.each([
    ['/app/a.ts', 'a.ts'],
    ['"/app/a.ts", (/app/b.ts) and /app/c.ts:3', '"a.ts", (b.ts) and c.ts:3'],
    ['/app/app/a.ts', 'app/a.ts'],
    ['/app//app/a.ts', '/app/a.ts'],
    ['/srv/app/a.ts and ../app/a.ts, ~/app/a.ts', '/srv/app/a.ts and ../app/a.ts, ~/app/a.ts'],
    ['/application/a.ts /app', '/application/a.ts /app'],
    ['file:///app/a.ts', 'file:///app/a.ts'],
  ])('%s below /app is %s', (text, expected) => {
    expect(shortenPaths(text, '/app')).toBe(expected);
  });

  it('are as they were below the root, and have another beginning where one is given', () => {
    expect(shortenPaths('/a.ts', '/')).toBe('/a.ts');
    expect(shortenPaths('at /home/ada/a.ts', '/home/ada', '~/')).toBe('at ~/a.ts');
  });
});
