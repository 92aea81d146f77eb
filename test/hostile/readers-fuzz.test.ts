/** Whatever a file of a repository repeats, nests or draws out: reading it holds the event loop no longer than 50 ms (S-52, S-58). */

import { describe, expect, it } from 'vitest';
import { onlyScripts } from '../../src/adapters/source/component-scripts.ts';
import { parseContextConfig } from '../../src/context/config.ts';
import { type ContextFileSource, readContextFile } from '../../src/context/front-matter.ts';
import { parseIgnoreFile } from '../../src/ignore/ignore-rules.ts';
import { createPause, inTurns } from '../../src/pace/turns.ts';
import { takePolicy } from '../../src/policy/load-policy.ts';
import { changePolicyText } from '../../src/policy/policy-text.ts';
import type { ImportStatement, SourceLanguage } from '../../src/ports/parsed-source.ts';
import { importResolverOf } from '../../src/retrieval/imports/languages.ts';
import { indexDocument } from '../../src/search/keyword-document.ts';
import { findSecrets } from '../../src/texts/find-secrets.ts';
import { findSuspiciousUnicode } from '../../src/texts/suspicious-unicode.ts';
import { commentWarnings } from '../../src/validation/html-comments.ts';
import { filesOf, openLookup, root } from '../retrieval/imports/support/gated-tree.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { tellMeasured } from '../support/measured.ts';
import { isTorture, sized } from '../support/test-size.ts';

/** Other machines are slower; `npm run torture` is for the one that figures are about. */
const maxMs = isTorture ? 50 : 150;
const cases = sized(1_000, 100_000, 300);

const settings = 256 * 1024 - 1;
const source = 1024 * 1024 - 1;

type Reader = {
  /** What the file is, or its name. */
  name: string;
  most: number;
  /** What files of this kind are made of, besides what all are. */
  tokens: readonly string[];
  read(text: string): unknown;
};

const words = (text: string): string[] => text.split(' ').map((word) => word.replaceAll('_', ' '));
const yaml = [
  ...words('a:_ -_ ?_ :_ "\\x "\\u " \' |\n >\n &a_ *a_ !a_ !!str_ % --- ... [a] {a:_b} \\ ~ 1e9'),
  '- a\n',
  'k: v\n',
  '  ',
];
const policyTokens = [...yaml, 'exclude:\n', 'ai_context_policy: allow\n'];
const json = words('{"a": [" "a" , : 1 null \\u \\" ] } // /* */ {"packages": ["a/*"]');
const toml = words(
  '[a] [[ = " \' path_=_" [workspace] members_=_[ [dependencies] name [dependencies. from_= packages_=_[',
);

/** One import from one file, in a tree in which the text is another file. `more`: the rest of the tree. */
function importing(language: SourceLanguage, from: string, statement: Partial<ImportStatement>) {
  return (path: string, more: Record<string, string> = {}) =>
    async (text: string): Promise<void> => {
      const resolve = await importResolverOf(language);
      const lookup = openLookup(filesOf({ [from]: 'x', ...more, [path]: text }));
      const imports = [{ specifier: 'b', names: ['b'], line: 1, ...statement }];
      expect(await resolve?.(imports, { path: `${root}/${from}`, language }, lookup)).toHaveLength(1);
    };
}

const policyOf = (text: string) =>
  takePolicy('/p', { ok: true, snapshot: { text, bytes: text.length, truncated: false } as never }, settings + 1);
const typescript = importing('typescript', 'a/b.ts', {});
const python = importing('python', 'a/b.py', { specifier: 'c.d' });
const cpp = importing('cpp', 'a/b.cpp', { specifier: 'b.h', names: ['b'] });
const java = importing('java', 'a/B.java', { specifier: 'c.D', form: 'static' });
const php = importing('php', 'a/b.php', { specifier: 'C\\D' });
const csharp = importing('csharp', 'a/B.cs', { names: ['D'], form: 'file' });
const dart = importing('dart', 'a/lib/b.dart', { specifier: 'package:c/d.dart' });
const go = importing('go', 'a/b.go', { specifier: 'm/c' });

