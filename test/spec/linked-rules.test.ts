/** A granted root often holds many projects: a link in one of them is no way into another (FM-06). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, home, project, warningCodes } from '../support/workspace.ts';

const tree = {
  '~/private/notes.md': 'Of another project.',
  '~/private/AGENTS.md': 'Rules of another project.',
  'docs/shared.md': 'Of this project.',
  'app/x.ts': '',
};
const place = { grantedRoots: [home] };
type Result = Awaited<ReturnType<Awaited<ReturnType<typeof createWorkspace>>['resolve']>>;
const shown = ({ files }: Result) =>
  files.map(({ relativePath, state, reason }) => `${relativePath} ${state} ${reason.code}`);

describe.each([
  ['a project that is a git repository', { '.git/HEAD': 'x' }],
  ['a project that is none', {}],
])('%s', (_, git) => {
  it('FM-06 S-36 a link that leads to another project waits for a mention', async () => {
    const { resolve, files } = await createWorkspace({ ...tree, ...git }, place);
    files.symlink(`${project}/CLAUDE.md`, '../private/notes.md');
    files.symlink(`${project}/AGENTS.md`, `${home}/private/AGENTS.md`);
    files.symlink(`${project}/GEMINI.md`, 'docs/shared.md');
    const result = await resolve({ files: ['app/x.ts'], query: 'notes of another project' });
    expect(shown(result)).toEqual([
      'AGENTS.md available outside_repository',
      'CLAUDE.md available outside_repository',
      'GEMINI.md active trigger_always',
    ]);
    expect(result.files[0]?.reason.detail).toBe('the link leads out of its repository');
    expect(warningCodes(result)).toEqual(['outside_repository', 'outside_repository']);
    expect(JSON.stringify(result)).not.toMatch(/Of another|Rules of another/u);
    const mentioned = await resolve({ mentions: [`${project}/CLAUDE.md`] });
    expect(shown(mentioned)).toContain('CLAUDE.md active mentioned');
  });

  it('FM-06 its text stands for no file of this one', async () => {
    const { resolve, files } = await createWorkspace(
      { ...tree, ...git, 'CLAUDE.md': 'Rules of another project.' },
      place,
    );
    files.symlink(`${project}/AGENTS.md`, '../private/AGENTS.md');
    expect(shown(await resolve())).toEqual([
      'AGENTS.md available outside_repository',
      'CLAUDE.md active trigger_always',
    ]);
  });
});

it('FM-06 in a folder of a repository a link may lead to any file of that repository', async () => {
  const { engine, files } = await createWorkspace({ ...tree, '.git/HEAD': 'x' }, place);
  files.symlink(`${project}/app/CLAUDE.md`, '../docs/shared.md');
  const result = await engine.resolve({ mountedDirectory: `${project}/app` });
  expect(shown(result)).toEqual(['CLAUDE.md active trigger_always']);
});

it('FM-06 a link in the home directory is the user’s own and leads anywhere that is granted', async () => {
  const { resolve, files } = await createWorkspace({ ...tree, '~/.claude/settings.json': '{}' }, place);
  files.symlink(`${home}/.claude/CLAUDE.md`, '../private/notes.md');
  expect(shown(await resolve())).toEqual(['~/.claude/CLAUDE.md active trigger_always']);
});

it('FM-06 S-36 a link leads to no other granted root', async () => {
  const { resolve, files } = await createWorkspace(tree, { grantedRoots: [project, `${home}/private`] });
  files.symlink(`${project}/CLAUDE.md`, '../private/notes.md');
  const result = await resolve({ mentions: ['CLAUDE'] });
  expect(shown(result)).toEqual([]);
  expect(result.excluded).toMatchObject([{ path: `${project}/CLAUDE.md`, reason: { code: 'outside_roots' } }]);
});

describe('a link at a name of rules that leads to no file', () => {
  const reasonOf = async (target: string, settings = {}) => {
    const { resolve, files } = await createWorkspace(tree, { settings });
    files.symlink(`${project}/AGENTS.md`, target);
    files.write(`${project}/locked/late.md`, 'Late.');
    files.setMode(`${project}/locked`, 0);
    const { excluded } = await resolve();
    return excluded.map(({ reason }) => reason);
  };

  it.each([{}, { followSymlinks: true }])('FM-06 is left out as such, with %o', async (settings) => {
    expect(await reasonOf('docs', settings)).toEqual([
      { code: 'symlink', detail: 'it is a symbolic link that leads to no file' },
    ]);
    for (const target of ['gone.md', 'locked/late.md', 'AGENTS.md'])
      expect(await reasonOf(target, settings)).toEqual([
        { code: 'symlink', detail: 'it is a symbolic link that leads to nothing that can be read' },
      ]);
  });

  it('CC-36 FM-06 is followed as soon as it leads to one', async () => {
    const { resolve, files } = await createWorkspace(tree);
    files.symlink(`${project}/AGENTS.md`, 'docs/late.md');
    expect(shown(await resolve())).toEqual([]);
    files.write(`${project}/docs/late.md`, 'Late.');
    expect(shown(await resolve())).toEqual(['AGENTS.md active trigger_always']);
  });
});
