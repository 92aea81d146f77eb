/** Ignore files of other tools take away what a model may see, and never add to it (FX-01 … FX-07). */
import { describe, expect, it } from 'vitest';
import { ignoreKinds } from '../../src/ignore/ignore-kinds.ts';
import { fixedLimits } from '../../src/settings.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { config, createWorkspace, excludedCodes, home, names, project, warningCodes } from '../support/workspace.ts';

const code = 'blocked_by_ignore_file';
const canary = 'c4n4ry';
const open = { '.context/open.md': 'Open.' };

/** Context files of a workspace that are left out by an ignore file. */
async function leftOut(tree: Record<string, string | Uint8Array>, options = {}): Promise<string[]> {
  const { resolve } = await createWorkspace(tree, options);
  const codes = Object.entries(excludedCodes(await resolve()));
  return codes.filter(([, each]) => each === code).map(([path]) => path.replace('.context/', ''));
}

describe('what an ignore file leaves out', () => {
  const plain = ignoreKinds.filter(({ name }) => name.endsWith('ignore') && name !== 'cursorindexingignore');

  it('FX-01 there are the files of the tools that people use', () => {
    expect(plain).toHaveLength(15);
  });

  it.each(plain.map(({ path }) => path))(
    'FX-01 %s keeps content, front matter and all from every answer',
    async (path) => {
      const secret = `---\ndescription: ${canary}\n---\n${canary}`;
      const { engine, files, resolve } = await createWorkspace({
        ...open,
        '.context/secret.md': secret,
        'docs/secret.md': secret,
        'src/a.ts': 'export const a = 1;',
        'AGENTS.md': secret,
        '.context/context-config.json': config({ clientContext: { includeFiles: ['docs/*.md'] } }),
        [path]: '# nothing for models\n\nsecret.md\n/AGENTS.md\n',
      });
      const result = await resolve({ mentions: ['secret'], content: true });
      expect(names(result)).toEqual(['open']);
      expect(excludedCodes(result)).toMatchObject({
        '.context/secret.md': code,
        'docs/secret.md': code,
        'AGENTS.md': code,
      });
      expect(result.excluded.find((each) => each.path.endsWith('docs/secret.md'))?.reason.detail).toBe(
        `"secret.md" in ${project}/${path}:3`,
      );
      const explained = await engine.explain({ mountedDirectory: project });
      const checked = await engine.validate({ mountedDirectory: project });
      expect(JSON.stringify([result, explained, checked])).not.toContain(canary);
      expect(files.opened.filter((each) => each.endsWith('secret.md'))).toEqual([]);
      expect(checked.diagnostics.map((each) => [each.code, each.path])).toContainEqual([
        code,
        `${project}/.context/secret.md`,
      ]);
    },
  );

  it('FX-01 is told in a step of its own, behind that of the policy', async () => {
    const { engine } = await createWorkspace({
      '.context/a.md': 'A.',
      'src/a.ts': 'a',
      '.aiignore': 'a.*',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\n',
    });
    const detail = `"a.*" in ${project}/.aiignore:1`;
    const steps = [
      { rule: 'policy', outcome: 'passed', detail: `ai_context_policy: allow in ${project}/.ai-context-policy.yaml:1` },
      { rule: 'ignore_file', outcome: code, detail },
    ];
    const { candidates } = await engine.explain({ mountedDirectory: project });
    expect(candidates).toMatchObject([{ verdict: 'excluded', reason: { code, detail } }]);
    expect(candidates[0]?.steps.slice(-2)).toEqual(steps);
    const stranger = await engine.explain({ mountedDirectory: project, path: 'src/a.ts' });
    expect(stranger.candidates).toMatchObject([{ verdict: 'excluded', reason: { code, detail } }]);
    expect(stranger.candidates[0]?.steps.slice(-2)).toEqual(steps);
  });

  it('FX-01 every question about a path has the same answer', async () => {
    const { engine } = await createWorkspace({
      'src/a.ts': "import { b } from './b.ts';",
      'src/b.ts': `export const b = '${canary}';`,
      '.cursorignore': 'b.ts',
    });
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['src/a.ts', 'src/b.ts'] });
    expect(decisions).toMatchObject([
      { allowed: true },
      { allowed: false, reason: { code }, decidedBy: { path: `${project}/.cursorignore`, pattern: 'b.ts', line: 1 } },
    ]);
    const preview = await engine.policy.preview({ mountedDirectory: project, aiContextPolicy: 'allow', exclude: [] });
    expect(preview).toMatchObject({ allowed: 2, blocked: 1, changes: { allowed: 0, blocked: 0 } });
    await engine.supplementary.add({ mountedDirectory: project, path: 'src/b.ts', kind: 'file' });
    const { items } = await engine.supplementary.list(project);
    expect(items).toMatchObject([{ enabled: false, disabledReasons: [{ code }] }]);
    const documents = ['src/a.ts', 'src/b.ts'].map((path) => ({ path, content: 'export const c = 1;' }));
    const [about, of] = await Promise.all(
      documents.map((activeDocument) => engine.retrieve({ mountedDirectory: project, activeDocument })),
    );
    expect(about?.omitted.find(({ path }) => path.endsWith('b.ts'))?.reason.code).toBe(code);
    expect(of?.activeDocument).toMatchObject({ allowed: false, reason: { code } });
    expect(JSON.stringify([about, of])).not.toContain(canary);
  });

  it('FX-01 says nothing about configurations and about the global context', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/mine.md': 'Mine.',
      '.context/context-config.json': config({ mcpServers: { one: { command: 'x' } } }),
      '.noai': '',
      '~/.noai': '',
    });
    const result = await resolve();
    expect(names(result)).toEqual(['~:mine']);
    expect(Object.keys(result.config.mcpServers)).toEqual(['one']);
  });
});