const readers: Reader[] = [
  {
    name: '.gitignore',
    most: 64 * 1024,
    tokens: words('/ ** * ! # [ ] [a-z] \\ \\_ ? a/'),
    read: (text) => inTurns(parseIgnoreFile(text, 1_000), createPause()),
  },
  {
    name: 'a text with secrets',
    most: source,
    tokens: words(
      'ghp_ sk- sk-ant- AKIA eyJ xoxb- AccountKey= %3D \\n :// a:b@ -----BEGIN_ PRIVATE_KEY----- -----END_ . = + /',
    ),
    read: findSecrets,
  },
  {
    name: 'a body with comments of HTML',
    most: source,
    tokens: words('<!-- --> ``` ~~~ ` <! -- >'),
    read: (text) => commentWarnings({ body: text, bodyLine: 1 } as ContextFileSource, '/a.md'),
  },
  { name: 'policy', most: settings, tokens: policyTokens, read: policyOf },
  {
    name: 'policy that is changed',
    most: settings,
    tokens: policyTokens,
    read: (text) => changePolicyText(text, { aiContextPolicy: 'block', exclude: ['a'] }),
  },
  {
    name: 'config.yaml',
    most: settings,
    tokens: [...yaml, 'clientContext:\n'],
    read: (text) => parseContextConfig(text, { path: 'c', format: 'yaml' }),
  },
  {
    name: 'config.json',
    most: settings,
    tokens: json,
    read: (text) => parseContextConfig(text, { path: 'c', format: 'json' }),
  },
  {
    name: 'front matter',
    most: 16 * 1024,
    tokens: [...yaml, 'globs: ', 'description: ', '{a: ', ': ', '*', ','],
    read: (text) => readContextFile(`---\n${text}\n---\nx`, { path: 'a.md', frontMatterBytes: 16 * 1024 }),
  },
  {
    name: 'text',
    most: source,
    tokens: words('--- # a b paypal pаypal А\u0301 \u0483'),
    read: (text) => readContextFile(text, { path: 'a.md', frontMatterBytes: 16 * 1024 }),
  },
  {
    name: 'letters',
    most: 64 * 1024,
    tokens: words('a а \u0301 \u0483 \u200d \ud83d\ude00 \u202e \u{e0061}'),
    read: findSuspiciousUnicode,
  },
  {
    name: 'words',
    most: settings,
    tokens: words("a- b_ C' camelCase 漢 é\u0301 '"),
    read: (text) => indexDocument({ name: 'a', description: '', passages: [text] }, createPause()),
  },
  {
    name: 'package.json',
    most: settings,
    tokens: [...json, '{"workspaces": ["', '/', '*', '**/', '{a,b}'],
    read: typescript('package.json'),
  },
  {
    name: 'pnpm-workspace.yaml',
    most: settings,
    tokens: [...yaml, 'packages:\n'],
    read: typescript('pnpm-workspace.yaml', { 'package.json': '{}' }),
  },
  { name: 'lerna.json', most: settings, tokens: json, read: typescript('lerna.json') },
  {
    name: 'tsconfig.json',
    most: settings,
    tokens: [...json, '"compilerOptions": {', '"extends": "./', '"paths": {'],
    read: typescript('tsconfig.json'),
  },
  {
    name: 'vite.config.ts',
    most: settings,
    tokens: words("alias: { [ } ] '@' : , ( ) find: replacement: resolve('a', 'b') / * $ //"),
    read: typescript('vite.config.ts', { 'package.json': '{}' }),
  },
  ...['pyproject.toml', 'setup.cfg', 'setup.py', 'pyrightconfig.json'].map((name) => ({
    name,
    most: settings,
    tokens: [...toml, 'where', 'package_dir', '{', '"": ', 'find_packages(', '"extraPaths": ['],
    read: python(name),
  })),
  {
    name: 'go.work',
    most: settings,
    tokens: words('use (\n ./a\n // ) replace => `'),
    read: go('go.work', { 'go.mod': 'module m\n' }),
  },
  {
    name: 'go.mod',
    most: settings,
    tokens: words('module m replace => ./a\n // ` " ( )'),
    read: go('go.mod'),
  },
  {
    name: 'Cargo.toml',
    most: settings,
    tokens: toml,
    read: importing('rust', 'src/b.rs', { specifier: 'crate::c' })('Cargo.toml'),
  },
  ...['CMakeLists.txt', 'Makefile', 'compile_commands.json'].map((name) => ({
    name,
    most: settings,
    tokens: [
      ...json,
      ...words('include_directories( $< $<BUILD_INTERFACE: > $ { } ) -I -Ia [{"command":" {"arguments":["'),
    ],
    read: cpp(name),
  })),
  {
    name: 'x.gemspec',
    most: settings,
    tokens: words('.require_paths_= .require_path [ ] %w[ " \' a'),
    read: importing('ruby', 'a/b.rb', { form: 'require' })('x.gemspec'),
  },
  ...['pom.xml', 'build.gradle', 'settings.gradle'].map((name) => ({
    name,
    most: settings,
    tokens: words("<module> </module> include includeBuild 'a' , ( ':a "),
    read: java(name),
  })),
  ...['x.csproj', 'Directory.Build.props'].map((name) => ({
    name,
    most: settings,
    tokens: words('<ProjectReference_ Include=" <Using_ Static="true" /> > <RootNamespace> </RootNamespace> \\ ../'),
    read: csharp(
      name.endsWith('props') ? name : `a/${name}`,
      name.endsWith('props') ? { 'a/x.csproj': '<Project/>' } : {},
    ),
  })),
  {
    name: 'a C# source',
    most: source,
    tokens: words(
      'class_ class_D namespace_c; namespace_c{ record_struct_a delegate_a_b<c>( [a] static_a( static_a<b>( this_ \n_ global_using_a; { } ; <',
    ),
    read: csharp('a/D.cs'),
  },
  {
    name: 'Razor imports',
    most: source,
    tokens: words('@using_a @using_static_a.b @inject_ ; .'),
    read: csharp('a/_Imports.razor', { 'a/x.csproj': '<Project/>' }),
  },
  {
    name: 'a component',
    most: source,
    tokens: words('--- \n---\n <script> <script </script> <SCRIPT lang="ts"> \' a="> <!-- --> { } /> type="json">'),
    read: (text) => onlyScripts(text, 'astro'),
  },
  {
    name: 'a Java source',
    most: source,
    tokens: words('class_a extends_b import_a; a_b; /* */ // { ; <'),
    read: java('c/D.java'),
  },
  {
    name: 'a Kotlin source',
    most: source,
    tokens: words('\n@A( \nfun_<T>_a.b( \nval_a \nclass_C \npackage_a private inline <a> ( ) ? . " `b`'),
    read: importing('kotlin', 'a/B.kt', { specifier: 'a.C', names: ['C'] })('a/D.kt'),
  },
  {
    name: 'a Scala source',
    most: source,
    tokens: words(
      '\n@A( \n__def_b( \nobject_C \ntrait_D_extends_E_with_ \npackage_a \n__case_A, private[ implicit_class_F extension_( { ( [ ? . " `b`',
    ),
    read: importing('scala', 'a/B.scala', { specifier: 'a.C', names: ['b', '.d'], form: 'wildcard' })('a/D.scala'),
  },
  {
    name: 'a shell script',
    most: source,
    tokens: words('\na() function_ export_ declare_-a_ a= { ( # "'),
    read: importing('shell', 'a/b.sh', { specifier: './*.sh', names: ['a'], form: 'source' })('a/c.sh'),
  },
  {
    name: 'a Go source',
    most: source,
    tokens: words('var_a , type_( \ta\n func_f( //go:build_a && ( !'),
    read: go('c/d.go', { 'go.mod': 'module m\n' }),
  },
  {
    name: 'a Rust source',
    most: source,
    tokens: words(
      'use_a::b; :: mod_a; mod_a{ fn_ #[path="a"] #[a] pub extern_crate_a; macro_rules!_a use_a::*; struct_A',
    ),
    read: importing('rust', 'src/lib.rs', { specifier: 'crate::b::c' })('src/b.rs', {
      'Cargo.toml': '[package]\nname = "a"\n',
    }),
  },
  {
    name: 'a C header',
    most: source,
    tokens: words('#include_"a"\n #define_a\n #if /* */ // b <'),
    read: cpp('a/b.h'),
  },
  {
    name: 'composer.json',
    most: settings,
    tokens: [
      ...json,
      '{"autoload": {"psr-4": {',
      '"C\\\\": ',
      '"classmap": [',
      '{"repositories": [',
      '{"type": "path", "url": "*/*"',
    ],
    read: php('composer.json'),
  },
  {
    name: 'a PHP source',
    most: source,
    tokens: words('<?php namespace_C; class_D function_f( const_c_= define(" use_C\\D; /* */ // # abstract_ {'),
    read: php('lib/D.php', { 'composer.json': '{ "autoload": { "classmap": ["lib"] } }' }),
  },
  {
    name: 'a Ruby source',
    most: source,
    tokens: words('#_a\n B b = begin =end'),
    read: importing('ruby', 'a/c.rb', { form: 'require_relative' })('a/b.rb'),
  },
  ...['a/pubspec.yaml', 'melos.yaml'].map((name) => ({
    name,
    most: settings,
    tokens: [...yaml, ...words('workspace: packages: melos: dependencies:\n __path:_ "**" [a/*] ../c name:_a')],
    read: dart(name, name === 'melos.yaml' ? { 'a/pubspec.yaml': 'name: a' } : {}),
  })),
  {
    name: 'package_config.json',
    most: settings,
    tokens: [...json, ...words('{"packages":[{"name":"c","rootUri":" file:/// ../ %zz')],
    read: dart('a/.dart_tool/package_config.json', { 'a/pubspec.yaml': 'name: a' }),
  },
  {
    name: 'Package.swift',
    most: settings,
    tokens: words('.target( .testTarget( .package( name:_"b" path:_"c" path:_"../d" [ ] ) , " // :'),
    read: importing('swift', 'a/Sources/c/b.swift', {})('a/Package.swift'),
  },
  {
    name: 'a Swift source',
    most: source,
    tokens: words(
      'public_ class_ extension_b_{\n \n__ func_b( var_b: private(set)_ @a_ static_ { } < = \n #if_ import_',
    ),
    read: importing('swift', 'a/c.swift', { form: 'file' })('a/b.swift'),
  },
  {
    name: 'x.rockspec',
    most: settings,
    tokens: words('build_=_{ modules_=_{ ["a.b"]_=_"src/b.lua", a_=_\'a.lua\' [ " = } --'),
    read: importing('lua', 'a/b.lua', { specifier: 'c' })('x.rockspec'),
  },
  {
    name: 'mix.exs',
    most: settings,
    tokens: words('path:_" elixirc_paths(:test) [" ], apps_path:_"apps" , do: # ../c'),
    read: importing('elixir', 'a/lib/c.ex', {})('a/mix.exs'),
  },
  {
    name: 'an Elixir source',
    most: source,
    tokens: words(
      'defmodule_A.B_do\n end\n import_A alias_A.{ B, } as:_ use_ def_f( @type_t @doc_""" \n \n__ schema_" defstruct quote_do',
    ),
    read: importing('elixir', 'a/lib/c.ex', { specifier: 'B', form: 'use' })('a/lib/b.ex', { 'a/mix.exs': '' }),
  },
  {
    name: 'a Dart source',
    most: source,
    tokens: words(
      "export_'d.dart' import_ part_of_ show_ hide_a, as_ if_(a=='b') ; class_ extension_on_ extension<a> type_ typedef_ mixin_ (a)_ \n \n__ b = => { ( <",
    ),
    read: importing('dart', 'a/c.dart', { specifier: 'd.dart' })('a/d.dart'),
  },
];

