/** Checks of a whole tree: what is looked at, within which limits, and by which way (AP-08; CC-04 … CC-06, CC-19 … CC-21). */
import { describe, expect, it } from 'vitest';
import { ContextdError } from '../../src/errors.ts';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import type { Warning } from '../../src/warnings.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { config, contextFile, createWorkspace, home, project, type TestWorkspace } from '../support/workspace.ts';

const rule = contextFile({ description: 'x', trigger: 'always' });
const broken = '{"clientContext": 1}';

type Options = Parameters<typeof createWorkspace>[1];

async function checkWorkspace(
  { engine }: TestWorkspace,
  request: { clientContextPath?: string } = {},
): Promise<string[]> {
  const result = ValidateResult.strict().parse(await engine.validate({ mountedDirectory: project, ...request }));
  expect(result.valid).toBe(!result.diagnostics.some(({ severity }) => severity === 'error'));
  const shown = (mark: string, { code, path, line }: Warning) => {
    const place = path === undefined ? '' : ` ${path === project ? '.' : path.replace(`${project}/`, '')}`;
    return `${mark} ${code}${place}${line === undefined ? '' : `:${line}`}`;
  };
  return result.diagnostics.flatMap((each) => [
    shown(each.severity, each),
    ...(each.consequences ?? []).map((below) => shown(' ', below)),
  ]);
}
const check = async (tree: Record<string, string | Uint8Array>, options?: Options) =>
  checkWorkspace(await createWorkspace(tree, options));

describe('what is looked at', () => {
  it('AP-08 a correct tree has no finding', async () => {
    const found = await check({
      '.context/context-config.json': config({
        clientContext: { includeFiles: ['docs/**/*.md'], excludeFiles: ['docs/draft/**', 'context-config.json'] },
        mcpServers: { a: { command: 'x' } },
      }),
      '.context/style.md': rule,
      '.context/refs/api.txt': 'Text.\n',
      '.context/ts.mdc': contextFile({ trigger: 'auto', globs: '**/*.ts, lib/' }),
      'lib/x.py': '',
      'docs/guide.md': '# Guide\n',
      'docs/draft/later.md': '# Later\n',
      'src/a.ts': '',
      'src/.context/config.yaml': 'clientContext:\n  excludeFiles:\n    - style.md\nmcpServers:\n  b: {command: y}\n',
      'src/.context/notes.md': 'Text.\n',
      'other/.context/config.json': config({ mcpServers: { b: { command: 'z' } } }),
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [docs/draft/]\n',
    });
    expect(found).toEqual([]);
  });

  it('AP-08 configurations of every name, context files and policies at any level', async () => {
    const found = await check({
      '.context/context-config.json': broken,
      '.context/config.json': broken,
      'a/.context/config.yaml': 'clientContext: 1\n',
      'a/b/c/.context/config.yml': 'clientContext: 1\n',
      'a/b/c/.context/deep/er/x.md': ' ---\nname: x\n---\nText.\n',
      'p/.ai-context-policy.yml': 'version: 2\n',
      'p/q/.ai-context-policy.yaml': 'version: 3\n',
    });
    expect(found).toEqual([
      'error invalid_config_value .context/config.json:1',
      'error invalid_config_value .context/context-config.json:1',
      'error invalid_config_value a/.context/config.yaml:1',
      'error invalid_config_value a/b/c/.context/config.yml:1',
      'error front_matter_fence a/b/c/.context/deep/er/x.md:1',
      'error invalid_policy_value p/.ai-context-policy.yml:1',
      'error invalid_policy_value p/q/.ai-context-policy.yaml:1',
    ]);
  });

  it('AP-08 nothing below .git and node_modules', async () => {
    const found = await check({
      '.context/a.md': rule,
      '.git/.context/context-config.json': broken,
      'node_modules/x/.context/context-config.json': broken,
      'a/node_modules/.ai-context-policy.yaml': 'version: 2\n',
    });
    expect(found).toEqual([]);
  });

  it('CC-02 CC-19 context directories of another name, also with several segments and ..', async () => {
    const tree = {
      '.context/context-config.json': broken,
      'a/.ai/rules/context-config.json': broken,
      'a/b/x.ts': '',
    };
    expect(await checkWorkspace(await createWorkspace(tree), { clientContextPath: '.ai/rules' })).toEqual([
      'error invalid_config_value a/.ai/rules/context-config.json:1',
    ]);
    const settings = { settings: { clientContextPath: '../.ai/rules' } };
    expect(await check(tree, settings)).toEqual(['error invalid_config_value a/.ai/rules/context-config.json:1']);
  });

  it('AP-05 both spellings of a policy in one directory are a warning', async () => {
    const allow = 'ai_context_policy: allow\n';
    const found = await check({
      '.ai-context-policy.yaml': allow,
      '.ai-context-policy.yml': allow,
      'a/.ai-context-policy.yml': allow,
    });
    expect(found).toEqual(['warning policy_twice .ai-context-policy.yml:1']);
  });

  it('AP-08 a tree with nothing to check says so', async () => {
    expect(await check({ 'src/a.ts': '' })).toEqual(['warning nothing_to_check .']);
    expect(await check({ 'src/.cursorignore': 'a.ts\n', 'src/a.ts': '' })).toEqual([]);
    expect(await check({ '.ai-context-policy.yml': 'ai_context_policy: block\n' })).toEqual([]);
    expect(await check({ '.ai-context-policy.yml': new Uint8Array([0]) })).toEqual([
      'error policy_not_read .ai-context-policy.yml:1',
    ]);
  });

  it('CC-13 CC-29 what is excluded is not checked, what is included is', async () => {
    const bad = ' ---\nname: x\n---\nText.\n';
    const found = await check({
      '.context/context-config.json': config({
        clientContext: { includeFiles: ['docs/*.md'], excludeFiles: ['drafts/**', 'docs/old.md'] },
      }),
      '.context/drafts/a.md': bad,
      '.context/drafts/b.png': 'x',
      'docs/new.md': bad,
      'docs/old.md': bad,
      'docs/other/x.md': bad,
      'src/.context/drafts/c.md': bad,
    });
    expect(found).toEqual(['error front_matter_fence docs/new.md:1']);
  });
});

