import { describe, expect, it } from 'vitest';
import type { Lookup } from '../../../src/retrieval/imports/import.ts';
import { fixedLimits } from '../../../src/settings.ts';
import { longestTurnMs } from '../../support/expect-quick.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryFiles } from '../../support/memory-files.ts';
import { project } from '../../support/workspace.ts';
import { active, leftOut, open, shown } from '../support/retrieving.ts';
import { filesOf, importsIn, openLookup, root, targetsOf } from './support/gated-tree.ts';

/** One importing file and what it leads to, of each language whose rules look into files. */
const trees: Record<string, Record<string, string>> = {
  'main.go': {
    'go.mod': 'module example.com/m\n',
    'go.work': 'use .\n',
    'main.go': 'package main\nimport "example.com/m/lib"\nvar x = lib.Canary\n',
    'lib/canary.go': 'package lib\nvar Canary = 1\n',
    'lib/other.go': 'package lib\nvar Other = 1\n',
  },
  'src/main.rs': {
    'Cargo.toml': '[package]\nname = "m"\n',
    'src/main.rs': 'mod lib;\nuse crate::lib::inner::Canary;\n',
    'src/lib.rs': 'pub mod inner { pub struct Canary; }\n',
  },
  'a/Main.java': {
    'a/Main.java': 'package a;\nimport static a.Child.canary;\n',
    'a/Child.java': 'package a;\nclass Child extends Canary {}\n',
    'a/Canary.java': 'package a;\nclass Canary { static int canary() { return 1; } }\n',
  },
  'App/Main.cs': {
    'App/App.csproj': '<Project />',
    'App/Main.cs': 'using static App.Canary;\nnamespace App;\nclass Main { Canary c = Of().Other(); }\n',
    'App/Canary.cs': 'namespace App;\nclass Canary { static Canary Of() => null; }\n',
    'App/AllCanary.cs': 'namespace App;\nstatic class All { static void Other(this Canary c) { } }\n',
  },
  'main.cc': {
    'main.cc': '#include "all.inl"\nint x = canary();\n',
    'all.inl': '#include "canary.inl"\n',
    'canary.inl': 'int canary();\n',
  },
  'main.rb': {
    'main.rb': "load 'Canaryfile'\nCanary.new\n",
    Canaryfile: 'class Canary\nend\n',
  },
  'a/main.dart': {
    'a/pubspec.yaml': 'name: a\n',
    'a/main.dart': "import 'all.dart';\nimport 'canary.dart';\nfinal c = Canary();\n",
    'a/all.dart': "export 'canary.dart';\nclass Canary {}\n",
    'a/canary.dart': 'class Canary {}\n',
  },
  'Sources/App/Main.swift': {
    'Package.swift': 'let package = Package(targets: [.target(name: "App")])\n',
    'Sources/App/Main.swift': 'let a = Bird(Canary())\n',
    'Sources/App/Canary.swift': 'struct Canary {}\n',
    'Sources/App/Bird.swift': 'struct Bird {}\n',
    'Sources/App/MoreCanary.swift': 'struct Bird {}\n',
  },
  'lib/main.ex': {
    'mix.exs': 'path: "../b"\n',
    'lib/main.ex': 'defmodule Main do\n  use Canary\n  import Other\n  def f, do: Canary.go(Other.Canary.go())\nend\n',
    'lib/canary.ex': 'defmodule Canary do\n  def go, do: 1\nend\n',
    'lib/other.ex': 'defmodule Other do\nend\n',
    'lib/other_canary.ex': 'defmodule Other.Canary do\nend\n',
  },
  'main.ts': {
    'main.ts': "import 'tool';\nimport '@/a';\n",
    'package.json': '{ "workspaces": ["packages/*"] }',
    'lerna.json': '{ "packages": ["packages/*"] }',
    'pnpm-workspace.yaml': 'packages: [packages/*]\n',
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
    'a.ts': '',
    'packages/tool/package.json': '{ "name": "tool", "main": "index.js" }',
    'packages/tool/index.js': '',
  },
};