describe('patterns', () => {
  const tree = { '.context/a.md': 'A.', '.context/b.md': 'B.', '.context/sub/a.md': 'S.', '.context/sub/c.md': 'C.' };
  it.each([
    ['the last one that fits wins', 'a.md\n!a.md', []],
    ['and not the first', '!a.md\na.md', ['a.md', 'sub/a.md']],
    ['one with a slash is about one place', '.context/a.md', ['a.md']],
    ['one with a slash at its beginning too', '/a.md\n/.context/b.md', ['b.md']],
    ['a slash at its end means a directory', 'sub/\na.md/', ['sub/a.md', 'sub/c.md']],
    ['nothing in a directory that is left out comes back', 'sub/\n!.context/sub/c.md', ['sub/a.md', 'sub/c.md']],
    ['but of its files some do', 'sub/*\n!.context/sub/c.md', []],
    ['letter case does not matter for what leaves out', '/.CONTEXT/A.MD', ['a.md']],
    ['and does for what brings back', 'a.md\n!A.md', ['a.md', 'sub/a.md']],
    ['a class has what is between its brackets', '[!a-bC].md', ['sub/c.md']],
    ['comments and spaces are none', '#a.md\n  \nb.md   ', ['b.md']],
  ])('FX-01 %s: %j', async (_, text, expected) => {
    const all = { ...tree, '.aiignore': text.replace('sub/*', '.context/sub/*.md\n!.context/sub/a.md') };
    expect((await leftOut(all)).sort()).toEqual(expected);
  });

  it('FX-01 a nearer file decides where its tool has it so, and else takes away only', async () => {
    const rules = { '.context/a.md': 'A.', '.context/b.md': 'B.' };
    const both = (name: string) => ({ ...rules, [name]: '*.md', [`.context/${name}`]: '!a.md' });
    expect(await leftOut(both('.cursorignore'))).toEqual(['b.md']);
    expect((await leftOut(both('.clineignore'))).sort()).toEqual(['a.md', 'b.md']);
  });

  it('FX-01 .clineignore takes in what other files say, of which nothing is shown', async () => {
    const tree = {
      '.context/a.md': 'A.',
      '.context/b.md': 'B.',
      '.context/c.md': 'C.',
      '.clineignore': 'a.md\n!include lists/.more\n!include not-there\n!c.md\n',
      'lists/.more': 'b.md\nc.md\n[\n',
    };
    const { files, resolve } = await createWorkspace(tree);
    const first = await resolve();
    expect(excludedCodes(first)).toEqual({ '.context/a.md': code, '.context/b.md': code });
    expect(first.excluded.map(({ reason }) => reason.detail)).toEqual([
      `"a.md" in ${project}/.clineignore:1`,
      `"!include lists/.more" in ${project}/.clineignore:2`,
    ]);
    expect(first.warnings).toEqual([]);
    expect(await resolve()).toBe(first);
    files.write(`${project}/lists/.more`, '*.md\n');
    expect(names(await resolve())).toEqual(['c']);
    files.write(`${project}/not-there`, '/.context/c.md\n');
    files.write(`${project}/.clineignore`, '!c.md\n!include not-there\n!include ../other\n');
    const last = await resolve();
    expect(names(last)).toEqual([]);
    expect(last.warnings).toMatchObject([{ code: 'ignore_file_not_read', line: 3 }]);
  });

  it('FX-01 what one tool leaves out no other brings back', async () => {
    const two = { '.context/a.md': 'A.', '.cursorignore': 'a.md', '.aiignore': '!a.md', '.contextignore': '!*' };
    expect(await leftOut(two)).toEqual(['a.md']);
  });

  it('FX-01 dot files and capital letters are names like any other', async () => {
    const { engine } = await createWorkspace({ '.hidden/A.SEALED': 'x', '.cursorignore': '*.sealed' });
    const paths = ['.hidden/A.SEALED', 'x/.Hidden/.b.sealed', 'x.sealed.md'];
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, false, true]);
  });
});

