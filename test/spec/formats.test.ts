/** Files of other tools, read in place: where they lie, what they mean, which of them stand for others (FM-01 … FM-06). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { createWorkspace, project } from '../support/workspace.ts';

type Tree = Record<string, string>;

/** Each file as `path format trigger state`, in the order of the answer. */
const shown = ({ files }: ResolveResult): string[] =>
  files.map(({ relativePath, format = '-', trigger, state }) => `${relativePath} ${format} ${trigger} ${state}`);
const excludedIn = ({ excluded }: ResolveResult): string[] =>
  excluded.map(({ path, reason }) => `${path.slice(project.length + 1)} ${reason.code}`);
const resolveIn = async (tree: Tree, request: Partial<ResolveRequest> = {}, formats?: 'none' | string[]) => {
  const { resolve } = await createWorkspace(tree, formats === undefined ? {} : { settings: { formats } });
  return resolve(request);
};

describe('where files of other tools lie', () => {
  it('FM-05 on the way to the working directory, weakest first, and before those of its context directory', async () => {
    const tree = {
      'AGENTS.md': 'Of the project.',
      'CLAUDE.md': 'Of the project, for Claude.',
      '.context/a.md': '---\ntrigger: always\n---\nOwn.',
      'packages/AGENTS.md': 'Of all packages.',
      'packages/a/AGENTS.md': 'Of package a.',
      'packages/b/AGENTS.md': 'Of package b.',
      'packages/a/src/x.ts': '',
    };
    const result = await resolveIn(tree, { files: ['packages/a/src/x.ts'] });
    expect(shown(result)).toEqual([
      'AGENTS.md agents-md always active',
      'CLAUDE.md claude-md always active',
      '.context/a.md - always active',
      'packages/AGENTS.md agents-md always active',
      'packages/a/AGENTS.md agents-md always active',
    ]);
    expect(result.files.map(({ scope }) => scope)).toEqual(['static', 'static', 'static', 'dynamic', 'dynamic']);
    expect(result.files[0]).toMatchObject({ name: 'AGENTS', source: 'format', owner: project, type: 'rule' });
  });

  it('FM-05 below the working directory they are for the files that lie beside them and below', async () => {
    const tree = {
      'AGENTS.md': 'One.',
      'a/AGENTS.md': 'Two.',
      'b/AGENTS.md': 'Three.',
      'a/.cursor/rules/m.mdc': 'Four.',
    };
    const result = await resolveIn(tree, { workingDirectory: '.', files: ['a/src/x.ts'] });
    expect(shown(result)).toEqual([
      'AGENTS.md agents-md always active',
      'a/AGENTS.md agents-md auto active',
      'a/.cursor/rules/m.mdc cursor manual available',
    ]);
    expect(result.files[1]).toMatchObject({
      globs: ['a/**'],
      reason: { code: 'glob_matched', detail: 'a/** ↔ a/src/x.ts' },
    });
    expect(shown(await resolveIn(tree, { workingDirectory: '.' }))).toEqual(['AGENTS.md agents-md always active']);
    // A name that would be a pattern is a name.
    const odd = { '[id]/AGENTS.md': 'Two.', 'i/AGENTS.md': 'Three.' };
    const found = await resolveIn(odd, { workingDirectory: '.', files: ['[id]/x.ts'] });
    expect(shown(found)).toEqual(['[id]/AGENTS.md agents-md auto active']);
  });

  it('FM-05 what ignores the context of ancestors ignores those of other tools', async () => {
    const tree = {
      'AGENTS.md': 'One.',
      'a/AGENTS.md': 'Two.',
      'a/b/AGENTS.md': 'Three.',
      'a/.context/context-config.json': '{"clientContext": {"ignoreAncestorContext": true}}',
    };
    const result = await resolveIn(tree, { workingDirectory: 'a', files: ['a/b/x.ts'] });
    expect(shown(result)).toEqual(['a/AGENTS.md agents-md always active', 'a/b/AGENTS.md agents-md auto active']);
    expect(excludedIn(result)).toContain('AGENTS.md ignored_ancestor');
  });

  it('FM-05 the scopes of a request hold for them', async () => {
    const tree = { 'AGENTS.md': 'One.', 'a/AGENTS.md': 'Two.' };
    const asked = { workingDirectory: 'a' };
    expect(shown(await resolveIn(tree, { ...asked, scopes: ['static'] }))).toEqual([
      'AGENTS.md agents-md always active',
    ]);
    expect(shown(await resolveIn(tree, { ...asked, scopes: ['global'] }))).toEqual([]);
  });

  it('FM-01 of several names the first counts that is there', async () => {
    const overridden = { 'AGENTS.md': 'a', 'AGENTS.override.md': 'b' };
    expect(shown(await resolveIn(overridden))).toEqual(['AGENTS.override.md agents-md always active']);
    const first = async (tree: Tree, format = 'junie') => shown(await resolveIn(tree, {}, [format]));
    expect(
      await first(
        { 'AGENTS.md': 'a', 'AGENTS.override.md': 'b', 'AGENTS.local.md': 'c', 'AGENT.md': 'd' },
        'agents-md',
      ),
    ).toEqual(['AGENTS.local.md agents-md always active', 'AGENTS.override.md agents-md always active']);
    expect(await first({ 'AGENT.md': 'd' }, 'agents-md')).toEqual(['AGENT.md agents-md always active']);
    expect(await first({ '.junie/AGENTS.md': 'a', 'AGENTS.md': 'b', '.junie/guidelines.md': 'c' })).toEqual([
      '.junie/AGENTS.md junie always active',
    ]);
    expect(await first({ '.junie/guidelines.md': 'a', '.junie/guidelines/b.md': 'b' })).toEqual([
      '.junie/guidelines.md junie always active',
    ]);
    expect(await first({ '.junie/guidelines/b.md': 'b', '.junie/guidelines/c/d.md': 'c' })).toEqual([
      '.junie/guidelines/b.md junie always active',
      '.junie/guidelines/c/d.md junie always active',
    ]);
  });

  it('FM-01 a name is a file or a folder, and what is something else is left out', async () => {
    expect(shown(await resolveIn({ '.clinerules': 'One.' }))).toEqual(['.clinerules cline always active']);
    const folder = { '.clinerules/1.md': 'One.', '.clinerules/2.txt': 'Two.', '.clinerules/workflows/w.md': 'Three.' };
    expect(shown(await resolveIn(folder))).toEqual([
      '.clinerules/1.md cline always active',
      '.clinerules/2.txt cline always active',
    ]);
    expect(shown(await resolveIn({ 'AGENTS.md/x.md': 'No.', '.cursor/rules': 'No.' }))).toEqual([]);
  });

  it('FM-01 reads every format at its place', async () => {
    const places: Record<string, string> = {
      '.agents/rules/a.md': 'antigravity',
      '.agent/rules/a.md': 'antigravity',
      '.augment/rules/a.md': 'augment',
      '.augment-guidelines': 'augment',
      'CLAUDE.md': 'claude-md',
      '.claude/CLAUDE.md': 'claude-md',
      'CLAUDE.local.md': 'claude-md',
      '.claude/rules/b/a.md': 'claude-rules',
      '.clinerules': 'cline',
      '.continue/rules/a.md': 'continue',
      'rules.md': 'continue',
      '.continuerules': 'continue',
      '.github/copilot-instructions.md': 'copilot',
      '.cursorrules': 'cursorrules',
      'GEMINI.md': 'gemini',
      '.aiassistant/rules/a.md': 'jetbrains',
      '.junie/guidelines.md': 'junie',
      '.kiro/steering/a.md': 'kiro',
      '.roo/rules/a.any': 'roo',
      '.roorules': 'roo',
      '.windsurf/rules/a.md': 'windsurf',
      '.devin/rules/a.md': 'windsurf',
      '.windsurfrules': 'windsurf',
      '.trae/rules/project_rules.md': 'trae',
      'AmazonQ.md': 'amazon-q',
      '.amazonq/rules/a.md': 'amazon-q',
      'QWEN.md': 'qwen',
      '.qwen/rules/a.md': 'qwen',
      '.gitlab/duo/chat-rules.md': 'gitlab-duo',
      '.goosehints': 'goose',
      'WARP.md': 'warp',
      'CRUSH.md': 'crush',
      'replit.md': 'replit',
      '.idx/airules.md': 'firebase-studio',
      '.openhands/microagents/repo.md': 'openhands',
      '.openhands/microagents/tasks/a.md': 'openhands',
      '.openhands/skills/a.md': 'openhands',
      '.grok/rules/a.md': 'grok',
      '.rules': 'zed',
    };
    const tree = Object.fromEntries(Object.keys(places).map((path) => [path, `Text of ${path}.`]));
    const { files } = await resolveIn(tree);
    expect(Object.fromEntries(files.map(({ relativePath, format }) => [relativePath, format]))).toEqual(places);
    expect(files.filter(({ state }) => state !== 'active')).toEqual([]);
    const others = {
      '.cursor/rules/b/a.mdc': '---\nalwaysApply: true\n---\nCursor.',
      '.github/instructions/a.instructions.md': '---\napplyTo: "**"\n---\nCopilot.',
      '.trae/rules/a.md': '---\nalwaysApply: true\n---\nTrae.',
      '.roo/rules-code/a.md': 'Of a mode.',
      '.roorules-code': 'Of a mode, in one file.',
      '.roorules-ask': 'Of another mode.',
      // Beside them, and none of theirs.
      '.cursor/rules/a.md': 'No.',
      '.github/instructions/a.md': 'No.',
      '.roo/other.md': 'No.',
      '.openhands/microagents/README.md': 'No.',
      '.openhands/skills/a/notes.md': 'No.',
      'docs/AGENTS.md': 'No.',
    };
    expect(shown(await resolveIn(others))).toEqual([
      '.github/instructions/a.instructions.md copilot-instructions always active',
      '.cursor/rules/b/a.mdc cursor always active',
      '.roo/rules-code/a.md roo manual available',
      '.roorules-ask roo manual available',
      '.roorules-code roo manual available',
      '.trae/rules/a.md trae always active',
    ]);
  });
});

