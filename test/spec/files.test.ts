/** What becomes of each file: formats and properties of context files (CC-24 … CC-31); limits; freshness. */
import { describe, expect, it } from 'vitest';
import {
  config,
  contextFile,
  createWorkspace,
  excludedCodes,
  fileNamed,
  names,
  project,
  warningCodes,
} from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });

describe('formats', () => {
  it('CC-24 accepts .txt, .md and .mdc; others are left out with one warning per context directory', async () => {
    const { resolve } = await createWorkspace({
      '.context/a.md': always,
      '.context/b.MDC': always,
      '.context/c.txt': '---\ntrigger: always\n---\nraw',
      '.context/d.png': 'x',
      '.context/e.rst': 'x',
      'src/.context/f.yaml': 'x: 1',
    });
    const result = await resolve({ workingDirectory: 'src', mentions: ['c'] });
    expect(names(result)).toEqual(['a', 'b', 'c']);
    expect(fileNamed(result, 'c')).toMatchObject({ content: '---\ntrigger: always\n---\nraw', trigger: 'manual' });
    expect(excludedCodes(result)).toEqual({
      '.context/d.png': 'unsupported_type',
      '.context/e.rst': 'unsupported_type',
      'src/.context/f.yaml': 'unsupported_type',
    });
    expect(result.warnings.map(({ code, path }) => [code, path])).toEqual([
      ['unsupported_type', `${project}/.context`],
      ['unsupported_type', `${project}/src/.context`],
    ]);
  });

  it('CC-24 warns of nothing that editors and macOS put beside a file', async () => {
    const beside = ['.a.md.swp', '.a.md.swo', 'a.md~', '.a.md.un~', '4913', '#a.md#', '.DS_Store', 'deep/.b.md.swp'];
    const { resolve, engine } = await createWorkspace({
      '.context/a.md': always,
      ...Object.fromEntries(beside.map((name) => [`.context/${name}`, 'x'])),
    });
    const result = await resolve();
    expect(result.warnings).toEqual([]);
    expect(excludedCodes(result)).toEqual(
      Object.fromEntries(beside.map((name) => [`.context/${name}`, 'unsupported_type'])),
    );
    expect((await engine.validate({ mountedDirectory: project })).diagnostics).toEqual([]);
    const { candidates } = await engine.explain({ mountedDirectory: project, path: '.context/a.md~' });
    expect(candidates.map(({ reason }) => reason.code)).toEqual(['unsupported_type']);
  });

  it('CC-04 CC-24 names what is no file, also with the name of such a file', async () => {
    const { resolve, engine, files } = await createWorkspace({ '.context/a.md': always, 'rules/b.md': always });
    files.symlink(`${project}/.context/rules~`, `${project}/rules`);
    expect(await resolve()).toMatchObject({
      warnings: [{ code: 'symlink', path: `${project}/.context/rules~` }],
      excluded: [{ path: `${project}/.context/rules~`, reason: { code: 'symlink' } }],
    });
    const { diagnostics } = await engine.validate({ mountedDirectory: project });
    expect(diagnostics.map(({ code }) => code)).toEqual(['symlink']);
  });

  it('CC-26 delivers both examples of the specification as they evidently mean', async () => {
    const { resolve } = await createWorkspace({
      '.context/js.md':
        '---\ndescription: "Format preferences for JavaScript files"\nglobs: **/*.{js|ts}, webpackconfig.js\ntrigger: auto\n---\n\nKeep the modules in alphabetical order.\n',
      '.context/css.md':
        '---\ndescription: "Format preferences for CSS files"\nglobs:\n  - **/*.{css}\n  - **/*.{scss|less}\ntrigger: auto\n---\n\nDon\'t use @import for CSS files.\n',
    });
    const of = async (file: string): Promise<string[]> => names(await resolve({ files: [file] }), 'active');
    expect(await of('src/main.ts')).toEqual(['js']);
    expect(await of('webpackconfig.js')).toEqual(['js']);
    expect(await of('deep/down/site.css')).toEqual(['css']);
    expect(await of('theme.LESS')).toEqual(['css']);
    expect(await of('main.py')).toEqual([]);
    const result = await resolve({ files: ['a.ts'] });
    expect(result.warnings).toEqual([]);
    expect(fileNamed(result, 'js')).toMatchObject({
      globs: ['**/*.{js|ts}', 'webpackconfig.js'],
      content: '\nKeep the modules in alphabetical order.\n',
      reason: { code: 'glob_matched' },
    });
    expect(fileNamed(result, 'css').globs).toEqual(['**/*.{css}', '**/*.{scss|less}']);
  });

  it('CC-31 strips a BOM, keeps CRLF, and leaves out what is not UTF-8 text', async () => {
    const { resolve } = await createWorkspace({
      '.context/bom.md': '\uFEFF---\r\ntrigger: always\r\n---\r\nline\r\nline\r\n',
      '.context/marks.md': '\uFEFF\uFEFF---\ntrigger: always\n---\nText.\n',
      '.context/binary.md': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]),
      '.context/latin1.md': new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      '.context/utf16.md': new Uint8Array([0xff, 0xfe, 0x61, 0]),
    });
    const result = await resolve();
    expect(fileNamed(result, 'bom').content).toBe('line\r\nline\r\n');
    expect(fileNamed(result, 'marks')).toMatchObject({ trigger: 'manual' });
    expect(excludedCodes(result)).toEqual({
      '.context/binary.md': 'binary',
      '.context/latin1.md': 'invalid_utf8',
      '.context/utf16.md': 'invalid_utf8',
    });
  });

  it('CC-29 leaves disabled files out', async () => {
    const { resolve } = await createWorkspace({ '.context/a.md': contextFile({ trigger: 'always', disabled: true }) });
    expect(excludedCodes(await resolve())).toEqual({ '.context/a.md': 'disabled' });
  });
});

