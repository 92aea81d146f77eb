/** What a policy blocks is in no answer, and never read (AP-01 … AP-07, S-63). */
import { describe, expect, it } from 'vitest';
import {
  config,
  contextFile,
  createWorkspace,
  excludedCodes,
  home,
  names,
  project,
  warningCodes,
} from '../support/workspace.ts';

const canary = 'c4n4ry';
const secret = contextFile({ description: `description ${canary}`, globs: [`${canary}/**`] }, `Body ${canary}.`);
const policyPath = `${project}/.ai-context-policy.yaml`;

describe('what a policy blocks', () => {
  it('AP-06 is not read, and neither content nor front matter is in any answer', async () => {
    const { engine, files, resolve } = await createWorkspace({
      '.context/open.md': 'Open.',
      '.context/secret.md': secret,
      'docs/secret.md': secret,
      '.context/context-config.json': config({ clientContext: { includeFiles: ['docs/*.md'] } }),
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - "**/secret.md"\n',
    });
    const result = await resolve({ mentions: ['secret'], content: true });
    expect(names(result)).toEqual(['open']);
    expect(excludedCodes(result)).toMatchObject({
      '.context/secret.md': 'blocked_by_policy',
      'docs/secret.md': 'blocked_by_policy',
    });
    const explained = await engine.explain({ mountedDirectory: project });
    const checked = await engine.validate({ mountedDirectory: project });
    expect(JSON.stringify([result, explained, checked])).not.toContain(canary);
    expect(files.opened.filter((path) => path.endsWith('secret.md'))).toEqual([]);
    expect(checked.diagnostics.map(({ code, path }) => [code, path])).toContainEqual([
      'blocked_by_policy',
      `${project}/.context/secret.md`,
    ]);
  });

  it('AP-07 is told with file, pattern and line', async () => {
    const { engine, resolve } = await createWorkspace({
      '.context/a.md': 'A.',
      '.context/b.md': 'B.',
      '.ai-context-policy.yaml': '# who may see what\nai_context_policy: allow\nexclude:\n  - x/**\n  - "**/b.md"\n',
    });
    const { excluded } = await resolve();
    const reason = { code: 'blocked_by_policy', detail: `exclude "**/b.md" in ${policyPath}:5` };
    expect(excluded).toEqual([{ path: `${project}/.context/b.md`, reason }]);
    const { candidates } = await engine.explain({ mountedDirectory: project });
    expect(candidates.map(({ verdict, steps }) => [verdict, steps.find(({ rule }) => rule === 'policy')])).toEqual([
      ['available', { rule: 'policy', outcome: 'passed', detail: `ai_context_policy: allow in ${policyPath}:2` }],
      ['excluded', { rule: 'policy', outcome: 'blocked_by_policy', detail: reason.detail }],
    ]);
  });

  it('AP-07 is told of a file that is no candidate too', async () => {
    const { engine } = await createWorkspace({
      'src/a.ts': 'a',
      '.ai-context-policy.yaml': 'ai_context_policy: block\n',
    });
    const { candidates } = await engine.explain({ mountedDirectory: project, path: 'src/a.ts' });
    const detail = `ai_context_policy: block in ${policyPath}:1`;
    expect(candidates[0]?.reason).toEqual({ code: 'blocked_by_policy', detail });
  });

  it('AP-06 leaves configurations in force', async () => {
    const { resolve } = await createWorkspace({
      '.context/a.md': 'A.',
      '.context/context-config.json': config({ mcpServers: { one: { command: 'x' } } }),
      '.ai-context-policy.yaml': 'ai_context_policy: block\n',
    });
    const result = await resolve();
    expect(names(result)).toEqual([]);
    expect(Object.keys(result.config.mcpServers)).toEqual(['one']);
  });

  it.each([
    [
      'config.json',
      `{"${canary}": 1, "clientContext": {"includeFiles": ["${canary}"]}, "mcpServers": {"${canary}": {"command": "${canary}"}}}`,
    ],
    ['config.yaml', `${canary}: ${canary}\ninclude: [${canary}]\n`],
    ['config.yml', `mcpServers:\n  ${canary}: ${canary}\n`],
  ])('AP-06 a %s where only the request says that context lies is content', async (name, text) => {
    const { engine, files, resolve } = await createWorkspace({
      [`secrets/${name}`]: text,
      'secrets/open.md': 'Open.',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["secrets/config.*"]\n',
    });
    const request = { clientContextPath: 'secrets', scopes: ['static' as const, 'dynamic' as const] };
    const result = await resolve(request);
    expect(names(result)).toEqual(['open']);
    expect(warningCodes(result)).toEqual(['config_not_read']);
    const asGlobal = await resolve({ ...request, globalContextPath: project, scopes: ['global'] });
    const explained = await engine.explain({ mountedDirectory: project, ...request });
    expect(JSON.stringify([result, asGlobal, explained])).not.toContain(canary);
    expect(files.opened).not.toContain(`${project}/secrets/${name}`);
    const own = await createWorkspace(
      { [`secrets/${name}`]: text, '.ai-context-policy.yaml': 'ai_context_policy: block\n' },
      { settings: { clientContextPath: 'secrets' } },
    );
    expect(JSON.stringify(await own.resolve())).toContain(canary);
  });
});

