/** Why (not): `explain` gives the verdict of `resolve` and the steps that led to it. */
import { describe, expect, it } from 'vitest';
import { config, contextFile, createWorkspace, project } from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });

describe('explain', () => {
  it('names file and line of the pattern that excluded, and of the flag that dropped', async () => {
    const { engine } = await createWorkspace({
      '.context/context-config.json':
        '{\n  "clientContext": {\n    "excludeFiles": [\n      "x",\n      "drafts/**"\n    ],\n    "ignoreGlobalContext": true\n  }\n}',
      '.context/drafts/a.md': always,
      '~/.context/g.md': always,
    });
    const { candidates } = await engine.explain({ mountedDirectory: project });
    expect(candidates.find(({ path }) => path.endsWith('drafts/a.md'))).toEqual({
      path: `${project}/.context/drafts/a.md`,
      verdict: 'excluded',
      reason: {
        code: 'excluded_by_config',
        detail: `excludeFiles "drafts/**" in ${project}/.context/context-config.json:5`,
      },
      steps: [
        { rule: 'working_directory', outcome: 'considered', detail: project },
        { rule: 'context_directory', outcome: 'found', detail: `in ${project}/.context (static scope)` },
        { rule: 'sensitive', outcome: 'passed' },
        {
          rule: 'excludeFiles',
          outcome: 'excluded_by_config',
          detail: `excludeFiles "drafts/**" in ${project}/.context/context-config.json:5`,
        },
      ],
    });
    expect(candidates.find(({ path }) => path.endsWith('g.md'))?.reason.detail).toBe(
      `ignoreGlobalContext in ${project}/.context/context-config.json:7`,
    );
  });

  it('counts tokens only where a budget decides, and then as resolve does', async () => {
    const counted: string[] = [];
    const count = async (texts: readonly string[]) => {
      counted.push(...texts);
      return texts.map(() => 10);
    };
    const { engine } = await createWorkspace(
      { '.context/a.md': always, '.context/b.md': `${always}\nAnother body.\n` },
      { ports: { tokenCounter: { count, dispose() {} } } },
    );
    const request = { mountedDirectory: project };
    const { candidates } = await engine.explain(request);
    expect(candidates.map(({ verdict }) => verdict)).toEqual(['active', 'active']);
    expect(counted).toEqual([]);
    const limited = { ...request, budget: { maxTokens: 10 } };
    const explained = await engine.explain(limited);
    expect(counted).toHaveLength(2);
    const resolved = await engine.resolve(limited);
    expect(explained.candidates.map(({ path, verdict }) => [path, verdict]).sort()).toEqual(
      resolved.files.map(({ path, state }) => [path, state]).sort(),
    );
    expect(explained.candidates.filter(({ reason }) => reason.code === 'over_budget')).toHaveLength(1);
  });

  it('tells the whole way of a file that is active', async () => {
    const { engine } = await createWorkspace({
      '.context/context-config.yaml': '',
      '.context/config.yaml': 'clientContext:\n  includeFiles:\n    - docs/*.md\n',
      'docs/a.md': contextFile({ trigger: 'auto', globs: ['*.ts'] }),
    });
    const { candidates } = await engine.explain({
      mountedDirectory: project,
      path: 'docs/a.md',
      files: ['x.ts'],
      workingDirectory: '.',
    });
    expect(candidates).toHaveLength(1);
    expect(candidates[0]).toMatchObject({ verdict: 'active', reason: { code: 'glob_matched' } });
    expect(candidates[0]?.steps.map(({ rule, outcome }) => `${rule}=${outcome}`)).toEqual([
      'working_directory=considered',
      'include=found',
      'sensitive=passed',
      'excludeFiles=passed',
      'ignoreAncestorContext=passed',
      'file_kind=passed',
      'file_type=passed',
      'policy=passed',
      'ignore_file=passed',
      'content=passed',
      'disabled=passed',
      'trigger_auto=active',
    ]);
    expect(candidates[0]?.steps[1]?.detail).toBe(`includeFiles "docs/*.md" in ${project}/.context/config.yaml:3`);
  });

  it('says what stood in the way of a path that is no candidate', async () => {
    const { engine, files } = await createWorkspace({
      '.context/context-config.json': config({ clientContext: { includeFiles: ['guides/**'] } }),
      'docs/a.md': always,
      'other/.context/b.md': always,
      '/etc/passwd': 'x',
      'docs/.env': 'x',
    });
    const why = async (path: string): Promise<string | undefined> => {
      const { candidates } = await engine.explain({ mountedDirectory: project, path });
      expect(candidates).toHaveLength(1);
      expect(candidates[0]?.verdict).toBe('excluded');
      expect(candidates[0]?.steps.length).toBeGreaterThan(0);
      return candidates[0]?.reason.code;
    };
    expect(await why('docs/a.md')).toBe('not_included');
    expect(await why('other/.context/b.md')).toBe('not_on_the_way');
    expect(await why('none.md')).toBe('not_found');
    expect(await why('docs')).toBe('not_regular_file');
    for (const lock of ['.context/.#b.md', '.cursor/rules/.#r.mdc']) {
      files.symlink(`${project}/${lock}`, 'ada@host.4711:1762000000');
      expect(await why(lock)).toBe('symlink');
    }
    expect(await why('docs/.env')).toBe('sensitive');
    expect(await why('/etc/passwd')).toBe('outside_roots');
    expect(await why('../../../etc/passwd')).toBe('outside_roots');
    expect(files.opened.filter((path) => !path.startsWith(project))).toEqual([]);
    const { candidates } = await engine.explain({ mountedDirectory: project, path: 'docs/a.md' });
    expect(candidates[0]?.steps).toContainEqual({
      rule: 'includeFiles',
      outcome: 'no_match',
      detail: expect.stringContaining('"guides/**" in /home/ada/myproject/.context/context-config.json:1'),
    });
  });

  it('says of a file above the mounted directory that it lies outside, whatever its name', async () => {
    const { engine } = await createWorkspace({ 'AGENTS.md': always, 'packages/a/x.ts': '' });
    const mountedDirectory = `${project}/packages/a`;
    const { candidates } = await engine.explain({ mountedDirectory, path: '../../AGENTS.md' });
    expect(candidates[0]?.reason).toEqual({
      code: 'not_included',
      detail: `It lies outside the mounted directory ${mountedDirectory}, and no includeFiles pattern matches it.`,
    });
  });

  it('FM-03 says of a rule file of another tool which setting, request or configuration leaves it out', async () => {
    const tree = {
      '.cursor/rules/a.mdc': always,
      'packages/b/AGENTS.md': 'B.',
      'docs/a.md': 'A.',
      '.clinerules/off.md': '---\npaths: []\n---\nOff.',
      '.junie/AGENTS.md': 'J.',
      '.junie/guidelines.md': 'G.',
    };
    const reasonIn = async (path: string, { settings = {}, more = {}, ...asked }: Record<string, object> = {}) => {
      const { engine } = await createWorkspace({ ...tree, ...more }, { settings });
      const { candidates } = await engine.explain({ mountedDirectory: project, path, ...asked });
      return candidates[0]?.reason;
    };
    const left = {
      code: 'format_not_read',
      detail: expect.stringMatching(/format cursor.*the setting or the request/u),
    };
    expect(await reasonIn('.cursor/rules/a.mdc')).toMatchObject({ code: 'needs_mention' });
    expect(await reasonIn('.cursor/rules/a.mdc', { settings: { formats: 'none' } })).toEqual(left);
    expect(await reasonIn('.cursor/rules/a.mdc', { formats: ['zed'] })).toEqual(left);
    const more = { '.context/context-config.json': config({ clientContext: { formats: ['zed'] } }) };
    expect(await reasonIn('.cursor/rules/a.mdc', { more })).toEqual({
      code: 'format_not_read',
      detail: expect.stringContaining(`in ${project}/.context/context-config.json disables`),
    });
    expect(await reasonIn('packages/b/AGENTS.md')).toEqual({
      code: 'not_on_the_way',
      detail: expect.stringContaining(`format agents-md for ${project}/packages/b,`),
    });
    expect(await reasonIn('.junie/guidelines.md')).toEqual({
      code: 'not_included',
      detail: expect.stringContaining('.junie/AGENTS.md is used instead'),
    });
    const scopes = { scopes: ['global'] };
    expect((await reasonIn('.junie/AGENTS.md', scopes))?.detail).toContain('the request left its scope out');
    expect(await reasonIn('docs/a.md')).toEqual({
      code: 'not_included',
      detail: expect.stringContaining('not a rule file of another tool'),
    });
    expect(await reasonIn('.clinerules/off.md')).toEqual({
      code: 'disabled',
      detail: '`paths: []` in its front matter',
    });
  });

  it('FM-02 says of a rule file of another tool which directory on the way keeps it away, and why', async () => {
    const { engine, files } = await createWorkspace({
      'tools/.hidden/AGENTS.md': 'H.',
      'node_modules/x/AGENTS.md': 'X.',
      'vendor/lib/.git/HEAD': 'ref: refs/heads/main',
      'vendor/lib/AGENTS.md': 'V.',
      'other/y/rules/a.mdc': 'R.',
    });
    files.symlink(`${project}/.cursor`, `${project}/other/y`);
    const reasonOf = async (path: string) => {
      const inPlay = ['tools/.hidden/x.ts', 'node_modules/x/x.ts', 'vendor/lib/x.ts'];
      const { candidates } = await engine.explain({ mountedDirectory: project, files: inPlay, path });
      return candidates[0]?.reason;
    };
    expect(await reasonOf('tools/.hidden/AGENTS.md')).toEqual({
      code: 'not_included',
      detail: `It is a file of the format agents-md, but ${project}/tools/.hidden is hidden, so no rules are read there.`,
    });
    expect(await reasonOf('node_modules/x/AGENTS.md')).toMatchObject({
      detail: expect.stringContaining(`${project}/node_modules holds installed packages, so no rules`),
    });
    expect(await reasonOf('vendor/lib/AGENTS.md')).toEqual({
      code: 'outside_repository',
      detail: expect.stringContaining(`${project}/vendor/lib is another git repository, so no rules`),
    });
    expect(await reasonOf('.cursor/rules/a.mdc')).toEqual({
      code: 'symlink',
      detail: expect.stringContaining(`${project}/.cursor is a link, so no rules`),
    });
  });

  it('shows the budget as the last step', async () => {
    const { engine } = await createWorkspace({ '.context/a.md': contextFile({ trigger: 'always' }, 'x'.repeat(40)) });
    const { candidates } = await engine.explain({ mountedDirectory: project, budget: { maxTokens: 1 } });
    expect(candidates[0]).toMatchObject({ verdict: 'available', reason: { code: 'over_budget' } });
    expect(candidates[0]?.steps.at(-1)).toMatchObject({ rule: 'budget', outcome: 'over_budget' });
  });
});
