import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/pace/turns.ts';
import { readDeclarations } from '../../../src/retrieval/imports/csharp/csharp-declarations.ts';
import { parsePackageManifest } from '../../../src/retrieval/imports/typescript/package-manifest.ts';
import { importsOf, lookupIn } from './support/tree.ts';

/** What a resolver may ask of a workspace for a file with a thousand imports. */
const maxQuestions = 600_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const lines = (count: number, line: (index: number) => string): string => numbers(count).map(line).join('\n');

/** One file with many imports that lead nowhere, in a deep directory beside many others. */
const crowded = (name: string, text: string, other: string): [string, Record<string, string>] => {
  const deep = numbers(30)
    .map((index) => `d${index}`)
    .join('/');
  const neighbours = numbers(100).map((index) => [`n${index}/${other}`, '']);
  return [`${deep}/${name}`, { [`${deep}/${name}`]: text, ...Object.fromEntries(neighbours) }];
};

describe('hostile workspaces', () => {
  it.each([
    crowded(
      'a.py',
      lines(300, (n) => `import m${n}.x.y\nfrom ....q${n} import z`),
      'src/a/__init__.py',
    ),
    crowded('a.go', `package a\n${lines(300, (n) => `import "example.com/m${n}/x"`)}`, 'go.mod'),
    crowded(
      'a.rs',
      lines(300, (n) => `use crate::a${n}::b;\nuse x${n}::y;`),
      'Cargo.toml',
    ),
    crowded(
      'A.java',
      `package a.b;\n${lines(300, (n) => `import a.p${n}.C;\nimport q${n}.*;`)}`,
      'src/main/java/a/B.java',
    ),
    crowded(
      'a.cc',
      lines(300, (n) => `#include <h${n}/x.h>\n#include "y${n}.h"`),
      'include/z.h',
    ),
    crowded(
      'A.cs',
      `${lines(300, (n) => `using A${n}.B;\nusing static A${n}.C;`)}\nnamespace N.O;\nclass A {\n${lines(300, (n) => `  T${n} t${n}; Q.R.U${n} u${n};`)}\n}`,
      'B.csproj',
    ),
    crowded(
      'a.rb',
      lines(300, (n) => `require 'r${n}/x'\nrequire_relative 'y${n}'`),
      'lib/z.rb',
    ),
    crowded(
      'a.php',
      `<?php\nnamespace A\\B;\n${lines(300, (n) => `use A\\C${n}\\D;\nuse E${n}\\F;\nrequire 'r${n}/x.php';\nnew N${n}; f${n}();`)}`,
      'composer.json',
    ),
    crowded(
      'a.sh',
      lines(300, (n) => `source "$R${n}/x.sh"\n. ./y${n}.sh\nfor z in ../*.sh; do . "$z"; done\n./bin/b${n}.sh`),
      'lib/z.sh',
    ),
    crowded(
      'A.scala',
      `package a.b\npackage c\n${lines(300, (n) => `import a.p${n}.C\nimport q${n}.{D, E => F, _}`)}\nval x = ${lines(300, (n) => `f${n}(T${n}()).g${n}`)}`,
      'src/main/scala/a/B.scala',
    ),
    crowded(
      'A.kt',
      `package a.b\n${lines(300, (n) => `import a.p${n}.C\nimport q${n}.*`)}\nval x = ${lines(300, (n) => `f${n}() + T${n}()`)}`,
      'src/main/kotlin/a/B.kt',
    ),
    crowded(
      'a.dart',
      `${lines(300, (n) => `import 'package:p${n}/x.dart';\nimport '../../d${n}/y.dart' as p${n};\npart 'z${n}.dart';`)}\npart of a.b;\n${lines(300, (n) => `f${n}() => p${n}.x.m${n};`)}`,
      'pubspec.yaml',
    ),
    crowded(
      'a.swift',
      `${lines(300, (n) => `import M${n}\n@testable import T${n}`)}\n${lines(300, (n) => `let v${n} = T${n}(f${n}().m${n})`)}`,
      'Package.swift',
    ),
    crowded(
      'a.lua',
      lines(300, (n) => `local a${n} = require("b${n}.c")\ndofile("d${n}.lua")\nrequire(... .. ".e${n}").f()`),
      'lua/z.lua',
    ),
    crowded(
      'a.ex',
      `defmodule A do\n${lines(300, (n) => `  alias A.B${n}\n  import C.D${n}\n  use E${n}\n  F.G${n}.h(%A.I${n}{})`)}\nend\n`,
      'mix.exs',
    ),
  ])('RT-02 imports that lead nowhere are asked about a bounded number of times: %#', async (path, tree) => {
    const lookup = lookupIn(tree);
    const found = await importsOf(path, tree, lookup);
    expect(Object.values(found).every((each) => typeof each === 'string' || each.length === 0)).toBe(true);
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 Dart libraries that export each other in many ways', async () => {
    const names = lines(300, (n) => `C${n} c${n};`);
    const tree = {
      'pubspec.yaml': 'name: a\nworkspace: ["**"]\n',
      ...Object.fromEntries(
        numbers(40).map((n) => [
          `lib/l${n}.dart`,
          `${lines(40, (m) => `export 'l${m}.dart' hide A${n};\nexport 'package:a/l${m}.dart' show B${m};\npart 'p${m}.dart';`)}\n`,
        ]),
      ),
      'lib/user.dart': `${lines(40, (n) => `import 'l${n}.dart';`)}\n${names}`,
    };
    const lookup = lookupIn(tree);
    await importsOf('lib/user.dart', tree, lookup);
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 crates whose names lead to each other in many ways', async () => {
    const tree = {
      'Cargo.toml': `[package]\nname = "a"\n${lines(40, (n) => `[[bin]]\nname = "b${n}"\npath = "src/b${n}.rs"`)}\n`,
      ...Object.fromEntries(
        numbers(40).map((n) => [
          `src/b${n}.rs`,
          lines(40, (m) => `pub use crate::x${m} as x${m + 1};\npub use crate::x${m + 1}::*;`),
        ]),
      ),
      'src/user.rs': lines(40, (n) => `use crate::x${n}::y::z;`),
    };
    const lookup = lookupIn(tree);
    await importsOf('src/user.rs', tree, lookup);
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 C# projects with many paths that begin with a property', async () => {
    const deep = numbers(20)
      .map((n) => `d${n}`)
      .join('/');
    const tree = {
      'Directory.Build.props': '<Project><Far>$(MSBuildThisFileDirectory)far/</Far></Project>',
      ...Object.fromEntries(
        numbers(40).map((n) => [
          `${deep}/p${n}/p.csproj`,
          `<Project><ProjectReference Include="../p${n + 1}/p.csproj" />${lines(60, (m) => `<Compile Include="$(Far)c${m}.cs" />`)}</Project>`,
        ]),
      ),
      [`${deep}/p0/a.cs`]: 'class A : B { }\n',
    };
    const lookup = lookupIn(tree);
    await importsOf(`${deep}/p0/a.cs`, tree, lookup);
    expect(lookup.asked.count).toBeLessThan(10_000);
  });

  it('RT-02 headers that include each other', async () => {
    const tree: Record<string, string> = { 'main.c': lines(100, (n) => `#include "h${n}.h"`) };
    for (const n of numbers(100)) tree[`h${n}.h`] = lines(100, (m) => `#include "h${m}.h"`);
    const lookup = lookupIn(tree);
    const found = await importsOf('main.c', tree, lookup);
    expect(found['h1.h']).toEqual(['h1.h']);
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 C# projects that refer to each other', async () => {
    const tree: Record<string, string> = { 'p0/Main.cs': lines(100, (n) => `T${n} t${n};`) };
    for (const n of numbers(200)) {
      tree[`p${n}/p${n}.csproj`] = lines(200, (m) => `<ProjectReference Include="../p${m}/p${m}.csproj" />`);
      tree[`p${n}/T.cs`] = lines(50, (m) => `partial class T${m} { }`);
    }
    const lookup = lookupIn(tree);
    expect(Object.values(await importsOf('p0/Main.cs', tree, lookup))).toEqual([
      [
        `p0/T.cs#${numbers(50)
          .map((n) => `T${n}`)
          .join(',')}`,
      ],
    ]);
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 C# types inside each other do not grow with each one that is declared in them', () => {
    const nest = (word: string) => lines(400, (n) => `${' '.repeat(n)}${word} ${'a'.repeat(450 - n)}`);
    for (const word of ['class', 'namespace']) {
      const text = `${nest(word)}\n${lines(500, (n) => `${' '.repeat(401)}class B${n}`)}`;
      const { types } = atOnce(readDeclarations(text));
      const characters = types.reduce((all, { name, namespace }) => all + name.length + namespace.length, 0);
      expect(characters).toBeLessThan(text.length);
    }
  });

  it('RT-02 one line of C# declares a few types at most', () => {
    expect(atOnce(readDeclarations('class A; '.repeat(50))).types).toHaveLength(8);
  });

  it('RT-02 what a C# project refers to is read as settings only if it is a project', async () => {
    const tree = {
      'a/a.csproj': '<ProjectReference Include="../b/Secret.cs" />',
      'a/A.cs': 'B b;',
      'b/Secret.cs': '<RootNamespace>B</RootNamespace>',
      'b/B.cs': 'class B { }',
    };
    expect(await importsOf('a/A.cs', tree)).toEqual({ '': [] });
  });

  it('RT-02 all repositories of a Composer package together list a bounded number of directories', async () => {
    const repositories = numbers(300).map((n) => ({ type: 'path', url: `*/*/*/x${n}` }));
    const tree: Record<string, string> = { 'composer.json': JSON.stringify({ repositories }), 'a.php': '<?php new A;' };
    for (const n of numbers(3_600)) tree[`d${n % 60}/e${n}/x.txt`] = '';
    const lookup = lookupIn(tree);
    expect(await importsOf('a.php', tree, lookup)).toEqual({ '': [] });
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 the longest of many Composer prefixes is found for each name', async () => {
    const prefixes = numbers(200).map((n) => ['A\\'.repeat(n + 1), `d${n}`]);
    const tree = {
      'composer.json': JSON.stringify({ autoload: { 'psr-4': Object.fromEntries(prefixes) } }),
      'a.php': '<?php\nuse A\\A\\A\\B;\nuse A\\A\\C;\nuse AA\\D;\n',
      'd2/B.php': '',
      'd1/C.php': '',
      'd0/D.php': '',
    };
    expect(await importsOf('a.php', tree)).toEqual({
      'A\\A\\A\\B': ['d2/B.php#B'],
      'A\\A\\C': ['d1/C.php#C'],
      'AA\\D': 'outside_workspace',
    });
  });

  it('RT-02 classes that extend each other', async () => {
    const tree = {
      'p/A.java': 'package p;\nimport static p.B.none;\n',
      'p/B.java': 'package p;\nclass B extends C {}\n',
      'p/C.java': 'package p;\nclass C extends B {}\n',
    };
    expect(await importsOf('p/A.java', tree)).toEqual({ p: [], 'p.B': ['p/B.java#B.none'] });
  });

  it('RT-02 the declarations of a bounded number of Kotlin files are read', async () => {
    const tree: Record<string, string> = { 'A.kt': lines(500, (n) => `val x${n} = f${n}()`) };
    for (const n of numbers(1_000)) tree[`B${n}.kt`] = `fun f${n}() = 1\n`;
    const lookup = lookupIn(tree);
    await importsOf('A.kt', tree, lookup);
    expect(lookup.asked.count).toBeLessThan(2_000);
  });

  it('RT-02 large Dart libraries count as several of those that are looked into', async () => {
    const tree: Record<string, string> = {
      'a.dart': `import 'all.dart';\n${lines(2_500, (n) => `final x${n} = f${n}();`)}`,
      'all.dart': lines(300, (n) => `export 'p${n}.dart';`),
    };
    for (const n of numbers(300)) tree[`p${n}.dart`] = lines(2_500, (m) => `f${m}() {}`);
    const { 'all.dart': found = [] } = await importsOf('a.dart', tree);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(150);
  });

  it.each(['java', 'kt'])('RT-02 packages are not looked for in each of many modules: %s', async (extension) => {
    const imports = lines(1_000, (n) => `import ${n % 2 ? 'a.' : ''}q${n}.${'A.'.repeat(29)}A;`);
    const tree: Record<string, string> = {
      'settings.gradle': lines(300, (n) => `include ':m${n}'`),
      [`m0/src/main/java/a/A.${extension}`]: `package a;\n${imports}`,
    };
    for (const n of numbers(300)) {
      tree[`m${n}/src/main/java/a/B.${extension}`] = 'package a;\nclass B {}\n';
      tree[`m${n}/src/main/kotlin/C.kt`] = 'package a\nclass C\n';
    }
    const lookup = lookupIn(tree);
    const found = await importsOf(`m0/src/main/java/a/A.${extension}`, tree, lookup);
    expect(Object.keys(found)).toHaveLength(1_001);
    expect(lookup.asked.count).toBeLessThan(maxQuestions);
  });

  it('RT-02 settings that are broken or lead outside say nothing', async () => {
    const broken = '\u0000[[[{{{"""\n=\n)';
    const python = {
      'pyproject.toml': '[tool.x]\nwhere = ["../../../etc", "/etc"]\n',
      'setup.cfg': broken,
      'setup.py': broken,
      'a.py': 'import b',
    };
    expect(await importsOf('a.py', python)).toEqual({ b: 'outside_workspace' });
    const go = {
      'go.mod': 'module m\nreplace x => ../../../x\nreplace y =>\n',
      'go.work': 'use (\n../../z\n',
      'a.go': 'package a\nimport "x"\nimport "y"\nimport "m/b"\n',
    };
    expect(await importsOf('a.go', go)).toEqual({ a: [], x: 'not_found', y: 'outside_workspace', 'm/b': 'not_found' });
    const rust = {
      'Cargo.toml': `[package]\nname = "a"\n[lib]\npath = "../../x.rs"\n[dependencies]\nq = { path = "/etc" }\n${broken}`,
      'src/a.rs': 'use q::b;\nuse crate::c::d;\n',
    };
    expect(await importsOf('src/a.rs', rust)).toEqual({ q: 'outside_workspace', 'crate::c': 'not_found' });
    const java = {
      'pom.xml': '<module>../../../x</module><module>',
      'settings.gradle': "include ':..:..:x', '",
      'p/A.java': 'package p;\nimport q.B;\n',
    };
    expect(await importsOf('p/A.java', java)).toEqual({ p: [], 'q.B': 'outside_workspace' });
    const kotlin = {
      'settings.gradle': "includeBuild('../../..')\nincludeBuild('/etc')\ninclude ':..:..:x', '",
      'p/A.kt': 'package p\nimport q.B\n',
    };
    expect(await importsOf('p/A.kt', kotlin)).toEqual({ p: [], 'q.B': 'outside_workspace' });
    const scala = {
      'build.sbt': 'lazy val a = project.in(file("../../../x"))\nlazy val b = project.in(file("/etc"))\nfile("',
      'p/A.scala': 'package p\nimport q.B\nimport $file.^.^.^.etc.c\n',
    };
    expect(await importsOf('p/A.scala', scala)).toEqual({
      p: [],
      'q.B': 'outside_workspace',
      '$file.^.^.^.etc.c': 'not_found',
    });
    const csharp = {
      'a/a.csproj':
        '<ProjectReference Include="../../../x/x.csproj" /><ProjectReference Include="/etc/y.csproj" /><RootNamespace>../..</RootNamespace><Using Include="',
      'Directory.Build.props': '<Project><ProjectReference Include="$(Odd)b.csproj" /',
      'a/A.cs': 'using a.B;\nusing C;\nclass A : B { }\n',
    };
    expect(await importsOf('a/A.cs', csharp)).toEqual({ '': [], 'a.B': 'outside_workspace', C: 'outside_workspace' });
    const ruby = {
      'x.gemspec': 's.require_paths = ["../../..", "/"]',
      'a.rb': "require '../../etc/passwd'\nrequire '/etc/passwd'\nrequire_relative '../../../etc/passwd'\n",
    };
    expect(await importsOf('a.rb', ruby)).toEqual({
      '../../etc/passwd': 'outside_workspace',
      '/etc/passwd': 'outside_workspace',
      '../../../etc/passwd': 'not_found',
    });
    const shell = {
      'a.sh': '. ../../etc/a.sh\n. /etc/b.sh\n. "$A/../../etc/c.sh"\nB=$B/..\n. $B/d\nC="$D$D"\nD="$C$C"\n. "$C/e"\n',
    };
    expect(await importsOf('a.sh', shell)).toEqual({
      '../../etc/a.sh': 'not_found',
      '/etc/b.sh': 'outside_workspace',
      '$A/../../etc/c.sh': 'outside_workspace',
      '$B/../d': 'outside_workspace',
      '$C$C$C$C/e': 'outside_workspace',
    });
    const php = {
      'composer.json': JSON.stringify({
        autoload: {
          'psr-4': { 'A\\': ['../..', '/etc', 3], B: null },
          'psr-0': [],
          classmap: ['../..', {}],
          files: ['/etc/a.php'],
        },
        repositories: [{ type: 'path', url: '../../*' }, { type: 'path' }, null],
      }),
      'p/composer.json': broken,
      'q/composer.json': '[]',
      'p/a.php': "<?php\nuse A\\passwd;\nuse B\\C;\nrequire '../../etc/passwd';\nrequire '/etc/passwd';\n",
    };
    expect(await importsOf('p/a.php', php)).toEqual({
      'A\\passwd': 'outside_workspace',
      'B\\C': 'outside_workspace',
      '../../etc/passwd': 'not_found',
      '/etc/passwd': 'outside_workspace',
    });
  });

  it('RT-02 paths of absurd length', async () => {
    const far = numbers(5_000).map((n) => `p${n}`);
    expect(await importsOf('a.py', { 'a.py': `import ${far.join('.')}\n` })).toEqual({
      [far.join('.')]: 'outside_workspace',
    });
    expect(await importsOf('A.java', { 'A.java': `import ${far.join('.')};\n` })).toEqual({
      [far.join('.')]: 'outside_workspace',
    });
    expect(await importsOf('a.php', { 'a.php': `<?php\nuse ${far.join('\\')};\n` })).toEqual({
      [far.join('\\')]: 'outside_workspace',
    });
    expect(await importsOf('A.kt', { 'A.kt': `import ${far.join('.')}\n` })).toEqual({
      [far.join('.')]: 'outside_workspace',
    });
    // The grammar of Scala takes longer for such a path.
    const scala = far.slice(0, 500).join('.');
    expect(await importsOf('A.scala', { 'A.scala': `import ${scala}\n` })).toEqual({ [scala]: 'outside_workspace' });
    const csharp = { 'A.cs': `using static ${far.join('.')};\n`, 'A.csproj': '' };
    expect(Object.values(await importsOf('A.cs', csharp))).toEqual(['outside_workspace']);
    expect(Object.values(await importsOf('a.rs', { 'a.rs': `use ${far.join('::')};\n` }))).toEqual([
      'outside_workspace',
    ]);
  });
});

it('S-52 a package.json that is one long text is no object, and its characters are not looked at', () => {
  expect(() => parsePackageManifest(JSON.stringify('!'.repeat(200_000)))).toThrow('not a JSON object');
});
