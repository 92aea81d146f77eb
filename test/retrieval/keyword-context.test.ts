import { describe, expect, it } from 'vitest';
import { createEndingFiles } from '../../src/access/ending-files.ts';
import { createWorlds } from '../../src/policy/worlds.ts';
import { createKeywordContext, type KeywordLimits } from '../../src/retrieval/keyword-context.ts';
import { defaultEngineSettings } from '../../src/settings.ts';
import { createFileIndex } from '../../src/supplementary/file-index.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { project } from '../support/workspace.ts';
import { filler, leftOut, open, rounding, shown } from './support/retrieving.ts';

describe('search-based context', () => {
  it('RT-02 finds the part of a file that is about the query', async () => {
    const { retrieve } = await open({
      'src/money.ts': `${filler(0, 200)}\n${rounding}\n${filler(200, 200)}`,
      'src/other.ts': filler(0, 300),
    });
    const { items } = await retrieve({ query: 'how is a price rounded' });
    expect(items.map(({ relativePath }) => relativePath)).toEqual(['src/money.ts']);
    const [found] = items;
    expect(found?.content).toContain('roundPrice');
    const { startLine, endLine } = found?.range ?? { startLine: 0, endLine: 0 };
    expect(found?.content.split('\n')).toHaveLength(endLine - startLine + 1);
    const text = `${filler(0, 200)}\n${rounding}\n${filler(200, 200)}`.split('\n');
    expect(text.slice(startLine - 1, endLine).join('\n')).toBe(found?.content);
    expect(endLine - startLine).toBeLessThan(40);
  });

  it('RT-02 takes no part with the long lines that programs write, and long paragraphs by fewer lines', async () => {
    const long = `{"price":"rounded half even${' x'.repeat(5_000)}"}`;
    const paragraphs = Array.from({ length: 60 }, (_, at) => `Rule ${at} ${'is in force. '.repeat(30)}`);
    paragraphs[50] += 'A price is rounded half to even.';
    const { retrieve } = await open({
      'charts/dashboard.tpl': `${filler(0, 3)}\n# A price is rounded half to even.\ndata: ${long}\n${filler(3, 3)}`,
      'charts/rules.tpl': `${paragraphs.join('\n')}\n`,
      'charts/dashboard.txt': `${long}\n`,
    });
    const { items } = await retrieve({ query: 'price rounded half even' });
    expect(items.map(({ relativePath }) => relativePath).sort()).toEqual(['charts/dashboard.tpl', 'charts/rules.tpl']);
    for (const { content } of items) {
      expect(content).toContain('A price is rounded half to even.');
      expect(content.length).toBeLessThanOrEqual(4_000);
    }
  });

  it('RT-02 finds a file of long lines by its name, and shows its beginning', async () => {
    const { retrieve } = await open({
      'data/prices.json': `{"shop":"${'x '.repeat(5_000)}"}\n`,
      'data/shops.json': `{"prices":"${'x '.repeat(5_000)}"}`,
    });
    const { items } = await retrieve({ query: 'prices' });
    expect(items.map(({ relativePath }) => relativePath)).toEqual(['data/prices.json']);
    expect(items[0]).toMatchObject({ truncated: true, range: { startLine: 1, endLine: 1 } });
    expect(items[0]?.content).toMatch(/^\{"shop":"x x .{3980,3990}…$/u);
  });

  it('RT-02 finds words in identifiers and in file names; a short file is shown whole', async () => {
    const { retrieve } = await open({
      'src/a.ts': 'export const maxRetryCount = 3;\n',
      'src/http-retry.ts': 'work();\n',
    });
    expect(shown(await retrieve({ query: 'retry' }))).toEqual(['search src/http-retry.ts', 'search src/a.ts']);
    expect((await retrieve({ query: 'max retry count' })).items[0]).not.toHaveProperty('range');
  });

  it.each([
    [
      'defines',
      'export function roundPrice(cents) {\n  return cents;\n}\n',
      'roundPrice(cents);\nroundPrice(1);\nroundPrice(2);\n',
    ],
    ['says together', 'work(priceRound);\n', 'work(price, of, what, is, round);\n'],
    ['has a heading about', '## Price, and how to round it\n', 'Price, and how to round it\n'],
  ])('RT-02 finds the file that %s what is asked for before one with the same words', async (_, right, other) => {
    // The names of the files decide where all else is equal.
    const { retrieve } = await open({ 'src/a.ts': other, 'src/b.ts': right });
    expect(shown(await retrieve({ query: 'price round' }))[0]).toBe('search src/b.ts');
    expect(shown(await retrieve({ query: 'round price' }))).toHaveLength(2);
  });

  it('RT-02 finds the source before its tests, unless these are asked for', async () => {
    const { first } = await open({
      'src/price.ts': `${rounding}${filler(0, 4)}`,
      'src/__tests__/price.ts': rounding.repeat(2),
      'src/price.test.ts': rounding.repeat(2),
      'tests/test_price.py': rounding.repeat(2),
      'src/PriceTest.php': rounding.repeat(2),
      'src/commonTest/Price.kt': rounding.repeat(2),
      'Shop.Tests/Price.cs': rounding.repeat(2),
      'src/attest/prices.ts': 'export const prices = 1;\n',
    });
    expect(await first('how is a price rounded half to even')).toBe('src/price.ts');
    expect(await first('tests of a price rounded half to even')).not.toBe('src/price.ts');
  });

  it('RT-02 finds what has the name of the active document, such as its tests', async () => {
    const named = ['src/price.css', 'src/price.test.ts', 'src/PriceTest.java', 'tests/test_shop_price.py'];
    const others = ['src/money.ts', 'lib/index.ts', 'src/unprice.ts', 'tests/test_prices_of_all.py'];
    const texts = [...others, ...named].map((path, at) => [path, `${rounding}${filler(at, 1)}`]);
    const { retrieve } = await open({ 'src/price.ts': '', 'src/index.ts': '', ...Object.fromEntries(texts) });
    const query = 'rounds half even as banks do';
    const found = async (path: string) =>
      (await retrieve({ query, activeDocument: { path } })).items.map(({ relativePath }) => relativePath);
    expect((await found('src/price.ts')).slice(0, 4).sort()).toEqual(named.toSorted());
    // A name that many files have says nothing.
    expect((await found('src/index.ts'))[0]).not.toBe('lib/index.ts');
  });

  it('RT-02 finds a test where nothing else fits, and takes no specification for one', async () => {
    const words = 'kangaroo zebra giraffe lion tiger bear wolf eagle'.split(' ');
    const text = `export const one = ${words.join('.')};\n`;
    const [source, test] = [await open({ 'src/a.ts': text }), await open({ 'test/a.ts': text })];
    const counts = { source: 0, test: 0 };
    for (let known = 1; known <= words.length; known += 1) {
      const query = words.map((word, at) => (at < known ? word : `un${word}`)).join(' ');
      counts.source += (await source.retrieve({ query })).items.length;
      counts.test += (await test.retrieve({ query })).items.length;
    }
    expect(counts.test).toBe(counts.source);
    const both = await open({ 'src/spec.ts': rounding.repeat(2), 'src/money.ts': `${rounding}${filler(0, 4)}` });
    expect(await both.first('price rounded')).toBe('src/spec.ts');
  });

  it('RT-02 finds what the project wrote before packages that it keeps, unless these are asked for or worked on', async () => {
    const copies = Array.from({ length: 200 }, (_, at) => [`vendor/a.org/round/price${at}.ts`, rounding.repeat(2)]);
    const tree = { 'src/money.ts': `${rounding}${filler(0, 9)}`, 'third_party/b/price.ts': rounding.repeat(2) };
    const { first } = await open({ ...tree, ...Object.fromEntries(copies) });
    const query = 'how is a price rounded half to even';
    expect(await first(query)).toBe('src/money.ts');
    expect(await first(`${query} in vendor`)).not.toBe('src/money.ts');
    expect(await first(query, 'vendor/a.org/round/price7.ts')).not.toBe('src/money.ts');
    const alone = await open({ 'vendor/a.ts': rounding });
    expect(shown(await alone.retrieve({ query }))).toEqual(['search vendor/a.ts']);
  });

  it('RT-02 finds what the project wrote before its translations, unless these are asked for', async () => {
    const translated = 'price.rounded = Der Preis price rounded half even\n'.repeat(2);
    const tags = ['de', 'el_GR', 'pt-BR', 'zh-Hans', 'nb_NO', 'fr', 'it', 'sk'];
    const translations = Object.fromEntries(
      tags.flatMap((tag) => [
        [`app/locales/${tag}/shop.properties`, translated],
        [`res/values-${tag === 'zh-Hans' ? 'b+zh+Hans' : tag.replace('-', '-r')}/strings.xml`, translated],
        [`web/i18n/${tag}.json`, translated],
      ]),
    );
    const { retrieve } = await open({ ...translations, 'src/money.ts': `${rounding}${filler(0, 9)}` });
    const query = 'how is a price rounded half to even';
    const found = (await retrieve({ query })).items.map(({ relativePath }) => relativePath);
    expect(found[0]).toBe('src/money.ts');
    const asked = await retrieve({ query: `translation of: price rounded half even` });
    expect(asked.items[0]?.relativePath).not.toBe('src/money.ts');
    // Where the language is only one part of a name.
    const named = await open({
      'src/money.ts': `${rounding}${filler(0, 9)}`,
      'translations/shop.de.yaml': translated,
      '_locales/de/shop.json': translated,
    });
    expect(await named.first(query)).toBe('src/money.ts');
    // What is translated is no translation, even if another name is as short as that of a language.
    const english = await open({ 'locales/en/app.json': translated, 'locales/de/app.json': translated });
    expect(await english.first(query)).toBe('locales/en/app.json');
    // Folders with such names can hold code.
    const code = await open({ 'src/lang/go/price.go': rounding, 'web/i18n/de.json': translated.repeat(2) });
    expect(await code.first(query)).toBe('src/lang/go/price.go');
    const alone = await open({ 'i18n/de.json': translated });
    expect(shown(await alone.retrieve({ query }))).toEqual(['search i18n/de.json']);
  });

  it('RT-02 finds code before files of data, unless data is asked for', async () => {
    const rows = 'price,rounded,half,even\n1.005,1.00,yes,yes\n'.repeat(2);
    const data = Object.fromEntries(['csv', 'tsv', 'jsonl'].map((ending) => [`data/prices.${ending}`, rows]));
    const { first } = await open({ ...data, 'src/money.ts': `${rounding}${filler(0, 9)}` });
    expect(await first('how is a price rounded half to even')).toBe('src/money.ts');
    expect(await first('dataset: price rounded half even')).toMatch(/^data\//u);
    const alone = await open({ 'data/prices.csv': rows });
    expect(shown(await alone.retrieve({ query: 'price rounded half even' }))).toEqual(['search data/prices.csv']);
  });

  it.each([
    { path: 'CHANGELOG.md', asked: 'release with: price rounded half even' },
    { path: 'docs/History.markdown', asked: 'version with: price rounded half even' },
    { path: 'web/dist/shop.js', asked: 'bundle: price rounded half even' },
    { path: 'lib/price.g.dart', asked: 'generated: price rounded half even' },
    { path: 'Migrations/Price.Designer.cs', asked: 'generated: price rounded half even' },
    { path: 'docs/guide.md', asked: 'how is a price rounded half to even' },
    { path: '.github/ISSUE_TEMPLATE/bug', asked: 'workflow: price rounded half even' },
    { path: 'api/shop.yaml', asked: 'openapi: price rounded half even' },
  ])('RT-02 finds code before $path, unless such files are asked for', async ({ path, asked }) => {
    const { first } = await open({ [path]: rounding, 'src/money.ts': `${rounding}${filler(0, 1)}` });
    expect(await first('price rounded half even')).toBe('src/money.ts');
    expect(await first(asked)).toBe(path);
    const alone = await open({ [path]: rounding });
    expect(shown(await alone.retrieve({ query: 'price rounded half even' }))).toEqual([`search ${path}`]);
  });

  it('RT-02 takes source for no change log, whatever its name is', async () => {
    const { first } = await open({ 'src/history.ts': rounding.repeat(2), 'src/a.ts': `${rounding}${filler(0, 4)}` });
    expect(await first('price rounded half even')).toBe('src/history.ts');
  });

  it('RT-02 looks for what an instruction is about, not for what it says to do, unless it says nothing else', async () => {
    const { retrieve } = await open({ 'src/fix.ts': 'fix(bug);\n'.repeat(9), 'src/money.ts': rounding });
    const found = async (query: string) => shown(await retrieve({ query }));
    expect(await found('Fix the rounded price: add a test.')).toEqual(['search src/money.ts']);
    expect((await found('fix-price'))[0]).toBe('search src/fix.ts');
    expect(await found('fix bugs')).toEqual(['search src/fix.ts']);
  });

  it('RT-02 wants a smaller share of a long query, because the same share of few words is more often chance', async () => {
    const words = Array.from({ length: 16 }, (_, at) => `${'abcdefghijklmnop'[at]}ngaroo`);
    const others = words.slice(7).map((word) => [`src/${word.slice(0, 2)}.ts`, `// ${word}\n`]);
    const { retrieve } = await open({
      'src/seven.ts': `// ${words.slice(0, 7).join(' ')}\n`,
      ...Object.fromEntries(others),
    });
    expect(shown(await retrieve({ query: words.join(' ') }))).toEqual(['search src/seven.ts']);
    expect(shown(await retrieve({ query: words.slice(6, 10).join(' ') }))).toEqual([]);
  });

  it('RT-02 finds nothing rather than anything, and only when it is asked', async () => {
    const { retrieve } = await open({ 'src/a.ts': rounding });
    expect(await retrieve({ query: 'kangaroo' })).toMatchObject({
      items: [],
      semantic: { status: 'ready', engine: 'keyword' },
    });
    expect(await retrieve({ query: 'price', automatic: { search: false } })).not.toHaveProperty('semantic');
    expect(await retrieve({ query: ' ' })).not.toHaveProperty('semantic');
  });

  it('RT-02 leaves out what is ignored, sensitive, blocked, binary or very large', async () => {
    const { retrieve, files } = await open({
      '.gitignore': 'dist/\n',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [secret]\n',
      'dist/a.ts': rounding,
      'secret/a.ts': rounding,
      'config/.env': rounding,
      'node_modules/x/a.js': rounding,
      'a.bin': Uint8Array.of(0, 1),
      'large.json': rounding.repeat(5_000),
      'good.ts': rounding,
    });
    files.resetCounters();
    const result = await retrieve({ query: 'round price' });
    expect(shown(result)).toEqual(['search good.ts']);
    expect(leftOut(result)).toEqual([]);
    expect(files.opened.filter((path) => /secret\/|dist\/|\.env|node_modules/u.test(path))).toEqual([]);
  });

  it('RT-02 leaves out the lists of installed versions that package managers write', async () => {
    const lists = ['package-lock.json', 'web/pnpm-lock.yaml', 'go.sum', 'infra/.terraform.lock.hcl', 'Cargo.lock'];
    const texts = [...lists, 'go.summary'].map((path) => [path, `price rounded half even // ${path}\n`]);
    const { retrieve } = await open(Object.fromEntries(texts));
    expect(shown(await retrieve({ query: 'price rounded half even' }))).toEqual(['search go.summary']);
  });

  it('RT-02 reads again only what changed', async () => {
    const { retrieve, files, clock } = await open({ 'a.ts': rounding, 'b.ts': filler(0, 10) });
    await retrieve({ query: 'price' });
    files.resetCounters();
    await retrieve({ query: 'price' });
    expect(files.reads).toBe(0);
    files.write(`${project}/b.ts`, 'const price = price;\n');
    clock.advance(60_000);
    expect(shown(await retrieve({ query: 'price' }))).toEqual(['search b.ts', 'search a.ts']);
    expect(files.reads).toBe(1);
  });

  it('RT-02 of many files the rarest words decide which are looked at closely', async () => {
    const many = Array.from({ length: 400 }, (_, at) => [`a/f${at}.ts`, 'const price = price + price;\n']);
    const { retrieve } = await open({ ...Object.fromEntries(many), 'z/x.ts': 'const price = halfEven;\n' });
    expect(shown(await retrieve({ query: 'price half even' }))[0]).toBe('search z/x.ts');
  });

  it('RT-02 where not all can be looked at, the nearest are, and the folders that were not are named', async () => {
    const files = [
      'app/shop/cart/b.ts',
      'app/shop/c.ts',
      'app/d.ts',
      'lib/deep/e.ts',
      'lib/f.ts',
      'price/g.ts',
      'h.ts',
    ];
    const search = (limits: Partial<KeywordLimits>) => searchWithin(files, { limits });
    expect(await search({ files: 4 })).toEqual({
      paths: ['app/d.ts', 'app/shop/c.ts', 'app/shop/cart/b.ts', 'price/g.ts'],
      detail:
        '3 of 7 files were not searched, in ., lib. One search reads at most 4 files, and starts near the active document.',
    });
    const folders = 'app, lib';
    expect((await search({ characters: 1, files: 1 })).detail).toContain(
      `6 of 7 files were not searched, in ., ${folders}`,
    );
    expect(await search({})).toMatchObject({ paths: files.toSorted(), detail: undefined });
  });

  it('RT-02 says how many of the files with words of the query have too many characters to be compared', async () => {
    const { paths, detail } = await searchWithin(['a.ts', 'b.ts', 'c.ts'], { limits: { comparedCharacters: 1 } });
    expect(paths).toEqual(['a.ts']);
    expect(detail).toBe(
      '2 of the best 3 files with words of the query were not compared with it. One search compares at most 1 characters.',
    );
  });

  it('RT-02 where not all can be looked at, packages that the project keeps are last', async () => {
    const own = ['a/deep/below/b.ts', 'a/deep/c.ts'];
    const files = [...own, 'a/vendor/price.ts', 'third_party/d.ts', 'vendor/round/price.ts'];
    expect(await searchWithin(files, { limits: { files: 2 } })).toEqual({
      paths: own,
      detail:
        '3 of 5 files were not searched, in a/vendor, third_party, vendor. One search reads at most 2 files, and starts near the active document.',
    });
    const inPackage = { document: 'vendor/round/active.ts' };
    expect((await searchWithin(files, { limits: { files: 1 }, ...inPackage })).paths).toEqual(['a/vendor/price.ts']);
    const asked = { limits: { files: 1 }, query: 'round price of a vendor' };
    expect((await searchWithin(files, asked)).paths).toEqual(['a/vendor/price.ts']);
  });

  it('RT-02 finds the same file once, wherever copies of it lie', async () => {
    const text = 'export const vatRate = 1;\n';
    const { retrieve } = await open({
      'src/vat.ts': text,
      'templates/vat.ts': text,
      'src/other.ts': `${text}// Other.\n`,
    });
    const { items } = await retrieve({ query: 'vat rate' });
    expect(items.map(({ path }) => path.slice(project.length + 1)).sort()).toEqual(['src/other.ts', 'src/vat.ts']);
  });

  it('RT-02 finds the same part once, also in a copy that was changed elsewhere', async () => {
    const part = '# Upgrades the vat rate.\nread_vat_rate\nwrite_vat_rate\n';
    const { retrieve } = await open({
      'scripts/upgrade.sh': `${filler(1, 60)}\n${part}`,
      'nightly/upgrade.sh': `${filler(2, 60)}\n${part}`,
    });
    const { items } = await retrieve({ query: 'upgrade the vat rate' });
    expect(items.map(({ content }) => content.includes('write_vat_rate'))).toEqual([true]);
  });

  it('RT-02 finds two files that begin with the same text, of which no part is shown', async () => {
    const line = `{"shop":"${'x '.repeat(5_000)}`;
    const { retrieve } = await open({ 'data/prices.json': `${line}one"}`, 'main/prices.json': `${line}two"}` });
    expect(shown(await retrieve({ query: 'prices' })).sort()).toEqual([
      'search data/prices.json',
      'search main/prices.json',
    ]);
  });

  it('RT-02 shows a file of blank lines whole', async () => {
    const { retrieve } = await open({ 'src/prices.txt': '\n'.repeat(50) });
    const { items } = await retrieve({ query: 'prices' });
    expect(items).toMatchObject([{ content: '\n'.repeat(50), truncated: false }]);
    expect(items[0]).not.toHaveProperty('range');
  });

  it('RT-02 says when it could not look everywhere', async () => {
    const tree = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.ts`, filler(at, 1)]));
    const { retrieve, clock, files } = await open(tree);
    const { read } = files;
    files.read = (path, options) => {
      clock.advance(100);
      return read(path, options);
    };
    const { semantic } = await retrieve({ query: 'filler' });
    expect(semantic?.status).toBe('degraded');
    expect(semantic?.detail).toMatch(/^\d+ of 200 files were not searched, in \.\. One search takes at most 8 s, and/u);
  });
});

/** The paths that a search with limits finds, and what it says about the others. */
async function searchWithin(
  paths: readonly string[],
  {
    limits,
    document = 'app/shop/cart/active.ts',
    query = 'round price',
  }: { limits: Partial<KeywordLimits>; document?: string; query?: string },
) {
  const tree = Object.fromEntries(paths.map((path) => [path, `${rounding}// ${path}\n`]));
  const { clock, files } = await open(tree);
  const { createWorld } = createWorlds({
    files: createEndingFiles(files),
    clock,
    settings: defaultEngineSettings,
    deniedDirectories: [],
    grantedRoots: [project],
    rootStore: createMemoryStore().roots,
  });
  const context = createKeywordContext({ clock, fileIndex: createFileIndex({ clock }), limits });
  const world = await createWorld(project);
  const { matches, status } = await context.search(query, {
    mountedDirectory: project,
    world,
    without: new Set<string>(),
    document: `${project}/${document}`,
  });
  return { paths: matches.map(({ path }) => path.slice(project.length + 1)).sort(), detail: status.detail };
}