describe('rules of a mode', () => {
  it('AG-03 FM-05 are named by their mode, and mentioned so', async () => {
    const tree = {
      '.roo/rules-code/style.md': 'Root.',
      '.roo/rules-code/style.txt': 'Root, with another extension.',
      '.roo/rules-code/deep/a.md': 'Deep.',
      '.kilocode/rules-ask/b.md': 'Of Kilo.',
      'api/.roo/rules-code/style.md': 'Nested.',
    };
    const { files } = await resolveIn(tree, { files: ['api/x.ts'], mentions: ['code/deep/a', 'api:code/style'] });
    expect(files.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'ask/b available',
      'code/deep/a active',
      'code/style available',
      '.roo/rules-code/style.txt available',
      'api:code/style active',
    ]);
  });
});

describe('what belongs to the project', () => {
  it('FM-05 nothing is taken from installed packages, hidden directories and other repositories', async () => {
    const tree = {
      'AGENTS.md': 'Own.',
      'node_modules/evil/AGENTS.md': 'Evil.',
      'node_modules/evil/.cursor/rules/x.mdc': '---\nalwaysApply: true\n---\nEvil.',
      '.hidden/AGENTS.md': 'Hidden.',
      'vendor/other/.git/HEAD': 'ref: refs/heads/main',
      'vendor/other/AGENTS.md': 'Of another repository.',
      'vendor/other/src/AGENTS.md': 'Of another repository, below.',
    };
    const files = ['node_modules/evil/i.js', '.hidden/x.ts', 'vendor/other/src/x.ts'];
    const own = ['AGENTS.md agents-md always active'];
    expect(shown(await resolveIn(tree, { files }))).toEqual(own);
    expect(shown(await resolveIn(tree, { workingDirectory: '.', files }))).toEqual(own);
  });

  it('FM-05 patterns of a rule are about the files below the directory that has it', async () => {
    const rule = (globs: string) => `---\nglobs: ${globs}\n---\nOf ${globs}.`;
    const tree = {
      'a/.cursor/rules/x.mdc': rule('src/**'),
      'a/.cursor/rules/y.mdc': rule('**/*.ts'),
      '/home/ada/.claude/rules/z.md': '---\npaths: myproject/**\n---\nHome.',
    };
    const active = async (request: Partial<ResolveRequest>) =>
      (await resolveIn(tree, request)).files.filter(({ state }) => state === 'active').map(({ name }) => name);
    expect(await active({ workingDirectory: 'a', files: ['src/q.ts'] })).toEqual([]);
    expect(await active({ workingDirectory: '.', files: ['a/readme.md', 'b/x.ts'] })).toEqual([]);
    expect(await active({ files: ['a/src/q.ts'] })).toEqual(['a/.cursor/rules/x', 'a/.cursor/rules/y']);
  });

  it('FM-01 S-45 a directory with more entries than are listed hides no fixed name, and a folder costs its entries once', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`.f${index}.ts`, '']));
    const tree = { ...many, 'AGENTS.md': 'One.', 'GEMINI.md': 'Two.' };
    const { resolve } = await createWorkspace(tree, { limits: { entries: 20 } });
    expect(shown(await resolve())).toEqual(['AGENTS.md agents-md always active', 'GEMINI.md gemini always active']);
    const rules = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`.roo/rules/r${index}.md`, `${index}`]));
    const packages = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`p${index}/.roo/rules/p.md`, `Package ${index}.`]),
    );
    const cache = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`.roo/cache/c${index}`, '']));
    const shared = await createWorkspace({ ...rules, ...packages, ...cache }, { limits: { entries: 100 } });
    const result = await shared.resolve({ files: Array.from({ length: 10 }, (_, index) => `p${index}/x.ts`) });
    expect(result.files).toHaveLength(40);
    expect(result.warnings).toEqual([]);
  });
});