describe('which policy decides', () => {
  it('AP-03 the nearest on the way up to the granted root, alone, where there is no repository', async () => {
    const { resolve } = await createWorkspace({
      '../.ai-context-policy.yaml': 'ai_context_policy: block\n',
      '.context/top.md': 'Top.',
      'src/.context/src.md': 'Source.',
      'src/app/.context/app.md': 'App.',
      'src/.ai-context-policy.yaml': 'ai_context_policy: block\n',
      'src/app/.ai-context-policy.yaml': 'ai_context_policy: allow\n',
    });
    const result = await resolve({ workingDirectory: 'src/app' });
    expect(names(result).sort()).toEqual(['src/app:app', 'top']);
  });

  it('AP-03 a policy above the mounted directory decides, up to the granted root', async () => {
    const tree = { '.context/a.md': 'A.', [`${home}/.ai-context-policy.yaml`]: 'ai_context_policy: block\n' };
    const { engine, resolve } = await createWorkspace(tree, { grantedRoots: [home] });
    expect(excludedCodes(await resolve())).toEqual({ '.context/a.md': 'blocked_by_policy' });
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['.context/a.md'] });
    expect(decisions[0]).toMatchObject({ allowed: false, decidedBy: { path: `${home}/.ai-context-policy.yaml` } });
    expect(names(await resolve({ mountedDirectory: home, workingDirectory: 'myproject' }))).toEqual([]);
  });

  describe.each([
    ['a directory', `${home}/.git/HEAD`],
    ['the file of a worktree or submodule', `${home}/.git`],
  ])('where the repository around the granted root has as .git %s', (_, git) => {
    const above = `${home}/.ai-context-policy.yaml`;
    const tree = { '.context/a.md': 'A.', '.context/b.md': 'B.', [git]: 'x', [above]: 'exclude: ["**/b.md"]\n' };

    it('AP-03 its policy decides, and nothing else of it is opened', async () => {
      const { engine, files, resolve } = await createWorkspace({ ...tree, [`${home}/secret.md`]: canary });
      expect(names(await resolve())).toEqual(['b']);
      const { decisions, warnings } = await engine.policy.check({
        mountedDirectory: project,
        paths: ['.context/b.md'],
      });
      expect(decisions[0]).toMatchObject({ allowed: true, decidedBy: { path: above, pattern: '**/b.md', line: 1 } });
      expect(JSON.stringify(warnings)).not.toContain(canary);
      expect(files.opened.filter((path) => !path.startsWith(project) && path !== above)).toEqual([]);
      const { policies } = await engine.policy.list(project);
      expect(policies).toEqual([]);
      await expect(engine.resolve({ mountedDirectory: home })).rejects.toMatchObject({ code: 'path_outside_roots' });
    });

    it('AP-03 CC-36 each change of it counts from the next request on', async () => {
      const { files, resolve } = await createWorkspace(tree);
      expect(names(await resolve())).toEqual(['b']);
      files.write(above, 'ai_context_policy: allow\n');
      expect(names(await resolve())).toEqual(['a', 'b']);
      files.remove(above);
      expect(names(await resolve())).toEqual(['a', 'b']);
      files.write(above, 'ai_context_policy: block\n');
      expect(names(await resolve())).toEqual([]);
      files.remove(`${home}/.git`);
      expect(names(await resolve())).toEqual(['a', 'b']);
    });

    it('AP-03 AP-04 one that is a link or cannot be read blocks', async () => {
      const { files, resolve } = await createWorkspace(tree);
      files.remove(above);
      files.write('/elsewhere.yaml', 'ai_context_policy: allow\n');
      files.symlink(above, '/elsewhere.yaml');
      const result = await resolve();
      expect([names(result), warningCodes(result)]).toEqual([[], ['policy_not_read']]);
      expect(files.opened).not.toContain('/elsewhere.yaml');
    });
  });

  it('AP-03 nothing above the outermost repository is asked', async () => {
    const { files, resolve } = await createWorkspace({
      '.context/a.md': 'A.',
      '.git/HEAD': 'x',
      [`${home}/.ai-context-policy.yaml`]: 'ai_context_policy: block\n',
    });
    expect(names(await resolve())).toEqual(['a']);
    expect(files.opened).not.toContain(`${home}/.ai-context-policy.yaml`);
  });

  it.each([
    ['below the granted root', home],
    ['that is granted by itself', project],
  ])(
    'AP-03 a .git in the tree of a policy opens nothing: a repository %s is under the policies around it',
    async (_, root) => {
      const tree = {
        [`${home}/.git/HEAD`]: 'x',
        [`${home}/.ai-context-policy.yaml`]: 'ai_context_policy: block\n',
        '.git/HEAD': 'x',
        '.context/a.md': 'A.',
      };
      const { files, resolve } = await createWorkspace(tree, { grantedRoots: [root] });
      expect(names(await resolve())).toEqual([]);
      files.write(`${project}/.ai-context-policy.yaml`, 'ai_context_policy: allow\n');
      expect(names(await resolve())).toEqual(['a']);
    },
  );

  it('AP-03 a root that is granted by a link is under the policies where it really lies', async () => {
    const { engine, files } = await createWorkspace(
      {
        '/data/repo/.git/HEAD': 'x',
        '/data/repo/.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["secret/.context/b.md"]\n',
        '/data/repo/secret/.context/a.md': 'A.',
        '/data/repo/secret/.context/b.md': 'B.',
      },
      { grantedRoots: ['/link'] },
    );
    files.symlink('/link', '/data/repo/secret');
    expect(names(await engine.resolve({ mountedDirectory: '/link' }))).toEqual(['a']);
  });

  it('AP-02 without a policy the setting decides', async () => {
    const tree = {
      '.context/a.md': 'A.',
      'open/.context/b.md': 'B.',
      'open/.ai-context-policy.yml': 'ai_context_policy: allow',
    };
    const { resolve } = await createWorkspace(tree, { settings: { defaultPolicy: 'block' } });
    const result = await resolve({ workingDirectory: 'open' });
    expect(names(result)).toEqual(['open:b']);
    expect(excludedCodes(result)).toEqual({ '.context/a.md': 'blocked_by_policy' });
    expect(names(await (await createWorkspace(tree)).resolve({ workingDirectory: 'open' }))).toHaveLength(2);
  });

  it('AP-05 with both spellings a file must pass both, and a warning says so', async () => {
    const { resolve } = await createWorkspace({
      '.context/a.md': 'A.',
      '.context/b.md': 'B.',
      '.context/c.md': 'C.',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: [.context/a.md]\n',
      '.ai-context-policy.yml': 'ai_context_policy: block\nexclude: [.context/a.md, .context/b.md]\n',
    });
    const result = await resolve();
    expect(names(result)).toEqual(['b']);
    expect(warningCodes(result)).toEqual(['policy_twice']);
  });

  it('AP-06 an included file of another granted root is under the policies of that root', async () => {
    const { resolve } = await createWorkspace(
      {
        '.context/context-config.json': config({ clientContext: { includeFiles: ['/shared/**/*.md'] } }),
        '/shared/open.md': 'Open.',
        '/shared/closed/x.md': secret,
        '/shared/closed/.ai-context-policy.yaml': 'ai_context_policy: block\n',
      },
      { grantedRoots: [project, '/shared'] },
    );
    const result = await resolve();
    expect(names(result)).toHaveLength(1);
    expect(excludedCodes(result)).toMatchObject({ '/shared/closed/x.md': 'blocked_by_policy' });
  });
});

