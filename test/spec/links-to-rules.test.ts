/** Rules of other tools behind links: that they are not read, how they can be, and what tools miss (CC-04, FM-03). */
import { describe, expect, it } from 'vitest';
import { renderExplanation } from '../../src/bin/render/explanation.ts';
import { renderFormats, renderView } from '../../src/bin/render/formats.ts';
import { createSheet } from '../../src/bin/render/page.ts';
import { renderResolution } from '../../src/bin/render/resolution.ts';
import { createWorkspace, home, project } from '../support/workspace.ts';

const rule = (text: string) => `---\nalwaysApply: true\n---\n${text}\n`;
const tree = {
  'CLAUDE.md': 'Use tabs.',
  'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Fill forms.\n---\nDo it so.',
  'shared/a.mdc': rule('One.'),
  '.cursor/rules/own.mdc': rule('Own.'),
};
const setting = '--follow-symlinks';
const sheet = createSheet({ columns: 100, colors: false, home, directory: project });

const workspace = async (settings = {}) => {
  const created = await createWorkspace(tree, { settings });
  created.files.symlink(`${project}/.claude/skills`, '../skills');
  created.files.symlink(`${project}/.cursor/rules/linked.mdc`, '../../shared/a.mdc');
  return created;
};

describe('rules behind links', () => {
  it('CC-04 FM-06 the warning of a link to a folder names the setting that follows it', async () => {
    const { resolve } = await workspace();
    const { warnings } = await resolve();
    expect(warnings).toMatchObject([{ code: 'symlink', path: `${project}/.claude/skills` }]);
    expect(warnings[0]?.message).toContain(setting);
    expect(warnings[0]?.message).toContain('CONTEXTD_FOLLOW_SYMLINKS=true');
  });

  it('FM-11 a list of servers is told of only where one lies behind the link', async () => {
    const { resolve, files } = await createWorkspace({ '.ai/rules/a.mdc': rule('One.') });
    files.symlink(`${project}/.cursor`, '.ai');
    const paths = async () => (await resolve()).warnings.map(({ path }) => path);
    expect(await paths()).toEqual([`${project}/.cursor`]);
    files.write(`${project}/.ai/mcp.json`, '{}');
    expect(await paths()).toEqual([`${project}/.cursor/mcp.json`, `${project}/.cursor`]);
  });

  it('CC-04 so does that of a context directory and of files in one', async () => {
    const { resolve, files } = await createWorkspace({ 'elsewhere/a.md': 'One.', '.context/own.md': 'Own.' });
    files.symlink(`${project}/.context/a.md`, '../elsewhere/a.md');
    expect((await resolve()).warnings[0]?.message).toContain(setting);
    const other = await createWorkspace({ 'elsewhere/a.md': 'One.' });
    other.files.symlink(`${project}/.context`, 'elsewhere');
    expect((await other.resolve()).warnings[0]?.message).toContain(setting);
  });

  it('CC-04 so does the list of what is left out, for links in a folder', async () => {
    const { resolve } = await workspace();
    const page = renderResolution({ ...(await resolve()), warnings: [] }, sheet);
    expect(page).toMatch(/linked\.mdc .*a symbolic link, which is not followed\n\s+To follow links/u);
  });

  it('CC-04 the setting is not named where it does not help', async () => {
    const { engine, files } = await workspace();
    files.symlink(`${project}/docs/none.md`, 'gone.md');
    const explain = async (path: string) =>
      renderExplanation({ ...(await engine.explain({ mountedDirectory: project, path })), warnings: [] }, sheet);
    expect(await explain(`${project}/docs/none.md`)).not.toContain(setting);
    expect(await explain(`${project}/.cursor/rules/linked.mdc`)).toContain(setting);
  });

  it('CC-04 the setting does follow them', async () => {
    const { resolve } = await workspace({ followSymlinks: true });
    const { files, warnings } = await resolve();
    expect(files.map(({ relativePath }) => relativePath)).toEqual([
      'CLAUDE.md',
      '.claude/skills/pdf/SKILL.md',
      '.cursor/rules/linked.mdc',
      '.cursor/rules/own.mdc',
    ]);
    expect(warnings).toEqual([]);
  });

  it('FM-03 each tool is told with the links that keep rules from it', async () => {
    const { engine } = await workspace();
    const result = await engine.formats({ mountedDirectory: project, as: 'claude-code' });
    const linksOf = (id: string) => result.tools.find(({ tool }) => tool === id)?.links;
    expect(linksOf('claude-code')).toEqual(['.claude/skills']);
    expect(linksOf('cursor')).toEqual(['.claude/skills', '.cursor/rules/linked.mdc']);
    // It finds nothing else here.
    expect(linksOf('opencode')).toEqual(['.claude/skills']);
    expect(linksOf('zed')).toEqual([]);
    const page = renderFormats(result, sheet).join('\n');
    expect(page).toMatch(/Claude Code.*\n\s+loads 1 of 1 file, \d+ tokens; 1 link is not followed/u);
    expect(page).toMatch(/Cursor\n\s+loads 1 of 1 file, \d+ tokens; 2 links are not followed/u);
    const { warnings } = await engine.formats({ mountedDirectory: project, as: 'cursor' });
    const view = renderView({ ...result, warnings }, sheet, 'cursor').join('\n');
    expect(view).not.toContain('!');
    expect(view).toContain('2 links are not followed: .claude/skills, .cursor/rules/linked.mdc');
  });

  it('FM-03 a tool whose rules all lie behind a link is told of', async () => {
    const { engine, files } = await createWorkspace({ 'shared/a.mdc': rule('One.') });
    files.symlink(`${project}/.cursor/rules`, '../shared');
    const result = await engine.formats({ mountedDirectory: project });
    expect(result.tools.map(({ tool, links }) => `${tool} ${links}`)).toContain('cursor .cursor/rules');
    expect(renderFormats({ ...result, warnings: [] }, sheet).join('\n')).toContain('To follow links whose target');
    expect(renderFormats(result, sheet).join('\n')).toContain('loads 0 of 0 files, 0 tokens; 1 link is not followed');
  });

  it('FM-03 a tool is told with its links to folders that are read in place for other tools', async () => {
    const skill = '---\nname: pdf\ndescription: Fill forms.\n---\nDo it so.';
    const { engine, files } = await createWorkspace({ '.agents/skills/pdf/SKILL.md': skill });
    files.makeDirectory(`${project}/.claude/skills`);
    files.symlink(`${project}/.claude/skills/pdf`, '../../.agents/skills/pdf');
    const { tools, warnings } = await engine.formats({ mountedDirectory: project });
    const linksOf = (id: string) => tools.find(({ tool }) => tool === id)?.links;
    expect(linksOf('claude-code')).toEqual(['.claude/skills/pdf']);
    expect(linksOf('codex')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('FM-03 of many links a hundred are named, and all are counted', async () => {
    const { engine, files } = await createWorkspace({ 'shared/a.mdc': rule('One.') });
    for (let index = 0; index < 150; index += 1)
      files.symlink(`${project}/.cursor/rules/linked-${index}.mdc`, '../../shared/a.mdc');
    const result = await engine.formats({ mountedDirectory: project });
    const cursor = result.tools.find(({ tool }) => tool === 'cursor');
    expect([cursor?.links.length, cursor?.linkCount]).toEqual([100, 150]);
    expect(renderFormats(result, sheet).join('\n')).toContain('0 tokens; 150 links are not followed');
    const view = renderView(result, sheet, 'cursor').join(' ').replaceAll(/\s+/gu, ' ');
    expect(view).toContain('150 links are not followed: .cursor/rules/linked-0.mdc,');
    expect(view).toContain(', 140 more');
  });

  it('FM-03 links of the home directory are named as its files are', async () => {
    const { engine, files } = await createWorkspace(
      { '~/elsewhere/a.md': 'Mine.', 'CLAUDE.md': 'Use tabs.' },
      { grantedRoots: [home] },
    );
    files.makeDirectory(`${home}/.claude`);
    files.symlink(`${home}/.claude/rules`, '../elsewhere');
    const { tools } = await engine.formats({ mountedDirectory: project });
    expect(tools.find(({ tool }) => tool === 'claude-code')?.links).toEqual(['~/.claude/rules']);
  });
});