describe('which formats are read', () => {
  const tree = { 'AGENTS.md': 'One.', 'GEMINI.md': 'Two.', '.context/a.md': '---\ntrigger: always\n---\nOwn.' };
  const own = '.context/a.md - always active';

  it('FM-03 by the setting: all, none, or some; the context directory is always read', async () => {
    const formatsOf = async (formats?: 'none' | string[]) => shown(await resolveIn(tree, {}, formats));
    expect(await formatsOf()).toHaveLength(3);
    expect(await formatsOf('none')).toEqual([own]);
    expect(await formatsOf(['gemini'])).toEqual(['GEMINI.md gemini always active', own]);
  });

  it('FM-03 a request narrows the setting, and so does a configuration; neither reaches further', async () => {
    expect(shown(await resolveIn(tree, { formats: ['gemini'] }))).toEqual(['GEMINI.md gemini always active', own]);
    expect(shown(await resolveIn(tree, { formats: 'none' }))).toEqual([own]);
    expect(shown(await resolveIn(tree, { formats: 'all' }, ['agents-md']))).toEqual([
      'AGENTS.md agents-md always active',
      own,
    ]);
    const narrowed = (formats: unknown) => ({
      ...tree,
      '.context/context-config.json': JSON.stringify({ clientContext: { formats } }),
    });
    expect(shown(await resolveIn(narrowed(['gemini'])))).toEqual(['GEMINI.md gemini always active', own]);
    expect(shown(await resolveIn(narrowed('none')))).toEqual([own]);
    expect(shown(await resolveIn(narrowed('all'), {}, 'none'))).toEqual([own]);
    const wrong = await resolveIn(narrowed(['gemini', 'nothing']));
    expect(shown(wrong)).toEqual(['GEMINI.md gemini always active', own]);
    expect(wrong.warnings).toMatchObject([{ code: 'invalid_config_value', pointer: '/clientContext/formats/1' }]);
  });
});