describe('triggers', () => {
  const tree = {
    '.context/always.md': always,
    '.context/auto.md': contextFile({ trigger: 'auto', globs: ['*.ts', 'src/lib/**', './docs/*.md'] }),
    '.context/agent.md': contextFile({ trigger: 'agent', description: 'About databases' }),
    '.context/manual.md': contextFile({ trigger: 'manual' }),
    'src/.context/near.md': contextFile({ trigger: 'auto', globs: ['lib/*.css', '/ui/*'] }),
  };
  const states = async (request: object): Promise<Record<string, string>> => {
    const { resolve } = await createWorkspace(tree);
    const result = await resolve(request);
    return Object.fromEntries(result.files.map((file) => [file.name, `${file.state} ${file.reason.code}`]));
  };

  it('CC-28 says of every file its state and the reason', async () => {
    expect(await states({})).toEqual({
      always: 'active trigger_always',
      auto: 'available no_glob_matched',
      agent: 'available needs_query_or_mention',
      manual: 'available needs_mention',
    });
  });

  it('CC-28 auto matches relative to the mounted directory, to the owner, and by base name', async () => {
    const auto = async (file: string): Promise<string | undefined> => (await states({ files: [file] })).auto;
    expect(await auto('deep/down/x.TS')).toBe('active glob_matched');
    expect(await auto('src/lib/deep/x.py')).toBe('active glob_matched');
    expect(await auto('docs/a.md')).toBe('active glob_matched');
    expect(await auto('docs/deep/a.md')).toBe('available no_glob_matched');
    const near = async (file: string) => (await states({ workingDirectory: 'src', files: [file] }))['src:near'];
    expect(await near('src/lib/a.css')).toBe('active glob_matched');
    expect(await near('lib/a.css')).toBe('active glob_matched');
    expect(await near('src/ui/button')).toBe('active glob_matched');
    expect(await near('src/lib/deep/a.css')).toBe('available no_glob_matched');
  });

  it('CC-28 a mention makes anything active, by name, relative path or absolute path', async () => {
    expect(await states({ mentions: ['agent', '.context/manual.md', `${project}/.context/auto.md`] })).toEqual({
      always: 'active trigger_always',
      auto: 'active mentioned',
      agent: 'active mentioned',
      manual: 'active mentioned',
    });
    const { resolve } = await createWorkspace(tree);
    expect((await resolve({ mentions: ['none'] })).warnings).toMatchObject([
      { code: 'mention_not_found', pointer: '/mentions/0' },
    ]);
  });

  it('CC-30 treats agent without description, and unknown triggers, as manual with a warning', async () => {
    const { resolve } = await createWorkspace({
      '.context/a.md': contextFile({ trigger: 'agent' }),
      '.context/b.md': contextFile({ trigger: 'sometimes' }),
    });
    const result = await resolve();
    expect(result.files.map(({ trigger }) => trigger)).toEqual(['manual', 'manual']);
    expect(warningCodes(result).sort()).toEqual(['agent_without_description', 'unknown_trigger']);
  });

  it('CC-30 tells whoever comes from another tool which word is meant', async () => {
    const { resolve } = await createWorkspace({ '.context/a.md': contextFile({ trigger: 'always_on' }) });
    expect((await resolve()).warnings).toMatchObject([
      { code: 'unknown_trigger', message: '"always_on" is "always" here. Until you write that, "manual" is used.' },
    ]);
  });

  it('CC-27 shows newer spellings, type, priority and unknown properties', async () => {
    const { resolve } = await createWorkspace({
      '.context/rule.md': contextFile({
        trigger: 'PATTERN',
        globs: '*.x',
        appliesTo: '*.ts',
        priority: 7,
        alwaysApply: true,
        name: 'my-rule',
      }),
      '.context/refs/guide.md': contextFile({ trigger: 'agent', instructions: 'Read me.' }),
      '.context/docs/rule.md': contextFile({ trigger: 'always', type: 'rule' }),
    });
    const result = await resolve({ files: ['a.ts'] });
    expect(fileNamed(result, 'my-rule')).toMatchObject({
      type: 'rule',
      trigger: 'auto',
      globs: ['*.ts'],
      priority: 7,
      properties: { alwaysApply: true },
      state: 'active',
    });
    expect(fileNamed(result, 'refs/guide')).toMatchObject({
      type: 'reference',
      instructions: 'Read me.',
      trigger: 'agent',
    });
    expect(fileNamed(result, 'docs/rule').type).toBe('rule');
  });
});