describe('the global scope', () => {
  const tree = {
    '~/.context/mine.md': 'Mine.',
    '~/.context/.ai-context-policy.yaml': 'ai_context_policy: block\n',
    '.context/a.md': 'A.',
    '.ai-context-policy.yaml': 'ai_context_policy: block\n',
  };

  it('AP-06 is under no policy', async () => {
    const { resolve } = await createWorkspace(tree, { settings: { defaultPolicy: 'block' } });
    expect(names(await resolve())).toEqual(['~:mine']);
  });

  it('AP-06 is under no policy where it really lies either', async () => {
    const { files, resolve } = await createWorkspace(
      { '~/dotfiles/mine.md': 'Mine.', '.context/a.md': 'A.' },
      { settings: { defaultPolicy: 'block', followSymlinks: true } },
    );
    files.symlink(`${home}/.context`, `${home}/dotfiles`);
    expect(names(await resolve())).toEqual(['~:mine']);
  });

  it('AP-06 is under the policy of a mounted directory that holds it', async () => {
    const { resolve } = await createWorkspace(tree, { grantedRoots: [home] });
    const result = await resolve({ mountedDirectory: home });
    expect(names(result)).toEqual([]);
    expect(result.excluded.map(({ reason }) => reason.code)).toContain('blocked_by_policy');
  });

  it.each(['allow', 'block'] as const)(
    'AP-06 is under the policy "%s" of a mounted directory that a link leads into',
    async (kind) => {
      const { files, resolve } = await createWorkspace(
        { 'team/.context/mine.md': 'Mine.', '.ai-context-policy.yaml': `ai_context_policy: ${kind}\n` },
        { settings: { globalContextPath: '/mine' } },
      );
      files.symlink('/mine', `${project}/team`);
      expect(names(await resolve())).toEqual(kind === 'allow' ? ['~:mine'] : []);
    },
  );

  it('AP-06 another directory that a request calls global is under the policies of its root', async () => {
    const other = { '/other/.context/x.md': secret, '/other/.ai-context-policy.yaml': 'ai_context_policy: block\n' };
    const { resolve } = await createWorkspace(other, { grantedRoots: [project, '/other'] });
    expect(names(await resolve({ globalContextPath: '/other' }))).toEqual([]);
  });
});

