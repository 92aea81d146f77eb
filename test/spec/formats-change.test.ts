/** What another choice of formats would change, before it is written (FM-03). */
import { describe, expect, it } from 'vitest';
import { formatNames } from '../../src/context/formats/format-names.ts';
import type { FormatsRequest, FormatsResult } from '../../src/context/formats-request.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const tree = {
  'AGENTS.md': 'Use tabs.',
  'CLAUDE.md': 'Use tabs.',
  '.cursor/rules/ts.mdc': '---\nglobs: **/*.ts\nalwaysApply: false\n---\nNo any.',
  '.cursor/mcp.json': '{"mcpServers":{"charts":{"command":"charts"}}}',
};
const config = (formats: unknown) => JSON.stringify({ clientContext: { formats } });
const allBut = (...names: string[]) => formatNames.filter((name) => !names.includes(name));
const ownPath = `${project}/.context/context-config.json`;

const ask = async (
  files: Record<string, string>,
  { settings = {}, ...request }: Partial<FormatsRequest> & { settings?: object },
): Promise<FormatsResult> => {
  const { engine } = await createWorkspace(files, { settings });
  return engine.formats({ mountedDirectory: project, file: ['x.ts'], ...request });
};
const changeOf = ({ change }: FormatsResult) => ({
  ...change,
  files: change?.files.map(
    ({ relativePath, before, after }) => `${relativePath} ${before?.state ?? 'none'} -> ${after?.state ?? 'none'}`,
  ),
});

describe('a format that a configuration would leave out', () => {
  it('FM-03 takes its files away, brings back those that they stood for, and says what that saves', async () => {
    const result = await ask(tree, { without: 'agents-md' });
    const { change, usage } = result;
    expect(changeOf(result)).toMatchObject({
      configuration: ownPath,
      formats: allBut('agents-md', 'junie'),
      files: ['AGENTS.md active -> none', 'CLAUDE.md excluded -> active'],
      servers: [],
      before: { active: usage.active, tokens: usage.tokens },
      after: { active: 2 },
    });
    expect(change?.files[1]?.before?.reason.code).toBe('duplicate');
    const cursor = await ask(tree, { without: 'cursor' });
    expect(changeOf(cursor)).toMatchObject({
      files: ['.cursor/rules/ts.mdc active -> none'],
      after: { active: 1, tokens: usage.tokens - (cursor.change?.files[0]?.tokens ?? 0) },
    });
  });

  it('FM-03 names files of the home directory as answers do, left out ones too', async () => {
    const files = {
      '~/.claude/CLAUDE.md': 'Use tabs.',
      '~/.claude/rules/home.md': 'For me.',
      '.context/context-config.json': JSON.stringify({ clientContext: { excludeFiles: ['~/.claude/rules/*'] } }),
    };
    const settings = { formats: ['home', 'claude-rules'] };
    expect(changeOf(await ask(files, { settings, without: 'claude-rules' })).files).toEqual([
      '~/.claude/rules/home.md excluded -> none',
    ]);
  });

  it('FM-03 FM-11 takes the servers away that its tool defines, with the last format of that tool', async () => {
    const files = { ...tree, '.context/context-config.json': config(allBut('cursorrules')) };
    expect((await ask(files, { without: 'cursor' })).change?.servers).toEqual([{ name: 'charts', change: 'removed' }]);
    expect((await ask(tree, { without: 'cursor' })).change?.servers).toEqual([]);
  });

  it('FM-03 takes those along that would read its files in its place, unless they have files of their own', async () => {
    const without = { '.context/context-config.json': config(allBut('agents-md', 'junie')) };
    expect((await ask({ ...tree, ...without }, { with: 'agents-md' })).change?.formats).toBe('all');
    expect((await ask(tree, { without: 'junie' })).change?.formats).toEqual(allBut('junie'));
    const junie = { '.junie/guidelines.md': 'For Junie.' };
    const alone = await ask(junie, { without: 'agents-md' });
    expect(alone.change).toMatchObject({ formats: allBut('agents-md'), files: [] });
  });

  it('FM-03 leaves all others on, those too of which nothing is here yet', async () => {
    for (const files of [{}, { 'AGENTS.md': 'Use tabs.' }, tree] as Record<string, string>[])
      expect((await ask(files, { without: 'cursor' })).change?.formats).toEqual(allBut('cursor'));
    const all = { '.context/context-config.json': config('all') };
    expect((await ask({ ...tree, ...all }, { without: 'gemini' })).change?.formats).toEqual(allBut('gemini'));
    const without = { '.context/context-config.json': config(allBut('gemini')) };
    expect((await ask({ ...tree, ...without }, { without: 'cursor' })).change?.formats).toEqual(
      allBut('cursor', 'gemini'),
    );
    expect((await ask({ ...tree, ...without }, { with: 'cursor' })).change?.formats).toEqual(allBut('gemini'));
  });

  it('FM-03 leaves nothing where it was the last', async () => {
    const result = await ask({ '.context/context-config.json': config(['cursor']), ...tree }, { without: 'cursor' });
    expect(result.change).toMatchObject({ formats: 'none', after: { active: 0, tokens: 0 } });
  });
});

