/** Iteration 2 of the AI context policy blueprint: prompts contain automatic context, as far as the policy of the repository lets it. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RetrieveResult } from '../../src/retrieval/retrieve-result.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const workspace = temporaryDirectory();
const write = (path: string, text: string) => writeTree(workspace, { [path]: text });
const program = "import { price } from '@/price';\nimport { margin } from './secret/margin.ts';\n";
let daemon: TestDaemon;

beforeAll(async () => {
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude:\n  - "**/secret/**"\n');
  write('tsconfig.json', '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }');
  write('src/cart.ts', program);
  write('src/price.ts', `/** In cents. */\nexport function price(): number {\n${'  work();\n'.repeat(30)}}\n`);
  write('src/secret/margin.ts', 'export const margin = 0.41;\n');
  write('src/main.py', 'from tools import double\n');
  write('src/tools.py', 'def double(x):\n    return 2 * x\n');
  write('api/Shop.Api.csproj', '<Project><ProjectReference Include="..\\core\\Shop.csproj" /></Project>\n');
  write('api/OrdersController.cs', 'using Shop.Orders;\n\nclass OrdersController(IOrders orders) { }\n');
  write('core/Shop.csproj', '<Project />\n');
  write('core/Orders/IOrders.cs', 'namespace Shop.Orders;\n\npublic interface IOrders { }\n\nclass Hidden { }\n');
  write('android/build.gradle.kts', 'plugins { kotlin("jvm") }\n');
  write(
    'android/src/main/kotlin/shop/Screen.kt',
    'package shop\n\nimport shop.model.toRow\n\nfun screen() = toRow()\n',
  );
  write('android/src/main/kotlin/shop/model/Rows.kt', 'package shop.model\n\nfun Line.toRow() = 1\n\nclass Hidden\n');
  daemon = await startDaemon({ grantRoots: [workspace] });
});
afterAll(() => daemon.stop());

const retrieve = async (request: object): Promise<RetrieveResult> => {
  const { status, body, text } = await daemon.request('/v1/retrieve', {
    body: { mountedDirectory: workspace, ...request },
  });
  expect(status, text).toBe(200);
  // Nothing but what its schema has.
  expect(body).toEqual(RetrieveResult.parse(body));
  return body as RetrieveResult;
};
const brief = ({ items, omitted }: RetrieveResult) => ({
  items: items.map(({ origin, relativePath, content }) => [origin, relativePath, content]),
  omitted: omitted.map(({ path, reason }) => [path.replace(`${workspace}/`, ''), reason.code]),
});
const price = '/** In cents. */\nexport function price(): number { … }';

describe('retrieve', () => {
  it('RT-01 RT-02 AP-06 a prompt contains what the active document imports, and nothing that the policy blocks', async () => {
    const result = await retrieve({ activeDocument: { path: 'src/cart.ts' }, query: 'margin 0.41' });
    expect(brief(result)).toEqual({
      items: [['import', 'src/price.ts', price]],
      omitted: [['src/secret/margin.ts', 'blocked_by_policy']],
    });
    expect(JSON.stringify(result)).not.toContain('export const margin');
    expect(result.items[0]?.tokens).toBeGreaterThan(5);
    write('src/secret/.ai-context-policy.yaml', 'ai_context_policy: allow\n');
    const allowed = await retrieve({ activeDocument: { path: 'src/cart.ts' } });
    expect(brief(allowed).items[1]).toEqual(['import', 'src/secret/margin.ts', 'export const margin = 0.41;']);
    rmSync(join(workspace, 'src/secret/.ai-context-policy.yaml'));
    expect(brief(await retrieve({ activeDocument: { path: 'src/cart.ts' } })).items).toHaveLength(1);
  });

  it('SY-04 RT-01 shows what goes with a prompt about no file, too', async () => {
    const cli = (...args: string[]) => daemon.cli(['retrieve', ...args], { cwd: workspace });
    const { stdout } = await cli('--tab', 'src/tools.py', '--json');
    expect((JSON.parse(stdout) as RetrieveResult).items.map(({ relativePath }) => relativePath)).toEqual([
      'src/tools.py',
    ]);
    expect(await cli('--stdin')).toMatchObject({ code: 64, stderr: expect.stringContaining('say which file') });
  });

  it('RT-02 other languages, and documents that are not saved', async () => {
    const python = await retrieve({ activeDocument: { path: 'src/main.py' } });
    expect(brief(python).items).toEqual([['import', 'src/tools.py', expect.stringContaining('def double(x)')]]);
    write('composer.json', '{ "autoload": { "psr-4": { "App\\\\": "app/" } } }');
    write('app/Models/Price.php', '<?php\n\nnamespace App\\Models;\n\n/** In cents. */\nclass Price\n{\n}\n');
    const cart = {
      path: 'app/Cart.php',
      content: '<?php\n\nnamespace App;\n\nuse App\\Models\\Price;\n\nnew Price();\n',
    };
    expect(brief(await retrieve({ activeDocument: cart })).items).toEqual([
      ['import', 'app/Models/Price.php', '/** In cents. */\nclass Price\n{\n}'],
    ]);
    const kotlin = await retrieve({ activeDocument: { path: 'android/src/main/kotlin/shop/Screen.kt' } });
    const rows = 'android/src/main/kotlin/shop/model/Rows.kt';
    expect(brief(kotlin).items).toEqual([['import', rows, 'fun Line.toRow() = 1']]);
    const csharp = await retrieve({ activeDocument: { path: 'api/OrdersController.cs' } });
    expect(brief(csharp).items).toEqual([['import', 'core/Orders/IOrders.cs', 'public interface IOrders { }']]);
    write('app/pubspec.yaml', 'name: app\ndependencies:\n  money:\n    path: ../money\n');
    write('money/pubspec.yaml', 'name: money\n');
    write('money/lib/money.dart', "export 'src/price.dart';\n");
    write('money/lib/src/price.dart', '/// In cents.\nclass Price {}\n\nclass Hidden {}\n');
    const dart = {
      path: 'app/lib/cart.dart',
      content: "import 'package:money/money.dart';\n\nfinal price = Price();\n",
    };
    expect(brief(await retrieve({ activeDocument: dart })).items).toEqual([
      ['import', 'money/lib/src/price.dart', '/// In cents.\nclass Price {}'],
    ]);
    write('Kit/Package.swift', 'let package = Package(targets: [.target(name: "Kit")])\n');
    write('Kit/Sources/Kit/Price.swift', '/// In cents.\nstruct Price {}\n\nstruct Hidden {}\n');
    const swift = { path: 'Kit/Sources/Kit/Cart/Cart.swift', content: 'let price = Price()\n' };
    expect(brief(await retrieve({ activeDocument: swift })).items).toEqual([
      ['import', 'Kit/Sources/Kit/Price.swift', '/// In cents.\nstruct Price {}'],
    ]);
    write('scala/build.sbt', 'lazy val root = project\n');
    write('scala/src/main/scala/shop/Models.scala', 'package shop\n\n/** In cents. */\nclass Price\n\nclass Hidden\n');
    const scala = { path: 'scala/src/main/scala/shop/Cart.scala', content: 'package shop\n\nval price = new Price\n' };
    expect(brief(await retrieve({ activeDocument: scala })).items).toEqual([
      ['import', 'scala/src/main/scala/shop/Models.scala', '/** In cents. */\nclass Price'],
    ]);
    write('lib/log.sh', '# Says it.\nlog() { echo "$1"; }\n\nhidden() { :; }\n');
    const shell = { path: 'bin/run', content: '. "$(dirname "$0")/../lib/log.sh"\nlog x\n', language: 'shellscript' };
    expect(brief(await retrieve({ activeDocument: shell })).items).toEqual([
      ['import', 'lib/log.sh', '# Says it.\nlog() { echo "$1"; }'],
    ]);
    const draft = { path: 'src/new/draft.ts', content: "import { price } from '../price.ts';\nconst x = price(\n" };
    expect(brief(await retrieve({ activeDocument: draft })).items).toEqual([['import', 'src/price.ts', price]]);
    const component = { path: 'src/Cart.vue', content: `<script setup lang="ts">\n${program}` };
    expect(brief(await retrieve({ activeDocument: component })).items).toEqual([['import', 'src/price.ts', price]]);
  });

  it('RT-02 all that comes through a large barrel', async () => {
    const modules = Array.from({ length: 60 }, (_, at) => `part${at}`);
    const names = modules.flatMap((module) => ['a', 'b', 'c', 'd', 'e'].map((letter) => `${module}_${letter}`));
    write('parts/index.ts', modules.map((module) => `export * from './${module}';\n`).join(''));
    for (const module of modules) {
      const own = names.filter((name) => name.startsWith(`${module}_`));
      write(`parts/${module}.ts`, own.map((name) => `export const ${name} = 1;\n`).join(''));
    }
    const content = `import { ${names.join(', ')} } from './index';\n`;
    const { items, omitted } = await retrieve({ activeDocument: { path: 'parts/all.ts', content } });
    const text = items.map((item) => item.content).join('\n');
    // A search would find them too.
    rmSync(join(workspace, 'parts'), { recursive: true });
    expect(names.filter((name) => !text.includes(`const ${name} =`))).toEqual([]);
    expect(omitted).toEqual([]);
  });

  it('RT-04 AP-06 says of an active document that it may not be used, or not be parsed', async () => {
    const content = "import { price } from '../price.ts';\n";
    const blocked = await retrieve({ activeDocument: { path: 'src/secret/draft.ts', content } });
    expect(blocked.activeDocument).toEqual({
      allowed: false,
      reason: { code: 'blocked_by_policy', detail: expect.stringContaining('**/secret/**') },
    });
    expect(blocked.items).toEqual([]);
    const perl = await retrieve({ activeDocument: { path: 'src/cart.pl', content: 'use App;' } });
    expect(perl).toMatchObject({ activeDocument: { allowed: true }, warnings: [{ code: 'unsupported_language' }] });
  });

  it('CC-14 leaves out what a configuration excludes, unless it is named', async () => {
    write('src/legacy/tax.ts', 'export const tax = 7;\n');
    write('.context/context-config.json', '{ "clientContext": { "excludeFiles": ["**/legacy/**"] } }');
    const content = "import { tax } from './legacy/tax';\n";
    const activeDocument = { path: 'src/bill.ts', content };
    expect(brief(await retrieve({ activeDocument, query: 'tax' }))).toEqual({
      items: [],
      omitted: [['src/legacy/tax.ts', 'excluded_by_config']],
    });
    const named = await retrieve({ activeDocument, openTabs: ['src/legacy/tax.ts'] });
    expect(brief(named).items).toEqual([['open-tab', 'src/legacy/tax.ts', 'export const tax = 7;\n']]);
    const found = await daemon.request('/v1/workspace/files/search', {
      body: { mountedDirectory: workspace, query: 'tax' },
    });
    expect(found.body).toMatchObject({ files: [] });
    rmSync(join(workspace, '.context'), { recursive: true });
  });

  it('RT-04 the daemon outlives its parser', async () => {
    const content = '('.repeat(200_000);
    const broken = await retrieve({ activeDocument: { path: 'src/deep.ts', content } });
    expect(brief(broken)).toEqual({ items: [], omitted: [['src/deep.ts', 'parse_failed']] });
    const other = (comment: string) =>
      retrieve({ activeDocument: { path: 'src/other.ts', content: `${program}// ${comment}\n` } });
    expect(brief(await other('one')).items).toEqual([['import', 'src/price.ts', price]]);
    const children = ['-o', 'pid=,args=', '--ppid', String(daemon.process.child.pid)];
    const [pid] = execFileSync('ps', children, { encoding: 'utf8' })
      .split('\n')
      .flatMap((line) => /^\s*(\d+).*source-parser-process/u.exec(line)?.[1] ?? []);
    process.kill(Number(pid), 'SIGKILL');
    // The daemon may notice only by this one that the process is gone.
    await other('two');
    expect(brief(await other('three')).items).toEqual([['import', 'src/price.ts', price]]);
  });

  it('RT-07 a notebook is its cells: active, in a tab, and for the query', async () => {
    const outputs = [{ output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo'.repeat(200_000) } }];
    const cell = (source: string[]) => ({ cell_type: 'code', outputs, source });
    const text = { cell_type: 'markdown', source: ['Prices are rounded half to even.'] };
    write('a.ipynb', JSON.stringify({ cells: [text, cell(['from src.tools import double\n', 'double(2)'])] }));
    const cells =
      '# %% [markdown]\n# Prices are rounded half to even.\n\n# %%\nfrom src.tools import double\ndouble(2)\n';
    expect(brief(await retrieve({ activeDocument: { path: 'a.ipynb' } })).items).toEqual([
      ['import', 'src/tools.py', 'def double(x):\n    return 2 * x'],
    ]);
    expect(brief(await retrieve({ openTabs: ['a.ipynb'] })).items).toEqual([['open-tab', 'a.ipynb', cells]]);
    expect(brief(await retrieve({ query: 'prices rounded half to even' })).items[0]).toEqual([
      'search',
      'a.ipynb',
      cells,
    ]);
  });

  it('RT-01 on the command line', async () => {
    const cwd = join(workspace, 'src');
    const page = await daemon.cli(['retrieve', 'src/cart.ts', '..', '--tab', 'src/tools.py'], { cwd });
    expect(page.stderr).toBe('');
    expect(page.stdout).toMatch(
      /^2 items, \d+ tokens\n\nOpen tabs\n +\d+ {2}src\/tools\.py\n\nImported\n +\d+ {2}src\/price\.ts:1-33\n\nLeft out\n {2}✕ src\/secret\/margin\.ts\n/u,
    );
    const options = ['--stdin', '--json', '--imports', 'files', '--max-tokens', '1000', '-d', '..'];
    const json = await daemon.cli(['retrieve', 'src/draft.ts', ...options], {
      cwd,
      input: "import './tools.py';\nimport './price';",
    });
    expect(JSON.parse(json.stdout)).toMatchObject({
      items: [{ relativePath: 'src/tools.py' }, { relativePath: 'src/price.ts' }],
      usage: { maxTokens: 1_000 },
    });
    const contents = await daemon.cli(['retrieve', 'src/cart.ts', '-d', '..', '--content'], { cwd });
    expect(contents.stdout).toBe(`=== src/price.ts:1-33\n${price}\n`);
    expect((await daemon.cli(['retrieve', 'x.ts', '--imports', 'all'], { cwd })).code).toBe(64);
    const elsewhere = await daemon.cli(['retrieve', 'x.ts', './nowhere'], { cwd });
    expect(elsewhere.code).toBe(64);
  });
});
