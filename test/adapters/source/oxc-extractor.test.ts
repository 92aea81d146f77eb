import { describe, expect, it } from 'vitest';
import { createOxcExtractor } from '../../../src/adapters/source/oxc-extractor.ts';
import type { ParsedSource, SourceLanguage } from '../../../src/ports/parsed-source.ts';

const extract = (text: string, language: SourceLanguage = 'typescript'): ParsedSource =>
  createOxcExtractor(language)(text);

/** `specifier: names` of each import. */
const importsOf = (text: string, language?: SourceLanguage): string[] =>
  extract(text, language).imports.map(({ specifier, names }) => `${specifier}: ${names.join(' ')}`.trim());

/** `name = local @ specifier` of each exported name. */
const exportsOf = (text: string, language?: SourceLanguage): string[] =>
  (extract(text, language).exports ?? []).map(
    ({ name, local, specifier }) => `${name} = ${local}${specifier === undefined ? '' : ` @ ${specifier}`}`,
  );

const definitionOf = (text: string, name: string, language?: SourceLanguage) =>
  extract(text, language).definitions.find((each) => each.name === name);

describe('imports of TypeScript and JavaScript', () => {
  it.each([
    ["import './a';", './a:'],
    ["import a from './a';", './a: default'],
    ["import { a, b as c } from './a';", './a: a b'],
    ["import a, { type B } from './a';", './a: default B'],
    ["import { 'odd name' as a } from './a';", './a: odd name'],
    ["import type { A } from './a';", './a: A'],
    ["import type A from './a';", './a: default'],
    ["import * as a from './a';", './a:'],
    ["import * as a from './a'; a.b(); type C = a.D;", './a: b D'],
    ["import a = require('./a');", './a:'],
    ["import a = require('./a'); a.b();", './a: b'],
    ["export { a, b as c } from './a';", './a: a b'],
    ["export * from './a';", './a:'],
    ["export * as a from './a';", './a:'],
    ["const a = await import('./a');", './a:'],
    ["const { a, b: c } = await import('./a');", './a: a b'],
    ["(await import('./a')).b();", './a: b'],
    ["import('./a').then(({ b }) => b);", './a: b'],
    ["import('./a').then((a) => a.b);", './a: b'],
    ['import(`./a`);', './a:'],
    ["const a = require('./a'); a.b();", './a: b'],
    ["const { a } = require('./a');", './a: a'],
    ["require('./a').b();", './a: b'],
    ["require('./a');", './a:'],
    ["let a: import('./a').B.C;", './a: B'],
    ["let a: typeof import('./a');", './a:'],
    ["import data from './a.json' with { type: 'json' };", './a.json: default'],
  ])('RT-02 finds %s', (text, expected) => {
    expect(importsOf(text)).toEqual([expected]);
  });

  it('RT-02 finds what JSX takes from a module, and reads decorators', () => {
    const text =
      "import * as Ui from './ui';\nexport const A = () => <Ui.Button kind='x' />;\n@Ui.injectable() class B {}";
    expect(importsOf(text, 'tsx')).toEqual(['./ui: Button injectable']);
    expect(importsOf("import B from './b';\nconst a = <B />;", 'javascript')).toEqual(['./b: default']);
  });

  it('RT-02 finds the template and the styles of a component of Angular', () => {
    const text = `@Component({
      selector: 'shop-cart', templateUrl: './cart.component.html', styleUrls: ['./cart.component.scss', '../shop.css'],
    }) class Cart {}
    @Component({ templateUrl: 'price.html', styleUrl: \`price.css\` }) class Price {}
    @Page({ templateUrl: './page.html' }) class Page {}
    const route = { templateUrl: './other.html' };
    @Component({ templateUrl: name, styleUrls, ...rest }) class Other {}
    @Component class Bare {}`;
    expect(importsOf(text)).toEqual([
      './cart.component.html:',
      './cart.component.scss:',
      '../shop.css:',
      './price.html:',
      './price.css:',
    ]);
  });

  it('S-45 tells a bounded number of things of one text', () => {
    const lines = (line: string): string => line.repeat(6_000);
    expect(extract(lines('const a = 1;\n')).definitions).toHaveLength(5_000);
    expect(extract(lines("import './a';\n")).imports).toHaveLength(5_000);
    expect(extract(lines("export { a } from './a';\n")).exports).toHaveLength(5_000);
  });

  it('RT-02 leaves out what no text says', () => {
    expect(importsOf('import(name); require(a + `b`); foo.require("./a"); // import "./b"')).toEqual([]);
  });

  it('RT-02 counts lines with CRLF and a byte order mark', () => {
    const { imports, definitions } = extract(
      "\uFEFFimport a from './ä😀';\r\n\r\nimport './b';\r\nexport const c = 1;\r\n",
    );
    expect(imports.map(({ specifier, line }) => [specifier, line])).toEqual([
      ['./ä😀', 1],
      ['./b', 3],
    ]);
    expect(definitions).toEqual([{ name: 'c', startLine: 4, endLine: 4, text: 'export const c = 1;' }]);
    // Definitions are shown with the line ends they have in every language.
    const [shown] = extract('/** D.\r\n */\r\nexport class D {\r\n  a() {}\r\n}\r\n').definitions;
    expect(shown).toEqual({ name: 'D', startLine: 1, endLine: 5, text: '/** D.\n */\nexport class D {\n  a() {}\n}' });
  });

  it.each([
    ["import a from './a';\nconst x = a.\n\nexport function f() {\n  return 1;\n}\nimport './b';\n", ['./a', './b']],
    ["import a from './a';\nfunction f( {\n}\nexport const z = 1;\n", ['./a']],
    ["import { a, b\nimport './b';\nexport const z = 1;\n", ['./b']],
    ["import { a } from \nimport './b';\n", ['./b']],
    ["import './a';\nif (x {\n  y();\n}\nclass A {\n  m( { }\n}\nrequire('./b');\n", ['./a', './b']],
    ["import './a';\n((((((\n", ['./a']],
  ])('RT-02 finds the imports around what is being typed: %j', (text, expected) => {
    expect(extract(text).imports.map(({ specifier }) => specifier)).toEqual(expected);
  });

  it('RT-02 shows definitions behind a syntax error as they are written', () => {
    const text = 'const x = foo.\n\n/** Adds. */\nexport function add(a: number): number {\n  return a + 1;\n}\n';
    expect(definitionOf(text, 'add')).toMatchObject({ startLine: 3, endLine: 6 });
  });

  it('RT-02 never fails, whatever the text', () => {
    for (const text of ['', '\0', '}{', '"', '`${', '<a', '/*', '#!/usr/bin/env node', '\uD800', 'import', 'export'])
      for (const language of ['typescript', 'tsx', 'javascript'] as const)
        expect(() => extract(text, language), text).not.toThrow();
  });
});

