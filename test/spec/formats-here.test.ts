/** Which rule files of other tools are here, and what each tool would see of them (FM-01, FM-03). */
import { describe, expect, it } from 'vitest';
import { ruleFormats } from '../../src/context/formats/formats.ts';
import { formatsOf, tools } from '../../src/context/formats/tools.ts';
import type { FormatsRequest, FormatsResult } from '../../src/context/formats-request.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const rule = (globs: string, body = `For ${globs}.`) => `---\nglobs: ${globs}\nalwaysApply: false\n---\n${body}`;
const tree = {
  'AGENTS.md': 'Use tabs.',
  'CLAUDE.md': 'Use tabs.',
  '.cursor/rules/ts.mdc': rule('**/*.ts'),
  '.cursor/rules/py.mdc': rule('**/*.py'),
  '.rules': 'For Zed.',
};

const listIn = async (
  files: Record<string, string>,
  { settings = {}, ...request }: Partial<FormatsRequest> & { settings?: object } = {},
): Promise<FormatsResult> => {
  const { engine } = await createWorkspace(files, { settings });
  return engine.formats({ mountedDirectory: project, ...request });
};
const countsIn = ({ formats }: FormatsResult) =>
  formats.map(({ name, files, active, duplicates }) => `${name} ${active}/${files}${duplicates > 0 ? ' same' : ''}`);
const viewOf = ({ tools }: FormatsResult, id: string) => {
  const view = tools.find(({ tool }) => tool === id);
  return view && { files: view.files, waiting: view.waiting };
};

