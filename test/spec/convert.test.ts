/** Rules of a project in another format (FM-14). */
import { describe, expect, it } from 'vitest';
import type { ConvertRequest, ConvertResult } from '../../src/context/convert/convert-request.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const convertIn = async (
  files: Record<string, string>,
  request: Omit<ConvertRequest, 'mountedDirectory'>,
): Promise<ConvertResult> => {
  const { engine } = await createWorkspace(files);
  return engine.convert({ mountedDirectory: project, ...request });
};
const textsOf = ({ files }: ConvertResult) => Object.fromEntries(files.map(({ path, content }) => [path, content]));
const lossesOf = ({ lost }: ConvertResult) => lost.map(({ path, key, message }) => `${path} ${key}: ${message}`);
const leftOf = ({ left }: ConvertResult) => left.map(({ path, reason }) => `${path} ${reason.code}`);

const tree = {
  'AGENTS.md': 'Use tabs.\n',
  'packages/a/AGENTS.md': 'Package a has no tests.\n',
  '.cursor/rules/ts.mdc': '---\nglobs: **/*.ts\nalwaysApply: false\n---\nNo any.\n',
  '.cursor/rules/api.mdc': '---\ndescription: Of the API\nglobs: src/api/**\nalwaysApply: false\n---\nVersions.\n',
  '.cursor/rules/asked.mdc': '---\nalwaysApply: false\n---\nOnly when asked.\n',
  '.context/own.md': '---\ntrigger: always\npriority: 10\ntitle: Own\n---\nOurs.\n',
};

describe('conversion', () => {
  it('FM-14 writes each rule in the words of the target, and names what these cannot say', async () => {
    const plan = await convertIn(tree, { to: 'cursor' });
    expect(textsOf(plan)).toEqual({
      '.cursor/rules/agents.mdc': '---\nalwaysApply: true\n---\nUse tabs.\n',
      '.cursor/rules/own.mdc': '---\nalwaysApply: true\n---\nOurs.\n',
      '.cursor/rules/packages/a/agents.mdc':
        '---\nglobs: packages/a/**\nalwaysApply: false\n---\nPackage a has no tests.\n',
    });
    expect(lossesOf(plan)).toEqual([
      '.context/own.md priority: Cursor (cursor) has no priority (10).',
      '.context/own.md title: Cursor (cursor) does not know "title"; it is left out.',
    ]);
    expect(plan.left).toEqual([]);
  });

  it('FM-14 makes one text of a directory of what applies there, and leaves what waits to be asked for', async () => {
    const plan = await convertIn(tree, { to: 'claude-md' });
    expect(textsOf(plan)).toEqual({
      'CLAUDE.md': 'Use tabs.\n\nNo any.\n\nOurs.\n',
      'packages/a/CLAUDE.md': 'Package a has no tests.\n',
      'src/api/CLAUDE.md': 'Versions.\n',
    });
    expect(lossesOf(plan)).toContain('.cursor/rules/ts.mdc globs: CLAUDE.md cannot say **/*.ts; it always applies.');
    expect(lossesOf(plan).some((loss) => loss.startsWith('.cursor/rules/api.mdc globs'))).toBe(false);
    expect(leftOf(plan)).toEqual(['.cursor/rules/asked.mdc cannot_be_said']);
  });

  it('FM-14 adds to a shared text that is there, and only what it does not say', async () => {
    const plan = await convertIn(
      { ...tree, 'CLAUDE.md': 'Mine.\n\nOurs.\n' },
      { to: 'claude-md', from: ['context', 'agents-md'] },
    );
    expect(plan.files.find(({ path }) => path === 'CLAUDE.md')).toMatchObject({
      content: 'Mine.\n\nOurs.\n\nUse tabs.\n',
      from: ['AGENTS.md'],
      replaces: expect.stringMatching(/^[\da-f]{64}$/u),
    });
    expect(plan.present).toEqual([{ path: '.context/own.md', by: 'CLAUDE.md' }]);
  });
});