describe('names and order', () => {
  it('AG-03 names files by path, owner prefix and, where stems collide, extension', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/style.md': always,
      '.context/style.md': always,
      '.context/style.txt': 'text',
      '.context/deep/style.md': always,
      'packages/web/.context/style.md': always,
    });
    const result = await resolve({ workingDirectory: 'packages/web' });
    expect(names(result)).toEqual(['~:style', 'deep/style', 'style.md', 'style.txt', 'packages/web:style']);
  });

  it('AG-03 gives a name only once', async () => {
    const { resolve } = await createWorkspace({
      '.context/a.md': contextFile({ trigger: 'always', name: 'same' }),
      '.context/b.md': contextFile({ trigger: 'always', name: 'same' }),
    });
    const result = await resolve();
    expect(names(result)).toEqual(['same', 'b']);
    expect(result.warnings).toMatchObject([{ code: 'duplicate_name', path: `${project}/.context/b.md` }]);
  });

  it('CC-34 orders by place, own files before included ones, priority, path; same input, same bytes', async () => {
    const { engine, resolve } = await createWorkspace({
      '~/.context/z.md': always,
      '.context/b.md': contextFile({ trigger: 'always', priority: 999 }),
      '.context/c.md': contextFile({ trigger: 'always', priority: 1 }),
      '.context/a.md': always,
      '.context/context-config.json': config({ clientContext: { includeFiles: ['extra.md'] } }),
      'extra.md': contextFile({ trigger: 'always', priority: 0 }),
      'src/.context/a.md': always,
    });
    const request = { workingDirectory: 'src' };
    const first = await resolve(request);
    expect(names(first)).toEqual(['~:z', 'c', 'a', 'b', 'extra', 'src:a']);
    expect(await resolve(request)).toBe(first);
    await engine.dispose();
  });
});

