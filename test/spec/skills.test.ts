/** Skills: references that a query or a mention chooses, and the other files of their folders (FM-12). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { createWorkspace, home, project } from '../support/workspace.ts';

type Tree = Record<string, string | Uint8Array>;

const skill = (keys: string, body = 'Do it so.') => `---\n${keys}\n---\n${body}\n`;
const pdf = skill('name: pdf\ndescription: Fill forms in PDF files.');

/** Each file as `path type trigger state`, in the order of the answer. */
const shown = ({ files }: ResolveResult): string[] =>
  files.map(({ relativePath, type, trigger, state }) => `${relativePath} ${type} ${trigger} ${state}`);
const excludedIn = ({ excluded }: ResolveResult): string[] =>
  excluded.map(({ path, reason }) => `${path.slice(project.length + 1)} ${reason.code}`);
const resolveIn = async (tree: Tree, request: Partial<ResolveRequest> = {}, formats?: string[]) => {
  const { resolve } = await createWorkspace(tree, formats === undefined ? {} : { settings: { formats } });
  return resolve(request);
};

describe('skills', () => {
  it('FM-12 are references that wait to be chosen, in the project and in the home directory', async () => {
    const result = await resolveIn(
      {
        '.claude/skills/pdf/SKILL.md': pdf,
        '.agents/skills/a/SKILL.md': skill('description: One.', 'A.'),
        '.github/skills/b/skill.md': skill('description: Two.', 'B.'),
        '~/.claude/skills/c/SKILL.md': skill('description: Three.', 'C.'),
        '~/.agents/skills/d/SKILL.md': skill('description: Four.', 'D.'),
        '~/.copilot/skills/e/SKILL.md': skill('description: Five.', 'E.'),
        'packages/x/.claude/skills/f/SKILL.md': skill('description: Six.', 'F.'),
      },
      { workingDirectory: 'packages/x' },
    );
    expect(shown(result)).toEqual([
      '~/.agents/skills/d/SKILL.md reference agent available',
      '~/.claude/skills/c/SKILL.md reference agent available',
      '~/.copilot/skills/e/SKILL.md reference agent available',
      '.agents/skills/a/SKILL.md reference agent available',
      '.claude/skills/pdf/SKILL.md reference agent available',
      '.github/skills/b/skill.md reference agent available',
      'packages/x/.claude/skills/f/SKILL.md reference agent available',
    ]);
    expect(result.files.map(({ name, format }) => `${name} ${format}`)).toEqual([
      '~:d agents-skills',
      '~:c claude-skills',
      '~:e copilot-skills',
      'a agents-skills',
      'pdf claude-skills',
      'b copilot-skills',
      'f claude-skills',
    ]);
    expect(result.files[4]).toMatchObject({ description: 'Fill forms in PDF files.', source: 'format' });
    expect(result.warnings).toEqual([]);
  });

  it('FM-12 become active by a query that they fit, and by a mention', async () => {
    const tree = {
      '.claude/skills/pdf/SKILL.md': pdf,
      '.claude/skills/deploy/SKILL.md': skill(
        'name: deploy\ndescription: Ship the containers to the cluster.',
        'Ship.',
      ),
    };
    expect(shown(await resolveIn(tree, { query: 'How do I fill the forms in these PDF files?' }))).toEqual([
      '.claude/skills/deploy/SKILL.md reference agent available',
      '.claude/skills/pdf/SKILL.md reference agent active',
    ]);
    const mentioned = await resolveIn(tree, { mentions: ['deploy'] });
    expect(mentioned.files[0]).toMatchObject({ state: 'active', content: 'Ship.\n' });
  });

  it('FM-12 mean by their keys what the tools mean', async () => {
    const meant = async (keys: string, body?: string) => {
      const { files, excluded } = await resolveIn({ '.claude/skills/x/SKILL.md': skill(keys, body) });
      return files[0] ?? excluded[0];
    };
    expect(await meant('description: One.\ndisable-model-invocation: true')).toMatchObject({ trigger: 'manual' });
    expect(await meant('description: One.\nuser-invocable: false')).toMatchObject({ trigger: 'agent' });
    expect(await meant('description: One.\nuser-invocable: false\ndisable-model-invocation: true')).toMatchObject({
      reason: { code: 'disabled' },
    });
    expect(await meant('description: One.\nwhen_to_use: When two.')).toMatchObject({ description: 'One. When two.' });
    expect(await meant('name: x', '# Title\n\nSays what\nit does.\n\nMore.')).toMatchObject({
      trigger: 'agent',
      description: 'Says what it does.',
    });
    expect(await meant('name: x', '# Title\n')).toMatchObject({ trigger: 'manual', description: '' });
    expect(await meant('description: One.\nlicense: MIT\nallowed-tools: Read Bash(git *)')).toMatchObject({
      properties: { license: 'MIT', 'allowed-tools': 'Read Bash(git *)' },
    });
  });

  it('FM-12 with `paths` are chosen only where such a file is in play', async () => {
    const tree = { '.claude/skills/x/SKILL.md': skill('name: x\ndescription: Fill forms.\npaths: "*.pdf, src/**"') };
    const asked = { query: 'fill forms', workingDirectory: '.' };
    const state = async (request: Partial<ResolveRequest>) => (await resolveIn(tree, request)).files[0];
    expect(await state({ ...asked, files: ['a.pdf'] })).toMatchObject({ state: 'active' });
    expect(await state({ ...asked, files: ['a.ts'] })).toMatchObject({ reason: { code: 'no_glob_matched' } });
    expect(await state({ mentions: ['x'] })).toMatchObject({ state: 'active' });
  });

  it('FM-03 FM-12 can be switched off, each kind by its name', async () => {
    const tree = { '.claude/skills/pdf/SKILL.md': pdf, '.agents/skills/a/SKILL.md': skill('description: One.', 'A.') };
    expect(shown(await resolveIn(tree, {}, ['agents-skills']))).toEqual([
      '.agents/skills/a/SKILL.md reference agent available',
    ]);
  });

  it('FM-06 FM-12 in two folders are one, which both paths mention', async () => {
    const tree = { '.claude/skills/pdf/SKILL.md': pdf, '.agents/skills/pdf/SKILL.md': pdf };
    const result = await resolveIn(tree, { mentions: ['.claude/skills/pdf/SKILL.md'] });
    expect(shown(result)).toEqual(['.agents/skills/pdf/SKILL.md reference agent active']);
    expect(excludedIn(result)).toEqual(['.claude/skills/pdf/SKILL.md duplicate']);
    expect(result.warnings).toEqual([]);
    // The same text says something else under another name.
    const unnamed = skill('description: One.');
    const others = await resolveIn({ '.claude/skills/a/SKILL.md': unnamed, '.claude/skills/b/SKILL.md': unnamed });
    expect(shown(others)).toHaveLength(2);
  });

  it('FM-06 FM-12 behind links are told of, unless they are read where they lie', async () => {
    const { files, resolve } = await createWorkspace({
      '.agents/skills/pdf/SKILL.md': pdf,
      'shared/skills/x/SKILL.md': pdf,
    });
    files.symlink(`${project}/.claude/skills`, '../.agents/skills');
    files.symlink(`${project}/.github/skills/pdf`, '../../.agents/skills/pdf');
    files.symlink(`${project}/.github/skills/x`, '../../shared/skills/x');
    const result = await resolve();
    expect(shown(result)).toEqual(['.agents/skills/pdf/SKILL.md reference agent available']);
    expect(result.warnings).toMatchObject([{ code: 'symlink', path: `${project}/.github/skills/x` }]);
    const alone = await resolve({ formats: ['claude-skills'] });
    expect(alone.warnings).toMatchObject([
      { code: 'symlink', path: `${project}/.claude/skills` },
      { code: 'formats_not_read' },
    ]);
  });

  it('AG-03 FM-12 no folder poses as something else by its name', async () => {
    const tree = { '.claude/skills/~:AGENTS/SKILL.md': skill('description: One.', 'A.') };
    expect((await resolveIn(tree)).files[0]).toMatchObject({ name: '.claude/skills/~:AGENTS/SKILL' });
  });
});

