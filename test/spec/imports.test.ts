/** What rule files import comes with them (FM-07). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../src/context/resolve-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { createWorkspace, home, project } from '../support/workspace.ts';

type Tree = Record<string, string | Uint8Array>;

/** Each file as `path trigger state reason`, in the order of the answer. */
const shown = ({ files }: ResolveResult): string[] =>
  files.map(({ relativePath, trigger, state, reason }) => `${relativePath} ${trigger} ${state} ${reason.code}`);
const pathsIn = ({ files }: ResolveResult): string[] => files.map(({ relativePath }) => relativePath);
const excludedIn = ({ excluded }: ResolveResult): string[] =>
  excluded.map(({ path, reason }) => `${path.replace(`${project}/`, '')} ${reason.code}`);
const warningsIn = ({ warnings }: ResolveResult): string[] =>
  warnings.map(({ code, path, line }) => [code, path?.replace(`${project}/`, ''), line].filter(Boolean).join(' '));
const resolveIn = async (
  tree: Tree,
  request: Partial<ResolveRequest> = {},
  options: Parameters<typeof createWorkspace>[1] = {},
) => (await createWorkspace(tree, options)).resolve(request);

describe('imports of rule files', () => {
  it('FM-07 what CLAUDE.md imports is a reference that comes right behind it and says where it is imported', async () => {
    const tree = {
      'CLAUDE.md': 'See @README and @docs/style.md for more.\n\n- @docs/git.md\n',
      README: 'Of the project.',
      'docs/style.md': '---\ntitle: Style\n---\nTabs.',
      'docs/git.md': 'Small commits.',
      'GEMINI.md': 'For Gemini.',
    };
    const result = await resolveIn(tree);
    expect(shown(result)).toEqual([
      'CLAUDE.md always active trigger_always',
      'README always active imported',
      'docs/style.md always active imported',
      'docs/git.md always active imported',
      'GEMINI.md always active trigger_always',
    ]);
    expect(result.files[2]).toMatchObject({
      name: 'docs/style',
      type: 'reference',
      source: 'import',
      format: 'claude-md',
      reason: { code: 'imported', detail: 'CLAUDE.md:1' },
      importedBy: [{ path: `${project}/CLAUDE.md`, line: 1 }],
      content: '---\ntitle: Style\n---\nTabs.',
    });
    expect(result.files[3]?.importedBy).toEqual([{ path: `${project}/CLAUDE.md`, line: 3 }]);
    // The text that imports stays as it is written.
    expect(result.files[0]?.content).toBe(tree['CLAUDE.md']);
    expect(result.warnings).toEqual([]);
  });

  it('FM-07 paths are relative to the file that imports; those of Kiro to the mounted directory', async () => {
    const tree = {
      'a/CLAUDE.md': '@./notes/x.md @../shared.md',
      'a/notes/x.md': 'See @y.md',
      'a/notes/y.md': 'Y.',
      'shared.md': 'Shared.',
      '.kiro/steering/api.md':
        '---\ninclusion: fileMatch\nfileMatchPattern: "*.ts"\n---\nFollow #[[file:api/openapi.yaml]].',
      'api/openapi.yaml': 'openapi: 3.1.0',
    };
    expect(shown(await resolveIn(tree, { workingDirectory: 'a', files: ['a/x.ts'] }))).toEqual([
      '.kiro/steering/api.md auto active glob_matched',
      'api/openapi.yaml auto active imported',
      'a/CLAUDE.md always active trigger_always',
      'a/notes/x.md always active imported',
      'a/notes/y.md always active imported',
      'shared.md always active imported',
    ]);
  });

  it('FM-07 what is imported applies when that does which imports it', async () => {
    const tree = {
      '.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\n@../../docs/ts.md',
      'docs/ts.md': 'Types.',
      '.kiro/steering/deploy.md': '---\ninclusion: manual\n---\n#[[file:docs/deploy.md]]',
      'docs/deploy.md': 'Deploy.',
    };
    const { resolve } = await createWorkspace(tree);
    const waiting = await resolve();
    expect(shown(waiting)).toEqual([
      '.claude/rules/ts.md auto available no_glob_matched',
      'docs/ts.md auto available importer_not_active',
      '.kiro/steering/deploy.md manual available needs_mention',
      'docs/deploy.md manual available importer_not_active',
    ]);
    expect(waiting.files[1]).toMatchObject({ globs: ['**/*.ts'], reason: { detail: '.claude/rules/ts.md:4' } });
    expect(shown(await resolve({ files: ['x.ts'], mentions: ['.kiro/steering/deploy'] }))).toEqual([
      '.claude/rules/ts.md auto active glob_matched',
      'docs/ts.md auto active imported',
      '.kiro/steering/deploy.md manual active mentioned',
      'docs/deploy.md manual active imported',
    ]);
    // It has a name of its own.
    const mentioned = await resolve({ mentions: ['docs/deploy'] });
    expect(shown(mentioned)[3]).toBe('docs/deploy.md manual active mentioned');
    expect(shown(mentioned)[2]).toBe('.kiro/steering/deploy.md manual available needs_mention');
  });

  it('FM-07 two files that import the same get it once', async () => {
    const result = await resolveIn({
      'CLAUDE.md': '@docs/a.md',
      'GEMINI.md': 'One.\n@docs/a.md @docs/b.md',
      'QWEN.md': '@docs/b.md',
      'docs/a.md': 'A.',
      'docs/b.md': 'B.',
    });
    expect(pathsIn(result)).toEqual(['CLAUDE.md', 'docs/a.md', 'GEMINI.md', 'docs/b.md', 'QWEN.md']);
    expect(result.files[1]?.importedBy).toEqual([
      { path: `${project}/CLAUDE.md`, line: 1 },
      { path: `${project}/GEMINI.md`, line: 2 },
    ]);
  });

  it('FM-07 FM-06 a file that is there anyway is not delivered twice, and its own imports count', async () => {
    const tree = {
      'CLAUDE.md': '@AGENTS.md\nMore for Claude.',
      'AGENTS.md': 'Rules. @docs/a.md',
      'docs/a.md': 'A.',
      '.context/notes.md': 'Notes.',
    };
    const result = await resolveIn({ ...tree, 'docs/a.md': 'A. @../.context/notes.md' });
    expect(shown(result)).toEqual([
      'AGENTS.md always active trigger_always',
      'docs/a.md always active imported',
      'CLAUDE.md always active trigger_always',
      '.context/notes.md always active imported',
    ]);
    expect(result.files[0]).toMatchObject({ source: 'format', type: 'rule', importedBy: [{ line: 1 }] });
    expect(result.files[3]).toMatchObject({
      source: 'context-directory',
      importedBy: [{ path: `${project}/docs/a.md` }],
    });
    // One line only: the file is a link, as ever.
    const linked = await resolveIn({ ...tree, 'CLAUDE.md': '@AGENTS.md\n' });
    expect(excludedIn(linked)).toContain('CLAUDE.md duplicate');
    expect(pathsIn(linked).slice(0, 2)).toEqual(['AGENTS.md', 'docs/a.md']);
    const copied = await resolveIn({ ...tree, 'CLAUDE.md': 'Rules. @docs/a.md' });
    expect(shown(copied).slice(0, 2)).toEqual([
      'AGENTS.md always active trigger_always',
      'docs/a.md always active imported',
    ]);
  });

  it('FM-07 ends at cycles, and five files deep', async () => {
    const cycle = await resolveIn({
      'CLAUDE.md': '@a.md @CLAUDE.md',
      'a.md': '@b.md',
      'b.md': 'Back to @a.md and @CLAUDE.md',
    });
    expect(shown(cycle)).toEqual([
      'CLAUDE.md always active trigger_always',
      'a.md always active imported',
      'b.md always active imported',
    ]);
    expect(cycle.warnings).toEqual([]);
    // A file that names itself imports nothing.
    expect(cycle.files[0]?.importedBy).toEqual([{ path: `${project}/b.md`, line: 1 }]);
    const ring = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`f${n}.md`, `@f${(n % 5) + 1}.md`]));
    expect(warningsIn(await resolveIn({ ...ring, 'CLAUDE.md': 'Begin @f1.md' }))).toEqual([]);
    const chain = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`f${n}.md`, `@f${n + 1}.md`]));
    const deep = await resolveIn({ ...chain, 'CLAUDE.md': '@f1.md' });
    expect(pathsIn(deep)).toEqual(['CLAUDE.md', 'f1.md', 'f2.md', 'f3.md', 'f4.md', 'f5.md']);
    expect(warningsIn(deep)).toEqual(['limit_imports']);
  });

  it('FM-07 what is no file and hardly meant as one is passed over; the path of a document is missed', async () => {
    const result = await resolveIn({
      'CLAUDE.md':
        'Ask @octocat about @types/node, @Controller() and ada@example.org.\n`@docs/code.md`\n\n@docs/gone.md\n@docs/here.md: how.\n@/lib/utils\n<!-- @docs/old.md -->',
      'docs/here.md': 'Here.',
      'docs/code.md': 'Code.',
    });
    expect(pathsIn(result)).toEqual(['CLAUDE.md']);
    expect(result.excluded).toEqual([]);
    expect(warningsIn(result)).toEqual(['import_not_found CLAUDE.md 4', 'import_not_found CLAUDE.md 5']);
    expect(result.warnings[1]?.message).toContain('"docs/here.md"');
  });

  it('FM-07 what may not be read is named with its reason and its importer, and never read', async () => {
    const { resolve, files } = await createWorkspace({
      'CLAUDE.md':
        '@.env @private/a.md @docs @image.png @left-out.md @link.md @folder/x.md @.context/context-config.json\n@~/private.md @/etc/hosts.md @/etc/passwd @../other/x.md',
      '.env': 'Secret.',
      'private/a.md': 'Secret.',
      'docs/x.md': 'Secret.',
      'left-out.md': 'Secret.',
      'image.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0),
      '~/private.md': 'Secret.',
      '/etc/hosts.md': 'Secret.',
      '/etc/passwd': 'Secret.',
      '~/other/x.md': 'Secret.',
      '.context/context-config.json': '{"clientContext": {"excludeFiles": ["left-out.md"]}}',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - private/**\n',
    });
    files.symlink(`${project}/link.md`, 'docs/x.md');
    files.symlink(`${project}/folder`, `${home}/other`);
    const { opened } = files;
    const result = await resolve();
    const context = '.context/context-config.json excluded_by_config';
    expect(excludedIn(result).filter((each) => each !== context)).toEqual([
      '/etc/hosts.md outside_roots',
      '/etc/passwd outside_roots',
      '.env sensitive',
      'docs not_regular_file',
      'folder/x.md symlink',
      'image.png binary',
      'left-out.md excluded_by_config',
      'link.md symlink',
      'private/a.md blocked_by_policy',
      `${home}/other/x.md outside_roots`,
      `${home}/private.md outside_roots`,
    ]);
    expect(result.excluded[0]).toMatchObject({ importedBy: [{ path: `${project}/CLAUDE.md`, line: 2 }] });
    expect(pathsIn(result)).toEqual(['CLAUDE.md']);
    expect(JSON.stringify(result)).not.toContain('Secret.');
    // Where an ignore file may lie is listed.
    expect(opened.filter((path) => /private\/|other|etc|\.env|docs/u.test(path))).toEqual([]);
  });

  it('FM-07 a policy of the directory of an imported file holds, and one that came meanwhile too', async () => {
    const { resolve, files } = await createWorkspace({ 'CLAUDE.md': '@docs/a.md', 'docs/a.md': 'A.' });
    expect(pathsIn(await resolve())).toEqual(['CLAUDE.md', 'docs/a.md']);
    files.write(`${project}/docs/.ai-context-policy.yaml`, 'ai_context_policy: block\n');
    expect(excludedIn(await resolve())).toEqual(['docs/a.md blocked_by_policy']);
  });

  it('FM-07 what lies outside the repository of its importer is only available, until it is mentioned', async () => {
    const { resolve, files } = await createWorkspace(
      {
        'CLAUDE.md': '@../other/x.md',
        '~/other/x.md': 'X. @y.md',
        '~/other/y.md': 'Y.',
        '.git/HEAD': '',
        '~/.claude/CLAUDE.md': `@${home}/other/y.md`,
      },
      { grantedRoots: [project, `${home}/other`] },
    );
    const result = await resolve();
    expect(shown(result)).toEqual([
      '~/.claude/CLAUDE.md always active trigger_always',
      '~/other/y.md always active imported',
      'CLAUDE.md always active trigger_always',
      '../other/x.md manual available outside_repository',
    ]);
    expect(warningsIn(result)).toEqual(['outside_repository CLAUDE.md 1']);
    files.remove(`${home}/.claude/CLAUDE.md`);
    expect(shown(await resolve({ mentions: ['../other/x.md'] }))).toEqual([
      'CLAUDE.md always active trigger_always',
      '../other/x.md manual active mentioned',
      '../other/y.md manual available outside_repository',
    ]);
  });

  it('FM-07 CC-36 what is imported changes the answer when it changes, comes, goes or imports something else', async () => {
    const { resolve, files } = await createWorkspace({ 'CLAUDE.md': '@docs/a.md', 'other.md': 'Other.' });
    const first = await resolve();
    expect(warningsIn(first)).toEqual(['import_not_found CLAUDE.md 1']);
    expect(await resolve()).toBe(first);
    const digests = new Set([first.digest]);
    const changed = async (): Promise<ResolveResult> => {
      const result = await resolve();
      expect(digests.size).toBeLessThan(digests.add(result.digest).size);
      expect(await resolve()).toBe(result);
      return result;
    };
    files.write(`${project}/docs/a.md`, 'One.');
    expect(pathsIn(await changed())).toEqual(['CLAUDE.md', 'docs/a.md']);
    files.write(`${project}/docs/a.md`, 'Two. @../other.md');
    expect(pathsIn(await changed())).toEqual(['CLAUDE.md', 'docs/a.md', 'other.md']);
    files.write(`${project}/other.md`, 'Changed.');
    expect((await changed()).files[2]?.content).toBe('Changed.');
    files.remove(`${project}/docs/a.md`);
    expect(warningsIn(await resolve())).toEqual(['import_not_found CLAUDE.md 1']);
  });

  it('FM-07 explain says which line imports a file, and what was decided about it', async () => {
    const tree = { 'CLAUDE.md': 'One.\n@docs/a.md @gone.md', 'docs/a.md': 'A.' };
    const { engine } = await createWorkspace(tree);
    const explain = async (path: string) =>
      (await engine.explain({ mountedDirectory: project, path })).candidates[0] as { verdict: string; steps: object[] };
    const { verdict, steps } = await explain('docs/a.md');
    expect(verdict).toBe('active');
    expect(steps).toContainEqual({ rule: 'import', outcome: 'found', detail: `by ${project}/CLAUDE.md, line 2` });
    expect(steps.at(-1)).toEqual({ rule: 'import', outcome: 'active', detail: 'imported: CLAUDE.md:2' });
    expect(await explain('gone.md')).toMatchObject({ verdict: 'excluded', reason: { code: 'not_found' } });
  });

  it('FM-07 budgets hold for what is imported', async () => {
    const tree = { 'CLAUDE.md': '@docs/a.md @docs/b.md', 'docs/a.md': 'A'.repeat(400), 'docs/b.md': 'B.' };
    const result = await resolveIn(tree, { budget: { maxTokens: 50 } });
    expect(shown(result)).toEqual([
      'CLAUDE.md always active trigger_always',
      'docs/a.md always available over_budget',
      'docs/b.md always active imported',
    ]);
    expect(pathsIn(await resolveIn(tree, {}, { limits: { candidateFiles: 2 } }))).toEqual(['CLAUDE.md', 'docs/a.md']);
  });

  it('FM-07 formats that are not read import nothing, and the file of a context directory imports nothing either', async () => {
    const tree = {
      'CLAUDE.md': '@docs/a.md',
      'docs/a.md': 'A.',
      '.context/x.md': '@../docs/a.md',
      'AGENTS.md': '@docs/a.md',
    };
    expect(pathsIn(await resolveIn(tree, { formats: ['agents-md'] }))).toEqual(['AGENTS.md', '.context/x.md']);
  });

  it('FM-07 a session takes what its files import, also those that are mentioned', async () => {
    const { engine } = await createWorkspace({
      'CLAUDE.md': '@docs/a.md',
      'docs/a.md': 'A.',
      '.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\n@../../docs/ts.md',
      'docs/ts.md': 'Types. @deep.md',
      'docs/deep.md': 'Deep.',
      '.kiro/steering/deploy.md': '---\ninclusion: manual\n---\n#[[file:docs/deploy.md]]',
      'docs/deploy.md': 'Deploy.',
    });
    await engine.agents.put('a', { name: 'A', mountedDirectory: project });
    const { id } = await engine.sessions.create({ agentId: 'a' });
    const ask = async (asked: { files?: string[]; mentions?: string[] }) => {
      const { requestContext } = await engine.sessions.request(id, { message: 'Build it', ...asked });
      return requestContext.items.map(({ name, includeMode, reason }) => `${name} ${includeMode} ${reason?.code}`);
    };
    const always = ['docs/a always trigger_always', 'CLAUDE always trigger_always'];
    expect((await ask({})).toSorted()).toEqual(always.toSorted());
    expect((await ask({ files: ['x.ts'] })).slice(2)).toEqual([
      '.claude/rules/ts auto glob_matched',
      'docs/ts auto imported',
      'docs/deep auto imported',
    ]);
    expect((await ask({ mentions: ['.kiro/steering/deploy'] })).slice(2)).toEqual([
      '.kiro/steering/deploy manual mentioned',
      'docs/deploy manual imported',
    ]);
  });

  it('FM-07 limits are told, and the rest is used', async () => {
    const numbered = (count: number, name: (n: number) => string) => Array.from({ length: count }, (_, n) => name(n));
    const many = await resolveIn({
      'CLAUDE.md': numbered(10_000, (n) => `@f${n}.md`).join(' '),
      ...Object.fromEntries(numbered(150, (n) => `f${n}.md`).map((path) => [path, `Of ${path}.`])),
    });
    expect(many.files).toHaveLength(101);
    expect(warningsIn(many)).toEqual(expect.arrayContaining(['limit_imports']));
  });

  it('CC-04 FM-07 links on the way are followed where the setting says so, and never out of the granted roots', async () => {
    const build = async (followSymlinks: boolean) => {
      const tree = { 'CLAUDE.md': '@link/a.md @out/x.md @out/gone.md', 'docs/a.md': 'A.', '~/other/x.md': 'X.' };
      const { resolve, files } = await createWorkspace(tree, { settings: { followSymlinks } });
      files.symlink(`${project}/link`, 'docs');
      files.symlink(`${project}/out`, `${home}/other`);
      return resolve();
    };
    const followed = await build(true);
    expect(shown(followed)[1]).toBe('link/a.md always active imported');
    // Nor is told what is there.
    expect(excludedIn(followed)).toEqual(['out/gone.md outside_roots', 'out/x.md outside_roots']);
    expect(excludedIn(await build(false))).toEqual(['link/a.md symlink', 'out/gone.md symlink', 'out/x.md symlink']);
  });

  it('FM-07 a project that is mounted by a link has one name for what its absolute paths import', async () => {
    const { engine, files } = await createWorkspace(
      { 'CLAUDE.md': `@${project}/docs/a.md @docs/a.md`, 'docs/a.md': 'A.' },
      { grantedRoots: [home] },
    );
    files.symlink(`${home}/link`, 'myproject');
    const result = await engine.resolve({ mountedDirectory: `${home}/link` });
    expect(result.files.map(({ path }) => path)).toEqual([`${home}/link/CLAUDE.md`, `${home}/link/docs/a.md`]);
  });
});