describe('what imports lead to', () => {
  it.each(Object.keys(trees).filter((path) => path !== 'main.ts'))(
    'AP-06 is found out without opening a source that a policy blocks, whatever its name: %s',
    async (path) => {
      const tree = trees[path] as Record<string, string>;
      const policy = 'ai_context_policy: allow\nexclude: ["**/*anary*", "**/*.rs"]\n';
      const { files, retrieve } = await open({ ...tree, '.ai-context-policy.yaml': policy });
      files.resetCounters();
      const result = await retrieve(active(tree[path] as string, path));
      expect(files.opened.filter((each) => /anary|\.rs$/u.test(each))).toEqual([]);
      expect(shown(result).filter((each) => /anary|\.rs$/u.test(each))).toEqual([]);
    },
  );

  it('AP-06 is told by settings that a policy blocks, and by their names alone what they lead to', async () => {
    const tree = trees['main.go'] as Record<string, string>;
    const policy = 'ai_context_policy: allow\nexclude: [go.mod, lib/canary.go]\n';
    const { retrieve } = await open({ ...tree, '.ai-context-policy.yaml': policy });
    const result = await retrieve(active(tree['main.go'] as string, 'main.go'));
    expect(shown(result)).toEqual(['import lib/other.go']);
    expect(leftOut(result)).toEqual(['import lib/canary.go blocked_by_policy']);
  });

  it.each(Object.keys(trees))('S-83 is remembered once for each file, not once for each request: %s', async (path) => {
    const tree = trees[path] as Record<string, string>;
    const makers = new Set<unknown>();
    const resolve = async (): Promise<void> => {
      const plain = openLookup(filesOf(tree));
      const noted = <Make>(make: Make): Make => {
        makers.add(make);
        return make;
      };
      const lookup: Lookup = {
        ...plain,
        derive: (file, make) => plain.derive(file, noted(make)),
        deriveSource: (file, make) => plain.deriveSource(file, noted(make)),
      };
      await targetsOf(path, tree[path] as string, lookup);
    };
    await resolve();
    const before = makers.size;
    expect(before).toBeGreaterThan(0);
    await resolve();
    expect(makers.size).toBe(before);
  });

  it('S-45 finds nothing more after ten seconds, or when nobody waits any longer', async () => {
    const tree = {
      'src/lib.rs': 'pub mod cart;\n',
      'src/cart.rs': 'pub fn total() {}\n',
      'Cargo.toml': '[package]\nname = "shop"\n',
    };
    const clock = createFakeClock();
    let isOver = false;
    const lookup = openLookup(filesOf(tree), { clock, isOver: () => isOver });
    const found = () => targetsOf('src/lib.rs', tree['src/lib.rs'], lookup);
    const cart = { cart: { path: `${root}/src/cart.rs`, names: ['total'], guessed: true } };
    expect(await found()).toEqual(cart);
    isOver = true;
    expect(await found()).toEqual({ cart: 'not_found' });
    isOver = false;
    clock.advance(9_990);
    expect([await found(), lookup.isExhausted()]).toEqual([cart, false]);
    clock.advance(20);
    expect([await found(), lookup.isExhausted()]).toEqual([{ cart: 'not_found' }, true]);
    expect(await lookup.deriveSource(`${root}/src/cart.rs`, function* () {})).toBeUndefined();
  });

  it('RT-02 counts no file that is not there among those that may be read', async () => {
    const lookup = openLookup(filesOf({ 'go.mod': 'module shop\n' }));
    const read = (path: string) => lookup.derive(`${root}/${path}`, (text) => text);
    for (let at = 0; at < fixedLimits.retrieval.reads + 2; at += 1) expect(await read(`${at}.json`)).toBeUndefined();
    expect([await read('go.mod'), lookup.isExhausted()]).toEqual(['module shop\n', false]);
  });

  it('S-45 looks that find nothing more let others have their turns', async () => {
    const targets = Array.from({ length: 16 }, (_, n) => `./p${n}/*`);
    const files = filesOf({ 'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '*': targets } } }) });
    const text = Array.from({ length: 1_000 }, (_, n) => `import a${n} from 'k/a${n}';`).join('\n');
    let looks = 0;
    const lookup = openLookup(files, { isOver: () => ++looks > 1_000 });
    const resolve = await importsIn('src/a.ts', text);
    expect(await longestTurnMs(() => resolve(lookup))).toBeLessThan(100);
    expect(looks).toBeGreaterThan(10_000);
  });

  it.each([
    ['what is looked for', { 'tsconfig.json': 10_100 }, { found: [], lost: ['@/one', '@/index', '@/all', 'src/a.ts'] }],
    [
      'what a barrel passes on',
      { 'tsconfig.json': 7_000, 'src/one.ts': 4_000 },
      { found: ['import src/one.ts'], lost: ['src/index.ts', 'src/all.ts'] },
    ],
  ])('S-45 tells that it had no time left to find %s, and brings no whole file', async (_, slow, { found, lost }) => {
    const clock = createFakeClock();
    const placed = <Value>(all: Record<string, Value>) =>
      Object.fromEntries(Object.entries(all).map(([path, value]) => [`${project}/${path}`, value]));
    const waits = new Map<string, number>();
    const tree = {
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'src/index.ts': "export { two } from './two';\nexport const other = 1;\n",
      'src/one.ts': 'export const one = 1;\n',
      'src/all.ts': "export * from './three';\nexport const other = 1;\n",
      'src/two.ts': 'export const two = 2;\n',
      'src/three.ts': 'export const three = 3;\n',
    };
    const plain = createMemoryFiles(placed(tree), { homeDirectory: '/home/ada' });
    const files = new Proxy(plain, {
      get: (target, name: keyof typeof plain) =>
        typeof target[name] !== 'function'
          ? target[name]
          : (...args: unknown[]) => {
              clock.advance(waits.get(String(args[0])) ?? 0);
              waits.delete(String(args[0]));
              return (target[name] as (...all: unknown[]) => unknown)(...args);
            },
    });
    const { retrieve } = await open({}, { ports: { clock, files } });
    const document = active(
      "import { one } from '@/one';\nimport { two } from '@/index';\nimport { three } from '@/all';\n",
      'src/a.ts',
    );
    // What is parsed is known, so that only the looks take time.
    await retrieve(document);
    for (const [path, ms] of Object.entries(placed<number>(slow))) waits.set(path, ms);
    const result = await retrieve(document);
    expect(shown(result)).toEqual(found);
    expect(leftOut(result)).toEqual(lost.map((path) => `import ${path} limit_reached`));
  });

  it('RT-04 no name is taken for what every object has', async () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];
    const { retrieve } = await open({
      'package.json': '{ "name": "p", "imports": {}, "exports": {}, "dependencies": {} }',
      'tsconfig.json': '{ "compilerOptions": { "paths": {} } }',
      'src/a.ts': 'export const a = 1;\n',
      'src/b.constructor': 'b\n',
      'src/c.__proto__': 'c\n',
    });
    const text = names.flatMap((name) => [
      `import './x.${name}';`,
      `import '${name}';`,
      `import '#${name}';`,
      `import 'p/${name}';`,
      `import { ${name} as _${name} } from './a';`,
    ]);
    expect(shown(await retrieve(active(text.join('\n'))))).toEqual(['import src/a.ts']);
    const tabs = await retrieve({ openTabs: ['src/b.constructor', 'src/c.__proto__'] });
    expect(tabs.items.map(({ language }) => language)).toEqual([undefined, undefined]);
    for (const language of names)
      expect(await retrieve({ activeDocument: { path: 'x', content: 'x', language } })).toMatchObject({ items: [] });
  });
});

describe('imports of a file at the top of the file system', () => {
  it.each(['a/Main.java', 'App/Main.cs', 'main.cc', 'main.rb', 'main.ts'])('RT-02 are found: %s', async (name) => {
    const tree = trees[name] as Record<string, string>;
    const files = createMemoryFiles(
      Object.fromEntries(Object.entries(tree).map(([path, text]) => [`/${path}`, text])),
      {
        homeDirectory: '/home/ada',
      },
    );
    const { engine } = await open({}, { grantedRoots: ['/'], ports: { files } });
    const activeDocument = { path: name, content: `${tree[name]}` };
    const { items } = await engine.retrieve({ mountedDirectory: '/', activeDocument });
    expect(items.map(({ relativePath }) => relativePath)).not.toEqual([]);
  });
});
