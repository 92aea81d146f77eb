/** What the policy check says about paths with a link on the way (AP-07, S-34). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, project } from '../support/workspace.ts';

const path = `${project}/.ai-context-policy.yaml`;

async function linkedWorkspace(followSymlinks: boolean) {
  const { engine, files } = await createWorkspace(
    {
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - private/\n',
      'private/a.md': 'x',
      'src/a.md': 'x',
      '.cursor/rules/a.md': 'x',
      '/outside/a.md': 'x',
    },
    { settings: { followSymlinks } },
  );
  files.symlink(`${project}/src/closed`, `${project}/private`);
  files.symlink(`${project}/src/open`, `${project}/src`);
  files.symlink(`${project}/src/tool`, `${project}/.cursor`);
  files.symlink(`${project}/src/out`, '/outside');
  files.symlink(`${project}/src/nowhere`, `${project}/private/new.md`);
  const decide = async (...paths: string[]) =>
    (await engine.policy.check({ mountedDirectory: project, paths })).decisions;
  return { decide };
}

describe.each([false, true])('with followSymlinks %s', (followSymlinks) => {
  it('AP-07 the place that a link leads to decides, also about a file that is still to be made', async () => {
    const { decide } = await linkedWorkspace(followSymlinks);
    const closed = ['src/closed/a.md', 'src/closed/new.md', 'src/closed/new/new.md'];
    const decisions = await decide(...closed, 'src/open/a.md', 'src/open/new.md');
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, false, false, true, true]);
    expect(decisions[1]).toEqual({
      path: `${project}/src/closed/new.md`,
      allowed: false,
      reason: { code: 'policy_exception', detail: expect.stringContaining('exclude "private/"') },
      decidedBy: { path, pattern: 'private/', line: 3 },
    });
  });

  it('AP-07 sensitive files and configurations are kept by their real names', async () => {
    const { decide } = await linkedWorkspace(followSymlinks);
    const decisions = await decide('src/open/.env', 'src/tool/mcp.json');
    expect(decisions.map(({ reason }) => reason.code)).toEqual(['sensitive', 'configuration']);
  });

  it('S-34 nothing is to be made outside, or by a link that leads nowhere', async () => {
    const { decide } = await linkedWorkspace(followSymlinks);
    const decisions = await decide('src/out/new.md', 'src/out/new/new.md', 'src/nowhere', 'src/nowhere/new.md');
    const detail = 'a link on the way leads outside the granted roots, or to nothing';
    expect(decisions.map(({ reason }) => reason)).toEqual(Array(4).fill({ code: 'outside_roots', detail }));
  });
});

it('AP-03 S-37 a root that is a link inside another root is under the policies of the place that it leads to', async () => {
  const linked = `${project}/linked`;
  const { engine, files } = await createWorkspace(
    { '/srv/.git/config': '', '/srv/.ai-context-policy.yaml': 'ai_context_policy: block\n', '/srv/team/a.md': 'x' },
    { grantedRoots: [project, linked] },
  );
  files.symlink(linked, '/srv/team');
  const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['linked/a.md'] });
  expect(decisions).toMatchObject([{ allowed: false, decidedBy: { path: '/srv/.ai-context-policy.yaml' } }]);
  const { items } = await engine.retrieve({ mountedDirectory: project, openTabs: ['linked/a.md'] });
  expect(items).toEqual([]);
});

describe('a policy of a directory that a link leads to', () => {
  const policy = '.ai-context-policy.yaml';

  it('AP-09 S-39 is shown as it applies, if links are followed', async () => {
    const { engine, files } = await createWorkspace(
      { [`pkg/${policy}`]: 'ai_context_policy: allow\n', 'pkg/a.md': 'x' },
      { settings: { followSymlinks: true } },
    );
    files.symlink(`${project}/linked`, `${project}/pkg`);
    const { policies, warnings } = await engine.policy.list(project);
    const directory = `${project}/linked`;
    expect(policies).toMatchObject([
      { path: `${directory}/${policy}`, directory, aiContextPolicy: 'allow', valid: true },
    ]);
    expect(warnings).toEqual([]);
  });

  it('AP-04 S-39 blocks if the policy itself is a link, and is said to', async () => {
    const { engine, files } = await createWorkspace(
      { 'policies/open.yaml': 'ai_context_policy: allow\n', 'pkg/a.md': 'x' },
      { settings: { followSymlinks: true } },
    );
    files.symlink(`${project}/pkg/${policy}`, '../policies/open.yaml');
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['pkg/a.md'] });
    expect(decisions).toMatchObject([{ allowed: false }]);
    const refused = [{ code: 'policy_not_read', path: `${project}/pkg/${policy}` }];
    expect((await engine.policy.list(project)).warnings).toMatchObject(refused);
    expect((await engine.validate({ mountedDirectory: project })).diagnostics).toMatchObject(refused);
  });
});