describe('exported names', () => {
  it.each([
    ["export { a as b } from './a';", ['b = a @ ./a']],
    ["export { default } from './a';", ['default = default @ ./a']],
    ["export * from './a';", ['* = * @ ./a']],
    ["export * as a from './a';", ['a = * @ ./a']],
    ['const a = 1; export { a as b };', ['b = a']],
    ["import { a } from './a'; export { a };", ['a = a @ ./a']],
    ["import a from './a'; export default a;", ['default = default @ ./a']],
    ["import * as a from './a'; export { a };", ['a = * @ ./a']],
    ['export default function f() {}', ['default = f']],
    ['export default class {}', []],
    ['class A {} export = A;', ['default = A']],
    ['const a = 1; export { a };', []],
  ])('RT-02 of %s', (text, expected) => {
    expect(exportsOf(text)).toEqual(expected);
  });

  it.each([
    ['function f() {} module.exports = f;', ['default = f']],
    ['exports.a = b;', ['a = b']],
    ["module.exports = require('./lib');", ['default = default @ ./lib', '* = * @ ./lib']],
    ["const { a } = require('./a'); module.exports = { a, b: c };", ['a = a @ ./a', 'b = c']],
    ["exports.a = require('./a');", ['a = default @ ./a']],
    ["const A = require('./a'); module.exports = { A };", ['A = default @ ./a']],
  ])('RT-02 of CommonJS: %s', (text, expected) => {
    expect(exportsOf(text, 'javascript')).toEqual(expected);
  });
});