describe('which files count', () => {
  it('FX-01 those from the granted root down, whatever is mounted', async () => {
    const { engine } = await createWorkspace(
      {
        'packages/a/.context/a.md': 'A.',
        'packages/myapi/.context/b.md': 'B.',
        '.aiignore': 'packages/a/**',
        '../.aiignore': '*.md',
      },
      { grantedRoots: [project] },
    );
    const codes = async (directory: string) => excludedCodes(await engine.resolve({ mountedDirectory: directory }));
    expect(await codes(`${project}/packages/a`)).toEqual({ 'packages/a/.context/a.md': code });
    expect(await codes(`${project}/packages/myapi`)).toEqual({});
  });

  it('FX-01 also across a repository inside another', async () => {
    expect(await leftOut({ '.context/a.md': 'A.', '.context/.git/HEAD': 'x', '.aiignore': '.context/' })).toEqual([
      'a.md',
    ]);
  });

  it('AP-07 FX-01 the policy stands first where both block, and none of them opens what the other blocks', async () => {
    const policy = (kind: string) => `ai_context_policy: ${kind}\n`;
    const tree = { '.context/a.md': 'A.', '.aiignore': 'a.md' };
    const codes = async (more: object) =>
      excludedCodes(await (await createWorkspace({ ...tree, ...more })).resolve())['.context/a.md'];
    expect(await codes({ '.ai-context-policy.yaml': policy('block') })).toBe('blocked_by_policy');
    expect(await codes({ '.ai-context-policy.yaml': policy('allow') })).toBe(code);
    expect(await codes({ '.ai-context-policy.yaml': policy('block'), '.aiignore': '!a.md' })).toBe('blocked_by_policy');
    const { engine } = await createWorkspace({ '.env': 'X=1', '.aiignore': '!.env' });
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['.env'] });
    expect(decisions).toMatchObject([{ allowed: false, reason: { code: 'sensitive' } }]);
  });
});

it('FX-01 one in a context directory is no context, and nobody is warned of it', async () => {
  const { resolve } = await createWorkspace({ '.context/a.md': 'A.', '.context/.aiignore': 'b.md' });
  const result = await resolve();
  expect(excludedCodes(result)).toEqual({ '.context/.aiignore': 'excluded_by_config' });
  expect(result.warnings).toEqual([]);
});

describe('one that an editor has not saved yet', () => {
  it.each(['.aiignore', '.cursorignore', '.geminiignore'])('FX-01 RT-01 %s counts as it is shown', async (path) => {
    const always = '---\ntrigger: always\n---\n';
    const { engine } = await createWorkspace({ 'AGENTS.md': 'Open.', '.context/secret.md': `${always}Secret.` });
    const gathered = await engine.gatherContext({
      mountedDirectory: project,
      documents: [{ path, content: 'secret.md\n' }],
      include: { tabs: false, supplementary: false, imports: 'off', search: false },
    });
    expect(gathered.items.map((each) => each.path)).toEqual([`${project}/AGENTS.md`]);
    expect(gathered.omitted).toMatchObject([{ path: `${project}/.context/secret.md`, reason: { code } }]);
  });
});

