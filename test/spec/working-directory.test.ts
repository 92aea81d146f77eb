/** A working directory without a file in play, where rules of several directories come together. */
import { describe, expect, it } from 'vitest';
import { ContextRequest } from '../../src/prompt/context-request.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const tree = {
  'AGENTS.md': 'Count money in cents.',
  'api/AGENTS.md': 'Answer with problems.',
  'web/AGENTS.md': 'Use no frameworks.',
};

describe('a working directory without a file in play', () => {
  it('CC-22 brings its rules into all context of a prompt', async () => {
    const { engine } = await createWorkspace(tree);
    const namesIn = async (workingDirectory?: string): Promise<string[]> =>
      (await engine.gatherContext({ mountedDirectory: project, workingDirectory })).items.map(({ name }) => name);
    expect(await namesIn()).toEqual(['AGENTS']);
    expect(await namesIn('api')).toEqual(['AGENTS', 'api/AGENTS']);
    expect(await namesIn(`${project}/web`)).toEqual(['AGENTS', 'web/AGENTS']);
    await expect(namesIn('/home/ada')).rejects.toMatchObject({ errors: [{ pointer: '/workingDirectory' }] });
  });

  it('CC-22 has its rules searched', async () => {
    const { engine } = await createWorkspace(tree);
    const found = async (workingDirectory?: string): Promise<string[]> => {
      const asked = { mountedDirectory: project, workingDirectory, query: 'how to answer with problems' };
      return (await engine.agents.search(asked)).results.map(({ name }) => name);
    };
    expect(await found()).toEqual([]);
    expect((await engine.agents.search({ mountedDirectory: project, query: 'x' })).searched).toBe(1);
    expect(await found('api')).toEqual(['api/AGENTS']);
  });

  it('CC-22 is for a directory only: an agent and a session have their own', async () => {
    const { engine } = await createWorkspace(tree);
    await engine.agents.put('reviewer', { name: 'Reviewer', mountedDirectory: project });
    const asked = { agentId: 'reviewer', workingDirectory: 'api' };
    await expect(engine.agents.search({ ...asked, query: 'x' })).rejects.toMatchObject({
      errors: [{ pointer: '/workingDirectory' }],
    });
    for (const whose of [{ agentId: 'reviewer' }, { sessionId: '1' }]) {
      const parsed = ContextRequest.safeParse({ mountedDirectory: project, workingDirectory: 'api', ...whose });
      expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['workingDirectory']]);
    }
  });
});