describe('a policy that cannot be used', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['an unknown version', 'ai_context_policy: allow\nversion: 2\n', 'invalid_policy_value'],
    ['a list', '- allow\n', 'invalid_policy'],
    ['a misspelled key', 'ai_context_policy: allow\nexlude: [x]\n', 'misspelled_policy_key'],
    ['not UTF-8', new Uint8Array([0x61, 0xff]), 'policy_not_read'],
    ['binary', new Uint8Array([0x61, 0]), 'policy_not_read'],
    ['too large', `ai_context_policy: allow\n#${'x'.repeat(300_000)}`, 'policy_too_large'],
    [
      'more patterns than are read',
      `exclude:\n${'- a\n'.repeat(65)}ai_context_policy: allow\n`,
      'invalid_policy_value',
    ],
    ['nothing but a comment', '# allow\n', 'policy_without_kind'],
    ['empty', '', 'policy_without_kind'],
  ])('AP-04 S-63 %s: blocks everything below, with a warning', async (_, text, code) => {
    const { resolve } = await createWorkspace({ '.context/a.md': 'A.', '.ai-context-policy.yaml': text });
    const result = await resolve();
    expect(names(result)).toEqual([]);
    expect(excludedCodes(result)).toEqual({ '.context/a.md': 'blocked_by_policy' });
    const place = { line: expect.any(Number), column: expect.any(Number) };
    expect(result.warnings).toMatchObject([{ code, path: policyPath, ...place }]);
  });

  it('AP-04 a link, a pipe, a directory, and a file without permission', async () => {
    for (const make of ['symlink', 'directory', 'fifo', 'mode'] as const) {
      const { files, resolve } = await createWorkspace({ '.context/a.md': 'A.', 'p.yaml': 'ai_context_policy: allow' });
      if (make === 'symlink') files.symlink(policyPath, `${project}/p.yaml`);
      else if (make === 'directory') files.makeDirectory(policyPath);
      else if (make === 'fifo') files.fifo(policyPath);
      else {
        files.write(policyPath, 'ai_context_policy: allow');
        files.setMode(policyPath, 0);
      }
      const result = await resolve();
      expect(names(result), make).toEqual([]);
      expect(result.warnings, make).toMatchObject([{ code: 'policy_not_read', path: policyPath, line: 1, column: 1 }]);
    }
  });

  it('AP-04 blocks only below, and a policy below it decides for itself', async () => {
    const { resolve } = await createWorkspace({
      '.context/a.md': 'A.',
      'src/.context/b.md': 'B.',
      'src/app/.context/c.md': 'C.',
      'src/.ai-context-policy.yaml': '{',
      'src/app/.ai-context-policy.yaml': 'ai_context_policy: allow',
    });
    expect(names(await resolve({ workingDirectory: 'src/app' }))).toEqual(['a', 'src/app:c']);
  });

  it('AP-04 blocks when there is no time left to compare', async () => {
    let now = 0;
    const clock = { now: () => 1e12, elapsed: () => (now += 2_000) };
    const { resolve } = await createWorkspace(
      { '.context/a.md': 'A.', '.ai-context-policy.yaml': 'ai_context_policy: allow\n' },
      {
        ports: { clock },
        limits: { walkMs: 1e9, parseMs: 1e9, excludeMatchMs: 1e9, includeMatchMs: 1e9, globMatchMs: 1e9 },
      },
    );
    const result = await resolve();
    expect(excludedCodes(result)).toMatchObject({ '.context/a.md': 'blocked_by_policy' });
    expect(warningCodes(result)).toContain('limit_policy_time');
  });
});

