/** Mentions that are only the end of a name, as the tools whose files they mean take them (CC-28). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import { createWorkspace, home, project } from '../support/workspace.ts';

const waiting = (text: string) => `---\ndescription:\n---\n${text}\n`;
const tree = {
  '.cursor/rules/task-list.mdc': waiting('Tasks.'),
  '.cursor/rules/features/schedule.mdc': waiting('Schedule.'),
  '.cursor/rules/one/same.mdc': waiting('One.'),
  '.cursor/rules/two/same.mdc': waiting('Two.'),
  '.github/instructions/forms.instructions.md': waiting('Forms.'),
  '.roo/rules-translate/001-general.md': 'Translate.',
  '.context/notes/task.md': 'Mine.',
};

describe('short mentions', () => {
  const ask = async (request: Partial<ResolveRequest>, files: Record<string, string> = tree) => {
    const { resolve } = await createWorkspace(files);
    const result = await resolve(request);
    return {
      active: result.files.filter(({ reason }) => reason.code === 'mentioned').map(({ relativePath }) => relativePath),
      warnings: result.warnings.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`),
    };
  };

  it.each([
    ['task-list', '.cursor/rules/task-list.mdc'],
    ['@task-list', '.cursor/rules/task-list.mdc'],
    ['task-list.mdc', '.cursor/rules/task-list.mdc'],
    ['@rules/task-list.mdc', '.cursor/rules/task-list.mdc'],
    ['@.cursor/rules/task-list', '.cursor/rules/task-list.mdc'],
    ['features/schedule', '.cursor/rules/features/schedule.mdc'],
    ['forms', '.github/instructions/forms.instructions.md'],
    ['forms.instructions', '.github/instructions/forms.instructions.md'],
    ['rules-translate/001-general', '.roo/rules-translate/001-general.md'],
    ['task', '.context/notes/task.md'],
    ['two/same', '.cursor/rules/two/same.mdc'],
  ])('CC-28 "%s" means the one file whose name ends so', async (mention, path) => {
    expect(await ask({ mentions: [mention] })).toEqual({ active: [path], warnings: [] });
  });

  it('CC-28 a full name goes before the end of another', async () => {
    const files = { ...tree, '.context/task-list.md': 'Mine.', '.context/@task.md': 'At.' };
    expect((await ask({ mentions: ['task-list'] }, files)).active).toEqual(['.context/task-list.md']);
    expect((await ask({ mentions: ['@task'] }, files)).active).toEqual(['.context/@task.md']);
  });

  it('CC-28 of several files none is taken, and the warning names them', async () => {
    expect(await ask({ mentions: ['task', 'same'] })).toEqual({
      active: ['.context/notes/task.md'],
      warnings: [
        'mention_not_found /mentions/1 No context file is called "same". It could mean ".cursor/rules/one/same" or ".cursor/rules/two/same".',
      ],
    });
  });

  it('CC-28 copies of one text are one file', async () => {
    const files = { '.cursor/rules/x.mdc': '---\nalwaysApply: true\n---\nOne.', '.clinerules/x.md': 'One.' };
    expect((await ask({ mentions: ['x'] }, files)).warnings).toEqual([]);
  });

  it('CC-28 what fits nothing is told with the name that comes nearest', async () => {
    const { active, warnings } = await ask({
      mentions: ['rules/001-general', 'task_lst', 'octocat', 'list', '/task'],
    });
    expect(active).toEqual([]);
    expect(warnings.map((warning) => warning.replace('mention_not_found /mentions/', ''))).toEqual([
      '0 No context file is called "rules/001-general". Did you mean "translate/001-general"?',
      '1 No context file is called "task_lst". Did you mean ".cursor/rules/task-list"?',
      '2 No context file is called "octocat".',
      '3 No context file is called "list".',
      '4 No context file is called "/task".',
    ]);
  });

  it('CC-28 S-36 does not reach into another repository, nor what only belongs to a skill', async () => {
    const files = {
      '~/other/.git/HEAD': 'ref: refs/heads/main\n',
      '~/other/style.md': 'Other.',
      '.context/context-config.json': '{ "clientContext": { "includeFiles": ["~/other/style.md"] } }',
      '.claude/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Forms.\n---\nFill.\n',
      '.claude/skills/pdf/MORE.md': 'More.',
    };
    const { resolve } = await createWorkspace(files, { grantedRoots: [home] });
    const result = await resolve({ mentions: ['style', 'MORE'] });
    expect(result.files.map(({ relativePath, state }) => `${relativePath} ${state}`)).toEqual([
      '.claude/skills/pdf/SKILL.md available',
      '../other/style.md available',
    ]);
    expect(result.warnings.filter(({ code }) => code === 'mention_not_found')).toHaveLength(2);
  });

  const hidden = { files: ['packages/app/x.ts'] };
  it.each<[string, string, Record<string, string>]>([
    [
      'an ignore file leaves out',
      '.cursor/rules/a.mdc',
      {
        '.aiexclude': '/.cursor/rules/a.mdc\n',
        '.cursor/rules/a.mdc': waiting('Root.'),
        'packages/app/.cursor/rules/a.mdc': waiting('App.'),
      },
    ],
    [
      'a configuration leaves out',
      '.context/a.md',
      {
        '.context/context-config.json':
          '{ "clientContext": { "excludeFiles": ["/home/ada/myproject/.context/a.md"] } }',
        '.context/a.md': 'Root.',
        'packages/app/.context/a.md': 'App.',
      },
    ],
    [
      'is disabled',
      'style',
      { '.context/style.md': '---\ndisabled: true\n---\nNew.', '.context/old/style.md': 'Old.' },
    ],
    [
      'is disabled, by the name it gives itself,',
      'style',
      { '.context/a.md': '---\nname: style\ndisabled: true\n---\nNew.', '.context/old/style.md': 'Old.' },
    ],
    [
      'is a skill for nobody',
      '@pdf',
      {
        '.claude/skills/pdf/SKILL.md':
          '---\nname: pdf\ndescription: Forms.\ndisable-model-invocation: true\nuser-invocable: false\n---\nFill.\n',
        '.context/notes/pdf.md': 'Mine.',
      },
    ],
  ])('CC-28 the full name of a file that %s means no other one', async (_, mention, files) => {
    const { active, warnings } = await ask({ mentions: [mention], ...hidden }, { ...files, 'packages/app/x.ts': '' });
    expect(active).toEqual([]);
    expect(warnings).toEqual([
      expect.stringContaining(`mention_not_found /mentions/0 No context file is called "${mention}".`),
    ]);
  });

  it('CC-28 with an extension it is the end of a path, not of a name', async () => {
    const files = { '.context/notes/main.ts.md': 'Of the file.', '.context/notes/v1.2-plan.md': 'Plan.' };
    expect((await ask({ mentions: ['main.ts'] }, files)).active).toEqual([]);
    for (const mention of ['main.ts.md', 'notes/main.ts.md'])
      expect((await ask({ mentions: [mention] }, files)).active).toEqual(['.context/notes/main.ts.md']);
    expect((await ask({ mentions: ['v1.2-plan'] }, files)).active).toEqual(['.context/notes/v1.2-plan.md']);
  });

  it('RQ-01 CC-28 a session goes by the name of what is left out or ruled out to nothing else', async () => {
    const { engine } = await createWorkspace({
      '.context/style.md': 'Root.',
      'packages/app/x.ts': '',
      '.aiexclude': '/.cursor/rules/a.mdc\n',
      '.cursor/rules/a.mdc': waiting('Root.'),
      'packages/app/.cursor/rules/a.mdc': waiting('App.'),
      'packages/app/.context/style.md': 'App.',
      'packages/app/.context/context-config.json': '{ "clientContext": { "ignoreAncestorContext": true } }',
    });
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await engine.sessions.create({ agentId: 'a' });
    const mentions = ['style', '@style', '.cursor/rules/a.mdc', './.cursor/rules/a.mdc', 'app/.cursor/rules/a.mdc'];
    const request = { message: 'Build it', mentions, files: ['packages/app/x.ts'] };
    const { requestContext, warnings } = await engine.sessions.request(id, request);
    expect(requestContext.items.map(({ name }) => name)).toEqual(['packages/app/.cursor/rules/a']);
    const pointers = warnings.flatMap(({ code, pointer }) => (code === 'mention_not_found' ? [pointer] : []));
    expect(pointers).toEqual(['/mentions/0', '/mentions/1', '/mentions/2', '/mentions/3']);
  });

  it('SS-13 `expand` takes them too', async () => {
    expect((await ask({ expand: ['task-list', 'same'], query: 'x' })).warnings).toEqual([
      'mention_not_found /expand/1 No context file is called "same". It could mean ".cursor/rules/one/same" or ".cursor/rules/two/same".',
    ]);
  });

  it('RQ-01 a session takes them too', async () => {
    const { engine } = await createWorkspace(tree);
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await engine.sessions.create({ agentId: 'a' });
    const request = { message: 'Build it', mentions: ['@task-list', 'features/schedule', 'same'] };
    const { requestContext, warnings } = await engine.sessions.request(id, request);
    expect(requestContext.items.map(({ name }) => name)).toEqual([
      '.cursor/rules/features/schedule',
      '.cursor/rules/task-list',
    ]);
    expect(warnings).toMatchObject([{ code: 'mention_not_found', pointer: '/mentions/2' }]);
    expect(warnings[0]?.message).toContain('".cursor/rules/one/same" or ".cursor/rules/two/same"');
  });
});