describe('what cannot be delivered', () => {
  it('CC-18 CC-24 CC-31 names, types and encodings that are left out', async () => {
    const found = await check({
      '.context/a.md': rule,
      '.context/logo.png': 'x',
      '.context/img/b.png': 'x',
      '.context/c.md': new Uint8Array([0xff, 0xfe, 0x41]),
      '.context/d.md': new Uint8Array([0x41, 0, 0x41]),
      '.context/prod.key.md': 'x',
      'src/.context/only.rst': 'x',
      '.context/.ai-context-policy.yaml': 'ai_context_policy: allow\n',
    });
    expect(found).toEqual([
      'warning unsupported_type .context',
      'error invalid_utf8 .context/c.md:1',
      'error binary .context/d.md:1',
      'warning sensitive_name .context/prod.key.md:1',
      'warning unsupported_type src/.context/only.rst:1',
    ]);
  });

  it('AP-08 says so if the directory cannot be listed', async () => {
    const workspace = await createWorkspace({ '.context/a.md': rule });
    workspace.files.setMode(project, 0o100);
    expect(await checkWorkspace(workspace)).toEqual(['error unreadable .']);
  });

  it('AP-08 names folders that cannot be listed', async () => {
    const workspace = await createWorkspace({ '.context/a.md': rule, 'data/AGENTS.md': '', 'pkg/build/x.ts': '' });
    for (const folder of ['data', 'pkg/build']) workspace.files.setMode(`${project}/${folder}`, 0);
    expect(await checkWorkspace(workspace)).toEqual([
      'warning folder_not_checked data',
      'warning folder_not_checked pkg/build',
    ]);
  });

  it('CC-04 CC-05 links, permissions and other things', async () => {
    const workspace = await createWorkspace({
      '.context/a.md': rule,
      '.context/no.md': rule,
      '.context/context-config.json': '{}',
      '.context/locked/b.md': rule,
      'shared/x.md': rule,
      'sub/.ai-context-policy.yaml': 'ai_context_policy: allow\n',
      'sub/x.ts': '',
    });
    const { files } = workspace;
    files.symlink(`${project}/.context/link.md`, `${project}/shared/x.md`);
    files.fifo(`${project}/.context/pipe.md`);
    files.setMode(`${project}/.context/no.md`, 0);
    files.setMode(`${project}/.context/locked`, 0);
    files.setMode(`${project}/.context/context-config.json`, 0);
    files.setMode(`${project}/sub/.ai-context-policy.yaml`, 0);
    files.symlink(`${project}/linked/.context`, `${project}/shared`);
    files.symlink(`${project}/linked/.ai-context-policy.yaml`, `${project}/sub/.ai-context-policy.yaml`);
    expect(await checkWorkspace(workspace)).toEqual([
      'error config_not_read .context/context-config.json:1',
      'warning symlink .context/link.md',
      'error unreadable .context/locked',
      'error unreadable .context/no.md:1',
      'error not_regular_file .context/pipe.md',
      'error policy_not_read linked/.ai-context-policy.yaml:1',
      'warning symlink linked/.context',
      'error policy_not_read sub/.ai-context-policy.yaml:1',
    ]);
  });

  it('CC-08 AP-01 files that are meant to configure and are never read', async () => {
    const found = await check({
      '.context/context-config.yaml': '{}',
      '.context/Context_Config.json': '{}',
      '.context/sub/context-config.json': '{}',
      'context-config.json': '{}',
      'schemas/context-config.json': '{}',
      'schemas/ai-context-policy.json': '{}',
      'src/context-config.ts': '',
      '.ai-context-policy.json': '{}',
      'a/ai_context_policy.yaml': '',
      'a/.AI-Context-Policy.yml': '',
    });
    expect(found).toEqual([
      'error misnamed_policy .ai-context-policy.json:1',
      'error misnamed_config .context/Context_Config.json:1',
      'error misnamed_config .context/context-config.yaml:1',
      'error misplaced_config_file .context/sub/context-config.json:1',
      'error misnamed_policy a/.AI-Context-Policy.yml:1',
      'error misnamed_policy a/ai_context_policy.yaml:1',
      'error misplaced_config_file context-config.json:1',
    ]);
  });

  it('AP-04 AP-06 a policy that is a directory, and a file that it blocks, of which nothing is said', async () => {
    const found = await check({
      'p/.ai-context-policy.yaml/x': '',
      'p/.context/a.md': '---\npriority: [\n---\nSecret.\n',
      'p/.context/b.md': rule,
    });
    expect(found).toEqual([
      'error policy_not_read p/.ai-context-policy.yaml:1',
      '  blocked_by_policy p/.context/a.md:1',
      '  blocked_by_policy p/.context/b.md:1',
    ]);
  });

  it('CC-01 CC-35 what lies too deep or is too large', async () => {
    const deep = 'd/'.repeat(5);
    const limits = { depth: 4, fileBytes: 50, configBytes: 60 };
    const found = await check(
      {
        [`.context/${deep}a.md`]: rule,
        '.context/d/b.md': rule,
        '.context/c.txt': 'x'.repeat(51),
        '.context/context-config.json': `{"clientContext": {}, "x": "${'y'.repeat(60)}"}`,
        'p/.ai-context-policy.yaml': `ai_context_policy: allow\n# ${'z'.repeat(60)}\n`,
      },
      { limits },
    );
    expect(found).toEqual([
      'warning file_truncated .context/c.txt:1',
      'error config_too_large .context/context-config.json:1',
      'warning too_deep .context/d/d/d/d/d/a.md:1',
      'error policy_too_large p/.ai-context-policy.yaml:1',
    ]);
  });
});

