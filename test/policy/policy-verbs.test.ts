/** Deciding about paths, and listing, writing and previewing policies (AP-07, AP-09). */
import { describe, expect, it } from 'vitest';
import type { ContextdError } from '../../src/errors.ts';
import { nextTurn } from '../../src/pace/turns.ts';
import type { PolicyWriteRequest } from '../../src/policy/policy-requests.ts';
import type { ExpectedVersion } from '../../src/ports/expected-version.ts';
import type { FileWriter } from '../../src/ports/ports.ts';
import { createMemoryFileWriter } from '../support/memory-file-writer.ts';
import { atVersion, nothingYet } from '../support/versions.ts';
import { createWorkspace, project, type TestWorkspace } from '../support/workspace.ts';

const path = `${project}/.ai-context-policy.yaml`;

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (error: ContextdError) => `${error.code} ${error.errors.map(({ pointer }) => pointer).join(' ')}`.trim(),
  );
}

describe('check', () => {
  const tree = {
    '.ai-context-policy.yaml': 'version: 1\nai_context_policy: allow\nexclude:\n  - "*.key.md"\n  - private/\n',
    'closed/.ai-context-policy.yml': 'ai_context_policy: block\nexclude: [README.md]\n',
    'broken/.ai-context-policy.yaml': 'ai_context_policy: [\n',
    'unsaid/.ai-context-policy.yaml': '# nothing\n',
  };

  it('S-46 asks the disk for nothing below the first directory that is not there', async () => {
    const { engine, files } = await createWorkspace(tree);
    const before = files.stats;
    const paths = Array.from({ length: 256 }, (_, index) => `closed/${index}/${'a/'.repeat(100)}x.ts`);
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths });
    expect(new Set(decisions.map(({ reason }) => reason.code))).toEqual(new Set(['policy_block']));
    expect(files.stats - before).toBeLessThan(4 * paths.length);
  });

  it.each(['pkg', 'secret'])(
    'AP-06 sees a policy that appears, with its directory, after branch/%s was asked about',
    async (asked) => {
      const { files } = await createWorkspace({});
      let hasAppeared = false;
      const appear = (path: string): void => {
        if (hasAppeared || !path.endsWith('/none50.ts')) return;
        hasAppeared = true;
        files.write(`${project}/branch/secret/.ai-context-policy.yaml`, 'ai_context_policy: block\n');
        files.write(`${project}/branch/secret/f.ts`, 'SECRET');
      };
      const read: typeof files.read = async (path, options) => {
        appear(path);
        // As reading from a disk does.
        await nextTurn();
        return files.read(path, options);
      };
      const { engine } = await createWorkspace({}, { ports: { files: { ...files, read } } });
      const others = Array.from({ length: 100 }, (_, index) => `none${index}.ts`);
      const openTabs = [`branch/${asked}/gone.ts`, ...others, 'branch/secret/f.ts'];
      const { items, omitted } = await engine.retrieve({ mountedDirectory: project, openTabs });
      expect(hasAppeared).toBe(true);
      expect(items).toEqual([]);
      expect(omitted.at(-1)?.reason.code).toBe('blocked_by_policy');
    },
  );

  it.each(['comes before it is read', 'goes before its policy is looked for, and comes again'])(
    'AP-06 reads nothing of a directory that %s',
    async (what) => {
      const secret = `${project}/secret`;
      const { files } = await createWorkspace({
        'secret/.ai-context-policy.yaml': 'ai_context_policy: block\n',
        'secret/f.ts': 'SECRET',
      });
      let isAway = what.startsWith('comes');
      let looks = 0;
      const stat: typeof files.stat = async (path) => {
        if (path.startsWith(`${secret}/.`)) isAway = true;
        const isGone = isAway && path.startsWith(secret);
        if (isGone && path === secret) looks += 1;
        return isGone ? { ok: false, code: 'not_found' } : files.stat(path);
      };
      const { engine } = await createWorkspace({}, { ports: { files: { ...files, stat, statSoon: stat } } });
      const { items, omitted } = await engine.retrieve({ mountedDirectory: project, openTabs: ['secret/f.ts'] });
      expect(looks).toBeGreaterThan(0);
      expect(items).toEqual([]);
      expect(omitted.map(({ reason }) => reason.code)).toEqual(['not_found']);
    },
  );

  it('AP-07 says that a policy blocks a file, whether its directory is there or not', async () => {
    const { engine } = await createWorkspace({
      'closed/.ai-context-policy.yaml': 'ai_context_policy: block\n',
      'broken/.ai-context-policy.yaml': 'ai_context_policy: [\n',
    });
    const openTabs = ['closed/none.ts', 'closed/none/f.ts', 'broken/none/f.ts', 'none/f.ts'];
    const { omitted, warnings } = await engine.retrieve({ mountedDirectory: project, openTabs });
    const blocked = 'blocked_by_policy';
    expect(omitted.map(({ reason }) => reason.code)).toEqual([blocked, blocked, blocked, 'not_found']);
    expect(warnings.map(({ code }) => code)).toContain('invalid_policy');
  });

  it('AP-07 says of each path whether, why, and which file, pattern and line decided', async () => {
    const { engine } = await createWorkspace(tree);
    const paths = [
      'src/a.ts',
      'private/x/y',
      'closed/a.ts',
      'closed/README.md',
      'broken/a',
      'unsaid/a',
      'a/.env',
      '/etc/x',
    ];
    const { decisions, warnings } = await engine.policy.check({ mountedDirectory: project, paths });
    const closed = `${project}/closed/.ai-context-policy.yml`;
    expect(decisions.map(({ allowed, reason, decidedBy }) => [allowed, reason.code, decidedBy])).toEqual([
      [true, 'policy_allow', { path, line: 2 }],
      [false, 'policy_exception', { path, pattern: 'private/', line: 5 }],
      [false, 'policy_block', { path: closed, line: 1 }],
      [true, 'policy_exception', { path: closed, pattern: 'README.md', line: 2 }],
      [false, 'policy_invalid', { path: `${project}/broken/.ai-context-policy.yaml` }],
      [false, 'policy_block', { path: `${project}/unsaid/.ai-context-policy.yaml` }],
      [false, 'sensitive', null],
      [false, 'outside_roots', null],
    ]);
    expect(decisions.filter(({ reason }) => !reason.detail)).toEqual([]);
    expect(decisions.map((each) => each.path).slice(-2)).toEqual([`${project}/a/.env`, '/etc/x']);
    expect(warnings.map((each) => [each.code, each.path, each.line])).toEqual([
      ['invalid_policy', `${project}/broken/.ai-context-policy.yaml`, 1],
      ['policy_without_kind', `${project}/unsaid/.ai-context-policy.yaml`, 1],
    ]);
  });

  it('AP-02 without a policy the setting decides', async () => {
    for (const defaultPolicy of ['allow', 'block'] as const) {
      const { engine } = await createWorkspace({}, { settings: { defaultPolicy } });
      const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['a.ts'] });
      expect(decisions).toMatchObject([
        { allowed: defaultPolicy === 'allow', reason: { code: 'no_policy' }, decidedBy: null },
      ]);
    }
  });

  it('AP-07 CC-06 says of what was not decided in time that a limit was reached, and blocks it', async () => {
    const { engine } = await createWorkspace(
      { '.ai-context-policy.yaml': 'ai_context_policy: allow\n' },
      { limits: { policyMs: 0 } },
    );
    const { decisions, warnings } = await engine.policy.check({ mountedDirectory: project, paths: ['a.ts'] });
    expect(decisions).toMatchObject([{ allowed: false, reason: { code: 'limit_reached' }, decidedBy: null }]);
    expect(warnings.map(({ code }) => code)).toContain('limit_policy_time');
  });

  it('AP-03 patterns are relative to the directory of the file, and match nothing elsewhere', async () => {
    const { engine } = await createWorkspace({
      'src/.ai-context-policy.yaml': 'ai_context_policy: block\nexclude: [docs/*.md, /top.md, "**/any.md"]\n',
    });
    const paths = [
      'src/docs/a.md',
      'src/x/docs/a.md',
      'src/top.md',
      'src/x/top.md',
      'src/x/y/any.md',
      'src/a.md',
      'a.md',
    ];
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, true, false, true, false, true]);
  });

  it.each(['/', './', '.'])('AP-03 %s is the directory of the file, with all that lies below', async (pattern) => {
    const { engine } = await createWorkspace({
      'src/.ai-context-policy.yaml': `ai_context_policy: allow\nexclude: ["${pattern}"]\n`,
    });
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['src/x/a.md', 'a.md'] });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, true]);
  });

  it('AP-06 a policy file is never content itself', async () => {
    const { engine } = await createWorkspace(tree);
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['.ai-context-policy.yaml'] });
    expect(decisions).toMatchObject([{ allowed: false, reason: { code: 'policy_block' } }]);
  });

  it('S-34 what really lies outside is outside', async () => {
    const { engine, files } = await createWorkspace({ '/outside/a.md': 'x' });
    files.symlink(`${project}/link`, '/outside');
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths: ['link/a.md', 'x/../../y'] });
    expect(decisions.map(({ reason }) => reason.code)).toEqual(['outside_roots', 'outside_roots']);
  });

  it('refuses paths that mean nothing, and says which', async () => {
    const { engine } = await createWorkspace({});
    const check = (paths: string[]) => codeOf(engine.policy.check({ mountedDirectory: project, paths }));
    expect(await check(['a', 'file:///etc/passwd'])).toBe('invalid_request /paths/1');
    expect(await check(['C:\\x'])).toBe('invalid_request /paths/0');
    expect(await codeOf(engine.policy.check({ mountedDirectory: '/other', paths: [] }))).toBe(
      'path_outside_roots /mountedDirectory',
    );
  });
});