it('AP-01 a policy in a context directory is no context, and nobody is warned of it', async () => {
  const { resolve } = await createWorkspace({
    '.context/a.md': 'A.',
    '.context/.ai-context-policy.yml': 'ai_context_policy: allow',
  });
  const result = await resolve();
  expect(excludedCodes(result)).toEqual({ '.context/.ai-context-policy.yml': 'excluded_by_config' });
  expect(result.warnings).toEqual([]);
});

describe('a policy that changes', () => {
  it('CC-36 AP-03 is noticed at once, wherever it appears', async () => {
    const { files, clock, resolve } = await createWorkspace({ 'src/.context/a.md': 'A.' });
    const seen = async () => names(await resolve({ workingDirectory: 'src' })).length;
    const outcomes: number[] = [await seen()];
    const steps = [
      () => files.write(policyPath, 'ai_context_policy: block'),
      () => files.write(`${project}/src/.ai-context-policy.yml`, 'ai_context_policy: allow'),
      () => files.write(`${project}/src/.context/.ai-context-policy.yml`, 'ai_context_policy: block'),
      () => files.write(`${project}/src/.context/.ai-context-policy.yml`, 'ai_context_policy: allow'),
      () => files.remove(`${project}/src/.context/.ai-context-policy.yml`),
      () => files.remove(`${project}/src/.ai-context-policy.yml`),
      () => files.remove(policyPath),
    ];
    for (const step of steps) {
      clock.advance(60_000);
      step();
      outcomes.push(await seen());
      // Long enough after the change for it to be taken for settled.
      clock.advance(60_000);
      expect(await seen()).toBe(outcomes.at(-1));
    }
    expect(outcomes).toEqual([1, 0, 1, 0, 1, 1, 0, 1]);
  });

  it('CC-36 AP-03 is noticed in a directory that was looked at within the step of time in which it came', async () => {
    const { files, clock, resolve } = await createWorkspace({ 'src/.context/a.md': 'A.' });
    const seen = async () => names(await resolve({ workingDirectory: 'src' })).length;
    for (const waitMs of [1, 1_000, 1_998]) {
      clock.advance(60_000);
      const directory = `${project}/src/.context`;
      files.remove(directory);
      files.write(`${directory}/a.md`, 'A.');
      clock.advance(waitMs);
      expect(await seen()).toBe(1);
      files.write(`${project}/src/.ai-context-policy.yaml`, 'ai_context_policy: block');
      expect(await seen()).toBe(0);
      files.remove(`${project}/src/.ai-context-policy.yaml`);
    }
  });

  it('AP-06 costs one look at each directory when nothing changed', async () => {
    const { files, clock, resolve } = await createWorkspace({
      'src/.context/a.md': 'A.',
      '.ai-context-policy.yaml': 'ai_context_policy: allow\n',
    });
    await resolve({ workingDirectory: 'src' });
    clock.advance(60_000);
    await resolve({ workingDirectory: 'src' });
    const before = await resolve({ workingDirectory: 'src' });
    files.resetCounters();
    expect(await resolve({ workingDirectory: 'src' })).toBe(before);
    expect({ reads: files.reads, lists: files.lists }).toEqual({ reads: 0, lists: 0 });
  });
});

