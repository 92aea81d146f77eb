/** Rule files of other tools in the home directory, where that is itself mounted or watched (FM-05). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, home } from '../support/workspace.ts';

const tree = {
  '~/.codex/AGENTS.md': 'For Codex everywhere.',
  '~/.claude/CLAUDE.md': 'Everywhere.',
  '~/.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\nTypeScript everywhere.',
  '~/AGENTS.md': 'Of the home directory.',
};

describe('the home directory as mounted directory', () => {
  it.each([home, '/home'])('FM-05 keeps the rules of the home directory, each once (%s)', async (mountedDirectory) => {
    const { engine } = await createWorkspace(tree, { grantedRoots: ['/home'] });
    const { files } = await engine.resolve({ mountedDirectory, workingDirectory: home, files: [`${home}/x.ts`] });
    expect(files.map(({ path, scope, state }) => `${path.slice(home.length + 1)} ${scope} ${state}`)).toEqual([
      '.codex/AGENTS.md global active',
      '.claude/CLAUDE.md global active',
      '.claude/rules/ts.md global active',
      `AGENTS.md ${mountedDirectory === home ? 'static' : 'dynamic'} active`,
    ]);
  });
});