describe('list', () => {
  it('AP-09 shows every policy of the tree with its text, whether it can be used or not', async () => {
    const { engine, files } = await createWorkspace({
      '.ai-context-policy.yaml': 'ai_context_policy: allow # all\n',
      'a/.ai-context-policy.yml': '{',
      'a/.ai-context-policy.yaml': 'ai_context_policy: block\nexclude: [x]\n',
    });
    files.makeDirectory(`${project}/l`);
    files.symlink(`${project}/l/.ai-context-policy.yml`, '/etc/passwd');
    files.makeDirectory(`${project}/m/.ai-context-policy.yml`);
    const { mountedDirectory, policies, warnings } = await engine.policy.list('~/myproject');
    expect(mountedDirectory).toBe(project);
    expect(policies.map(({ etag, ...each }) => ({ ...each, etag: etag !== undefined }))).toEqual([
      {
        path,
        directory: project,
        aiContextPolicy: 'allow',
        exclude: [],
        version: 1,
        valid: true,
        etag: true,
        text: 'ai_context_policy: allow # all\n',
      },
      {
        path: `${project}/a/.ai-context-policy.yaml`,
        directory: `${project}/a`,
        aiContextPolicy: 'block',
        exclude: ['x'],
        version: 1,
        valid: true,
        etag: true,
        text: 'ai_context_policy: block\nexclude: [x]\n',
      },
      {
        path: `${project}/a/.ai-context-policy.yml`,
        directory: `${project}/a`,
        aiContextPolicy: 'block',
        exclude: [],
        version: 1,
        valid: false,
        etag: true,
        text: '{',
      },
      {
        path: `${project}/l/.ai-context-policy.yml`,
        directory: `${project}/l`,
        aiContextPolicy: 'block',
        exclude: [],
        version: 1,
        valid: false,
        etag: false,
      },
      {
        path: `${project}/m/.ai-context-policy.yml`,
        directory: `${project}/m`,
        aiContextPolicy: 'block',
        exclude: [],
        version: 1,
        valid: false,
        etag: false,
      },
    ]);
    const codes = ['invalid_policy', 'policy_twice', 'policy_not_read', 'policy_not_read'];
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });
});