describe('links that are followed', () => {
  it('AP-06 both the name and the real place must be allowed', async () => {
    const { files, resolve } = await createWorkspace(
      {
        'real/closed/.ai-context-policy.yaml': 'ai_context_policy: block\n',
        'real/closed/x.md': secret,
        'real/open/y.md': 'Open.',
        'src/.ai-context-policy.yaml': 'ai_context_policy: allow\n',
        'shut/.ai-context-policy.yaml': 'ai_context_policy: block\n',
        'shut/.context/z.md': 'Z.',
      },
      { settings: { followSymlinks: true } },
    );
    files.makeDirectory(`${project}/src/.context`);
    files.symlink(`${project}/src/.context/x.md`, `${project}/real/closed/x.md`);
    files.symlink(`${project}/src/.context/y.md`, `${project}/real/open/y.md`);
    const open = await resolve({ workingDirectory: 'src' });
    expect(names(open)).toEqual(['src:y']);
    expect(excludedCodes(open)).toEqual({ 'src/.context/x.md': 'blocked_by_policy' });
    files.symlink(`${project}/shut/.context/y.md`, `${project}/real/open/y.md`);
    expect(names(await resolve({ workingDirectory: 'shut' }))).toEqual([]);
    expect(files.opened).not.toContain(`${project}/real/closed/x.md`);
  });
});
