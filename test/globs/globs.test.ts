import { describe, expect, it } from 'vitest';
import { compileGlob, type Glob } from '../../src/globs/globs.ts';

function glob(pattern: string): Glob {
  const compiled = compileGlob(pattern);
  if ('problem' in compiled) throw new Error(`${pattern}: ${compiled.problem.code}`);
  return compiled.glob;
}

/** Each row: pattern, paths it matches, paths it does not. */
function table(rows: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[]): void {
  for (const [pattern, yes, no] of rows) {
    const { matches } = glob(pattern);
    expect({ pattern, matched: [...yes, ...no].filter((path) => matches(path)) }).toEqual({ pattern, matched: yes });
  }
}

describe('what a pattern matches', () => {
  it('CC-17 ignores letter case and Unicode composition on both sides', () => {
    table([
      ['Docs/*.MD', ['docs/a.md', 'DOCS/B.Md'], ['docs/a.txt']],
      ['café/*', ['CAFE\u0301/x', 'Café/x'], ['cafe/x']],
      ['cafe\u0301/*', ['café/x'], []],
      ['\u212Aey', ['key', 'KEY'], []],
      ['id*', ['İD_rsa', 'ıd', 'ID', 'i\u0307d'], []],
      ['ΟΔΟΣ', ['οδος', 'οδοσ'], []],
      ['*ς', ['ΟΔΟΣ', 'οδοσ'], []],
      ['ſet', ['Set'], []],
    ]);
  });

  it('CC-17 matches names that begin with a dot', () => {
    table([
      ['*', ['.env', 'a'], ['a/b']],
      ['**', ['.a/.b', 'a'], []],
      ['*/.x', ['.a/.x'], ['.x']],
      ['?x', ['.x'], ['x']],
      ['[.]x', ['.x'], ['x']],
    ]);
  });

  it('CC-17 `*` and `?` stay within a segment; `?` is one character', () => {
    table([
      ['a*c', ['ac', 'abc', 'abbbc', 'aCc'], ['a/c', 'ab', 'acb']],
      ['*a*b*', ['ab', 'xaxbx', 'aab'], ['ba', 'a/b']],
      ['a?c', ['abc', 'a💥c', 'aéc', 'ae\u0301c', 'aßc'], ['ac', 'abbc', 'a/c']],
      ['*.*.md', ['a.b.md', '..md'], ['a.md']],
      ['*/*', ['a/b'], ['a', 'a/b/c']],
    ]);
  });

  it('CC-17 `**` as a whole segment matches any number of segments, at the end at least one', () => {
    table([
      ['**', ['a', 'a/b/c'], ['', '.']],
      ['**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'x/ab']],
      ['a/**', ['a/b', 'a/b/c'], ['a', 'ab']],
      ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b', 'a/b/b'], ['ab', 'a/xb', 'x/a/b']],
      ['**/a/**/b/**', ['a/b/c', 'x/a/x/b/x'], ['a/b', 'b/a/c']],
      ['**/**/a/**/**', ['a/b', 'x/y/a/b'], ['a']],
      ['**/*', ['a', 'a/b'], []],
      ['**/*.ts', ['a.ts', 'x/y/a.ts', '.ts'], ['a.tsx', 'a.ts/x']],
      ['a/***/b', ['a/b', 'a/x/y/b'], ['ab']],
    ]);
  });

  it('CC-17 `**` inside a segment is `*`', () => {
    table([
      ['a**', ['a', 'abc'], ['a/b']],
      ['**a', ['a', 'xa'], ['x/a', 'x/ya']],
      ['a/x**y', ['a/xy', 'a/xzy'], ['a/x/y']],
      ['**{a,b}', ['xa', 'b'], ['x/a']],
      ['{**,x}/b', ['b', 'x/b', 'p/q/b'], ['xb']],
      ['{a/,}**', ['a/x', 'x', 'x/y'], []],
    ]);
  });

  it('CC-17 classes match one character, with ranges and negation', () => {
    table([
      ['[abc]', ['a', 'B'], ['d', 'ab']],
      ['[a-cx]y', ['by', 'XY'], ['dy', 'y']],
      ['[A-C]', ['b'], ['d']],
      ['[A-_]', ['b', '_', '^'], ['`', '5']],
      ['[À-Ý]', ['é', 'É'], ['e']],
      ['[а-я]', ['Ж'], ['z']],
      ['[Дſ\u212A]', ['д', 's', 'K'], ['t']],
      ['[!a-c]', ['d', '-', '💥'], ['b', 'B', '/']],
      ['[^a]', ['b'], ['a', 'A']],
      ['x[!y]z', ['xaz'], ['xyz', 'x/z']],
      ['[]a]', [']', 'a'], ['[']],
      ['[!]a]', ['b'], [']', 'a']],
      ['[a-]', ['a', '-'], ['b']],
      ['[-a]', ['a', '-'], ['b']],
      ['[a:]', ['a', ':'], ['[a:]']],
      ['[*][?][{][[]', ['*?{['], ['abcd']],
      ['[💥-💨]', ['💦'], ['a']],
      ['[a,b]{c,[d,e]}', ['ac', ',c', 'bd', 'a,'], ['a[d', 'b']],
    ]);
  });

  it('CC-17 braces are alternatives, also with `|`, one, empty, nested and with `/`', () => {
    table([
      ['*.{js,ts}', ['a.js', 'a.TS'], ['a.jsx', 'a.js,ts']],
      ['**/*.{js|ts}', ['a.js', 'x/a.ts'], ['a.js|ts']],
      ['**/*.{css}', ['a.css'], ['a.{css}']],
      ['**/*.{scss|less}', ['a.scss', 'b/a.less'], ['a.css']],
      ['a{,b}', ['a', 'ab'], ['b']],
      ['a{,b,}c', ['ac', 'abc'], ['ab']],
      ['{a,b/c}/d', ['a/d', 'b/c/d'], ['b/d']],
      ['{a,{b,{c,{d,e}}}}x', ['ax', 'bx', 'cx', 'dx', 'ex'], ['fx']],
      ['{src,}/x.md', ['src/x.md', 'x.md'], ['/x.md']],
      ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd'], ['ab']],
      ['{*.md,?}', ['x.md', 'x'], ['xy']],
      ['{a{b}c}', ['abc'], ['{abc}']],
    ]);
  });

  it('CC-17 brace ranges stand for each element', () => {
    table([
      ['{1..3}', ['1', '2', '3'], ['0', '4', '1..3']],
      ['v{-1..1}', ['v-1', 'v0', 'v1'], ['v2']],
      ['{3..1}', ['2'], ['4']],
      ['{08..10}', ['08', '09', '10'], ['8']],
      ['{a..c}x', ['ax', 'Bx'], ['dx']],
      ['{1..2}{a..b}', ['1a', '2b'], ['1']],
      ['{1..3..2}', ['1..3..2'], ['1', '3']],
      ['{ab..c}', ['ab..c'], ['ab']],
      ['{1..a}', ['1..a'], ['1', 'a', '5']],
      ['{a..1}', ['a..1'], ['a', '1']],
    ]);
  });

  it('CC-17 a plain last segment or a trailing `/` covers what lies below', () => {
    table([
      ['docs/private', ['docs/private', 'docs/private/a.md', 'docs/private/x/y'], ['docs', 'docs/privates']],
      ['docs/', ['docs/a', 'docs/a/b'], ['docs', 'xdocs/a']],
      ['docs/*/', ['docs/a/b'], ['docs/a']],
      ['docs/*', ['docs/a'], ['docs/a/b']],
      ['**/private', ['private', 'x/private/y'], ['x/privately/y']],
      ['{a,*}b', ['ab', 'ab/x', 'xb'], ['xb/x']],
      ['{a/,b}', ['a/x', 'b', 'b/x'], ['a']],
      ['a[b]', ['ab', 'ab/c'], []],
      ['a[bc]', ['ab'], ['ab/c']],
      ['.', ['a', 'a/b'], ['.']],
      ['./', ['a', 'a/b'], []],
    ]);
  });

  it('CC-17 `\\`, leading `./`, inner `/./` and repeated `/` are only ways of writing', () => {
    table([
      ['docs\\*.md', ['docs/a.md'], ['docs\\a.md']],
      ['./a.md', ['a.md'], ['x/a.md']],
      ['.\\a//b/./*.md', ['a/b/c.md'], []],
      ['a/.', ['a/b'], ['a']],
    ]);
  });

  it('CC-17 extglobs and whatever is not syntax are literal text', () => {
    table([
      ['@(a|b)', ['@(a|b)'], ['a', 'b', '@a']],
      ['+(a)', ['+(a)'], ['a', 'aa', '+a']],
      ['!(a)', ['!(a)'], ['b']],
      ['!a', ['!a'], ['b', 'a']],
      ['(a|aa)+c', ['(a|aa)+c'], ['ac', 'aac']],
      ['?(a)', ['x(a)'], ['a', '']],
      ['a.b', ['a.b'], ['axb']],
      ['^a$', ['^a$'], ['a']],
      ['a|b', ['a|b'], ['a', 'b']],
      ['a,b', ['a,b'], ['a', 'b']],
      ['{a,b', ['{a,b'], ['a', 'b']],
      ['a,b}', ['a,b}'], ['a']],
      ['{a,{b,c}', ['{a,b', '{a,c'], ['a', 'b']],
      ['{}', ['{}'], ['']],
      ['a{}b', ['a{}b'], ['ab']],
      ['[a', ['[a'], ['a']],
      ['[a/b]', ['[a/b]'], ['a', '/']],
    ]);
  });

  it('CC-17 wildcards do not match `..`; `**` and a written `..` do', () => {
    table([
      ['*/a', ['x/a'], ['../a']],
      ['??/a', ['xy/a', '.x/a'], ['../a']],
      ['.*/a', ['.x/a', './a'], ['../a']],
      ['[!x][!x]/a', ['yy/a'], ['../a']],
      ['../a', ['../a', '../a/b'], ['a', '../../a']],
      ['[.][.]/{..,x}/a', ['../../a', '../x/a'], ['x/a']],
      ['**/a/**', ['../a/b', '../../x/a/b'], ['..']],
      ['..a', ['..a'], []],
    ]);
  });

  it('CC-17 absolute patterns match absolute paths only, relative ones relative paths only', () => {
    table([
      ['/etc/*', ['/etc/x'], ['etc/x', '/etc/x/y']],
      ['/**/x', ['/x', '/a/b/x'], ['x', 'a/x']],
      ['/', ['/a', '/a/b'], ['a']],
      ['**', ['a'], ['/a']],
      ['{/a,/b}/x', ['/a/x', '/b/x'], ['a/x']],
      ['{/a,b}/x', ['a/x', 'b/x'], ['/a/x']],
      ['~/x', [], ['~/x', 'x', '/x']],
    ]);
  });

  it('an empty pattern matches nothing', () => {
    for (const path of ['', '.', 'a', '/a']) expect(glob('').matches(path)).toBe(false);
    expect(glob('').mayMatchBelow('')).toBe(false);
  });
});

describe('what is known of a pattern without a path', () => {
  it('CC-28 hasSlash ignores a trailing `/`', () => {
    for (const pattern of ['*.ts', 'docs/', '*', '', 'docs\\'])
      expect([pattern, glob(pattern).hasSlash]).toEqual([pattern, false]);
    for (const pattern of ['a/b', './a', '**/a', '/a', 'a\\b', '{a,b/c}'])
      expect([pattern, glob(pattern).hasSlash]).toEqual([pattern, true]);
  });

  it('CC-12 isAbsolute: the pattern or each of its alternatives begins with `/`, or it begins with `~/`', () => {
    for (const pattern of ['/a', '\\a', '~', '~/a', '{/a,/b}', '/'])
      expect([pattern, glob(pattern).isAbsolute]).toEqual([pattern, true]);
    for (const pattern of ['a', './a', '~a', '{/a,b}', '**', '', '../a'])
      expect([pattern, glob(pattern).isAbsolute]).toEqual([pattern, false]);
  });

  it('S-36 hasParentSegment finds `..` however it is spelled', () => {
    const yes = [
      '..',
      '../a',
      'a/..',
      '../../../**/*.pem',
      '{..,x}/../etc/*',
      '[.][.]/x',
      '**/../../etc/*',
      '.{.,x}/a',
      '..\\a',
      '{a,{b,..}/c}/d',
      '[.].',
      '/a/../b',
    ];
    for (const pattern of yes) expect([pattern, glob(pattern).hasParentSegment]).toEqual([pattern, true]);
    const no = [
      '/**/Desktop/**',
      '@(..)/x',
      '~/.ssh/**',
      '...',
      '..a',
      'a..',
      '.',
      '*',
      '??',
      '.?',
      '[!a][!a]',
      '{1..3}',
    ];
    for (const pattern of no) expect([pattern, glob(pattern).hasParentSegment]).toEqual([pattern, false]);
  });

  it('CC-12 literalBase is the literal directories all alternatives share', () => {
    const rows: [string, string][] = [
      ['docs/ai/**/*.md', 'docs/ai'],
      ['Docs/AI/x.md', 'Docs/AI'],
      ['docs/private', 'docs'],
      ['docs/', 'docs'],
      ['x.md', ''],
      ['**/x', ''],
      ['docs/{a,b}/*', 'docs'],
      ['{docs/a,docs/b}/**', 'docs'],
      ['{a,b}/**', ''],
      ['./a/./b//*', 'a/b'],
      ['../shared/**', '../shared'],
      ['{../a,../b}/*', '..'],
      ['/home/u/**', '/home/u'],
      ['/x', '/'],
      ['/', '/'],
      ['{/a/b,/a/c}/d', '/a'],
      ['~/x/*', '~/x'],
      ['a\\b\\*', 'a/b'],
      ['[a]/b/*', 'a/b'],
      ['', ''],
    ];
    for (const [pattern, base] of rows) expect([pattern, glob(pattern).literalBase]).toEqual([pattern, base]);
  });

  it('CC-12 mayMatchBelow lets a walk skip what cannot match', () => {
    const rows: [pattern: string, yes: string[], no: string[]][] = [
      ['docs/ai/*.md', ['', '.', 'docs', 'DOCS/AI'], ['src', 'docs/x', 'docs/ai/x', 'doc', '/docs']],
      ['docs/**/x', ['docs', 'docs/a/b', ''], ['src', 'xdocs']],
      ['**/x', ['', 'a', 'a/b', '..'], ['/a']],
      ['docs/private', ['docs', 'docs/private', 'docs/private/x'], ['docs/other']],
      ['*', [''], ['a']],
      ['*/', ['', 'a', 'a/b'], []],
      ['{a,b/c}/*', ['a', 'b', 'b/c'], ['c', 'a/x', 'b/d']],
      ['../shared/*', ['..', '../shared'], ['a', '../other', '../../shared']],
      ['a/b', ['..', '../..', 'a'], ['../x']],
      ['/home/*/x/**', ['/', '/home', '/home/u', '/home/u/x/y'], ['/etc', '/home/u/z', 'home', '']],
    ];
    for (const [pattern, yes, no] of rows) {
      const { mayMatchBelow } = glob(pattern);
      expect({ pattern, entered: [...yes, ...no].filter((each) => mayMatchBelow(each)) }).toEqual({
        pattern,
        entered: yes,
      });
    }
  });
});