/** The same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const everywhere = [
  ...words('a 0 _ " \' ` [ ] { } ( ) < > / \\ : , ; # * = - + . @ ! $ %'),
  '\n',
  '\r',
  '\r\n',
  '\t',
  '  ',
  '\0',
  '\u2028',
  'é',
  '漢',
  '😀',
];
const pairs = ['[]', '{}', '()', '<>', '""', "''"];

/** Some tokens of the kind before, between and behind a run, a nest, or a long token. */
function hostileText({ most, tokens }: Reader, random: (below: number) => number): string {
  const some = (count: number): string =>
    Array.from({ length: count }, () => {
      const from = random(3) > 0 ? tokens : everywhere;
      return from[random(from.length)] ?? '';
    }).join('');
  const length = random(6) === 0 ? most : random(most >> random(6));
  const [head, tail] = [some(random(4)), some(random(3))];
  const room = Math.max(1, length - head.length - tail.length);
  const run = (unit: string, size: number): string => unit.repeat(Math.floor(size / Math.max(1, unit.length)));
  const shape = random(5);
  if (shape === 0) return head + run(everywhere[random(everywhere.length)] as string, room) + tail;
  if (shape === 1) {
    const [open = '', close = ''] = pairs[random(pairs.length)] as string;
    const inside = some(random(2));
    return head + run(inside + open, room / 2) + run(close, room / (2 + inside.length)) + tail;
  }
  if (shape === 2)
    return (
      head +
      Array.from({ length: Math.min(room / 8, 40_000) }, (_, at) => `${some(1)}${at}`)
        .join('')
        .slice(0, room) +
      tail
    );
  if (shape === 3) return head + run(some(1 + random(4)), room / 2) + run(some(1 + random(3)), room / 2) + tail;
  return head + run(some(1 + random(5)), room) + tail;
}

