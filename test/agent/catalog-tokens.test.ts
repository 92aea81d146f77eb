/** What a catalog costs: the tokens of what is not active are counted for nobody. */
import { expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

it('SS-07 RT-05 a search counts the tokens of active files only; resolve tells those of all', async () => {
  const counted: string[] = [];
  const tokenCounter = {
    count: async (texts: readonly string[]) => {
      counted.push(...texts);
      return texts.map(({ length }) => length);
    },
    dispose() {},
  };
  const tree = {
    '.context/brief.md': '---\ntrigger: always\n---\nBe brief.',
    '.context/database.md': '---\ntrigger: agent\ndescription: Migrations of the database\n---\nMigrate forward.',
  };
  const { engine } = await createWorkspace(tree, { ports: { tokenCounter } });
  const { results } = await engine.agents.search({ mountedDirectory: project, query: 'how are databases migrated' });
  expect(results.map(({ name }) => name)).toEqual(['database']);
  expect(counted).toEqual(['Be brief.']);
  const { files } = await engine.resolve({ mountedDirectory: project });
  expect(counted.toSorted()).toEqual(['Be brief.', 'Migrate forward.']);
  expect(files.map(({ tokens }) => tokens)).toEqual([9, 16]);
});