describe('other files of the folder of a skill', () => {
  const tree: Tree = {
    '.claude/skills/pdf/SKILL.md': pdf,
    '.claude/skills/pdf/FORMS.md': 'About forms.',
    '.claude/skills/pdf/scripts/fill.py': 'print()',
    '.claude/skills/pdf/scripts/.cache/x': 'no',
    '.claude/skills/pdf/node_modules/x/index.js': 'no',
    '.claude/skills/pdf/.hidden': 'no',
    '.claude/skills/pdf/server.key': 'no',
    '.claude/skills/pdf/logo.png': new Uint8Array([137, 80, 78, 71, 0, 1]),
    '.claude/skills/other/SKILL.md': skill('name: other\ndescription: Other.', 'Other.'),
    '.claude/skills/other/FORMS.md': 'Other forms.',
    '.claude/skills/README.md': 'Of no skill.',
  };

  it('FM-12 are named and not delivered', async () => {
    const result = await resolveIn(tree, { mentions: ['pdf'] });
    expect(shown(result)).toEqual([
      '.claude/skills/other/SKILL.md reference agent available',
      '.claude/skills/pdf/SKILL.md reference agent active',
    ]);
    expect(result.files[1]?.supportingFiles).toEqual(['FORMS.md', 'logo.png', 'scripts/fill.py']);
    expect(result.excluded).toEqual([]);
  });

  it('FM-12 are delivered when one is asked for, by its name or by its path', async () => {
    const asked = async (...mentions: string[]) => {
      const { files, warnings } = await resolveIn(tree, { mentions });
      expect(warnings).toEqual([]);
      return files.filter(({ state }) => state === 'active').map(({ name, content }) => `${name}: ${content}`);
    };
    expect(await asked('pdf/FORMS.md')).toEqual(['pdf/FORMS.md: About forms.']);
    expect(await asked('.claude/skills/pdf/scripts/fill.py')).toEqual(['pdf/scripts/fill.py: print()']);
    expect(await asked(`${project}/.claude/skills/pdf/FORMS.md`)).toEqual(['pdf/FORMS.md: About forms.']);
    const { files } = await resolveIn(tree, { mentions: ['pdf/FORMS.md'] });
    expect(files.find(({ name }) => name === 'pdf/FORMS.md')).toMatchObject({ type: 'reference', trigger: 'manual' });
    const refused = await resolveIn(tree, { mentions: ['pdf/logo.png', 'pdf/server.key'] });
    expect(excludedIn(refused)).toEqual([
      '.claude/skills/pdf/logo.png binary',
      '.claude/skills/pdf/server.key sensitive',
    ]);
  });

  it('FM-12 of a skill in the home directory are asked for in the same way', async () => {
    const { files } = await resolveIn(
      { '~/.claude/skills/pdf/SKILL.md': pdf, '~/.claude/skills/pdf/a.md': 'A.' },
      { mentions: ['~/.claude/skills/pdf/a.md'] },
    );
    expect(files.map(({ path, state }) => `${path} ${state}`)).toEqual([
      `${home}/.claude/skills/pdf/SKILL.md available`,
      `${home}/.claude/skills/pdf/a.md active`,
    ]);
  });

  it('FM-02 FM-12 are not named where a policy or a configuration leaves them out', async () => {
    const named = async (more: Tree) =>
      (await resolveIn({ ...tree, ...more })).files.find(({ name }) => name === 'pdf')?.supportingFiles;
    const policy = 'ai_context_policy: allow\nexclude:\n  - "**/*.py"\n';
    expect(await named({ '.ai-context-policy.yaml': policy })).toEqual(['FORMS.md', 'logo.png']);
    expect(
      await named({ '.context/context-config.json': '{"clientContext": {"excludeFiles": ["**/FORMS.md"]}}' }),
    ).toEqual(['logo.png', 'scripts/fill.py']);
  });

  it('AG-03 FM-12 of the user keep their names, whatever a project calls its own', async () => {
    const { files } = await resolveIn(
      {
        '~/.claude/skills/pdf/SKILL.md': pdf,
        '~/.claude/skills/pdf/FORMS.md': 'Mine.',
        '.claude/skills/x/SKILL.md': skill('name: pdf/FORMS.md\ndescription: Not yours.'),
      },
      { mentions: ['pdf/FORMS.md'] },
    );
    expect(files.filter(({ state }) => state === 'active')).toMatchObject([{ content: 'Mine.' }]);
  });

  it('FM-12 are explained as what waits for a mention', async () => {
    const { engine } = await createWorkspace(tree);
    const { candidates } = await engine.explain({ mountedDirectory: project, path: '.claude/skills/pdf/FORMS.md' });
    expect(candidates).toMatchObject([
      { verdict: 'available', reason: { code: 'needs_mention', detail: expect.stringContaining('pdf/SKILL.md') } },
    ]);
  });

  it('FM-12 S-45 are looked at and named up to a limit, which is told', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`.claude/skills/pdf/data/${index}.txt`, 'x']),
    );
    const result = await resolveIn({ ...tree, ...many, '.cursor/rules/a.mdc': '---\nalwaysApply: true\n---\nRule.' });
    expect(result.files.find(({ name }) => name === 'pdf')?.supportingFiles).toHaveLength(100);
    expect(shown(result)).toContain('.cursor/rules/a.mdc rule always active');
    expect(result.warnings.map(({ code }) => code).toSorted()).toEqual(['limit_entries', 'limit_supporting_files']);
  });
});

