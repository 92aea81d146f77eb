// biome-ignore-all lint/suspicious/noTemplateCurlyInString: tsconfig.json has a variable that is written so.
import { describe, expect, it } from 'vitest';
import { filesOf, openLookup, root, targetsOf } from './support/gated-tree.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** Where imports of `specifiers` in a file lead: a path, or why none. */
async function leadTo(
  tree: Record<string, string>,
  specifiers: readonly string[],
  file = 'src/a.ts',
): Promise<(string | undefined)[]> {
  const text = specifiers.map((specifier) => `import '${specifier}';\n`).join('');
  const found = await targetsOf(file, text, openLookup(filesOf(tree)));
  return specifiers.map((specifier) => {
    const target = found[specifier];
    return typeof target === 'object' ? target.path.replace(`${root}/`, '') : target;
  });
}

describe('TypeScript and JavaScript imports', () => {
  it('RT-02 styles that are built lead to what they are built from', async () => {
    const tree = { 'src/a.scss': '', 'src/b.less': '', 'src/c.css': '', 'src/c.scss': '' };
    const [a, b, c, d] = await leadTo(tree, ['./a.css', './b.css', './c.css', './d.css']);
    expect([a, b, c, d]).toEqual(['src/a.scss', 'src/b.less', 'src/c.css', 'not_found']);
  });

  it('RT-02 relative: extensions and index left out, or written for what is built from the source', async () => {
    const tree = {
      'src/b.ts': '',
      'src/c.tsx': '',
      'src/d.js': '',
      'src/e/index.ts': '',
      'src/f.mts': '',
      'src/g.d.ts': '',
      'src/h.ts': '',
      'src/h.js': '',
      'src/i.css': '',
      'src/j.json': '{}',
      'src/k.test.ts': '',
      'src/l/package.json': json({ main: './main.js' }),
      'src/l/main.ts': '',
      'src/m.cts': '',
      'src/n.ts': '',
      'src/n/index.ts': '',
      'root.ts': '',
    };
    const expected = {
      './b': 'src/b.ts',
      './b.ts': 'src/b.ts',
      './b.js': 'src/b.ts',
      './c': 'src/c.tsx',
      './c.jsx': 'src/c.tsx',
      './d': 'src/d.js',
      './d.js': 'src/d.js',
      './e': 'src/e/index.ts',
      './e/index.js': 'src/e/index.ts',
      './f.mjs': 'src/f.mts',
      './g.js': 'src/g.d.ts',
      './h': 'src/h.ts',
      './i.css': 'src/i.css',
      './i.css?inline': 'src/i.css',
      './j.json': 'src/j.json',
      './k.test': 'src/k.test.ts',
      './l': 'src/l/main.ts',
      './m.cjs': 'src/m.cts',
      './n': 'src/n.ts',
      './n/': 'src/n/index.ts',
      '../root': 'root.ts',
      './gone': 'not_found',
      './e/gone': 'not_found',
      '../../elsewhere': 'outside_workspace',
      react: 'outside_workspace',
      'node:fs': 'outside_workspace',
      '@scope/package/sub': 'outside_workspace',
      'https://x.test/a.js': 'outside_workspace',
    };
    expect(await leadTo(tree, Object.keys(expected))).toEqual(Object.values(expected));
    expect(await leadTo({ 'src/index.ts': '' }, ['.', './'])).toEqual(['src/index.ts', 'src/index.ts']);
    expect(await leadTo({ 'src/index.ts': '' }, ['..', '../'], 'src/b/a.ts')).toEqual(['src/index.ts', 'src/index.ts']);
  });

  it('RT-02 paths: exact, the longest beginning, the first target that exists; relative to the file that says so', async () => {
    const tree = {
      'tsconfig.json': `{ // with comments
        "compilerOptions": { "paths": {
          "@/*": ["./src/*"], "@/deep/*": ["./other/*"], "exact": ["./src/exact.ts"], "*.view": ["./src/views/*.ts"],
          "two/*": ["./gone/*", "./src/*"], }, },
      }`,
      'src/b.ts': '',
      'src/exact.ts': '',
      'src/views/c.ts': '',
      'other/b.ts': '',
    };
    expect(await leadTo(tree, ['@/b', '@/deep/b', 'exact', 'c.view', 'two/b', '@/gone'])).toEqual([
      'src/b.ts',
      'other/b.ts',
      'src/exact.ts',
      'src/views/c.ts',
      'src/b.ts',
      'not_found',
    ]);
  });

  it('RT-02 baseUrl, with paths relative to it', async () => {
    const tree = {
      'tsconfig.json': json({ compilerOptions: { baseUrl: './src', paths: { '~/*': ['lib/*'] } } }),
      'src/b.ts': '',
      'src/lib/c.ts': '',
    };
    expect(await leadTo(tree, ['b', '~/c', 'lib/c'])).toEqual(['src/b.ts', 'src/lib/c.ts', 'src/lib/c.ts']);
  });

  it('RT-02 extends: one, several of which the last wins, of packages, with ${configDir}; a circle ends', async () => {
    const options = (paths: object) => json({ compilerOptions: { paths } });
    const tree = {
      'package.json': json({ workspaces: ['tools/*'] }),
      'tools/config/package.json': json({ name: '@own/config' }),
      'tools/config/base.json': options({ 'p/*': ['${configDir}/src/*'], 'q/*': ['./q/*'] }),
      'tools/config/q/b.ts': '',
      'first.json': options({ 'f/*': ['./gone/*'] }),
      'second.json': json({ extends: './first', compilerOptions: { paths: { 'f/*': ['./src/*'] } } }),
      'src/b.ts': '',
    };
    const withExtends = (value: unknown) => ({ ...tree, 'tsconfig.json': json({ extends: value }) });
    expect(await leadTo(withExtends('@own/config/base.json'), ['p/b', 'q/b'])).toEqual([
      'src/b.ts',
      'tools/config/q/b.ts',
    ]);
    expect(await leadTo(withExtends(['./first.json', './second.json']), ['f/b'])).toEqual(['src/b.ts']);
    expect(await leadTo(withExtends(['./second.json', './first.json']), ['f/b'])).toEqual(['outside_workspace']);
    expect(await leadTo(withExtends('./tsconfig.json'), ['f/b', './b'])).toEqual(['outside_workspace', 'src/b.ts']);
  });

  it('RT-02 the nearest configuration holds, and those beside it that it refers to', async () => {
    const tree = {
      'tsconfig.json': json({ compilerOptions: { paths: { '@/*': ['./wrong/*'] } } }),
      'wrong/b.ts': '',
      'app/tsconfig.json': json({
        files: [],
        references: [{ path: './tsconfig.node.json' }, { path: './tsconfig.app.json' }],
      }),
      'app/tsconfig.node.json': json({}),
      'app/tsconfig.app.json': json({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
      'app/src/b.ts': '',
      'old/jsconfig.json': json({ compilerOptions: { paths: { '@/*': ['./lib/*'] } } }),
      'old/lib/b.js': '',
    };
    expect(await leadTo(tree, ['@/b'], 'app/src/a.ts')).toEqual(['app/src/b.ts']);
    expect(await leadTo(tree, ['@/b'], 'old/a.js')).toEqual(['old/lib/b.js']);
  });

  it('RT-02 rootDirs are one directory', async () => {
    const tree = {
      'tsconfig.json': json({ compilerOptions: { rootDirs: ['./src', './generated'] } }),
      'generated/b.ts': '',
    };
    expect(await leadTo(tree, ['./b'])).toEqual(['generated/b.ts']);
  });

  it('RT-02 packages of the workspace: their source, also where only what is built from it is named', async () => {
    const tree = {
      'package.json': json({ name: 'root', workspaces: { packages: ['packages/*', '!packages/not'] } }),
      'packages/plain/package.json': json({ name: 'plain', main: './lib/index.js', types: './lib/index.d.ts' }),
      'packages/plain/src/index.ts': '',
      'packages/plain/src/sub.ts': '',
      'packages/exporting/package.json': json({
        name: '@own/exporting',
        exports: {
          '.': { types: './dist/index.d.ts', import: './dist/index.js', require: './dist/index.cjs' },
          './features/*': './dist/features/*.js',
          './features/private/*': null,
          './style.css': './style.css',
          './cond': { require: './required.cjs', import: './imported.js' },
          './source': { '@own/source': './src/source.ts', default: './dist/source.js' },
        },
      }),
      'packages/exporting/src/index.ts': '',
      'packages/exporting/dist/index.js': '',
      'packages/exporting/src/features/one.ts': '',
      'packages/exporting/src/source.ts': '',
      'packages/exporting/style.css': '',
      'packages/exporting/required.cjs': '',
      'packages/exporting/imported.js': '',
      'packages/out/package.json': json({ name: 'out', main: './build/main.js' }),
      'packages/out/tsconfig.json': json({ compilerOptions: { outDir: './build', rootDir: './code' } }),
      'packages/out/code/main.ts': '',
      'packages/not/package.json': json({ name: 'not' }),
      'packages/not/index.js': '',
    };
    const expected = {
      plain: 'packages/plain/src/index.ts',
      'plain/lib/sub': 'packages/plain/src/sub.ts',
      '@own/exporting': 'packages/exporting/src/index.ts',
      '@own/exporting/features/one': 'packages/exporting/src/features/one.ts',
      '@own/exporting/features/private/one': 'not_found',
      '@own/exporting/style.css': 'packages/exporting/style.css',
      '@own/exporting/cond': 'packages/exporting/imported.js',
      '@own/exporting/source': 'packages/exporting/src/source.ts',
      '@own/exporting/src/index.ts': 'not_found',
      out: 'packages/out/code/main.ts',
      not: 'outside_workspace',
    };
    expect(await leadTo(tree, Object.keys(expected), 'packages/app/a.ts')).toEqual(Object.values(expected));
    const required = await targetsOf('a.js', "require('@own/exporting/cond').a();", openLookup(filesOf(tree)));
    expect(required).toEqual({
      '@own/exporting/cond': { path: `${root}/packages/exporting/required.cjs`, names: ['a'] },
    });
  });

  it('RT-02 packages of the workspace: the source from which the configuration of a bundler says it is built', async () => {
    const built = (name: string, ...exported: string[]) =>
      json({ name, exports: Object.fromEntries(exported.map((each) => [each, `./dist${each.slice(1)}.mjs`])) });
    const tree = {
      'package.json': json({ workspaces: ['packages/*'] }),
      'packages/listed/package.json': built('listed', './index', './syntax', './types', './inner/index'),
      'packages/listed/tsdown.config.ts': `export default defineConfig({
  entry: [
    './src/exports/index.ts', // 'src/exports/types.ts' was here
    "src/exports/syntax.ts",
    'src/exports/inner/index.ts',
  ],
});`,
      'packages/listed/src/exports/index.ts': '',
      'packages/listed/src/exports/syntax.ts': '',
      'packages/listed/src/exports/types.ts': '',
      'packages/listed/src/exports/inner/index.ts': '',
      'packages/listed/src/syntax.ts': '',
      'packages/listed/src/types.ts': '',
      'packages/named/package.json': built('named', './cli', './modern/cli', './gone'),
      'packages/named/tsup.config.js':
        "module.exports = { entry: { cli: 'lib/commands/main.ts', gone: '../../outside.ts' } };",
      'packages/own/package.json': json({
        name: 'own',
        exports: { '.': { '@own/custom': './code/main.ts', import: './dist/main.js' } },
      }),
      'packages/own/code/main.ts': '',
      'packages/named/lib/commands/main.ts': '',
      'outside.ts': '',
      'packages/globbed/package.json': built('globbed', './a', './b/c'),
      'packages/globbed/rollup.config.mjs': "export default { input: ['source/entries/**/*.ts'] };",
      'packages/globbed/source/entries/a.ts': '',
      'packages/globbed/source/entries/b/c.ts': '',
    };
    const expected = {
      'listed/index': 'packages/listed/src/exports/index.ts',
      'listed/syntax': 'packages/listed/src/exports/syntax.ts',
      'listed/types': 'packages/listed/src/types.ts',
      'listed/inner/index': 'packages/listed/src/exports/inner/index.ts',
      'named/cli': 'packages/named/lib/commands/main.ts',
      'named/modern/cli': 'packages/named/lib/commands/main.ts',
      'named/gone': 'not_found',
      own: 'packages/own/code/main.ts',
      'globbed/a': 'packages/globbed/source/entries/a.ts',
      'globbed/b/c': 'packages/globbed/source/entries/b/c.ts',
    };
    expect(await leadTo(tree, Object.keys(expected))).toEqual(Object.values(expected));
  });

  it('RT-02 packages of the workspace: a key before a name, the own directory before others, none of several', async () => {
    const lib = (name: string, config: string, ...sources: string[]) => ({
      [`${name}/package.json`]: json({ name, exports: { '.': './dist/index.js', './cli': './dist/cli/index.js' } }),
      [`${name}/tsup.config.ts`]: `export default { entry: ${config} };`,
      ...Object.fromEntries(sources.map((source) => [`${name}/${source}`, ''])),
    });
    const tree = {
      'package.json': json({ workspaces: ['*'] }),
      ...lib('one', "['src/index.ts']", 'src/index.ts', 'src/cli/index.ts'),
      ...lib(
        'keyed',
        "{ index: 'source/entries/main.ts', cli: 'cli/index.ts' }",
        'source/entries/main.ts',
        'cli/index.ts',
      ),
      ...lib('page', "{ index: 'index.html', 'cli/index': 'cli.css' }", 'index.html', 'cli.css', 'src/index.ts'),
      ...lib('several', "['./src/a/index.ts', 'src/b/index.ts']", 'src/index.ts', 'src/a/index.ts', 'src/b/index.ts'),
    };
    const expected = {
      one: 'one/src/index.ts',
      'one/cli': 'one/src/cli/index.ts',
      keyed: 'keyed/source/entries/main.ts',
      'keyed/cli': 'keyed/cli/index.ts',
      page: 'page/src/index.ts',
      'page/cli': 'not_found',
      several: 'several/src/index.ts',
      'several/cli': 'not_found',
    };
    expect(await leadTo(tree, Object.keys(expected))).toEqual(Object.values(expected));
  });

  it('RT-02 packages of the workspace: entries of unbuild, of a package.json, and with a name that lists of alias have', async () => {
    const built = (name: string, more = {}) => json({ name, exports: { './find': './dist/find.mjs' }, ...more });
    const tree = {
      'package.json': json({ workspaces: ['packages/*'] }),
      'packages/unbuild/package.json': built('unbuild'),
      'packages/unbuild/build.config.ts': "export default defineBuildConfig({ entries: ['./source/entries/find'] });",
      'packages/unbuild/source/entries/find.ts': '',
      'packages/tsup/package.json': built('tsup', {
        tsup: { entry: ['lib/entries/find.ts'] },
        entry: ['other/find.ts'],
      }),
      'packages/tsup/lib/entries/find.ts': '',
      'packages/tsup/other/find.ts': '',
      'packages/sole/package.json': json({ name: 'sole', main: 'dist/sole.js', tsup: { entry: 'lib/main.ts' } }),
      'packages/sole/lib/main.ts': '',
      'packages/keyed/package.json': built('keyed'),
      'packages/keyed/vite.config.ts':
        "export default { build: { lib: { entry: { find: 'lib/a.ts', b: 'lib/b.ts' } } } };",
      'packages/keyed/lib/a.ts': '',
      'packages/keyed/lib/b.ts': '',
    };
    const expected = {
      'unbuild/find': 'packages/unbuild/source/entries/find.ts',
      'tsup/find': 'packages/tsup/lib/entries/find.ts',
      sole: 'packages/sole/lib/main.ts',
      'keyed/find': 'packages/keyed/lib/a.ts',
    };
    expect(await leadTo(tree, Object.keys(expected))).toEqual(Object.values(expected));
  });

  it('RT-02 packages of the workspace: a slash at the end means the package', async () => {
    const tree = {
      'package.json': json({ workspaces: ['packages/*'] }),
      'packages/a/package.json': json({ name: 'a', exports: { '.': './index.js' } }),
      'packages/a/index.ts': '',
      'packages/b/package.json': json({ name: '@own/b', main: 'dist/main.js' }),
      'packages/b/src/main.ts': '',
    };
    expect(await leadTo(tree, ['a/', '@own/b/'])).toEqual(['packages/a/index.ts', 'packages/b/src/main.ts']);
  });

  it('RT-02 a source in a directory with a name like that of built files is its own source', async () => {
    const tree = {
      'package.json': json({ name: 'app' }),
      'tsconfig.json': json({ compilerOptions: { paths: { '@/*': ['./*'] } } }),
      'vite.config.ts': "export default { build: { rollupOptions: { input: { main: 'web/boot.ts' } } } };",
      'web/boot.ts': '',
      'lib/main.ts': '',
      'lib/other.d.ts': '',
      'src/other.ts': '',
    };
    expect(await leadTo(tree, ['@/lib/main', '@/lib/other'], 'a.ts')).toEqual(['lib/main.ts', 'src/other.ts']);
  });

  it('RT-02 S-62 many configurations of bundlers with many entries cost no more than a few', async () => {
    const names = 'astro build nuxt rolldown rollup rsbuild rspack svelte tsdown tsup vite vitest vue webpack'.split(
      ' ',
    );
    const entriesOf = (name: string) => Array.from({ length: 128 }, (_, at) => `'${name}/${at}/*.ts'`).join();
    const tree = {
      'package.json': json({ workspaces: ['*'] }),
      'lib/package.json': json({ name: 'lib', exports: { '.': './dist/none.js', './*': './dist/*.js' } }),
      ...Object.fromEntries(names.map((name) => [`lib/${name}.config.js`, `x = { entry: [${entriesOf(name)}] };`])),
    };
    let looks = 0;
    const lookup = openLookup(filesOf(tree));
    const kindOf: typeof lookup.kindOf = (path) => {
      looks += 1;
      return lookup.kindOf(path);
    };
    const found = await targetsOf('src/a.ts', "import 'lib/a/b/c/d/e/f/g/h';", { ...lookup, kindOf });
    expect(found).toEqual({ 'lib/a/b/c/d/e/f/g/h': 'not_found' });
    expect(looks).toBeLessThan(3_000);
    let derived = 0;
    const again = openLookup(filesOf(tree));
    const derive: typeof again.derive = (path, make) => {
      if (path.includes('.config.')) derived += 1;
      return again.derive(path, make);
    };
    await targetsOf('src/a.ts', "import 'lib';\n".repeat(40), { ...again, derive });
    // For entries in lists, and for single ones.
    expect(derived).toBe(2 * names.length);
  });

  it('RT-02 packages of the workspace: the one source of a library with another name', async () => {
    const library = (name: string) => json({ name, exports: { '.': './dist/my-lib.js', './more': './dist/more.js' } });
    const tree = {
      'package.json': json({ workspaces: ['packages/*'] }),
      'packages/vite/package.json': library('vite-lib'),
      'packages/vite/vite.config.ts':
        "export default defineConfig({ build: { lib: { entry: resolve(__dirname, 'lib/main.ts'), name: 'MyLib' } } });",
      'packages/vite/lib/main.ts': '',
      'packages/rollup/package.json': json({ name: 'rolled', main: 'dist/my-lib.cjs' }),
      'packages/rollup/rollup.config.js': "export default [{ input: 'code/main.js' }, { input: 'code/main.js' }];",
      'packages/rollup/code/main.js': '',
      'packages/two/package.json': library('two'),
      'packages/two/rollup.config.js': "export default [{ input: 'code/a.js' }, { input: 'code/b.js' }];",
      'packages/two/code/a.js': '',
      'packages/two/code/b.js': '',
      'packages/page/package.json': library('page'),
      'packages/page/vite.config.ts': "export default { build: { rollupOptions: { input: 'index.html' } } };",
      'packages/page/index.html': '',
    };
    const expected = {
      'vite-lib': 'packages/vite/lib/main.ts',
      'vite-lib/more': 'not_found',
      rolled: 'packages/rollup/code/main.js',
      two: 'not_found',
      page: 'not_found',
    };
    expect(await leadTo(tree, Object.keys(expected))).toEqual(Object.values(expected));
  });

  it('RT-02 packages of pnpm and of Lerna, links to a place, the package itself, and names only it knows', async () => {
    const tree = {
      // Large, and with a tag: that is for other tools.
      'pnpm-workspace.yaml': `packages:\n  - apps/**\n# comment\n  - "!**/fixtures/**"\ncatalog:\n  x: !own 1\n${Array.from({ length: 2_000 }, (_, at) => `  p${at}: ^${at}.0.0\n`).join('')}`,
      'lerna.json': json({ packages: ['libs/*'] }),
      'apps/deep/one/package.json': json({ name: 'one' }),
      'apps/deep/one/index.ts': '',
      'apps/fixtures/two/package.json': json({ name: 'two' }),
      'libs/three/package.json': json({ name: 'three' }),
      'libs/three/index.js': '',
      'elsewhere/four/index.js': '',
      'elsewhere/four/package.json': json({}),
      'app/package.json': json({
        name: 'app',
        exports: { './self': './src/self.ts' },
        imports: { '#inner/*': './src/inner/*.js', '#outer': 'react', '#gone': './gone.js' },
        dependencies: { four: 'link:../elsewhere/four' },
      }),
      'app/src/self.ts': '',
      'app/src/inner/x.ts': '',
    };
    const expected = {
      one: 'apps/deep/one/index.ts',
      two: 'outside_workspace',
      three: 'libs/three/index.js',
      four: 'elsewhere/four/index.js',
      'app/self': 'app/src/self.ts',
      '#inner/x': 'app/src/inner/x.ts',
      '#gone': 'not_found',
    };
    expect(await leadTo(tree, Object.keys(expected), 'app/src/a.ts')).toEqual(Object.values(expected));
  });

  it('RT-02 import maps and packages of a workspace of Deno', async () => {
    const tree = {
      'deno.jsonc':
        '{\n// Ours.\n"imports": {"@/": "./lib/", "$money": "./lib/money.ts", "path": "jsr:@std/path", "/": "/"}, "workspace": ["./cart", "packages/*"],\n}',
      'lib/money.ts': '',
      'cart/deno.json': '{"name": "@shop/cart", "exports": {".": "./mod.ts", "./tax": "./src/tax.ts"}}',
      'cart/mod.ts': '',
      'cart/src/tax.ts': '',
      'packages/log/deno.json': '{"name": "@shop/log", "exports": "./log.ts"}',
      'packages/log/log.ts': '',
    };
    const specifiers = ['@/money.ts', '$money', 'path', '@shop/cart', '@shop/cart/tax', '@shop/log', '@shop/log/x'];
    expect(await leadTo(tree, specifiers)).toEqual([
      ...['lib/money.ts', 'lib/money.ts', 'outside_workspace', 'cart/mod.ts', 'cart/src/tax.ts'],
      ...['packages/log/log.ts', 'outside_workspace'],
    ]);
    expect(await leadTo({ 'deno.json': '{"imports": {"x": "../../etc/passwd"}}' }, ['x'])).toEqual([
      'outside_workspace',
    ]);
  });

  it('RT-02 aliases of bundlers, in all forms in which they are written', async () => {
    const tree = {
      'package.json': '{}',
      'vite.config.ts': `import { resolve } from 'node:path';
export default defineConfig({
  plugins: [vue()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./client', import.meta.url)),
      '~styles/': '/client/styles/',
      shared: resolve(__dirname, '..', 'shared'), // not in the project
      // '@parts': 'client/old', was before {
      '@parts': // Not moved, yet
        path.resolve(__dirname, 'client', 'parts'),
      vue$: 'client/vue.ts',
      react: 'preact/compat', ['computed' + key]: 'a',
    },
  },
});`,
      'svelte.config.js': "export default { kit: { alias: { $parts: 'client/parts', 'only/*': 'client/only/*' } } };",
      'webpack.config.cjs': `module.exports = { resolve: { alias: [
        { find: '#client', replacement: path.join(__dirname, 'client') },
        { find: /^x\\//, replacement: 'client' }, { find: '#late', replacement: 'client' },
        { replacement: 'client' },
      ] } };`,
      'client/a.ts': '',
      'client/index.ts': '',
      'client/vue.ts': '',
      'client/only/b.ts': '',
      'client/only/index.ts': '',
      'client/parts/c.vue': '',
      'client/parts/index.ts': '',
      'client/styles/d.css': '',
      'src/e.ts': '',
      'vitest.config.ts': `export default { test: { alias: {
        vscode: new URL('./__mocks__/vscode.js', import.meta.url).pathname, sdk: 'client/sdk-stub.ts', '@mocks': 'client/mocks',
        '@stubs': 'client/stubs.ts',
      } } };`,
      '__mocks__/vscode.js': '',
      'client/sdk-stub.ts': '',
      'client/mocks/f.ts': '',
      'client/stubs.ts': '',
    };
    const expected = {
      vscode: 'outside_workspace',
      sdk: 'outside_workspace',
      '@mocks/f': 'client/mocks/f.ts',
      '@stubs': 'client/stubs.ts',
      '@': 'client/index.ts',
      '@/a': 'client/a.ts',
      '@/e': 'src/e.ts',
      '@/gone': 'not_found',
      '~styles/d.css': 'client/styles/d.css',
      'shared/a': 'outside_workspace',
      '@parts/c.vue': 'client/parts/c.vue',
      '@parts': 'client/parts/index.ts',
      vue: 'client/vue.ts',
      'vue/a': 'outside_workspace',
      react: 'outside_workspace',
      '$parts/c.vue': 'client/parts/c.vue',
      'only/b': 'client/only/b.ts',
      only: 'outside_workspace',
      '#client/a': 'client/a.ts',
      '#late/a': 'client/a.ts',
    };
    expect(await leadTo(tree, Object.keys(expected))).toEqual(Object.values(expected));
  });

  it('RT-02 names that an import map of Rails pins', async () => {
    const tree = {
      'config/importmap.rb':
        '# Pins\npin "application"\npin "react", to: "https://ga.jspm.io/react.js"\npin "zoom", to: "lib/zoom.js", preload: true\npin_all_from "app/javascript/utils", under: "utils", to: "utils"\npin_all_from \'app/components\', under: \'utils\'\n',
      'app/javascript/application.js': '',
      'app/javascript/lib/zoom.js': '',
      'app/javascript/utils/index.js': '',
      'app/javascript/utils/money.js': '',
      'app/components/DS/menu_controller.js': '',
    };
    const expected = {
      application: 'app/javascript/application.js',
      zoom: 'app/javascript/lib/zoom.js',
      utils: 'app/javascript/utils/index.js',
      'utils/money': 'app/javascript/utils/money.js',
      'utils/DS/menu_controller': 'app/components/DS/menu_controller.js',
      'utils/gone': 'outside_workspace',
      react: 'outside_workspace',
    };
    expect(await leadTo(tree, Object.keys(expected), 'app/javascript/controllers/a.js')).toEqual(
      Object.values(expected),
    );
  });

  it('RT-02 files in `vendor` and directories without a name in an import map of Rails, however many comments it has', async () => {
    const tree = {
      'config/importmap.rb': `${'# Pins\n'.repeat(300)}pin "chart"\npin "@rails/ujs", to: "@rails--ujs.js" # @7.1.3\npin_all_from "app/javascript/lib"\n`,
      'vendor/javascript/chart.js': '',
      'vendor/javascript/@rails--ujs.js': '',
      'app/javascript/lib/money.js': '',
      'app/javascript/lib/cart/total.js': '',
    };
    const expected = {
      chart: 'vendor/javascript/chart.js',
      '@rails/ujs': 'vendor/javascript/@rails--ujs.js',
      money: 'app/javascript/lib/money.js',
      'cart/total': 'app/javascript/lib/cart/total.js',
      gone: 'outside_workspace',
    };
    expect(await leadTo(tree, Object.keys(expected), 'app/javascript/application.js')).toEqual(Object.values(expected));
  });

  it('RT-02 no more than 128 pins of an import map of Rails', async () => {
    const pins = Array.from({ length: 200 }, (_, at) => `pin "p${at}", to: "p.js"\n`);
    const tree = { 'config/importmap.rb': pins.join(''), 'app/javascript/p.js': '' };
    expect(await leadTo(tree, ['p127', 'p128'], 'app/javascript/application.js')).toEqual([
      'app/javascript/p.js',
      'outside_workspace',
    ]);
  });

  it('RT-02 aliases that frameworks have without a configuration, in the nearest package that has the file', async () => {
    const tree = {
      'package.json': '{}',
      'lib/top.ts': '',
      'src/only.ts': '',
      'web/package.json': '{}',
      'web/src/lib/index.ts': '',
      'web/src/lib/a.ts': '',
      'web/src/both.ts': '',
      'web/both.ts': '',
      'web/app/b.ts': '',
      'web/shared/d.ts': '',
      'web/resources/js/c.vue': '',
      'web/src/routes/nested/page.ts': '',
    };
    const expected = {
      $lib: 'web/src/lib/index.ts',
      '$lib/a': 'web/src/lib/a.ts',
      '$lib/gone': 'not_found',
      '@/both': 'web/src/both.ts',
      '@@/both': 'web/both.ts',
      '~/b': 'web/app/b.ts',
      '~~/src/both': 'web/src/both.ts',
      '@/c.vue': 'web/resources/js/c.vue',
      '@/resources/js/c.vue': 'web/resources/js/c.vue',
      '@/lib/top': 'lib/top.ts',
      '@/only': 'src/only.ts',
      '~/gone': 'not_found',
      '$app/stores': 'outside_workspace',
      './$types': 'outside_workspace',
      './+types/page': 'outside_workspace',
      '../+types': 'not_found',
      '#build/app.config': 'outside_workspace',
      '#imports': 'outside_workspace',
      '#shared/d': 'web/shared/d.ts',
    };
    expect(await leadTo(tree, Object.keys(expected), 'web/src/routes/nested/page.ts')).toEqual(Object.values(expected));
    expect(await leadTo({ 'src/a.ts': '' }, ['@/a', '~/a', '$lib/a'], 'src/b.ts')).toEqual(Array(3).fill('not_found'));
  });

  it('RT-02 S-34 nothing a workspace says leads out of it', async () => {
    const tree = {
      'tsconfig.json': json({
        extends: ['/etc/tsconfig.json', '../../../outside'],
        compilerOptions: { baseUrl: '../..', paths: { 'p/*': ['../../../*'], 'q/*': ['/etc/*'] } },
        references: [{ path: '../../..' }],
      }),
      'package.json': json({
        name: 'own',
        exports: { './*': '../../*' },
        workspaces: ['../*', '/etc/*'],
        imports: { '#a': './../../b.js' },
      }),
    };
    expect(await leadTo(tree, ['p/passwd', 'q/passwd', 'own/x', '#a', 'passwd', '/etc/passwd'])).toEqual([
      'outside_workspace',
      'outside_workspace',
      'not_found',
      'not_found',
      'outside_workspace',
      'outside_workspace',
    ]);
  });

  it('RT-02 S-37 links are followed only where they may be', async () => {
    const files = filesOf({ 'packages/b/c.ts': '', '/etc/passwd': 'root' });
    files.symlink(`${root}/linked`, 'packages/b');
    files.symlink(`${root}/d.ts`, '/etc/passwd');
    const text = "import './linked/c'; import './d';";
    expect(await targetsOf('a.ts', text, openLookup(files))).toEqual({ './linked/c': 'not_found', './d': 'not_found' });
    expect(await targetsOf('a.ts', text, openLookup(files, { followSymlinks: true }))).toMatchObject({
      './linked/c': { path: `${root}/linked/c.ts` },
      './d': 'not_found',
    });
  });

  it('RT-02 S-62 configurations that multiply cost no more than a few', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `./c${at}.json`);
    const tree = {
      ...Object.fromEntries(names.map((name) => [name.slice(2), json({ extends: names })])),
      'tsconfig.json': json({ extends: names, references: names.map((path) => ({ path })) }),
      'package.json': json({
        name: 'own',
        exports: { '.': Array.from({ length: 5_000 }, (_, at) => `./gone${at}.js`) },
      }),
      'src/b.ts': '',
    };
    let derived = 0;
    const lookup = openLookup(filesOf(tree));
    const derive: typeof lookup.derive = (path, make) => {
      derived += 1;
      return lookup.derive(path, make);
    };
    const counting = { ...lookup, derive };
    const found = await targetsOf('src/a.ts', "import './b'; import 'own';", counting);
    expect(found).toMatchObject({ './b': { path: `${root}/src/b.ts` }, own: 'not_found' });
    expect(derived).toBeLessThan(5_000);
  });

  it('RT-02 what tools cannot read says nothing, and never fails', async () => {
    const broken = [
      '{',
      '[]',
      'null',
      '"x"',
      '{"compilerOptions": 1}',
      '{"extends": {}, "references": [1, {}]}',
      '['.repeat(20_000),
    ];
    for (const text of broken) {
      const tree = {
        'tsconfig.json': text,
        'package.json': text,
        'pnpm-workspace.yaml': text,
        'deno.json': text,
        'src/b.ts': '',
      };
      expect(await leadTo(tree, ['./b', 'x'])).toEqual(['src/b.ts', 'outside_workspace']);
    }
  });
});