async function heldMs(reader: Reader, text: string): Promise<number> {
  return longestTurnMs(async () => reader.read(text));
}

describe('files of a repository', () => {
  it(
    `S-52 S-58 ${cases} that repeat, nest and draw out hold the event loop no longer than ${maxMs} ms each`,
    async (context) => {
      const held: string[] = [];
      let longest = { name: '', ms: 0 };
      for (let index = 0; index < cases; index += 1) {
        const reader = readers[index % readers.length] as Reader;
        const text = hostileText(reader, createRandom(index * 7_919 + 17));
        let ms = await heldMs(reader, text);
        // Once more, and again: what was compiled or collected meanwhile is not the file's doing.
        for (let again = 0; again < 3 && ms > maxMs / 2; again += 1) ms = Math.min(ms, await heldMs(reader, text));
        if (ms > longest.ms) longest = { name: `${reader.name} (${index})`, ms };
        if (ms > maxMs)
          held.push(`${reader.name}, case ${index}: ${Math.round(ms)} ms, ${JSON.stringify(text.slice(0, 60))}`);
      }
      tellMeasured(context, `${cases} cases, the longest ${longest.name}: ${longest.ms.toFixed(1)} ms`);
      expect(held).toEqual([]);
    },
    sized(300_000, 3 * 3_600_000),
  );
});
