/** Rules of a project in another format (FM-15). */
import { describe, expect, it } from 'vitest';
import type { ConvertRequest, ConvertResult } from '../../src/context/convert/convert-request.ts';
import { createWorkspace, project } from '../support/workspace.ts';

const convertIn = async (
  files: Record<string, string>,
  request: Omit<ConvertRequest, 'mountedDirectory'>,
): Promise<ConvertResult> => {
  const { engine } = await createWorkspace(files);
  return engine.convert({ mountedDirectory: project, ...request });
};
const textsOf = ({ files }: ConvertResult) => Object.fromEntries(files.map(({ path, content }) => [path, content]));
const lossesOf = ({ lost }: ConvertResult) => lost.map(({ path, key, message }) => `${path} ${key}: ${message}`);
const leftOf = ({ left }: ConvertResult) => left.map(({ path, reason }) => `${path} ${reason.code}`);

const tree = {
  'AGENTS.md': 'Use tabs.\n',
  'packages/a/AGENTS.md': 'Package a has no tests.\n',
  '.cursor/rules/ts.mdc': '---\nglobs: **/*.ts\nalwaysApply: false\n---\nNo any.\n',
  '.cursor/rules/api.mdc': '---\ndescription: Of the API\nglobs: src/api/**\nalwaysApply: false\n---\nVersions.\n',
  '.cursor/rules/asked.mdc': '---\nalwaysApply: false\n---\nOnly when asked.\n',
  '.context/own.md': '---\ntrigger: always\npriority: 10\ntitle: Own\n---\nOurs.\n',
};

