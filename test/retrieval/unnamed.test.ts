import { describe, expect, it } from 'vitest';
import { active, open } from './support/retrieving.ts';

const count = (length: number): number[] => Array.from({ length }, (_, at) => at);
const body = count(80)
  .map((at) => `    this.use(${at});\n`)
  .join('');

const taken = async (tree: Record<string, string>, code: string, path?: string) => {
  const { retrieve } = await open(tree);
  const { items } = await retrieve({ ...active(code, path), automatic: { search: false } });
  return items.map(({ relativePath, range, truncated, content = '' }) => ({
    relativePath,
    range,
    truncated,
    lines: content.split('\n').filter((line) => line !== ''),
  }));
};

describe('files from which nothing is imported by name', () => {
  const element = `import { x } from 'x';\n\n@element('my-button')\nexport class MyButton {\n  render() {\n${body}  }\n}\n`;
  const heads = ["import { x } from 'x';", "@element('my-button')", 'export class MyButton {', '  render() { … }', '}'];

  it('RT-02 the heads of the definitions, if most of a longer file is in them', async () => {
    const [item, ...others] = await taken({ 'src/my-button.ts': element }, "import './my-button.ts';\n");
    expect(others).toEqual([]);
    expect(item).toMatchObject({ range: { startLine: 1, endLine: 87 }, truncated: false, lines: heads });
  });

  it('RT-02 also those behind a barrel that is open', async () => {
    const [item] = await taken({ 'src/my-button.ts': element }, "export * from './my-button.ts';\n");
    expect(item?.lines).toEqual(heads);
  });

  it('RT-02 each member of a class once', async () => {
    const shop = `class Cart:\n    def add(self):\n        return 1\n\n    def clear(self):\n${body}`;
    const [item] = await taken({ 'shop.py': shop }, 'import shop\n', 'main.py');
    expect(item?.lines).toEqual(['class Cart:', '    def add(self):', '    def clear(self):']);
  });

  it('RT-02 the text itself, if the file is short or does something', async () => {
    const short = 'export class A {}\n';
    const script = `export const a = 1;\n${count(80)
      .map((at) => `use(${at});\n`)
      .join('')}`;
    const [one, two] = await taken(
      { 'src/short.ts': short, 'src/script.ts': script },
      "import './short.ts';\nimport './script.ts';\n",
    );
    expect(one).toMatchObject({ range: undefined, lines: ['export class A {}'] });
    expect(two).toMatchObject({ range: undefined });
    expect(two?.lines).toHaveLength(81);
  });

  it('RT-02 no more than 300 lines of heads', async () => {
    const functions = count(500).map((at) => `export function f${at}() {\n${body}}\n`);
    const [item] = await taken({ 'src/many.ts': functions.join('') }, "import './many.ts';\n");
    // Each function has 82 lines.
    expect(item).toMatchObject({ truncated: true, range: { startLine: 1, endLine: 300 * 82 } });
    expect(item?.lines).toHaveLength(300);
    expect(item?.lines.at(-1)).toBe('export function f299() { … }');
  });

  it('RT-02 the text itself, if heads would be hardly shorter', async () => {
    const constants = (length: number): string =>
      count(length)
        .map((at) => `export const c${at} = ${at};\n`)
        .join('');
    const [short, long] = await taken(
      { 'src/short.ts': constants(100), 'src/long.ts': constants(1000) },
      "import './short.ts';\nimport './long.ts';\n",
    );
    expect(short).toMatchObject({ range: undefined, truncated: false });
    expect(long).toMatchObject({ range: { startLine: 1, endLine: 300 }, truncated: true });
    expect(long?.lines).toHaveLength(300);
  });

  it('RT-02 with heads the code around them, or `…` where it is long', async () => {
    const calls = count(20)
      .map((at) => `app.use(${at});\n`)
      .join('');
    const start = 'register(MyButton);\nstart();\n';
    const [item] = await taken(
      { 'src/start.ts': `${calls}${element}\n${start}\nexport function one() {\n${body}}\n${calls}` },
      "import './start.ts';\n",
    );
    const behind = ['register(MyButton);', 'start();', 'export function one() { … }', '…'];
    expect(item?.lines).toEqual(['…', ...heads.slice(1), ...behind]);
    expect(item).toMatchObject({ range: { startLine: 1, endLine: 213 }, truncated: false });
  });

  it('RT-02 what the query finds, in the order of the file', async () => {
    const calls = count(40)
      .map((at) => `app.use(${at});\n`)
      .join('');
    const rounding = `${calls}\n// Rounds prices half to even, as banks do.\n${calls}`;
    const one = `export function one() {\n${body}}\n`;
    const { retrieve } = await open({ 'src/price.ts': `${one}\n${rounding}\n${one.replace('one', 'two')}` });
    const request = { ...active("import './price.ts';\n"), query: 'how are prices rounded' };
    const { items } = await retrieve(request);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ range: { startLine: 1, endLine: 248 } });
    expect(items[0]?.content).toMatch(
      /^export function one\(\) \{ … \}\n[\s\S]*Rounds[\s\S]*\nexport function two\(\) \{ … \}$/u,
    );
  });

  it('RT-02 the template and the styles of a component of Angular', async () => {
    const tree = { 'src/cart.component.html': '<p>{{ total }}</p>\n', 'src/cart.component.scss': 'p { margin: 0 }\n' };
    const code =
      "@Component({ templateUrl: './cart.component.html', styleUrls: ['./cart.component.scss'] })\nclass Cart {}\n";
    const items = await taken(tree, code, 'src/cart.component.ts');
    expect(items.map(({ relativePath }) => relativePath)).toEqual(Object.keys(tree));
  });

  it.each(['css', 'scss', 'json', 'svg'])('RT-02 the first 60 lines of a longer .%s file', async (extension) => {
    const path = `src/a.${extension}`;
    const [long] = await taken({ [path]: 'x\n'.repeat(100) }, `import a from './a.${extension}';\n`);
    expect(long).toMatchObject({ range: { startLine: 1, endLine: 60 }, truncated: true });
    const [short] = await taken({ [path]: 'x\n'.repeat(59) }, `import './a.${extension}';\n`);
    expect(short).toMatchObject({ range: undefined, truncated: false });
  });
});