describe('limits and reach', () => {
  it('CC-06 a limit that is hit is a warning, and nothing is said about patterns then', async () => {
    const tree: Record<string, string> = {
      '.context/context-config.json': config({
        clientContext: { includeFiles: ['gone/**'], excludeFiles: ['gone.md'] },
      }),
      '.context/a.md': contextFile({ trigger: 'auto', globs: 'z/z39.ts' }),
    };
    for (let index = 0; index < 40; index += 1) tree[`z/z${index}.ts`] = '';
    expect(await check(tree, { limits: { entries: 50 } })).toHaveLength(2);
    expect(await check(tree, { limits: { entries: 5 } })).toEqual(['warning limit_entries']);
    expect(await check({ ...tree, [`${'q/'.repeat(9)}a.md`]: 'x' }, { limits: { depth: 2 } })).toEqual([
      'warning limit_depth',
    ]);
  });

  it('CC-06 more context files than are checked', async () => {
    const tree = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`.context/f${index}.md`, 'Text.\n']));
    const { engine } = await createWorkspace(tree, { limits: { contextFiles: 2 } });
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code }) => code)).toEqual(['limit_context_files']);
    expect(diagnostics[0]?.message).toMatch(/Only 10 .* 2 were left out/u);
  });

  it('S-45 looking at the names of many files does not hold the event loop', async () => {
    const deep = `${'é'.repeat(120)}/`.repeat(12);
    const tree = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`${deep}${n}.md`, '']));
    const { engine } = await createWorkspace({ '.context/a.md': rule, ...tree });
    expect(await longestTurnMs(() => engine.validate({ mountedDirectory: project }))).toBeLessThan(200);
  });

  it('CC-06 S-52 no file is compared with exclude patterns once time is over', async () => {
    const tree = {
      '.context/config.json': config({ clientContext: { excludeFiles: ['*a*b*'] } }),
      '.context/a.md': 'x',
      '.context/x.png': 'x',
    };
    const { engine, files, clock } = await createWorkspace(tree, { limits: { walkMs: 1_000 } });
    const { read } = files;
    files.read = async (...args) => {
      clock.advance(6_000);
      return read.apply(files, args);
    };
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code }) => code).sort()).toEqual(['limit_context_files', 'limit_walk_time']);
  });

  it('CC-06 time that is over is a warning, for folders and for patterns', async () => {
    const tree = {
      '.context/context-config.json': config({ clientContext: { includeFiles: ['a/**', 'b/**'] } }),
      'c/d/e.md': 'x',
    };
    const workspace = await createWorkspace(tree, { limits: { walkMs: 1_000 } });
    const { files, clock } = workspace;
    const { read, list } = files;
    files.read = async (...args) => {
      clock.advance(6_000);
      return read.apply(files, args);
    };
    const late = await workspace.engine.validate({ mountedDirectory: project });
    expect(
      late.diagnostics.map(({ code, message }) => `${code} ${message.match(/\d+ [a-z]+ (?:was|were) [a-z ]+/u)?.[0]}`),
    ).toEqual(['limit_walk_time 2 patterns were not compared with the files of the tree']);
    files.read = read;
    files.list = async (...args) => {
      clock.advance(6_000);
      return list.apply(files, args);
    };
    clock.advance(60_000);
    files.write(`${project}/new.md`, 'x');
    expect((await checkWorkspace(workspace)).filter((each) => each.includes('limit'))).toEqual([
      'warning limit_walk_time',
    ]);
  });

  it('AP-08 S-37 every read is of a file in the granted directory, once, and never of a sensitive one', async () => {
    const workspace = await createWorkspace({
      '.context/context-config.json': config({
        clientContext: { includeFiles: ['../**', '~/**', '/etc/**', '**/*.md', '.env', 'id_rsa.md'] },
      }),
      '.context/a.md': rule,
      '.context/.env': 'SECRET=1',
      'id_rsa.md': 'x',
      'b.md': 'x',
      '/etc/passwd.md': 'x',
      '~/other/c.md': 'x',
    });
    workspace.files.symlink(`${project}/.context/d.md`, '/etc/passwd.md');
    workspace.files.resetCounters();
    await workspace.engine.validate({ mountedDirectory: project });
    const opened = workspace.files.opened.filter((path) => /\.[a-z]+$/u.test(path));
    expect([...new Set(opened)].sort()).toEqual([
      `${project}/.context`,
      `${project}/.context/a.md`,
      `${project}/.context/context-config.json`,
      `${project}/b.md`,
    ]);
    expect(workspace.files.reads).toBe(3);
    for (const path of workspace.files.opened)
      expect(path === project || path.startsWith(`${project}/`), path).toBe(true);
  });

  it('AP-08 CC-36 checks that are asked for at once share one run', async () => {
    const { engine, files } = await createWorkspace({ '.context/a.md': '' });
    const ask = () => engine.validate({ mountedDirectory: project });
    await ask();
    files.write(`${project}/.context/b.md`, '');
    files.resetCounters();
    const answers = await Promise.all(Array.from({ length: 50 }, ask));
    expect(files.lists).toBeLessThanOrEqual(6);
    for (const answer of answers) expect(answer.diagnostics).toHaveLength(2);
  });

  it('AP-08 nothing is kept from one check to the next that has changed', async () => {
    const workspace = await createWorkspace({ '.context/context-config.json': broken, '.context/a.md': 'Text.\n' });
    expect(await checkWorkspace(workspace)).toEqual(['error invalid_config_value .context/context-config.json:1']);
    workspace.files.write(`${project}/.context/context-config.json`, '{}');
    expect(await checkWorkspace(workspace)).toEqual([]);
    workspace.files.write(`${project}/.context/a.md`, '');
    expect(await checkWorkspace(workspace)).toEqual(['warning empty_body .context/a.md:1']);
  });

  it.each([
    ['/elsewhere', 'path_outside_roots'],
    [`${project}/missing`, 'not_found'],
    [`${project}/file.md`, 'invalid_request'],
    ['relative', 'invalid_request'],
  ])('CC-33 the mounted directory %s is refused by %s', async (mountedDirectory, code) => {
    const { engine } = await createWorkspace({ 'file.md': 'x' });
    const refusal = await engine.validate({ mountedDirectory }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ContextdError);
    expect(refusal).toMatchObject({ code, errors: [{ pointer: '/mountedDirectory' }] });
  });

  it('CC-03 a home directory is checked like any other', async () => {
    const { engine } = await createWorkspace({ '~/.context/context-config.json': broken }, { grantedRoots: [home] });
    const { diagnostics } = await engine.validate({ mountedDirectory: '~' });
    expect(diagnostics).toEqual([expect.objectContaining({ path: `${home}/.context/context-config.json`, line: 1 })]);
  });

  it('AP-08 of very many findings the errors are kept', async () => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 1_200; index += 1)
      tree[`.context/f${index}.md`] = index % 100 === 0 ? '---\nname: x\n' : '';
    const { engine } = await createWorkspace(tree);
    const { valid, diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(valid).toBe(false);
    expect(diagnostics).toHaveLength(1_001);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toHaveLength(12);
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'more_diagnostics',
      message: expect.stringContaining('of 1200 findings'),
    });
  });
});
