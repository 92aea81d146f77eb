import { expect, it } from 'vitest';
import { effectsOf } from '../../../src/bin/lsp/effects.ts';
import { type WrittenFile, writtenFileAt } from '../../../src/bin/lsp/written-file.ts';

it('a search for files ends once nobody reads what it finds', async () => {
  const file = writtenFileAt('/p/.context/a.md', '.context') as WrittenFile;
  let looked = 0;
  const files = [...Array(100).keys()].map((each) => `/p/src/${each}`);
  const found = await effectsOf(file, '---\ntrigger: auto\nglobs: ["src/**"]\n---\nText.\n', {
    mountedDirectory: '/p',
    list: async () => ({ files, isWhole: true }),
    isStale: () => {
      looked += 1;
      return looked === 10;
    },
  });
  expect(found).toEqual([expect.objectContaining({ title: 'applies to 10 files' })]);
  expect(looked).toBe(10);
});

it('AP-01 a policy that cannot be used keeps all files below it from models, its exceptions too', async () => {
  const path = '/p/.ai-context-policy.yaml';
  const file = writtenFileAt(path, '.context') as WrittenFile;
  const files = ['/p/a.ts', '/p/src/b.ts'];
  const titles = async (kind: string) => {
    const where = { mountedDirectory: '/p', list: async () => ({ files, isWhole: true }), isStale: () => false };
    const found = await effectsOf(file, `ai_context_policy: ${kind}\nexclude:\n  - src/**\n`, where);
    return found.map(({ title }) => title);
  };
  expect(await titles('block')).toEqual(['by itself keeps 1 file from models', 'matches 1 file']);
  expect(await titles('never')).toEqual(['by itself keeps 2 files from models', 'matches 1 file']);
});
