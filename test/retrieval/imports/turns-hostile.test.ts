/** What is made to take long does not, and lets others have their turns. */
import { describe, expect, it } from 'vitest';
import type { SourceLanguage } from '../../../src/ports/parsed-source.ts';
import { importResolverOf, languageOf } from '../../../src/retrieval/imports/languages.ts';
import { longestTurnMs, startProcessorClock } from '../../support/expect-quick.ts';
import { open } from '../support/retrieving.ts';
import { filesOf, importsIn, openLookup, root } from './support/gated-tree.ts';
import { importsOf, parse } from './support/tree.ts';

describe('imports from directories that are not there', () => {
  it('RT-02 are found missing at the first one, and do not hold the event loop', async () => {
    const lookup = openLookup(filesOf({ 'a.ts': '' }));
    const text = Array.from({ length: 1_000 }, (_, n) => `import { x } from './${'a/'.repeat(150)}${n}';`).join('\n');
    const resolve = await importsIn('a.ts', text);
    const longest = await longestTurnMs(async () => {
      const found = await resolve(lookup);
      expect(new Set(Object.values(found))).toEqual(new Set(['not_found']));
    });
    expect(longest).toBeLessThan(400);
  });
});

describe('names that may be in many namespaces', () => {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const listed = (count: number, line: (index: number) => string): string => numbers(count).map(line).join('\n');
  const php = `<?php\n${listed(500, (n) => `namespace N${n};`)}\n${listed(1_000, (n) => `f${n}(new F${n});`)}`;
  const csharp = numbers(50).map((file): [string, string] => [
    `B${file}.cs`,
    listed(500, (n) => `namespace N${file}x${n} {\n class A {\n  class B { }\n }\n}`),
  ]);
  it.each([
    ['a.php', php, {}],
    [
      'a.dart',
      `${listed(900, (n) => `import 'b${n % 50}.dart' as p${n};`)}\n${listed(9_000, (n) => `final a${n} = N${n}().m${n};`)}`,
      Object.fromEntries(
        numbers(50).map((n) => [`b${n}.dart`, `${listed(200, (m) => `export 'b${m % 50}.dart' hide H${m};`)}\n`]),
      ),
    ],
    [
      'A.swift',
      `${listed(900, (n) => `import M${n % 50}`)}\n${listed(9_000, (n) => `let a${n} = N${n}().m${n}`)}`,
      Object.fromEntries(
        numbers(50).map((n) => [
          `M${n}/A${n}.swift`,
          listed(500, (m) => `extension E${m} {\n  var m${m}: Int { 1 }\n}\nstruct N${m} {}`),
        ]),
      ),
    ],
    [
      'a.go',
      `package a\n\nfunc (x T) f() {\n${listed(9_000, (n) => `x.m${n}(N${n})`)}\n}`,
      Object.fromEntries(
        numbers(200).map((n) => [
          `b${n}.go`,
          `package a\n${listed(500, (m) => `func (x T) m${m}() {}\ntype N${m} int`)}`,
        ]),
      ),
    ],
    [
      'lib/a.ex',
      `defmodule A do\n${listed(900, (n) => `  use M${n % 50}`)}\n${listed(9_000, (n) => `  M${n}.f${n}(f${n}())`)}\nend`,
      {
        'mix.exs': '',
        ...Object.fromEntries(
          numbers(50).map((n) => [
            `lib/m${n}.ex`,
            `defmodule M${n} do\n${listed(500, (m) => `  import M${m % 50}\n  def f${m}, do: ${m}`)}\nend\n`,
          ]),
        ),
      },
    ],
    [
      'a.sh',
      `${listed(300, (n) => `. "$D${n % 20}"/lib/*.sh`)}\n${listed(5_000, (n) => `f_${n}`)}`,
      Object.fromEntries(numbers(64).map((n) => [`lib/b${n}.sh`, listed(2_000, (m) => `f_${m}() { :; }`)])),
    ],
    [
      'spec/a_spec.rb',
      listed(9_000, (n) => `create(:z${n})`),
      Object.fromEntries(numbers(2_000).map((n) => [`spec/factories/b${n}.rb`, ''])),
    ],
    ['A.cs', `class A {\n${'A.B b;\n'.repeat(999)}}`, { 'A.csproj': '', ...Object.fromEntries(csharp) }],
  ])('RT-02 do not hold the event loop: %s', async (path, text, tree) => {
    const lookup = openLookup(filesOf({ [path]: '', ...tree }));
    const { imports } = await parse(languageOf(path) as SourceLanguage, text);
    const resolve = await importResolverOf(languageOf(path) as SourceLanguage);
    const longest = await longestTurnMs(async () => {
      const file = { path: `${root}/${path}`, language: languageOf(path) as SourceLanguage };
      await resolve?.(imports.slice(0, 1_000), file, lookup);
    });
    expect(longest).toBeLessThan(400);
  });
});

describe('files that give one name to very much', () => {
  const many = (count: number, part: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => part(index)).join('');
  const names = (name: string, count = 1_000): string => many(count, (n) => `import a${n} from '${name}${n}';\n`);
  type Case = { about: string; path: string; text: string; tree: Record<string, string> };
  const alike = (n: number): string =>
    `lib/${'d/'.repeat(30)}e${n % 10}/${'_'.repeat(1 + (n % 100))}b${'-'.repeat(n % 97)}.ex`;
  it.each<Case>([
    {
      about: 'what a package calls by patterns',
      path: 'a.ts',
      text: names('#b'),
      tree: { 'package.json': `{"imports":{${many(14_000, (n) => `"#c${n}*":1,`)}"#":1}}` },
    },
    {
      about: 'what a package has by patterns',
      path: 'a.ts',
      text: names('p/b'),
      tree: {
        'package.json': '{"workspaces":["p"]}',
        'p/package.json': `{"name":"p","exports":{${many(14_000, (n) => `"./c${n}*":1,`)}"./":1}}`,
      },
    },
    {
      about: 'places of one name of a package',
      path: 'a.ts',
      text: names('#b', 250),
      tree: { 'package.json': `{"imports":{"#b*":[${many(40_000, () => '"./c",')}"./c"]}}` },
    },
    {
      about: 'conditions of a compiler',
      path: 'a.ts',
      text: names('b'),
      tree: { 'tsconfig.json': `{"compilerOptions":{"customConditions":[${many(9_000, (n) => `"c${n}",`)}"c"]}}` },
    },
    {
      about: 'modules of Go that are replaced',
      path: 'm0/a.go',
      text: `package a\nimport (\n${many(900, (n) => `\t"x.y/z${n}"\n`)})\n`,
      tree: {
        'go.work': `use (\n${many(30, (n) => `./m${n}\n`)})\n`,
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [
            `m${n}/go.mod`,
            `module a.b/m${n}\nreplace (\n${many(15_000, (each) => `a${n}-${each} => ../b\n`)})\n`,
          ]),
        ),
      },
    },
    {
      about: 'files that are named alike',
      path: 'lib/a.ex',
      text: `defmodule A do\n${many(900, (n) => `  alias A${n}.C.B\n`)}  def f do\n${many(900, (n) => `    A${n}.C.B.d()\n`)}  end\nend`,
      tree: { 'mix.exs': '', ...Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [alike(n), ''])) },
    },
  ])('S-45 do not hold the processor: $about', async ({ path, text, tree }) => {
    const lookup = openLookup(filesOf({ [path]: '', ...tree }));
    const resolve = await importsIn(path, text);
    const spentMs = startProcessorClock();
    expect(await longestTurnMs(() => resolve(lookup))).toBeLessThan(600);
    expect(spentMs()).toBeLessThan(4_000);
  });
});

describe('names of which much is used', () => {
  it('RT-02 are counted once for each module, and do not hold the event loop', async () => {
    const modules = Array.from({ length: 200 }, (_, n) => `m${n}`);
    const uses = Array.from({ length: 2_000 }, (_, n) => `q.x${n}`).join('\n');
    const { retrieve } = await open(Object.fromEntries(modules.map((name) => [`p/${name}.py`, 'def x0(): ...\n'])));
    const content = `from p import ${modules.map((name) => `${name} as q`).join(', ')}\n${uses}\n`;
    // Parses in this process.
    const longest = await longestTurnMs(async () => {
      const { items } = await retrieve({ activeDocument: { path: 'a.py', content } });
      expect(items[0]?.content).toBe('def x0(): ...');
    });
    expect(longest).toBeLessThan(1_500);
  });
});

describe('settings and sources that are made to be slow to read', () => {
  const long = 100_000;
  const texts = [
    ' ',
    '\n',
    '\n ',
    '[',
    '"',
    "'",
    'a',
    'a ',
    'a.',
    'a::',
    '/*',
    '//',
    '#[path="x"]',
    '#[path="x"]\n',
    'use a::b;',
    'class x ',
    'namespace a',
    'function &',
    'define("',
    'import x ',
    'packages=[',
    'packages = [\n',
    'members = [\n',
    'where =\n',
    '=\n',
    '""=',
    'from = "',
    'include_directories(',
    '$<BUILD_INTERFACE:',
    'include ":a',
    'includeBuild("',
    'includeBuild ',
    'fun <',
    'fun (',
    'fun a.',
    '@a(',
    '\n@a fun b.c',
    '.require_paths = [',
    'package_dir={',
    'find_packages(',
    '<module>',
    '-I ',
    '<Using ',
    '<Using Include="',
    '<RootNamespace>',
    'delegate ',
    'class x;',
    'static x(',
    'static x<',
    'namespace x {',
    'namespace x {\n ',
    '@using ',
    'global using ',
    '\t(',
    'replace (\n',
    'extern crate ',
    '#include "x',
    'alias A.{',
    'alias A.{\n',
    'alias A.',
    'defmodule A do\n',
    'elixirc_paths [',
    'a = "',
    '["a"] = ',
    'path: "',
    '{"a":',
  ].map((each) => each.repeat(Math.ceil(long / each.length)));
  const places: [string, string, (text: string) => Record<string, string>][] = [
    [
      'a.py',
      'import b.c',
      (text) => ({ 'pyproject.toml': text, 'setup.cfg': text, 'setup.py': text, 'pyrightconfig.json': text }),
    ],
    [
      'a.go',
      'package a\nimport "m/b"\nfunc f() { b.X() }',
      (text) => ({ 'go.mod': `module m\n${text}`, 'go.work': text, 'b/b.go': text }),
    ],
    [
      'src/lib.rs',
      'use crate::b::c::d;',
      (text) => ({ 'Cargo.toml': `[package]\nname="a"\n[workspace]\n${text}`, 'src/b.rs': text }),
    ],
    [
      'src/main/java/A.java',
      'import static p.B.c;',
      (text) => ({ 'pom.xml': text, 'settings.gradle': text, 'src/main/java/p/B.java': text }),
    ],
    [
      'a.cc',
      '#include "b.h"\n#include <c/d.h>\nint x = Y;',
      (text) => ({
        'b.h': text,
        'CMakeLists.txt': text,
        'd/Makefile': text,
        'compile_commands.json': text,
        'meson.build': text,
        'BUILD.bazel': text,
      }),
    ],
    [
      'a.php',
      "<?php\nuse A\\B;\nuse function A\\f;\nrequire 'b.php';",
      (text) => ({
        'composer.json': '{ "autoload": { "files": ["b.php"], "classmap": ["lib"] } }',
        'b/composer.json': text,
        'b.php': text,
        'lib/B.php': text,
      }),
    ],
    [
      'a/A.cs',
      'using static b.B;\nnamespace a;\nclass A : B { void M() { C(); d.E(); } }',
      (text) => ({
        'a/a.csproj': text,
        'Directory.Build.props': text,
        'a/GlobalUsings.cs': text,
        'a/_Imports.razor': text,
        'a/B.cs': `namespace b;\nclass B { }\n${text}`,
      }),
    ],
    [
      'src/main/kotlin/a/A.kt',
      'package a\nimport b.c\nfun f() = d() + e.f()',
      (text) => ({ 'settings.gradle': text, 'src/main/kotlin/a/B.kt': text, 'src/main/kotlin/b/C.kt': text }),
    ],
    [
      'src/main/scala/a/A.scala',
      'package a\nimport b.c._\nval x = d(1).e',
      (text) => ({
        'build.sbt': text,
        'src/main/scala/a/B.scala': text,
        'src/main/scala/b/c.scala': `package b\nobject c\n${text}`,
      }),
    ],
    ['a.sh', 'for f in lib/*.sh; do . "$f"; done\nb', (text) => ({ 'lib/b.sh': text })],
    [
      'lib/a.ex',
      'defmodule A do\n  use B\n  C.d(e())\nend\n',
      (text) => ({ 'mix.exs': text, 'lib/b.ex': text, 'lib/c.ex': `defmodule C do\n${text}` }),
    ],
    ['a.lua', 'require("b.c")', (text) => ({ 'a.rockspec': text, 'b/c.lua': text })],
    ['a.rb', "require 'b'\nFoo", (text) => ({ 'a.gemspec': text, 'lib/b.rb': text })],
  ];

  it.each(places)(
    'RT-02 take no longer for it: %s',
    async (path, source, settings) => {
      for (const text of texts) {
        const spentMs = startProcessorClock();
        await importsOf(path, { ...settings(text), [path]: source });
        expect([text.slice(0, 20), spentMs() < 2_000]).toEqual([text.slice(0, 20), true]);
      }
    },
    60_000,
  );
});