describe('formats that are here', () => {
  it('FM-03 are counted with what applies and what it costs, for the files in play', async () => {
    const result = await listIn(tree, { file: ['src/x.ts'] });
    expect(countsIn(result)).toEqual(['agents-md 1/1', 'claude-md 0/1 same', 'cursor 1/2', 'zed 1/1']);
    expect(result.files.map(({ relativePath, state }) => `${relativePath} ${state}`)).toEqual([
      'AGENTS.md active',
      '.cursor/rules/py.mdc available',
      '.cursor/rules/ts.mdc active',
      '.rules active',
    ]);
    const costs = result.formats.map(({ tokens }) => tokens);
    expect(costs.reduce((sum, each) => sum + each)).toBe(result.usage.tokens);
    expect(result.usage).toMatchObject({ active: 3, suggestedBudget: 1_000 });
    expect(result.usage.alwaysOnTokens).toBeLessThan(result.usage.tokens);
  });

  it('FM-03 are told of also where they are not read, and never by their texts', async () => {
    const result = await listIn(tree, { settings: { formats: ['cursor'] } });
    expect(result.formats.map(({ name, isRead }) => `${name} ${isRead}`)).toEqual([
      'agents-md false',
      'claude-md false',
      'cursor true',
      'zed false',
    ]);
    expect(result.usage).toMatchObject({ active: 0, tokens: 0 });
    expect(JSON.stringify(result)).not.toContain('Use tabs');
  });

  it('FM-03 are seen by each tool as it reads them: its own, and the first of those of which it takes one', async () => {
    const result = await listIn(tree, { file: ['src/x.ts'], as: 'cursor' });
    expect(viewOf(result, 'cursor')).toEqual({
      files: ['AGENTS.md', '.cursor/rules/ts.mdc'],
      waiting: ['.cursor/rules/py.mdc'],
    });
    expect(viewOf(result, 'claude-code')).toEqual({ files: ['CLAUDE.md'], waiting: [] });
    expect(viewOf(result, 'zed')).toEqual({ files: ['.rules'], waiting: [] });
    expect(viewOf(result, 'opencode')).toEqual({ files: ['AGENTS.md'], waiting: [] });
    expect(viewOf(result, 'gemini-cli')).toBeUndefined();
    expect(result.as?.map(({ relativePath, reason }) => `${relativePath} ${reason.code}`)).toEqual([
      'AGENTS.md trigger_always',
      '.cursor/rules/py.mdc no_glob_matched',
      '.cursor/rules/ts.mdc glob_matched',
    ]);
    expect((await listIn(tree, { as: 'gemini-cli' })).as).toEqual([]);
  });

  it('FM-03 are seen as the tools read what belongs to others', async () => {
    const skill = '---\nname: pdf\ndescription: Fill forms.\n---\nSo.';
    const others = { '.claude/rules/a.md': 'Rule.', '.claude/skills/pdf/SKILL.md': skill };
    const result = await listIn({ 'AGENTS.md': 'For all.', ...others, '.junie/guidelines.md': 'Old.' });
    expect(viewOf(result, 'claude-code')?.files).toEqual(['AGENTS.md', '.claude/rules/a.md']);
    expect(viewOf(result, 'junie')).toEqual({ files: ['AGENTS.md'], waiting: [] });
    expect(viewOf(result, 'trae')).toEqual({ files: ['AGENTS.md'], waiting: [] });
    expect(viewOf(result, 'crush')?.waiting).toEqual(['.claude/skills/pdf/SKILL.md']);
    const both = await listIn({
      'AGENTS.md': 'For all.',
      'CLAUDE.md': 'For Claude.',
      ...others,
      '.junie/AGENTS.md': 'J.',
    });
    expect(viewOf(both, 'claude-code')?.files).not.toContain('AGENTS.md');
    expect(viewOf(both, 'copilot')?.files).toEqual(expect.arrayContaining(['CLAUDE.md', '.claude/rules/a.md']));
    expect(viewOf(both, 'junie')?.files).toEqual(['.junie/AGENTS.md']);
  });

  it('FM-03 of one user stand for none of a project', async () => {
    const own = {
      '~/.claude/CLAUDE.md': 'Mine.',
      '~/.junie/AGENTS.md': 'Mine too.',
      '~/.config/zed/AGENTS.md': 'And mine.',
    };
    const result = await listIn({ ...own, 'AGENTS.md': 'For all.' });
    expect(viewOf(result, 'claude-code')?.files.toSorted()).toEqual(['AGENTS.md', '~/.claude/CLAUDE.md']);
    expect(viewOf(result, 'junie')?.files.toSorted()).toEqual(['AGENTS.md', '~/.junie/AGENTS.md']);
    expect(viewOf(result, 'zed')?.files.toSorted()).toEqual(['AGENTS.md', '~/.config/zed/AGENTS.md']);
    const copied = await listIn({ 'AGENTS.md': 'For all.', '~/.claude/CLAUDE.md': 'For all.' });
    expect(viewOf(copied, 'claude-code')?.files).toHaveLength(1);
    expect(viewOf(await listIn(own), 'claude-code')?.files).toEqual(['~/.claude/CLAUDE.md']);
    const other = await listIn({ '~/.config/opencode/AGENTS.md': 'Mine.' });
    expect(viewOf(other, 'opencode')?.files).toEqual(['~/.config/opencode/AGENTS.md']);
  });

  it('FM-03 of Warp are its own before those that others share', async () => {
    expect(viewOf(await listIn({ 'AGENTS.md': 'For all.', 'WARP.md': 'For Warp.' }), 'warp')?.files).toEqual([
      'WARP.md',
    ]);
  });

  it('FM-03 of Grok include those of Claude Code', async () => {
    const result = await listIn({ 'AGENTS.md': 'For all.', 'CLAUDE.md': 'For Claude.' });
    expect(viewOf(result, 'grok')?.files).toEqual(['AGENTS.md', 'CLAUDE.md']);
  });

  it('FM-03 are those of a tool also where a configuration narrows what contextd reads', async () => {
    const config = JSON.stringify({ clientContext: { formats: ['zed'] } });
    const result = await listIn({ ...tree, '.context/context-config.json': config });
    expect(result.formats.filter(({ isRead }) => isRead).map(({ name }) => name)).toEqual(['zed']);
    expect(viewOf(result, 'codex')).toEqual({ files: ['AGENTS.md'], waiting: [] });
  });

  it('are none where there are none', async () => {
    const result = await listIn({ '.context/a.md': '---\ntrigger: always\n---\nOwn.' });
    expect(result).toMatchObject({ formats: [], files: [], tools: [], usage: { active: 1 } });
  });
});

describe('tools', () => {
  it('FM-01 read formats that there are, and every format is read by one at least', () => {
    const known = ruleFormats.map(({ name }) => name);
    const read = new Set(tools.flatMap(({ reads, firstOf = [] }) => [...reads, ...firstOf]));
    expect(known.filter((name) => !read.has(name))).toEqual([]);
    expect([...read].filter((name) => !known.includes(name))).toEqual([]);
    expect(tools.map(({ id }) => id)).toEqual(tools.map(({ id }) => id).toSorted());
  });

  it('take the first of several formats of which there is a file', () => {
    const tool = { id: 'x', name: 'X', reads: ['a'], firstOf: ['b', 'c'] };
    expect(formatsOf(tool, new Set(['c', 'b']))).toEqual(['a', 'b']);
    expect(formatsOf(tool, new Set(['c']))).toEqual(['a', 'c']);
    expect(formatsOf(tool, new Set())).toEqual(['a']);
  });
});