describe('limits', () => {
  it('CC-06 CC-35 cuts a large file at a character, says so, and gives the whole size', async () => {
    const body = `${'é'.repeat(40)}`;
    const { resolve } = await createWorkspace({ '.context/a.txt': body }, { limits: { fileBytes: 33 } });
    const result = await resolve({ mentions: ['a'] });
    expect(fileNamed(result, 'a')).toMatchObject({ content: 'é'.repeat(16), truncated: true, bytes: 80 });
    expect(result.warnings).toMatchObject([{ code: 'file_truncated', message: expect.stringContaining('80') }]);
  });

  it('CC-06 bounds files, bytes and entries; the least specific goes first and each limit says what it cost', async () => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 5; index += 1) {
      tree[`~/.context/g${index}.md`] = always;
      tree[`src/.context/s${index}.md`] = always;
    }
    const files = await createWorkspace({ ...tree }, { limits: { candidateFiles: 6 } });
    const limited = await files.resolve({ workingDirectory: 'src' });
    expect(names(limited)).toEqual(['~:g0', 'src:s0', 'src:s1', 'src:s2', 'src:s3', 'src:s4']);
    expect(limited.warnings).toMatchObject([
      { code: 'limit_context_files', message: expect.stringMatching(/6 context files.*4 were/u) },
    ]);
    expect(Object.values(excludedCodes(limited))).toEqual(Array(4).fill('limit_reached'));

    const bytes = await createWorkspace({ ...tree }, { limits: { candidateBytes: always.length * 7 } });
    const fewer = await bytes.resolve({ workingDirectory: 'src' });
    expect(names(fewer)).toEqual(['~:g0', '~:g1', 'src:s0', 'src:s1', 'src:s2', 'src:s3', 'src:s4']);
    expect(warningCodes(fewer)).toEqual(['limit_total_bytes']);

    const some = await createWorkspace({ ...tree }, { limits: { contextFiles: 6 } });
    const shown = await some.resolve({ workingDirectory: 'src' });
    expect(shown.files).toHaveLength(10);
    expect(names(shown, 'active')).toEqual(['~:g0', 'src:s0', 'src:s1', 'src:s2', 'src:s3', 'src:s4']);
    expect(shown.warnings).toMatchObject([
      { code: 'limit_context_files', message: expect.stringMatching(/6 files .*4 more/u) },
    ]);
    expect(fileNamed(shown, '~:g1')).toMatchObject({ state: 'available', reason: { code: 'limit_reached' } });

    const size = fileNamed(shown, 'src:s0').content?.length ?? 0;
    const little = await createWorkspace({ ...tree }, { limits: { answerBytes: 5 * size } });
    const short = await little.resolve({ workingDirectory: 'src' });
    expect(names(short, 'active')).toEqual(['src:s0', 'src:s1', 'src:s2', 'src:s3', 'src:s4']);
    expect(short.usage.bytes).toBe(5 * size);
    expect(warningCodes(short)).toEqual(['limit_total_bytes']);

    const entries = await createWorkspace({ ...tree }, { limits: { entries: 7 } });
    const walked = await entries.resolve({ workingDirectory: 'src' });
    expect(walked.files).toHaveLength(7);
    expect(walked.warnings).toMatchObject([{ code: 'limit_entries', message: expect.stringContaining('7') }]);
  });

  it('CC-06 S-45 lists no further directory once no more entries are looked at', async () => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 1_000; index += 1) tree[`.context/d${String(index).padStart(3, '0')}/a.md`] = always;
    const { resolve, files } = await createWorkspace(tree, { limits: { entries: 1_010 } });
    files.resetCounters();
    const result = await resolve();
    expect(result.files).toHaveLength(10);
    expect(warningCodes(result)).toEqual(['limit_entries']);
    expect(files.lists).toBeLessThan(100);
  });

  it('CC-06 stops walking when the time is over and says so', async () => {
    const { resolve, clock, files } = await createWorkspace({
      '.context/a.md': always,
      '.context/d/b.md': always,
    });
    const list = files.list.bind(files);
    files.list = async (path, options) => {
      clock.advance(5_000);
      return list(path, options);
    };
    const result = await resolve({ scopes: ['static'] });
    expect(names(result)).toEqual(['a']);
    expect(warningCodes(result)).toEqual(['limit_walk_time']);
  });

  it('CC-35 a budget omits the least specific first, keeps what was mentioned longest, and lists every omission', async () => {
    const forty = contextFile({ trigger: 'always' }, 'x'.repeat(40));
    const { resolve } = await createWorkspace({
      '~/.context/g.md': forty,
      '~/.context/m.md': contextFile({ trigger: 'manual' }, 'x'.repeat(40)),
      '.context/a.md': forty,
      '.context/b.md': forty,
      'src/.context/s.md': forty,
    });
    const request = { workingDirectory: 'src', mentions: ['~:m'] };
    const omitted = async (maxTokens: number): Promise<string[]> => {
      const result = await resolve({ ...request, budget: { maxTokens } });
      expect(result.usage.tokens).toBeLessThanOrEqual(maxTokens);
      expect(names(result, 'active')).toHaveLength(result.usage.files);
      return result.usage.omitted.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    };
    expect(await omitted(50)).toEqual([]);
    expect(await omitted(49)).toEqual(['g.md']);
    expect(await omitted(25)).toEqual(['g.md', 'b.md', 'a.md']);
    expect(await omitted(10)).toEqual(['g.md', 'b.md', 'a.md', 's.md']);
    expect(await omitted(0)).toEqual(['g.md', 'b.md', 'a.md', 's.md', 'm.md']);
    const result = await resolve({ ...request, budget: { maxTokens: 49 } });
    expect(fileNamed(result, '~:g')).toMatchObject({ state: 'available', reason: { code: 'over_budget' } });
    expect(fileNamed(result, '~:g').content).toBeUndefined();
  });

  it('CC-35 gives back what still fits after something large went, the nearest first', async () => {
    const body = (tokens: number) => contextFile({ trigger: 'always' }, 'x'.repeat(4 * tokens));
    const { resolve } = await createWorkspace({
      '.context/small.md': body(8),
      'src/.context/large.md': body(600),
      'src/app/.context/near.md': body(593),
    });
    const result = await resolve({ workingDirectory: 'src/app', budget: { maxTokens: 900 } });
    expect(result.usage.omitted.map(({ path, reason }) => [path.replace(`${project}/`, ''), reason.detail])).toEqual([
      ['src/.context/large.md', '299 of 900 tokens were left'],
    ]);
    expect(result.usage.tokens).toBe(601);
  });

  it('CC-35 FM-05 in one directory rules of other tools go before its own, and what was mentioned goes last whatever applies it', async () => {
    const ten = 'x'.repeat(40);
    const { resolve } = await createWorkspace({
      'AGENTS.md': `${ten}`,
      '.cursor/rules/tool.mdc': `---\nalwaysApply: true\n---\n${ten.replace('x', 'y')}`,
      '.context/own.md': contextFile({ trigger: 'always' }, ten.replace('x', 'z')),
      '.context/asked.md': contextFile({ trigger: 'always' }, ten.replace('x', 'a')),
    });
    const omitted = async (maxTokens: number, mentions: string[] = []): Promise<string[]> => {
      const result = await resolve({ mentions, budget: { maxTokens } });
      return result.usage.omitted.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
    };
    expect(await omitted(40)).toEqual([]);
    expect(await omitted(20)).toEqual(['tool.mdc', 'AGENTS.md']);
    expect(await omitted(10)).toEqual(['tool.mdc', 'AGENTS.md', 'own.md']);
    expect(await omitted(10, ['own'])).toEqual(['tool.mdc', 'AGENTS.md', 'asked.md']);
    expect(await omitted(10, ['AGENTS.md'])).toEqual(['tool.mdc', 'own.md', 'asked.md']);
  });

  it('CC-35 leaves bodies out on request and keeps counting them', async () => {
    const { resolve } = await createWorkspace({ '.context/a.md': contextFile({ trigger: 'always' }, 'x'.repeat(40)) });
    const result = await resolve({ content: false });
    expect(fileNamed(result, 'a').content).toBeUndefined();
    expect(result.usage).toMatchObject({ files: 1, bytes: 40, tokens: 10 });
    expect(result.digest).toBe((await resolve()).digest);
  });

  it('CC-06 estimates tokens when they cannot be counted, and says so', async () => {
    const tokenCounter = { count: () => Promise.reject(new Error('no worker')), dispose() {} };
    const { resolve } = await createWorkspace(
      { '.context/a.md': contextFile({ trigger: 'always' }, 'x'.repeat(40)) },
      { ports: { tokenCounter } },
    );
    const result = await resolve();
    expect(result.usage.tokens).toBe(10);
    expect(warningCodes(result)).toEqual(['tokens_estimated']);
  });
});

describe('configuration of the daemon', () => {
  it('CC-37 nothing in a workspace configures the daemon', async () => {
    const plain = { '.context/a.md': always, 'other/b.md': always };
    const tempting = {
      ...plain,
      '.env': 'CLIENT_CONTEXT_PATH=other\nGLOBAL_CONTEXT_PATH=/etc\n',
      '.npmrc': 'contextd-port=1\n',
      'package.json': JSON.stringify({ contextd: { clientContextPath: 'other', grantedRoots: ['/'] } }),
    };
    const without = await (await createWorkspace(plain)).resolve();
    const { resolve, files } = await createWorkspace(tempting);
    expect(JSON.stringify(await resolve())).toBe(JSON.stringify(without));
    expect(files.opened.filter((path) => /\.env|npmrc|package\.json/u.test(path))).toEqual([]);
  });
});
