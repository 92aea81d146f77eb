/** What the loaders of other tools do with files as they were found in public repositories (FM-09). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../../src/context/resolve-request.ts';
import { createWorkspace } from '../../support/workspace.ts';

/** Each file as `path trigger state`. */
async function shown(tree: Record<string, string>, request: Partial<ResolveRequest> = {}): Promise<string[]> {
  const { resolve } = await createWorkspace(tree);
  const { files } = await resolve(request);
  return files.map(({ relativePath, trigger, state }) => `${relativePath} ${trigger} ${state}`);
}

describe('which files of a folder are rules', () => {
  it('FM-09 Roo Code reads hidden files too, and nothing that other programs leave behind', async () => {
    const names = ['.a', 'b/.c.md', '.DS_Store', 'Thumbs.db', 'd.md.bak', 'e.swp', 'f.LOCK'];
    expect(await shown(Object.fromEntries(names.map((name) => [`.roo/rules/${name}`, name])))).toEqual([
      '.roo/rules/.a always active',
      '.roo/rules/b/.c.md always active',
    ]);
  });

  it('FM-09 what lies beside the folder of a mode of Roo Code is no rule of that mode', async () => {
    expect(await shown({ '.roo/rules-of-thumb.md': 'No.', '.roo/rules-code/a.md': 'Yes.' })).toEqual([
      '.roo/rules-code/a.md manual available',
    ]);
  });
});
