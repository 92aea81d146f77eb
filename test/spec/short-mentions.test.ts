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
      mentions: ['translate/001-general', 'task_lst', 'octocat', 'list', '/task'],
    });
    expect(active).toEqual([]);
    expect(warnings.map((warning) => warning.replace('mention_not_found /mentions/', ''))).toEqual([
      '0 No context file is called "translate/001-general". Did you mean ".roo/rules-translate/001-general"?',
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