describe('a format that a configuration would let in', () => {
  it('FM-03 is compared with what is read beside it, not with all that could be', async () => {
    const files = { ...tree, '.context/context-config.json': config(['cursor']) };
    const result = await ask(files, { with: 'claude-md' });
    expect(changeOf(result)).toMatchObject({
      configuration: ownPath,
      formats: ['claude-md', 'cursor'],
      files: ['CLAUDE.md none -> active'],
    });
    expect(result.formats.map(({ name, isRead, leftOutBy }) => [name, isRead, leftOutBy])).toEqual([
      ['agents-md', false, ownPath],
      ['claude-md', false, ownPath],
      ['cursor', true, undefined],
    ]);
  });

  it('FM-03 makes it all again where it was the last that was left out', async () => {
    const files = { ...tree, '.context/context-config.json': config(allBut('claude-md')) };
    const result = await ask(files, { with: 'claude-md' });
    expect(changeOf(result)).toMatchObject({ formats: 'all', files: ['CLAUDE.md none -> excluded'] });
  });

  it('FM-03 keeps the names of formats of which nothing is here', async () => {
    const files = { ...tree, '.context/context-config.json': config(['gemini']) };
    expect((await ask(files, { with: 'cursor' })).change?.formats).toEqual(['cursor', 'gemini']);
  });

  it('FM-03 changes nothing where the user does not read it, or another configuration leaves it out', async () => {
    const daemon = await ask(tree, { with: 'agents-md', settings: { formats: ['cursor'] } });
    expect(changeOf(daemon)).toMatchObject({ files: [] });
    expect(daemon.formats.map(({ leftOutBy }) => leftOutBy)).toEqual([undefined, undefined, undefined]);
    const below = { ...tree, 'src/.context/context-config.json': config(['cursor']), 'src/x.ts': '' };
    const nested = await ask(below, { with: 'agents-md', file: ['src/x.ts'] });
    expect(changeOf(nested)).toMatchObject({ configuration: ownPath, files: [] });
    expect(nested.formats[0]?.leftOutBy).toBe(`${project}/src/.context/context-config.json`);
  });

  it('FM-03 would stand where the project has its choice already', async () => {
    const files = { ...tree, '.context/config.yaml': 'clientContext:\n  formats: [cursor]\n' };
    const also = { ...files, '.context/context-config.json': '{}' };
    for (const each of [files, also])
      expect((await ask(each, { with: 'agents-md' })).change).toMatchObject({
        configuration: `${project}/.context/config.yaml`,
        formats: ['agents-md', 'cursor'],
        after: { active: 2 },
      });
  });
});