describe('files of other tools are candidates like all others', () => {
  it('FM-02 exclusion, policies, steps and freshness hold for them', async () => {
    const { resolve, engine, files } = await createWorkspace({
      'AGENTS.md': 'One.',
      'GEMINI.md': 'Two.',
      '.cursorrules': 'Three.',
      '.context/context-config.json': '{"clientContext": {"excludeFiles": ["GEMINI.md"]}}',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - .cursorrules\n',
    });
    const first = await resolve();
    expect(shown(first)).toEqual(['AGENTS.md agents-md always active']);
    expect(excludedIn(first)).toEqual(
      expect.arrayContaining(['.cursorrules blocked_by_policy', 'GEMINI.md excluded_by_config']),
    );
    const { candidates } = await engine.explain({ mountedDirectory: project, path: 'AGENTS.md' });
    expect(candidates[0]?.steps[1]).toEqual({
      rule: 'format',
      outcome: 'found',
      detail: `agents-md in ${project} (static scope)`,
    });
    expect(await resolve()).toBe(first);
    files.write(`${project}/unrelated.txt`, 'x');
    expect(await resolve()).toBe(first);
    files.write(`${project}/CLAUDE.md`, 'Four.');
    expect(shown(await resolve())).toEqual(['AGENTS.md agents-md always active', 'CLAUDE.md claude-md always active']);
    files.write(`${project}/.roo/rules/x.md`, 'Five.');
    expect(shown(await resolve())).toContain('.roo/rules/x.md roo always active');
  });

  it('FM-04 CC-12 where a configuration includes such a file by its name, our front matter counts in it', async () => {
    const tree = { 'AGENTS.md': '---\ntrigger: always\npriority: 1\n---\nOne.', 'GEMINI.md': 'Two.' };
    const including = (pattern: string) => ({
      ...tree,
      '.context/context-config.json': JSON.stringify({ clientContext: { includeFiles: [pattern] } }),
    });
    const named = await resolveIn(including('AGENTS.md'));
    const both = ['AGENTS.md agents-md always active', 'GEMINI.md gemini always active'];
    expect(shown(named)).toEqual(both);
    expect(named.files[0]).toMatchObject({ priority: 1, content: 'One.' });
    // What has no front matter of ours stays what it is.
    expect(shown(await resolveIn(including('GEMINI.md')))).toEqual(both);
    expect(shown(await resolveIn(including('*.md')))).toEqual([
      'AGENTS.md agents-md always active',
      'GEMINI.md gemini always active',
    ]);
  });

  it('FM-02 an agent has them as its items', async () => {
    const { engine } = await createWorkspace({ 'AGENTS.md': 'One.', '.kiro/steering/a.md': 'Two.' });
    const { items } = await engine.agents.catalog({ mountedDirectory: project });
    expect(items.map(({ name, include, text }) => [name, include, text])).toEqual([
      ['.kiro/steering/a', 'always', 'Two.'],
      ['AGENTS', 'always', 'One.'],
    ]);
  });
});

