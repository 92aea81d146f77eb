/** What two formats can both say comes back the same (FM-15). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConvertResult } from '../../src/context/convert/convert-request.ts';
import { targetNames } from '../../src/context/formats/format-names.ts';
import { writeKeys } from '../../src/texts/write-yaml.ts';
import { sized } from '../support/test-size.ts';
import { createWorkspace, project } from '../support/workspace.ts';

type Tree = Record<string, string>;

const convert = async (tree: Tree, to: string, from?: string): Promise<{ plan: ConvertResult; files: Tree }> => {
  const { engine } = await createWorkspace(tree);
  const plan = await engine.convert({ mountedDirectory: project, to, ...(from && { from: [from] }) });
  return { plan, files: Object.fromEntries(plan.files.map(({ path, content }) => [path, content])) };
};

/** What each rule means by resolve, which knows nothing of conversions. */
async function meaningOf(tree: Tree): Promise<Map<string, string>> {
  const { engine } = await createWorkspace(tree);
  const files = ['src/x', 'lib/deep/x'];
  const request = { mountedDirectory: project, workingDirectory: '.', files, mentions: Object.keys(tree) };
  const result = await engine.resolve(request);
  return new Map(
    result.files.map(({ relativePath, trigger, globs, description, content }) => [
      relativePath,
      JSON.stringify([trigger, trigger === 'auto' ? globs : [], description, content]),
    ]),
  );
}

const word = fc.string({
  unit: fc.constantFrom('a', 'b', 'Z', '0', ' ', ':', '#', '"', "'", '-', 'é', '語', '\\', '@', '*', '{'),
});
const line = fc.oneof(
  word,
  fc.constantFrom(
    '---',
    '---\nglobs: x\n---',
    '# Title',
    '- a list',
    '```',
    '',
    'title: x',
    '@docs/x.md',
    '[x](../y.md)',
  ),
);
const body = fc
  .tuple(fc.nat(99_999), fc.array(line, { maxLength: 5 }), fc.constantFrom('', '\n', '\r\n', '\n\n'))
  .map(([number, lines, end]) => `${[...lines, `Rule ${number}.`].join('\n')}${end}`);
const glob = fc.constantFrom(
  'src/**',
  'lib/deep/**',
  '**/*.ts',
  '*.{js,jsx}',
  'src/api/**/*.py',
  'docs/',
  '[[]x]/**',
  'a b.md',
  '!x',
);
const description = fc.oneof(fc.constant(''), word);
const rule = fc.record({
  trigger: fc.constantFrom('always', 'auto', 'agent', 'manual'),
  globs: fc.uniqueArray(glob, { minLength: 1, maxLength: 3 }),
  description,
  priority: fc.constantFrom(500, 10),
});
const tree = fc.array(fc.tuple(rule, body), { minLength: 1, maxLength: 4 }).map(
  (rules): Tree =>
    Object.fromEntries(
      rules.map(([{ globs, ...keys }, text], at) => {
        const all = { ...keys, ...(keys.trigger === 'auto' && { globs }) };
        return [`.context/r${at}.md`, `---\n${writeKeys(all)}---\n${text}`];
      }),
    ),
);

/** What every format can say. */
const plain: Tree = {
  '.context/r0.md': '---\ntrigger: always\n---\nRule 0.\n',
  '.context/r1.md': '---\ntrigger: auto\nglobs: src/**\n---\nRule 1.\n',
};

describe('a conversion there and back', () => {
  const pairs = targetNames.flatMap((one) =>
    targetNames.flatMap((other) => (one === other ? [] : [[one, other] as const])),
  );
  it.each(pairs)('FM-15 from %s to %s keeps what both can say', async (one, other) => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (written) => {
        const first = one === 'context' ? written : (await convert(written, one)).files;
        const there = await convert(first, other, one);
        const back = await convert(there.files, one, other);
        const [before, after] = [await meaningOf(first), await meaningOf(back.files)];
        const means = [...after.values()];
        const inexact = new Set(
          there.plan.lost.filter(({ key }) => !['priority', 'links'].includes(key)).map(({ path }) => path),
        );
        const joined = new Set(there.plan.files.flatMap(({ from }) => (from.length > 1 ? from : [])));
        const left = new Set(there.plan.left.map(({ path }) => path));
        for (const [path, meaning] of before) {
          if (inexact.has(path) || joined.has(path) || left.has(path)) continue;
          expect(means, path).toContain(meaning);
          kept += 1;
        }
      }),
      // The example is the first of them.
      { numRuns: sized(2, 10), seed: 15 + pairs.findIndex(([a, b]) => a === one && b === other), examples: [[plain]] },
    );
    expect(kept).toBeGreaterThan(0);
  });
});