describe('conversion', () => {
  it('FM-15 writes each rule in the words of the target, and names what these cannot say', async () => {
    const plan = await convertIn(tree, { to: 'cursor', from: ['context', 'agents-md'] });
    expect(textsOf(plan)).toEqual({
      '.cursor/rules/agents.mdc': '---\nalwaysApply: true\n---\nUse tabs.\n',
      '.cursor/rules/own.mdc': '---\nalwaysApply: true\n---\nOurs.\n',
      '.cursor/rules/packages/a/agents.mdc':
        '---\nglobs: packages/a/**\nalwaysApply: false\n---\nPackage a has no tests.\n',
    });
    expect(lossesOf(plan)).toEqual([
      '.context/own.md priority: Cursor (cursor) has no priority (10).',
      '.context/own.md title: Cursor (cursor) does not support "title"; it is left out.',
    ]);
    expect(plan.left).toEqual([]);
  });

  it('FM-15 copies nothing that the tool of the target reads where it lies, unless it is asked for', async () => {
    const plan = await convertIn(tree, { to: 'cursor' });
    expect(Object.keys(textsOf(plan))).toEqual(['.cursor/rules/own.mdc']);
    const reason = { code: 'included', detail: 'Cursor reads it in its present place' };
    expect(plan.left).toEqual([
      { path: 'AGENTS.md', reason },
      { path: 'packages/a/AGENTS.md', reason },
    ]);
    expect(leftOf(await convertIn({ 'AGENTS.md': 'x' }, { to: 'copilot-instructions' }))).toEqual([
      'AGENTS.md included',
    ]);
    for (const to of ['claude-md', 'gemini', 'context'])
      expect((await convertIn({ 'AGENTS.md': 'x' }, { to })).files).toHaveLength(1);
  });

  it('FM-15 copies nothing of packages that Go and Composer copied into the project', async () => {
    const files = { 'lib/vendor/CLAUDE.md': 'Ours.\n', 'vendor/a.org/b/CLAUDE.md': 'Of a package.\n' };
    for (const mark of ['vendor/modules.txt', 'vendor/autoload.php'])
      expect((await convertIn({ ...files, [mark]: '' }, { to: 'cursor' })).files).toHaveLength(1);
    expect((await convertIn(files, { to: 'cursor' })).files).toHaveLength(2);
  });

  it('FM-15 copies rules of packages if their folder itself is asked about', async () => {
    const files = { 'vendor/autoload.php': '', 'vendor/CLAUDE.md': 'All.\n', 'vendor/a/b/CLAUDE.md': 'One.\n' };
    const { engine } = await createWorkspace(files);
    const mountedDirectory = `${project}/vendor`;
    expect((await engine.convert({ mountedDirectory, to: 'cursor' })).files).toHaveLength(2);
  });

  it('FM-15 copies nothing from one format of a tool to another that it reads beside it', async () => {
    const files = { 'CLAUDE.md': 'Use tabs.\n', '.claude/rules/a.md': 'No tests.\n' };
    for (const [to, path] of [
      ['claude-rules', 'CLAUDE.md'],
      ['claude-md', '.claude/rules/a.md'],
    ] as const) {
      const plan = await convertIn(files, { to });
      expect(plan.files).toEqual([]);
      expect(plan.left).toEqual([
        { path, reason: { code: 'included', detail: 'Claude Code reads it in its present place' } },
      ]);
    }
    expect((await convertIn(files, { to: 'claude-rules', from: ['claude-md'] })).files).toHaveLength(1);
  });

  it('FM-15 copies no text that the tool of the target reads under another name', async () => {
    const files = { 'AGENTS.md': 'Use tabs.\n', 'a/AGENTS.md': 'No tests.\n', '.cursor/rules/b.mdc': 'Short.\n' };
    const workspace = await createWorkspace({ ...files, 'a/CLAUDE.md': '@AGENTS.md\n' });
    workspace.files.symlink(`${project}/CLAUDE.md`, 'AGENTS.md');
    const convert = async (from?: string[]) =>
      workspace.engine.convert({ mountedDirectory: project, to: 'claude-rules', from });
    const plan = await convert();
    expect(plan.files).toEqual([]);
    const readIn = (path: string) => ({ code: 'included', detail: `Claude Code reads the same text in ${path}` });
    expect(plan.left).toContainEqual({ path: 'AGENTS.md', reason: readIn('CLAUDE.md') });
    expect(plan.left).toContainEqual({ path: 'a/AGENTS.md', reason: readIn('a/CLAUDE.md') });
    expect((await convert(['agents-md'])).files).toHaveLength(2);
  });

  it('FM-15 copies no text that a rule of the target has, which is left out for it elsewhere', async () => {
    const plan = await convertIn(
      {
        '.claude/rules/ts.md': '---\npaths: ["**/*.ts"]\n---\nNo any.\n',
        '.cursor/rules/types.mdc': '---\nglobs: "**/*.ts"\nalwaysApply: false\n---\nNo any.\n',
      },
      { to: 'cursor' },
    );
    expect(plan.files).toEqual([]);
    const detail = 'Cursor reads the same text in .cursor/rules/types.mdc';
    expect(plan.left).toEqual([{ path: '.claude/rules/ts.md', reason: { code: 'included', detail } }]);
  });

  it('FM-15 copies no text that a file of the tool of the target imports', async () => {
    const files = {
      'AGENTS.md': 'Use tabs.\n',
      'CLAUDE.md': '@AGENTS.md\n@b/AGENTS.md\n\nFor Claude.\n',
      'a/AGENTS.md': 'No tests.\n',
      'a/CLAUDE.md': 'For Claude.\n\n@AGENTS.md\n',
      'b/AGENTS.md': 'Many tests.\n',
      '.cursor/rules/c.mdc': '---\nalwaysApply: true\n---\nShort.\n',
    };
    const rules = await convertIn(files, { to: 'claude-rules' });
    expect(rules.files.map(({ from }) => from)).toEqual([['.cursor/rules/c.mdc']]);
    const detail = (path: string) => `Claude Code reads it, because ${path} imports it`;
    for (const [path, by] of [
      ['AGENTS.md', 'CLAUDE.md'],
      ['a/AGENTS.md', 'a/CLAUDE.md'],
      ['b/AGENTS.md', 'CLAUDE.md'],
    ] as const)
      expect(rules.left).toContainEqual({ path, reason: { code: 'included', detail: detail(by) } });
    expect(textsOf(await convertIn(files, { to: 'claude-md' }))).toEqual({
      'CLAUDE.md': `${files['CLAUDE.md']}\nShort.\n`,
    });
    expect((await convertIn(files, { to: 'claude-rules', from: ['agents-md'] })).files).toHaveLength(3);
  });

  it('FM-15 copies what the tool of the target reads elsewhere for other files only, or does not follow', async () => {
    const tabs = { 'AGENTS.md': 'Use tabs.\n' };
    const own = { '.context/x.md': '---\ntrigger: always\n---\nUse tabs.\n' };
    const forTs = { '.cursor/rules/ts.mdc': '---\nglobs: "**/*.ts"\nalwaysApply: false\n---\nUse tabs.\n' };
    const forPy = (text: string) => ({ '.claude/rules/py.md': `---\npaths: ["**/*.py"]\n---\n${text}` });
    for (const [to, files, from] of [
      ['claude-rules', { ...tabs, 'a/CLAUDE.md': 'Use tabs.\n' }, 'AGENTS.md'],
      ['claude-rules', { ...tabs, 'a/CLAUDE.md': '@../AGENTS.md\nMore.\n' }, 'AGENTS.md'],
      ['copilot-instructions', { ...own, ...forPy('Use tabs.\n') }, '.context/x.md'],
      ['claude-rules', { ...forTs, ...forPy('More.\n@../../.cursor/rules/ts.mdc\n') }, '.cursor/rules/ts.mdc'],
      ['copilot-instructions', { ...own, 'CLAUDE.md': 'More.\n@.context/x.md\n' }, '.context/x.md'],
      ['cursor', { ...own, 'AGENTS.md': '@.context/x.md\n' }, '.context/x.md'],
    ] as const) {
      const plan = await convertIn(files, { to });
      expect([to, ...plan.files.flatMap((file) => file.from)]).toEqual([to, from]);
    }
  });

  it('FM-15 takes older formats of the same tool into the one that is asked for', async () => {
    const plan = await convertIn({ '.cursorrules': 'Use tabs.\n', 'AGENTS.md': 'No tests.\n' }, { to: 'cursor' });
    expect(plan.files.map(({ content, from }) => [content, from])).toEqual([
      ['---\nalwaysApply: true\n---\nUse tabs.\n', ['.cursorrules']],
    ]);
    expect(leftOf(plan)).toEqual(['AGENTS.md included']);
  });

  it('FM-15 leaves a name of the target alone that leads to the same text', async () => {
    const files = { 'AGENTS.md': 'Use tabs.\n', 'packages/a/AGENTS.md': 'No tests.\n' };
    const workspace = await createWorkspace({ ...files, 'packages/a/CLAUDE.md': '@AGENTS.md\n' });
    workspace.files.symlink(`${project}/CLAUDE.md`, 'AGENTS.md');
    const plan = await workspace.engine.convert({ mountedDirectory: project, to: 'claude-md' });
    expect(plan.files).toEqual([]);
    expect(plan.present).toEqual([
      { path: 'AGENTS.md', by: 'CLAUDE.md' },
      { path: 'packages/a/AGENTS.md', by: 'packages/a/CLAUDE.md' },
    ]);
    const more = { ...files, 'CLAUDE.md': 'Use tabs.\n', '.context/own.md': '---\ntrigger: always\n---\nOurs.\n' };
    expect(textsOf(await convertIn(more, { to: 'claude-md' }))['CLAUDE.md']).toBe('Use tabs.\n\nOurs.\n');
  });

  it('FM-15 makes one text of a directory of what applies there, and leaves what waits to be asked for', async () => {
    const plan = await convertIn(tree, { to: 'claude-md' });
    expect(textsOf(plan)).toEqual({
      'CLAUDE.md': 'Use tabs.\n\nNo any.\n\nOurs.\n',
      'packages/a/CLAUDE.md': 'Package a has no tests.\n',
      'src/api/CLAUDE.md': 'Versions.\n',
    });
    expect(lossesOf(plan)).toContain(
      '.cursor/rules/ts.mdc globs: CLAUDE.md cannot express **/*.ts; there the rule always applies.',
    );
    expect(lossesOf(plan).some((loss) => loss.startsWith('.cursor/rules/api.mdc globs'))).toBe(false);
    expect(leftOf(plan)).toEqual(['.cursor/rules/asked.mdc cannot_be_said']);
    expect(plan.left[0]?.reason.detail).toBe('it waits for a mention, and CLAUDE.md would apply it unasked');
    const chosen = await convertIn({ '.cursor/rules/a.mdc': '---\ndescription: A\n---\nA.\n' }, { to: 'claude-rules' });
    const why = 'it applies when its description fits, and Claude Code (claude-rules) would apply it unasked';
    expect(chosen.left[0]?.reason.detail).toBe(why);
  });

  it('FM-15 adds to a shared text that is there, and only what it does not say', async () => {
    const plan = await convertIn(
      { ...tree, 'CLAUDE.md': 'Mine.\n\nOurs.\n' },
      { to: 'claude-md', from: ['context', 'agents-md'] },
    );
    expect(plan.files.find(({ path }) => path === 'CLAUDE.md')).toMatchObject({
      content: 'Mine.\n\nOurs.\n\nUse tabs.\n',
      from: ['AGENTS.md'],
      replaces: expect.stringMatching(/^[\da-f]{64}$/u),
    });
    expect(plan.present).toEqual([{ path: '.context/own.md', by: 'CLAUDE.md' }]);
  });

  it('FM-15 says of each directory what it says, also where two have one text', async () => {
    const files = {
      'packages/a/AGENTS.md': 'Same.\n',
      'packages/b/AGENTS.md': 'Same.\n',
      'app/[slug]/AGENTS.md': 'Routes.\n',
    };
    const plan = await convertIn(files, { to: 'claude-rules' });
    expect(textsOf(plan)).toEqual({
      '.claude/rules/app/[slug]/agents.md': '---\npaths:\n  - app/[[]slug]/**\n---\nRoutes.\n',
      '.claude/rules/packages/a/agents.md': '---\npaths:\n  - packages/a/**\n---\nSame.\n',
      '.claude/rules/packages/b/agents.md': '---\npaths:\n  - packages/b/**\n---\nSame.\n',
    });
    expect(Object.keys(textsOf(await convertIn(files, { to: 'claude-md' })))).toEqual([
      'app/[slug]/CLAUDE.md',
      'packages/a/CLAUDE.md',
      'packages/b/CLAUDE.md',
    ]);
  });

  it('FM-15 writes patterns of a directory below as those of the mounted one', async () => {
    const files = { 'packages/a/.cursor/rules/x.mdc': '---\nglobs: *.ts, src/**, /top.md\n---\nX.\n' };
    const { engine } = await createWorkspace(files);
    const plan = await engine.convert({ mountedDirectory: project, to: 'context' });
    expect(textsOf(plan)).toEqual({
      '.context/packages/a/x.md':
        '---\ntrigger: auto\nglobs:\n  - packages/a/**/*.ts\n  - packages/a/src/**\n  - packages/a/top.md\n---\nX.\n',
    });
  });

  it('FM-15 keeps imports right where both formats have them, and names what stays text or becomes an import', async () => {
    const files = {
      'CLAUDE.md': 'Read @docs/style.md first.\n\n[More](docs/more.md)\n',
      'docs/style.md': 'Style.\n',
      'AGENTS.md': 'See @docs/style.md now.\n',
    };
    const rules = await convertIn(files, { to: 'claude-rules', from: ['claude-md'] });
    expect(textsOf(rules)).toEqual({
      '.claude/rules/claude.md': 'Read @../../docs/style.md first.\n\n[More](docs/more.md)\n',
    });
    expect(lossesOf(rules)).toEqual([
      'CLAUDE.md imports: "docs/style.md" is written as "../../docs/style.md" in the new file.',
      'CLAUDE.md links: The link "docs/more.md" is relative to CLAUDE.md; the link is not changed.',
    ]);
    const cursor = await convertIn(files, { to: 'cursor', from: ['claude-md'] });
    expect(lossesOf(cursor)[0]).toBe(
      'CLAUDE.md imports: Cursor (cursor) has no imports; "docs/style.md" stays plain text.',
    );
    const gemini = await convertIn(files, { to: 'gemini', from: ['agents-md'] });
    expect(lossesOf(gemini)).toEqual(['AGENTS.md imports: "docs/style.md" is plain text now, and becomes an import.']);
  });

  it('FM-15 takes neither code nor what stands for a path for a link', async () => {
    const body = [
      'Write `[a](in/span.md)` or [b](url), [c]({link}), [d](...), [e](`x`).',
      '```md\n[f](in/fence.md)\n```',
      '    [g](indented.md)',
      '<!-- [h](comment.md) -->',
      '[i](docs/real.md) and [j](LICENSE)',
    ].join('\n\n');
    const plan = await convertIn({ 'AGENTS.md': body }, { to: 'claude-rules' });
    expect(plan.lost.map(({ line, message }) => [line, message.split('"')[1]])).toEqual([
      [11, 'docs/real.md'],
      [11, 'LICENSE'],
    ]);
  });

  it('FM-15 takes a folder of one word for a link, and words for paths for none', async () => {
    const placeholders = ['url', 'link', 'path', 'href', 'uri', '{x}/a.md', 'docs/<name>.md', '<url>'];
    const body = [...placeholders, 'docs', 'license', 'urls'].map((path) => `[a](${path})`).join(' ');
    const plan = await convertIn({ 'AGENTS.md': body }, { to: 'claude-rules' });
    expect(plan.lost.map(({ message }) => message.split('"')[1])).toEqual(['docs', 'license', 'urls']);
  });

  it('FM-15 leaves skills, what is personal, what is switched off and what has no text', async () => {
    const plan = await convertIn(
      {
        '.claude/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: PDF\n---\nForms.\n',
        // A copy of a skill is a skill too.
        '.cursor/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: PDF\n---\nForms.\n',
        'CLAUDE.local.md': 'Only mine.\n',
        '.clinerules/off.md': '---\npaths: []\n---\nOff.\n',
        'WARP.md': '\n',
      },
      { to: 'cursor' },
    );
    expect(plan.files).toEqual([]);
    expect(leftOf(plan).sort()).toEqual([
      '.claude/skills/pdf/SKILL.md skill',
      '.clinerules/off.md disabled',
      '.cursor/skills/pdf/SKILL.md skill',
      'CLAUDE.local.md personal',
      'WARP.md empty',
    ]);
  });

  it('S-44 FM-15 makes names that stay in their folder and are not the same in any letter case', async () => {
    const names = [
      'A',
      'a',
      'x\n+ forged',
      '..\\..\\x',
      'con',
      '.hidden',
      ' blank ',
      '\u202egpj',
      '"q"',
      'l'.repeat(200),
      '語'.repeat(80),
      '__proto__',
      '-rf',
      'É',
      'e\u0301',
      'sub/deep/x',
    ];
    const files = Object.fromEntries(
      names.flatMap((name, at) => [
        [`.cursor/rules/${name}.mdc`, `---\nalwaysApply: true\n---\nRule ${at}.\n`],
        [`.windsurf/rules/${name}.md`, `---\ntrigger: manual\n---\nOther ${at}.\n`],
      ]),
    );
    const plan = await convertIn(files, { to: 'kiro' });
    const paths = plan.files.map(({ path }) => path);
    expect(paths).toHaveLength(2 * names.length);
    expect(new Set(paths.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(paths.length);
    for (const path of paths) {
      expect(path).toMatch(/^\.kiro\/steering\/[^.\p{C}<>:"|?*\\][^\p{C}<>:"|?*\\]*\.md$/u);
      expect(
        path.split('/').every((name) => Buffer.byteLength(name) <= 255 && name !== '..' && name.trim() === name),
      ).toBe(true);
    }
  });

  it('S-56 FM-15 writes values that YAML would take for something else as the same values', async () => {
    const description = 'yes: "no" # {a} & *b\n--- ! %';
    const plan = await convertIn(
      {
        '.context/x.md': `---\ntrigger: agent\ndescription: ${JSON.stringify(description)}\n---\n---\nglobs: "**"\n---\nBody.\n`,
      },
      { to: 'cursor' },
    );
    const { engine } = await createWorkspace(textsOf(plan));
    const { files } = await engine.resolve({ mountedDirectory: project, mentions: ['.cursor/rules/x.mdc'] });
    expect(files).toMatchObject([{ trigger: 'agent', description, content: '---\nglobs: "**"\n---\nBody.\n' }]);
  });
});

describe('the same text in the words of two tools', () => {
  const cursor = (globs: string) => `---\nglobs: ${globs}\n---\nNo any.\n`;
  const kiro = (globs: string) => `---\ninclusion: fileMatch\nfileMatchPattern: ${globs}\n---\nNo any.\n`;
  const shownIn = async (tree: Record<string, string>) => {
    const { resolve } = await createWorkspace(tree);
    const { files } = await resolve({ workingDirectory: '.', files: ['packages/a/x.ts'] });
    return files.map(({ relativePath, state }) => `${relativePath} ${state}`);
  };

  it('FM-06 is delivered once where it means the same files, whatever its front matter', async () => {
    expect(
      await shownIn({ '.cursor/rules/ts.mdc': cursor('**/*.ts'), '.kiro/steering/ts.md': kiro("'**/*.ts'") }),
    ).toEqual(['.cursor/rules/ts.mdc active']);
    expect(
      await shownIn({ 'packages/a/AGENTS.md': 'No any.\n', '.kiro/steering/a.md': kiro('packages/a/**') }),
    ).toHaveLength(1);
    expect(
      await shownIn({
        'packages/a/.cursor/rules/x.mdc': cursor('"*.ts"'),
        '.kiro/steering/a.md': kiro('packages/a/**/*.ts'),
      }),
    ).toHaveLength(1);
  });

  it('FM-06 is offered once where both files have one name and one description, and is there by the path of either', async () => {
    const chosen = (description: string) => `description: ${description}\n---\nOrders first.\n`;
    const tree = {
      '.cursor/rules/web/api.mdc': `---\n${chosen('Of the API')}`,
      '.windsurf/rules/api.md': `---\ntrigger: model_decision\n${chosen('Of the API')}`,
    };
    expect(await shownIn(tree)).toEqual(['.cursor/rules/web/api.mdc available']);
    const { resolve } = await createWorkspace(tree);
    for (const mention of ['.windsurf/rules/api.md', '.windsurf/rules/api', '.cursor/rules/web/api.mdc'])
      expect((await resolve({ mentions: [mention] })).files).toMatchObject([{ state: 'active' }]);
    const [one, other] = Object.keys(tree) as [string, string];
    const others = [
      { [one]: tree['.cursor/rules/web/api.mdc'], '.windsurf/rules/b.md': tree['.windsurf/rules/api.md'] },
      { [one]: tree['.cursor/rules/web/api.mdc'], [other]: `---\ntrigger: model_decision\n${chosen('Of all')}` },
    ];
    for (const each of others) expect(await shownIn(each)).toHaveLength(2);
    const prompt = '.github/instructions/api.instructions.md';
    expect(
      await shownIn({ [one]: tree['.cursor/rules/web/api.mdc'], [prompt]: `---\n${chosen('Of the API')}` }),
    ).toHaveLength(1);
  });

  it('FM-06 is delivered twice where it is for other files', async () => {
    expect(
      await shownIn({ '.cursor/rules/ts.mdc': cursor('**/*.ts'), '.kiro/steering/ts.md': kiro("'**/*.tsx'") }),
    ).toEqual(['.cursor/rules/ts.mdc active', '.kiro/steering/ts.md available']);
    expect(
      await shownIn({ 'packages/a/.cursor/rules/x.mdc': cursor('"*.ts"'), '.kiro/steering/a.md': kiro("'*.ts'") }),
    ).toHaveLength(2);
  });
});