describe('definitions of TypeScript and JavaScript', () => {
  it('RT-02 long comments are cut, before the bodies of what they are about', () => {
    const comment = `/**\n${' * A line that tells much of what follows, and of other things.\n'.repeat(200)} */\n`;
    const code = `export function sum(a: number) {\n${'  a += 1;\n'.repeat(15)}}`;
    const text = definitionOf(`${comment}${code}\n`, 'sum')?.text ?? '';
    expect(text).toMatch(/^\/\*\*\n \* A line [^…]*\n … \*\/\nexport function sum/u);
    expect(text.endsWith(code)).toBe(true);
    expect(text.length).toBeLessThan(4_100);
    const short = definitionOf(`/**\n${' * A line.\n'.repeat(15)} */\n${code}\n`, 'sum')?.text;
    expect(short?.endsWith(code)).toBe(true);
    const wide =
      definitionOf(`/** A table. */\nexport const table = [${'1, '.repeat(10_000)}];\n`, 'table')?.text ?? '';
    expect(wide.startsWith('/** A table. */\nexport const table')).toBe(false);
    expect(wide).toMatch(/^…\nexport const table = \[1, [^…]*\n…$/u);
  });

  it('RT-02 has every kind, with the comment above it', () => {
    const text = [
      '/** Adds. */\nexport function add(a: number): number { return a; }',
      '// Two lines\n// of comment.\nexport const one = 1;',
      '/** Not this. */\n\nlet two = 2;',
      'export interface A { b: string }',
      'type B = A | undefined;',
      'export enum C { D }',
      'export abstract class E { abstract f(): void }',
      'declare function g(): void;',
      'export const { h, i: [j] } = x;',
      'namespace K { export const l = 1 }',
      'export default class { }',
    ].join('\n');
    const { definitions } = extract(text);
    expect(definitions.map(({ name }) => name).join(' ')).toBe('add one two A B C E g h j K default');
    expect(definitions[0]?.text).toBe('/** Adds. */\nexport function add(a: number): number { return a; }');
    expect(definitions[1]).toMatchObject({ startLine: 3, endLine: 5 });
    expect(definitions[2]?.text).toBe('let two = 2;');
  });

  const lines = (count: number): string => '    work();\n'.repeat(count);

  it('RT-02 shows a function whole up to 20 lines, then without its body', () => {
    const short = `export function f(a: string): void {\n${lines(18)}}`;
    expect(definitionOf(short, 'f')?.text).toBe(short);
    const long = `/** Does much. */\nexport async function f(\n  a: string,\n): Promise<void> {\n${lines(30)}}`;
    expect(definitionOf(long, 'f')).toEqual({
      name: 'f',
      startLine: 1,
      endLine: 35,
      text: '/** Does much. */\nexport async function f(\n  a: string,\n): Promise<void> { … }',
    });
    const arrow = `export const f = (a: string): void => {\n${lines(30)}};`;
    expect(definitionOf(arrow, 'f')?.text).toBe('export const f = (a: string): void => { … }');
  });

  it('RT-02 shows of a long class the members, without bodies and without what is private', () => {
    const text = `@Injectable()\nexport class A extends B {\n  readonly size = 1;\n  #secret = 2;\n  private own = 3;\n  constructor(a: string) {\n${lines(20)}  }\n  static async run(): Promise<void> {\n${lines(10)}  }\n  get name() { return ''; }\n}`;
    expect(definitionOf(text, 'A')?.text).toBe(
      "@Injectable()\nexport class A extends B {\n  readonly size = 1;\n  constructor(a: string) { … }\n  static async run(): Promise<void> { … }\n  get name() { return ''; }\n}",
    );
  });

  it('RT-02 cuts long decorators, and not the class or the member below them', () => {
    const template = '  <p>Cart</p>\n'.repeat(200);
    const options = "    type: 'string',\n".repeat(40);
    const text = `@Component({\n  selector: 'cart',\n  template: \`\n${template}\`,\n})\nexport class Cart {\n  @Input({\n${options}  })\n  size = 1;\n  @Get({\n${options}  })\n  show(id: number): string {\n${lines(30)}  }\n}`;
    const shown = definitionOf(text, 'Cart')?.text ?? '';
    expect(shown).toMatch(/^@Component\(\{\n {2}selector: 'cart',\n/u);
    expect(shown).toMatch(
      /\n…\nexport class Cart \{\n {2}@Input\(\{\n(?: {4}type: 'string',\n){5,20}…\n {2}size = 1;\n/u,
    );
    expect(shown).toMatch(/\n…\n {2}show\(id: number\): string \{ … \}\n\}$/u);
  });

  it('RT-02 shows the beginning of a long type or table', () => {
    const text = `export type A = {\n${'  a: string;\n'.repeat(100)}};`;
    expect(definitionOf(text, 'A')?.text.split('\n')).toHaveLength(61);
  });

  it('RT-02 finds what CommonJS defines within the object it exports', () => {
    const text = 'module.exports = {\n  /** F. */\n  f(a) { return a; },\n  g: (b) => b,\n  h,\n  i: j,\n};';
    const { definitions } = extract(text, 'javascript');
    expect(definitions.map(({ name }) => name)).toEqual(['default', 'f', 'g']);
    expect(definitions[1]).toEqual({ name: 'f', startLine: 2, endLine: 3, text: '/** F. */\n  f(a) { return a; }' });
  });

  it('RT-02 finds what CommonJS defines by assigning it', () => {
    const text = 'exports.f = function (a) { return a; };\nmodule.exports.g = (b) => b;\napp.use = function use() {};';
    expect(extract(text, 'javascript').definitions.map(({ name }) => name)).toEqual(['f', 'g', 'use']);
  });
});