describe('an answer in which nothing applies', () => {
  const warningsIn = async (files: Record<string, string>, request: object = {}, formats?: 'none' | string[]) => {
    const { resolve } = await createWorkspace(files, formats === undefined ? {} : { settings: { formats } });
    return (await resolve(request)).warnings.map(({ code, message }) => `${code}: ${message}`);
  };

  it('FM-03 says what is there and not read, and follows it', async () => {
    const { resolve, files } = await createWorkspace(tree, { settings: { formats: 'none' } });
    const messages = async () => (await resolve()).warnings.map(({ message }) => message);
    expect(await messages()).toEqual([
      'There are 5 rule files of 4 tools; formats are off (`--formats none`). "contextd formats" lists them.',
    ]);
    expect(await resolve({ content: false })).toBe(await resolve({ content: false }));
    for (const path of Object.keys(tree)) if (path !== 'AGENTS.md') files.remove(`${project}/${path}`);
    expect(await messages()).toEqual([
      'There is 1 rule file of 1 tool; formats are off (`--formats none`). "contextd formats" lists them.',
    ]);
    files.remove(`${project}/AGENTS.md`);
    expect(await messages()).toEqual([]);
  });

  it('FM-03 says so too where the request, or the repository, leaves formats out', async () => {
    const said = expect.stringContaining('5 rule files of 4 tools; their formats are not read here');
    expect(await warningsIn(tree, { formats: ['gemini'] })).toEqual([said]);
    const config = { '.context/context-config.json': JSON.stringify({ clientContext: { formats: 'none' } }) };
    expect(await warningsIn({ ...tree, ...config })).toEqual([said]);
  });

  it('says nothing where something applies, or nothing is there', async () => {
    expect(await warningsIn(tree, { formats: ['zed'] })).toEqual([]);
    expect(await warningsIn({}, {}, 'none')).toEqual([]);
  });
});

describe('what always applies', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at % 10}`).join(' ');

  it('FM-03 is warned about when it costs much, with the most expensive files', async () => {
    const { resolve } = await createWorkspace({
      'AGENTS.md': words(6_000),
      'CLAUDE.md': `${words(4_000)} a`,
      'GEMINI.md': `${words(2_000)} b`,
      '.rules': 'Small.',
      '.cursor/rules/a.mdc': rule('**/*.ts', words(6_000)),
    });
    const [warning, ...more] = (await resolve({ files: ['a.ts'] })).warnings;
    expect(more).toEqual([]);
    expect(warning?.code).toBe('many_tokens');
    expect(warning?.message).toMatch(/cost [\d,]+ tokens, more than 8,000/u);
    expect(warning?.message).toMatch(/AGENTS\.md \([\d,]+\), CLAUDE\.md \([\d,]+\), GEMINI\.md \([\d,]+\)\./u);
  });

  it('FM-03 is warned about as one tool sees it, with the mistakes in what that tool reads', async () => {
    const { engine } = await createWorkspace({
      'AGENTS.md': words(6_000),
      '.clinerules': words(8_000),
      'CLAUDE.md': 'See @./missing.md.',
      '.cursor/rules/a.mdc': 'Small.',
      '.cursor/rules/b.mdc': '---\nglobs: [\n---\nBroken.',
      '.context/own.md': `---\ntrigger: always\n---\n${words(8_000)}`,
      '.context/broken.md': '---\ntrigger: [\n---\nBroken.',
    });
    const warningsAs = async (as: string) => {
      const { warnings } = await engine.formats({ mountedDirectory: project, as });
      return warnings.map(({ code, path = '' }) => [code, path.replace(`${project}/`, '')]);
    };
    expect(await warningsAs('cursor')).toEqual([['invalid_front_matter', '.cursor/rules/b.mdc']]);
    expect(await warningsAs('claude-code')).toEqual([['import_not_found', 'CLAUDE.md']]);
    expect(await warningsAs('cline')).toEqual([['many_tokens', '']]);
    expect(await warningsAs('gemini-cli')).toEqual([]);
  });

  it('FM-03 has a budget that holds it, however much that is', async () => {
    const { engine } = await createWorkspace({ 'AGENTS.md': words(12_000) });
    const { usage } = await engine.formats({ mountedDirectory: project });
    expect(usage.tokens).toBeGreaterThan(8_000);
    const budget = { maxTokens: usage.suggestedBudget };
    const { usage: resolved } = await engine.resolve({ mountedDirectory: project, budget });
    expect(resolved).toMatchObject({ tokens: usage.tokens, omitted: [] });
  });

  it('is not warned about when it costs less, nor what applies to a file in play', async () => {
    const { resolve } = await createWorkspace({
      'AGENTS.md': words(1_000),
      '.cursor/rules/a.mdc': rule('**/*.ts', words(5_000)),
    });
    expect((await resolve({ files: ['a.ts'] })).warnings).toEqual([]);
  });
});