describe('which are honoured', () => {
  const tree = { '.context/a.md': 'A.', '.context/b.md': 'B.', '.aiignore': 'a.md', '.cursorignore': 'b.md' };
  it.each([
    ['all', ['a.md', 'b.md']],
    ['none', []],
    [['cursorignore'], ['b.md']],
    [
      ['cursorignore', 'nothing'],
      ['a.md', 'b.md'],
    ],
    [[], ['a.md', 'b.md']],
  ])('FX-06 the setting %j', async (ignoreFiles, expected) => {
    expect((await leftOut(tree, { settings: { ignoreFiles } })).sort()).toEqual(expected);
  });

  it('FX-06 no repository and no request can say so', async () => {
    const nothing = { clientContext: { ignoreFiles: 'none' }, ignoreFiles: 'none' };
    expect((await leftOut({ ...tree, '.context/context-config.json': config(nothing) })).sort()).toEqual([
      'a.md',
      'b.md',
    ]);
  });
});

describe('one that cannot be used', () => {
  it.each([
    ['not UTF-8', new Uint8Array([0x61, 0xff])],
    ['binary', new Uint8Array([0x61, 0])],
    ['too large', `nothing\n${'#'.repeat(fixedLimits.ignoreFiles.bytes)}`],
    ['too many lines', 'nothing\n'.repeat(fixedLimits.ignoreFiles.lines + 1)],
    ['a line that is too long', 'x'.repeat(2_000)],
  ])('FX-07 blocks everything below its directory, and is told: %s', async (_, text) => {
    const { resolve } = await createWorkspace({ ...open, 'src/.context/a.md': 'A.', 'src/.aiignore': text });
    const result = await resolve({ workingDirectory: 'src' });
    expect(names(result)).toEqual(['open']);
    expect(result.warnings).toMatchObject([{ code: 'ignore_file_not_read', path: `${project}/src/.aiignore` }]);
  });

  it('FX-07 blocks where permissions forbid to read it, or to list its directory', async () => {
    const { files, resolve } = await createWorkspace({ ...open, '.aiignore': 'x' });
    files.setMode(`${project}/.aiignore`, 0);
    const result = await resolve();
    expect([names(result), warningCodes(result)]).toEqual([[], ['ignore_file_not_read']]);
    const hidden = await createWorkspace({ 'src/a.ts': 'a', 'src/.aiignore': 'a.ts' });
    hidden.files.setMode(`${project}/src`, 0o100);
    const { decisions } = await hidden.engine.policy.check({
      mountedDirectory: project,
      paths: ['src/a.ts', 'src/b.ts'],
    });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, true]);
  });

  it('FX-07 a directory, and a link that leads out or nowhere, too; one that stays inside is followed', async () => {
    const tree = { '.context/a.md': 'A.', '.context/b.md': 'B.', '.gitignore': 'a.md', '/out/ignore': '' };
    for (const target of ['/out/ignore', `${project}/nowhere`]) {
      const { files, resolve } = await createWorkspace(tree);
      files.symlink(`${project}/.aiignore`, target);
      const result = await resolve();
      expect([names(result), warningCodes(result)]).toEqual([[], ['ignore_file_not_read']]);
      expect(files.opened).not.toContain('/out/ignore');
    }
    const inside = await createWorkspace(tree);
    inside.files.symlink(`${project}/.aiignore`, `${project}/.gitignore`);
    const result = await inside.resolve();
    expect([names(result), warningCodes(result)]).toEqual([['b'], []]);
    expect(await leftOut({ ...tree, '.aiignore/x': '' })).toHaveLength(2);
  });
});