describe('a list that is cut', () => {
  it('CC-06 says how many policies it leaves out', async () => {
    const tree = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}/.ai-context-policy.yaml`, '# text\n']));
    const { engine } = await createWorkspace(tree, { limits: { answerBytes: 8 } });
    const { policies, warnings } = await engine.policy.list(project);
    expect(policies.map(({ directory }) => directory)).toEqual([`${project}/a`, `${project}/b`]);
    expect(warnings).toContainEqual({
      code: 'limit_policies',
      message: 'Only 2 of 3 policies are shown.',
      path: project,
    });
  });
});

describe('put', () => {
  const put = ({ engine }: TestWorkspace, seen: ExpectedVersion, more: Partial<PolicyWriteRequest> = {}) =>
    engine.policy.put({ mountedDirectory: project, aiContextPolicy: 'allow', exclude: ['secret/**'], ...more }, seen);
  const etagOf = async ({ engine }: TestWorkspace) => (await engine.policy.list(project)).policies[0]?.etag;

  it('AP-09 writes where there is none, and is in force at once', async () => {
    const workspace = await createWorkspace({ 'secret/a.md': 'x' });
    const { policy, created } = await put(workspace, nothingYet);
    expect({ ...policy, created }).toMatchObject({
      path,
      aiContextPolicy: 'allow',
      exclude: ['secret/**'],
      valid: true,
      created: true,
      text: 'ai_context_policy: allow\nexclude:\n  - "secret/**"\n',
    });
    expect(policy.etag).toBe(await etagOf(workspace));
    const { decisions } = await workspace.engine.policy.check({ mountedDirectory: project, paths: ['secret/a.md'] });
    expect(decisions[0]?.allowed).toBe(false);
  });

  it('AP-09 overwrites only what the caller has seen', async () => {
    const workspace = await createWorkspace({ '.ai-context-policy.yml': 'ai_context_policy: block\n' });
    const etag = await etagOf(workspace);
    expect(await codeOf(put(workspace, nothingYet))).toBe('version_mismatch');
    expect(await codeOf(put(workspace, atVersion('another')))).toBe('version_mismatch');
    const { policy } = await put(workspace, atVersion(etag));
    // The spelling that is there stays.
    expect(policy.path).toBe(`${project}/.ai-context-policy.yml`);
    expect(await codeOf(put(workspace, atVersion(etag)))).toBe('version_mismatch');
    expect(await codeOf(put(workspace, atVersion(policy.etag as string)))).toBe('ok');
    workspace.files.remove(policy.path);
    expect(await codeOf(put(workspace, atVersion(policy.etag as string)))).toBe('version_mismatch');
  });

  it('AP-09 of two who have seen the same version exactly one writes', async () => {
    const workspace = await createWorkspace({ '.ai-context-policy.yaml': 'ai_context_policy: block\n' });
    const expected = atVersion(await etagOf(workspace));
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => codeOf(put(workspace, expected, { exclude: [`x${index}`] }))),
    );
    expect(outcomes.filter((each) => each === 'ok')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['ok', 'version_mismatch']));
  });

  it('AP-09 keeps comments and order of what is there', async () => {
    const text = '# Ours\nversion: 1 # first\nexclude:\n  - a # why\n  - b\nai_context_policy: block\n';
    const workspace = await createWorkspace({ '.ai-context-policy.yaml': text });
    const { policy } = await put(workspace, atVersion(await etagOf(workspace)), { exclude: ['a', 'c'] });
    expect(policy.text).toBe(text.replace('- b', '- c').replace('block', 'allow'));
    expect(policy.etag).toBe(await etagOf(workspace));
  });

  it('AP-09 overwrites and removes nothing that somebody else has just written', async () => {
    const theirs = 'ai_context_policy: block\nexclude: [theirs]\n';
    for (const isRemoval of [false, true]) {
      const { files } = await createWorkspace({ '.ai-context-policy.yaml': 'ai_context_policy: block\n' });
      const writer = createMemoryFileWriter(files);
      const fileWriter: FileWriter = {
        replace(at, bytes, options) {
          files.write(path, theirs);
          return writer.replace(at, bytes, options);
        },
        remove(at, options) {
          files.write(path, theirs);
          return writer.remove(at, options);
        },
      };
      const workspace = await createWorkspace({}, { ports: { files, fileWriter } });
      const seen = atVersion(await etagOf(workspace));
      const request = { mountedDirectory: project };
      const done = isRemoval ? workspace.engine.policy.remove(request, seen) : put(workspace, seen);
      expect(await codeOf(done)).toBe('version_mismatch');
      expect((await workspace.engine.policy.list(project)).policies[0]?.text).toBe(theirs);
    }
  });

  it('AP-09 a file that cannot be used is replaced by who knows its version', async () => {
    for (const text of [
      '{',
      'version: 7\n',
      'ai_context_policy: allow\nexlude: [x]\n',
      '- a',
      '\0',
      'a: &x 1\nb: *x\n',
    ]) {
      const workspace = await createWorkspace({ '.ai-context-policy.yaml': text });
      const { policy } = await put(workspace, atVersion(await etagOf(workspace)));
      expect(policy, text).toMatchObject({ valid: true, aiContextPolicy: 'allow', exclude: ['secret/**'] });
    }
  });

  it('AP-09 writes into a directory below, and into none that is not there', async () => {
    const workspace = await createWorkspace({ 'src/a.ts': '' });
    const { policy } = await put(workspace, nothingYet, { directory: 'src' });
    expect(policy.path).toBe(`${project}/src/.ai-context-policy.yaml`);
    const refused = (directory: string) => codeOf(put(workspace, nothingYet, { directory }));
    expect(await refused('none')).toBe('not_found /directory');
    expect(await refused('src/a.ts')).toBe('not_found /directory');
    expect(await refused('../other')).toBe('path_outside_roots /directory');
  });

  it('AP-09 CC-18 writes none where everything is sensitive, which could not be read again', async () => {
    const workspace = await createWorkspace({ '.ssh/config': '', 'a/.AWS/x': '' });
    for (const directory of ['.ssh', 'a/.AWS'])
      expect(await codeOf(put(workspace, nothingYet, { directory }))).toBe('conflict /directory');
    expect((await workspace.engine.policy.list(project)).policies).toEqual([]);
  });

  it('S-39 never writes through a link', async () => {
    for (const followSymlinks of [false, true]) {
      const workspace = await createWorkspace(
        { 'real/x': '', 'elsewhere.yaml': 'ai_context_policy: block\n', '/out/x': '' },
        { settings: { followSymlinks } },
      );
      workspace.files.symlink(path, `${project}/elsewhere.yaml`);
      workspace.files.symlink(`${project}/link`, `${project}/real`);
      workspace.files.symlink(`${project}/out`, '/out');
      expect(await codeOf(put(workspace, nothingYet))).toBe('conflict /directory');
      expect(await codeOf(put(workspace, nothingYet, { directory: 'link' }))).not.toBe('ok');
      expect(await codeOf(put(workspace, nothingYet, { directory: 'out' }))).toBe('path_outside_roots /directory');
      expect((await workspace.files.stat(`${project}/real/.ai-context-policy.yaml`)).ok).toBe(false);
    }
  });

  it('S-08 never writes where the daemon keeps its own', async () => {
    const workspace = await createWorkspace({ 'state/x': '' }, { deniedDirectories: [`${project}/state`] });
    const refused = await codeOf(put(workspace, nothingYet, { directory: 'state' }));
    expect(refused).toBe('path_outside_roots /directory');
  });

  it('S-53 refuses patterns that the matcher refuses', async () => {
    const workspace = await createWorkspace({});
    const exclude = ['ok', '{{{{{a,b},c},d},e},f}'];
    expect(await codeOf(put(workspace, nothingYet, { exclude }))).toBe('invalid_request /exclude/1');
  });

  it('AP-09 tells listeners', async () => {
    const workspace = await createWorkspace({});
    const told: unknown[] = [];
    const { close } = workspace.engine.subscribe({
      deliver: (event) => void told.push([event.type, event.data]),
      end() {},
    } as Parameters<TestWorkspace['engine']['subscribe']>[0]);
    await put(workspace, nothingYet);
    close();
    expect(told).toEqual([['policy-changed', { mountedDirectories: [project], changes: [{ path, change: 'added' }] }]]);
  });
});

describe('preview', () => {
  const tree = {
    'a.ts': '',
    'b.md': '',
    'src/c.ts': '',
    'src/.env': '',
    'open/d.ts': '',
    'open/.ai-context-policy.yaml': 'ai_context_policy: allow\n',
    'node_modules/x/e.ts': '',
    '.git/config': '',
    '.ai-context-policy.yaml': 'ai_context_policy: block\n',
  };

  it('AP-09 counts what a policy would let through, and writes nothing', async () => {
    const { engine, files } = await createWorkspace(tree);
    const ask = async (more: object) => {
      const { sample, ...counts } = await engine.policy.preview({ mountedDirectory: project, ...more });
      return { ...counts, allowedPaths: sample.filter(({ allowed }) => allowed).map((each) => each.path.slice(15)) };
    };
    expect(await ask({})).toMatchObject({ allowed: 1, blocked: 4, truncated: false });
    expect(await ask({ aiContextPolicy: 'block', exclude: ['**/*.ts'] })).toMatchObject({ allowed: 3, blocked: 2 });
    expect(await ask({ aiContextPolicy: 'allow', exclude: ['*.md'] })).toMatchObject({ allowed: 3, blocked: 2 });
    expect(await ask({ exclude: ['b.md'], directory: '.' })).toMatchObject({ allowed: 2, blocked: 3 });
    expect(await ask({ aiContextPolicy: 'allow', directory: 'src' })).toMatchObject({ allowed: 1, blocked: 1 });
    expect(files.opened.filter((each) => each.endsWith('.ts'))).toEqual([]);
    expect((await engine.policy.list(project)).policies[0]?.text).toBe('ai_context_policy: block\n');
  });

  it('AP-09 shows some of both, with reasons', async () => {
    const { engine } = await createWorkspace(tree);
    const { sample } = await engine.policy.preview({
      mountedDirectory: project,
      aiContextPolicy: 'block',
      exclude: ['**/*.ts'],
      limit: 2,
    });
    expect(sample.map(({ allowed, reason }) => [allowed, reason])).toEqual([
      [true, { code: 'policy_exception', detail: `exclude "**/*.ts" in ${path}` }],
      [false, { code: 'policy_block', detail: `ai_context_policy: block in ${path}` }],
    ]);
  });

  it('AP-09 shows them in the order of their paths', async () => {
    const { engine } = await createWorkspace(tree);
    const { sample } = await engine.policy.preview({
      mountedDirectory: project,
      aiContextPolicy: 'block',
      exclude: ['src/'],
    });
    const paths = sample.map((each) => each.path);
    expect(paths).toEqual(paths.toSorted());
    expect(new Set(sample.map(({ allowed }) => allowed)).size).toBe(2);
  });

  it('CC-06 says when a limit kept files from being counted', async () => {
    const { engine } = await createWorkspace(tree, { limits: { entries: 1 } });
    const { truncated, warnings } = await engine.policy.preview({ mountedDirectory: project });
    expect(truncated).toBe(true);
    expect(warnings.map(({ code }) => code)).toContain('limit_entries');
  });
});