describe('skills in sessions', () => {
  it('RQ-01 FM-12 a request has a skill that its message fits, and a file beside one that it mentions', async () => {
    const { engine } = await createWorkspace({
      '.claude/skills/pdf/SKILL.md': pdf,
      '.claude/skills/pdf/FORMS.md': 'About forms.',
      '.claude/skills/ts/SKILL.md': skill('name: ts\ndescription: Type the generics.\npaths: "*.ts"', 'Types.'),
    });
    const { agents, sessions } = engine;
    await agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await sessions.create({ agentId: 'a' });
    const ask = async (message: string, mentions: string[], files?: string[]) => {
      const { requestContext, warnings } = await sessions.request(id, { message, mentions, ...(files && { files }) });
      const { items } = requestContext;
      return [items.map(({ name }) => name), warnings.map(({ code }) => code)];
    };
    expect(await ask('How do I fill forms in PDF files?', [])).toEqual([['pdf'], []]);
    expect(await ask('Now this.', ['pdf/FORMS.md'])).toEqual([['pdf/FORMS.md'], []]);
    expect(await ask('Now that.', ['pdf/NOTHING.md'])).toEqual([[], ['mention_not_found']]);
    expect(await ask('How to type these generics?', [])).toEqual([[], []]);
    expect(await ask('How to type these generics?', [], ['x.ts'])).toEqual([['ts'], []]);
    expect(await ask('Now this.', ['ts'])).toEqual([['ts'], []]);
  });
});
