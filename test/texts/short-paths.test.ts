import { describe, expect, it } from 'vitest';
import { shortenPaths } from '../../src/texts/short-paths.ts';

describe('paths in a text', () => {
  it.each([
    ['/app/a.ts', 'a.ts'],
    ['"/app/a.ts", (/app/b.ts) and /app/c.ts:3', '"a.ts", (b.ts) and c.ts:3'],
    ['/app/app/a.ts', 'app/a.ts'],
    ['/app//app/a.ts', '/app/a.ts'],
    ['/srv/app/a.ts and ../app/a.ts, ~/app/a.ts', '/srv/app/a.ts and ../app/a.ts, ~/app/a.ts'],
    ['/srv/(shop)/app/a.ts', '/srv/(shop)/app/a.ts'],
    ['/srv/[id]/app/a.ts', '/srv/[id]/app/a.ts'],
    ['/srv/💡/app/a.ts, /srv/a!/app/a.ts', '/srv/💡/app/a.ts, /srv/a!/app/a.ts'],
    ["[/app/a.ts] '/app/b.ts' `/app/c.ts` in:/app/d.ts", "[a.ts] 'b.ts' `c.ts` in:d.ts"],
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
