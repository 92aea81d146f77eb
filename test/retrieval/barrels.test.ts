import { describe, expect, it } from 'vitest';
import { takeDefinitions } from '../../src/retrieval/imported-definitions.ts';
import { createModules } from '../../src/retrieval/modules.ts';
import { active, leftOut, open, shown } from './support/retrieving.ts';

const count = (length: number): number[] => Array.from({ length }, (_, at) => at);
/** `modules` files behind one barrel, each with `names` constants. */
const barrel = (modules: number, names: number): Record<string, string> => ({
  'lib/index.ts': count(modules)
    .map((at) => `export * from './m${at}.ts';\n`)
    .join(''),
  ...Object.fromEntries(
    count(modules).map((at) => [
      `lib/m${at}.ts`,
      count(names)
        .map((each) => `export const m${at}n${each} = ${each};\n`)
        .join(''),
    ]),
  ),
});
const importing = (names: readonly string[]) => active(`import { ${names.join(', ')} } from '../lib/index.ts';\n`);

describe('barrels', () => {
  it('RT-02 all that is imported through a barrel is there, however many files and names it has', async () => {
    const { retrieve } = await open(barrel(60, 8));
    const names = count(60).flatMap((at) => count(8).map((each) => `m${at}n${each}`));
    const result = await retrieve(importing(names.toReversed()));
    const text = result.items.map(({ content }) => content).join('\n');
    expect(names.filter((name) => !text.includes(`const ${name} =`))).toEqual([]);
    expect(result.items).toHaveLength(60);
    expect(leftOut(result)).toEqual([]);
  });

  it('RT-02 all that a file uses of one large header is there', async () => {
    const names = count(1_500).map((at) => `value_${at}`);
    const header = names.map((name) => `int ${name}(void);\n`).join('');
    const { retrieve } = await open({ 'all.h': header });
    const body = names.map((name) => `  ${name}();\n`).join('');
    const result = await retrieve(active(`#include "all.h"\nint main(void) {\n${body}}\n`, 'main.c'));
    const text = result.items[0]?.content ?? '';
    expect(names.filter((name) => !text.includes(`int ${name}(void);`))).toEqual([]);
    expect(leftOut(result)).toEqual([]);
  });

  it('RT-02 one definition under two names is found by both', async () => {
    const { retrieve } = await open({
      'lib/index.ts': "export { thing as first, thing as second } from './thing.ts';\n",
      'lib/thing.ts': 'export const thing = 1;\n',
    });
    expect(shown(await retrieve(importing(['first', 'second'])))).toEqual(['import lib/thing.ts']);
  });

  it('RT-02 of a module that a barrel exports under a name, what the document uses', async () => {
    const { retrieve } = await open({
      'lib/index.ts':
        "import * as sizes from './sizes.ts';\nexport * as icons from './icons.ts';\nexport { sizes };\nexport * as all from './all.ts';\n",
      'lib/icons.ts': "export const add = 'plus';\nexport const remove = 'minus';\nexport { far } from './far.ts';\n",
      'lib/sizes.ts': 'export const small = 1;\nexport const large = 2;\n',
      'lib/all.ts': 'export const one = 1;\nexport const two = 2;\n',
      'lib/far.ts': 'export const near = 1;\nexport const far = 2;\n',
    });
    const code = 'show(icons.add, icons.far, s.large, Object.keys(all));\n';
    const result = await retrieve(active(`import { icons, sizes as s, all } from '../lib/index.ts';\n${code}`));
    expect(result.items.map(({ content }) => content?.trim())).toEqual([
      "export const add = 'plus';",
      'export const far = 2;',
      'export const large = 2;',
      'export const one = 1;\nexport const two = 2;',
    ]);
  });

  it('RT-04 a file of a barrel that may not be read does not hide those after it', async () => {
    const { retrieve } = await open({
      ...barrel(3, 1),
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [lib/m0.ts]\n',
    });
    const result = await retrieve(importing(['m0n0', 'm2n0']));
    expect(shown(result)).toEqual(['import lib/m2.ts']);
    expect(leftOut(result)).toEqual(['import lib/m0.ts blocked_by_policy']);
  });

  it('RT-04 S-83 names that could not be followed in time are named', async () => {
    let advance = (): void => {};
    const { retrieve, clock } = await open(barrel(40, 1), { before: () => advance() });
    advance = () => clock.advance(200);
    const names = count(40).map((at) => `m${at}n0`);
    const result = await retrieve(importing(names));
    const taken = result.items.filter(({ relativePath }) => relativePath !== 'lib/index.ts').length;
    expect(taken).toBeGreaterThan(10);
    expect(taken).toBeLessThan(30);
    const [barrelReason] = result.omitted.filter(({ path }) => path.endsWith('lib/index.ts'));
    expect(barrelReason?.reason).toEqual({
      code: 'limit_reached',
      detail: `Parsing for one request takes longer than 4000 ms. Not found by then: ${names.slice(taken, taken + 20).join(', ')}${40 - taken > 20 ? ` and ${20 - taken} more` : ''}`,
    });
  });

  it('RT-04 S-83 so are those that are lost when files take too much memory, the first of them', async () => {
    const text = count(30)
      .map((at) => `export * from './m${at}.ts';\n`)
      .join('');
    const sources: Record<string, string> = { '/index.ts': text };
    for (const at of count(30)) sources[`/m${at}.ts`] = `export const n${at} = 1;\n`;
    const lookup = {
      mountedDirectory: '/',
      isExhausted: () => false,
      isBehindLink: () => false,
      kindOf: async (path: string) => (path in sources ? 'file' : undefined),
      namesIn: async () => [],
      derive: async () => undefined,
      deriveSource: async () => undefined,
    } as const;
    const read = async (path: string) => ({
      path,
      bytes: 1,
      truncated: false,
      sha256: path,
      text: sources[path] ?? '',
    });
    const parse = async (source: { text: string }) => ({
      imports: [],
      definitions: [...source.text.matchAll(/const (\w+)/gu)].map(([line, name = '']) => ({
        name,
        startLine: 1,
        endLine: 1,
        text: line,
      })),
      exports: [...source.text.matchAll(/'\.(.*)'/gu)].map(([, specifier = '']) => ({
        name: '*',
        local: '*',
        specifier,
        line: 1,
      })),
    });
    const modules = createModules(
      { lookup, read, parse },
      { elapsed: () => 0, isOver: () => false, limits: { bytes: 0 } },
    );
    const names = count(30).map((at) => `n${at}`);
    const { files, leftOut: failed } = await takeDefinitions({ path: '/index.ts', names }, modules);
    expect(files).toEqual([]);
    expect(failed).toEqual([
      {
        path: '/index.ts',
        reason: {
          code: 'limit_reached',
          detail: `The search for definitions stops after 0 bytes of source. Not found by then: ${names.slice(0, 20).join(', ')} and 10 more`,
        },
      },
    ]);
  });
});
