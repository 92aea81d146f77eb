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