describe('the same text under several names', () => {
  it('FM-06 a copy is listed with the file that stands for it', async () => {
    const result = await resolveIn({ 'AGENTS.md': 'One.\n', 'CLAUDE.md': '\nOne.', 'GEMINI.md': 'Two.' });
    expect(shown(result)).toEqual(['AGENTS.md agents-md always active', 'GEMINI.md gemini always active']);
    expect(result.excluded).toContainEqual({
      path: `${project}/CLAUDE.md`,
      format: 'claude-md',
      reason: { code: 'duplicate', detail: `it has the same text as ${project}/AGENTS.md, which is used instead` },
    });
    // Whose own rules apply to fewer requests stands for nothing.
    const modes = await resolveIn({ '.roo/rules-code/a.md': 'One.', '.roo/rules/b.md': 'One.' });
    expect(shown(modes)).toEqual(['.roo/rules/b.md roo always active']);
    // The patterns of these mean other files.
    const rule = '---\nglobs: src/**\n---\nOne.';
    const nested = { '.cursor/rules/a.mdc': rule, 'p/.cursor/rules/a.mdc': rule, 'p/.cursor/rules/b.mdc': rule };
    const found = await resolveIn(nested, { files: ['p/src/x.ts'] });
    expect(shown(found)).toEqual([
      '.cursor/rules/a.mdc cursor auto available',
      'p/.cursor/rules/a.mdc cursor auto active',
    ]);
    expect(excludedIn(found)).toEqual(['p/.cursor/rules/b.mdc duplicate']);
    // Nor does what waits for a mention stand for what always applies: that brings it along (FM-07).
    const imported = await resolveIn({ 'CLAUDE.md': '@.cursor/rules/a.mdc', '.cursor/rules/a.mdc': 'One.' });
    expect(shown(imported)).toEqual(['CLAUDE.md claude-md always active', '.cursor/rules/a.mdc cursor always active']);
    // Two of our own are not compared.
    expect(shown(await resolveIn({ '.context/a.md': 'One.', '.context/b.md': 'One.' }))).toHaveLength(2);
  });

  it('FM-06 a link from one name to another is followed inside its granted root, and to no other place', async () => {
    const { resolve, files } = await createWorkspace({
      'AGENTS.md': 'One.',
      'docs/gemini.md': 'Two.',
      '/home/ada/other/secret.md': 'Three.',
    });
    files.symlink(`${project}/CLAUDE.md`, 'AGENTS.md');
    files.symlink(`${project}/GEMINI.md`, 'docs/gemini.md');
    files.symlink(`${project}/WARP.md`, '/home/ada/other/secret.md');
    files.symlink(`${project}/CRUSH.md`, 'nowhere.md');
    files.symlink(`${project}/QWEN.md`, 'docs');
    const result = await resolve();
    expect(shown(result)).toEqual(['AGENTS.md agents-md always active', 'GEMINI.md gemini always active']);
    expect(result.files[1]).toMatchObject({ name: 'GEMINI', type: 'rule', content: 'Two.' });
    expect(excludedIn(result)).toEqual(
      expect.arrayContaining(['CLAUDE.md duplicate', 'CRUSH.md symlink', 'QWEN.md symlink', 'WARP.md outside_roots']),
    );
    files.write(`${project}/docs/gemini.md`, 'Two, changed.');
    expect((await resolve()).files[1]?.content).toBe('Two, changed.');
  });

  it('FM-06 S-37 a link on the way to a fixed name is not followed, and excludeFiles holds for what a link leads to', async () => {
    const { resolve, files } = await createWorkspace({
      'shared/copilot-instructions.md': 'Shared.',
      'docs/g.md': 'Excluded.',
      '.context/context-config.json': '{"clientContext": {"excludeFiles": ["docs/**"]}}',
    });
    files.symlink(`${project}/.github`, 'shared');
    files.symlink(`${project}/CLAUDE.md`, 'docs/g.md');
    files.symlink(`${project}/.clinerules`, 'shared/copilot-instructions.md');
    const result = await resolve();
    expect(shown(result)).toEqual(['.clinerules cline always active']);
    expect(excludedIn(result)).toContain('CLAUDE.md excluded_by_config');
    expect([...new Set(result.warnings.map(({ path }) => path))]).toEqual([`${project}/.github`]);
  });

  it('FM-06 a link that leads nowhere does not hide the next name', async () => {
    const { resolve, files } = await createWorkspace({ 'AGENTS.md': 'One.' });
    files.symlink(`${project}/AGENTS.override.md`, 'nowhere.md');
    const result = await resolve();
    expect(shown(result)).toEqual(['AGENTS.md agents-md always active']);
    expect(excludedIn(result)).toContain('AGENTS.override.md symlink');
  });

  it('FM-06 a link does not lead round a policy or the list of sensitive files', async () => {
    const { resolve, files } = await createWorkspace({
      '.env': 'SECRET=1',
      'private/a.md': 'Hidden.',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - private/**\n  - WARP.md\n',
      'open.md': 'Open.',
    });
    files.symlink(`${project}/CLAUDE.md`, '.env');
    files.symlink(`${project}/GEMINI.md`, 'private/a.md');
    files.symlink(`${project}/WARP.md`, 'open.md');
    const result = await resolve();
    expect(shown(result)).toEqual([]);
    expect(excludedIn(result)).toEqual([
      'CLAUDE.md sensitive',
      'GEMINI.md blocked_by_policy',
      'WARP.md blocked_by_policy',
    ]);
    expect(JSON.stringify(result)).not.toMatch(/SECRET|Hidden|Open\./u);
  });

  it('FM-06 a link to a folder is not followed, and said', async () => {
    const { resolve, files } = await createWorkspace({ 'shared/a.mdc': '---\nalwaysApply: true\n---\nOne.' });
    files.symlink(`${project}/.cursor/rules`, '../shared');
    const { files: found, warnings } = await resolve();
    expect(found).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'symlink', path: `${project}/.cursor/rules` }]);
  });

  it('FM-06 a file whose only line names another one is the link it is checked out for', async () => {
    const result = await resolveIn({ 'AGENTS.md': 'One.', 'CLAUDE.md': 'AGENTS.md\n', 'GEMINI.md': 'nowhere.md' });
    expect(shown(result)).toEqual(['AGENTS.md agents-md always active', 'GEMINI.md gemini always active']);
    expect(excludedIn(result)).toContain('CLAUDE.md duplicate');
    const imported = await resolveIn(
      { 'AGENTS.md': 'One.', 'CLAUDE.md': '@./AGENTS.md', 'a/CLAUDE.md': '@../AGENTS.md' },
      { workingDirectory: 'a' },
    );
    expect(shown(imported)).toEqual(['AGENTS.md agents-md always active']);
  });
});

describe('files of other tools in the home directory', () => {
  const homeFiles = {
    '/home/ada/.claude/CLAUDE.md': 'Everywhere.',
    '/home/ada/.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\nTypeScript everywhere.',
    '/home/ada/.claude/settings.json': '{}',
    '/home/ada/.claude/history.md': 'Private.',
    '/home/ada/.codex/AGENTS.md': 'For Codex everywhere.',
  };

  it('FM-05 are the global scope, before all others, and apply everywhere', async () => {
    const result = await resolveIn({ ...homeFiles, 'AGENTS.md': 'Here.' }, { files: ['a.ts'] });
    expect(shown(result)).toEqual([
      '~/.codex/AGENTS.md agents-md always active',
      '~/.claude/CLAUDE.md claude-md always active',
      '~/.claude/rules/ts.md claude-rules auto active',
      'AGENTS.md agents-md always active',
    ]);
    expect(result.files[0]).toMatchObject({ scope: 'global', owner: '/home/ada' });
    expect(shown(await resolveIn(homeFiles, { scopes: ['static', 'dynamic'] }))).toEqual([]);
    const ignored = { '.context/context-config.json': '{"clientContext": {"ignoreGlobalContext": true}}' };
    expect(shown(await resolveIn({ ...homeFiles, ...ignored }))).toEqual([]);
  });

  it('FM-05 S-35 nothing beside them can be read, and a format that is not read grants nothing', async () => {
    const { engine } = await createWorkspace(homeFiles);
    const roots = (await engine.listRoots()).filter(({ origin }) => origin === 'global').map(({ path }) => path);
    expect(roots).toEqual([
      '/home/ada/.context',
      '/home/ada/.codex/AGENTS.md',
      '/home/ada/.claude/CLAUDE.md',
      '/home/ada/.claude/rules',
    ]);
    for (const mountedDirectory of ['/home/ada', '/home/ada/.claude', '/home/ada/.codex'])
      await expect(engine.resolve({ mountedDirectory })).rejects.toMatchObject({ code: 'path_outside_roots' });
    const none = await createWorkspace(homeFiles, { settings: { formats: ['cursor'] } });
    expect((await none.engine.listRoots()).map(({ path }) => path)).not.toContain('/home/ada/.claude/CLAUDE.md');
    expect(shown(await none.resolve())).toEqual([]);
  });

  it('FM-02 FM-05 are seen when they come, change and go, and no policy of a workspace is about them', async () => {
    const { resolve, files, clock } = await createWorkspace({
      '.ai-context-policy.yaml': 'ai_context_policy: block\n',
    });
    expect(shown(await resolve())).toEqual([]);
    files.write('/home/ada/.gemini/GEMINI.md', 'New.');
    const first = await resolve();
    expect(shown(first)).toEqual(['~/.gemini/GEMINI.md gemini always active']);
    clock.advance(60_000);
    expect(await resolve()).toBe(await resolve());
    files.write('/home/ada/.gemini/GEMINI.md', 'Changed.');
    expect((await resolve()).files[0]?.content).toBe('Changed.');
    files.remove('/home/ada/.gemini/GEMINI.md');
    expect(shown(await resolve())).toEqual([]);
    files.write('/home/ada/.roo/rules/a.md', 'Roo.');
    expect(shown(await resolve())).toEqual(['~/.roo/rules/a.md roo always active']);
  });

  it('FM-05 CC-18 a link at such a place is the user’s own and is followed, but never to a sensitive file', async () => {
    const { resolve, files } = await createWorkspace({
      '/home/ada/dotfiles/claude.md': 'Mine.',
      '/home/ada/.ssh/id_rsa': 'SECRET',
      '/home/ada/.claude/settings.json': '{}',
      '/home/ada/.gemini/settings.json': '{}',
    });
    files.symlink('/home/ada/.claude/CLAUDE.md', '../dotfiles/claude.md');
    files.symlink('/home/ada/.gemini/GEMINI.md', '../.ssh/id_rsa');
    const result = await resolve();
    expect(shown(result)).toEqual(['~/.claude/CLAUDE.md claude-md always active']);
    expect(result.files[0]).toMatchObject({ name: '~:.claude/CLAUDE', content: 'Mine.' });
    expect(result.excluded).toMatchObject([{ path: '/home/ada/.gemini/GEMINI.md', reason: { code: 'sensitive' } }]);
    expect(JSON.stringify(result)).not.toContain('SECRET');
  });
});