describe('hostile files', () => {
  const hostile = `${`${'*a'.repeat(30)}*[!0-9]\n`.repeat(900)}`;

  it('S-52 FX-01 many hostile lines on many long paths hold no event loop, and what is undecided is blocked', async () => {
    const elapsed = () => performance.now();
    const levels = Array.from({ length: 8 }, (_, n) => `${'a'.repeat(120)}${n}`);
    const folders = levels.map((_, n) => levels.slice(0, n + 1).join('/'));
    const files = folders.flatMap((folder) => [
      [`.context/${folder}/.aiignore`, `# ${folder.length}\n${hostile}`],
      ...Array.from({ length: 40 }, (_, n) => [
        `.context/${folder}/${'a'.repeat(150)}${n}.md`,
        `Text ${folder.length} ${n}.`,
      ]),
    ]);
    const { resolve } = await createWorkspace(
      { ...open, ...Object.fromEntries(files) },
      { ports: { clock: { now: () => Date.now(), elapsed } }, limits: { walkMs: 1e9, policyMs: 300 } },
    );
    let result: Awaited<ReturnType<typeof resolve>> | undefined;
    const longestMs = await longestTurnMs(async () => {
      result = await resolve();
    });
    expect(longestMs).toBeLessThan(250);
    const codes = new Set(Object.values(excludedCodes(result as never)));
    expect(codes).toContain('blocked_by_policy');
    expect(warningCodes(result as never)).toContain('limit_policy_time');
  });
});

describe('links', () => {
  it('S-37 FX-01 what a link leads to must be allowed by its own name too', async () => {
    const tree = { 'docs/secret.md': canary, '.aiignore': 'docs/' };
    const links: [string, string][] = [
      ['CLAUDE.md', 'docs/secret.md'],
      ['.context/linked', 'docs'],
    ];
    for (const followSymlinks of [false, true]) {
      const { files, resolve } = await createWorkspace(tree, { settings: { followSymlinks } });
      files.makeDirectory(`${project}/.context`);
      for (const [link, target] of links) files.symlink(`${project}/${link}`, `${project}/${target}`);
      const result = await resolve({ content: true });
      expect(names(result)).toEqual([]);
      expect(excludedCodes(result)).toMatchObject({
        'CLAUDE.md': code,
        ...(followSymlinks && { '.context/linked/secret.md': code }),
      });
      expect(files.opened).not.toContain(`${project}/docs/secret.md`);
    }
  });

  it('FX-01 patterns hold below a root that is granted by a link', async () => {
    const { engine, files } = await createWorkspace(
      { '/real/code/.context/a.md': 'A.', '/real/code/.aiignore': '.context/a.md' },
      { grantedRoots: ['/link'] },
    );
    files.symlink('/link', '/real/code');
    for (const mountedDirectory of ['/link', '/real/code'])
      expect((await engine.resolve({ mountedDirectory })).excluded.map(({ reason }) => reason.code)).toEqual([code]);
  });
});

describe('freshness', () => {
  it('CC-36 FX-01 each change counts from the next request on, and the same files give the same answer', async () => {
    const { files, resolve } = await createWorkspace({ '.context/a.md': 'A.', '.context/b.md': 'B.' });
    expect(names(await resolve())).toEqual(['a', 'b']);
    files.write(`${project}/.aiignore`, 'a.md');
    const first = await resolve();
    expect(names(first)).toEqual(['b']);
    expect(await resolve()).toBe(first);
    files.write(`${project}/.aiignore`, 'b.md');
    expect(names(await resolve())).toEqual(['a']);
    files.write(`${project}/.context/.noai`, '');
    expect(names(await resolve())).toEqual([]);
    files.remove(`${project}/.context/.noai`);
    files.remove(`${project}/.aiignore`);
    expect(names(await resolve())).toEqual(['a', 'b']);
  });

  it('FM-10 FX-01 without one nothing is read, and what is unchanged is not read again', async () => {
    const { engine, files, clock, resolve } = await createWorkspace({ '.context/a.md': 'A.', [`${home}/x`]: '' });
    await resolve();
    expect(files.opened.filter((path) => path.includes('ignore') || path.includes('settings'))).toEqual([]);
    files.write(`${project}/.aiignore`, 'b.md');
    clock.advance(60_000);
    await resolve();
    const before = engine.statistics();
    await resolve();
    expect(engine.statistics()).toEqual(before);
  });
});
