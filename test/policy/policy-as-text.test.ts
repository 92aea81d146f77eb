/** Policies written, previewed and removed as whole files, as an editor does (AP-09). */
import { describe, expect, it } from 'vitest';
import type { ContextdError } from '../../src/errors.ts';
import type { ExpectedVersion } from '../../src/ports/expected-version.ts';
import { atVersion, nothingYet } from '../support/versions.ts';
import { createWorkspace, project, type TestWorkspace } from '../support/workspace.ts';

const path = `${project}/.ai-context-policy.yaml`;
const mountedDirectory = project;

const problemOf = (promise: Promise<unknown>): Promise<Pick<ContextdError, 'code' | 'message' | 'errors'>> =>
  promise.then(
    () => ({ code: 'ok', message: '', errors: [] }) as never,
    (error: ContextdError) => error,
  );
const put = ({ engine }: TestWorkspace, given: { text: string; name?: '.ai-context-policy.yml' }, seen = nothingYet) =>
  engine.policy.put({ mountedDirectory, ...given }, seen);
const documents = async ({ engine }: TestWorkspace) => (await engine.policy.list(project)).policies;

describe('writing a text', () => {
  it('AP-09 writes it byte for byte', async () => {
    for (const text of [
      '# Why\r\nai_context_policy:   allow # all\r\n\r\nexclude:\r\n  - "secret/**"   \r\n',
      '\uFEFFai_context_policy: block\n',
      '',
      '# nothing yet',
      'ai_context_policy: allow\nlater: [1]\n',
    ]) {
      const workspace = await createWorkspace({});
      const { policy } = await put(workspace, { text });
      // A byte order mark is no part of a text.
      expect(policy.text).toBe(text.replace('\uFEFF', ''));
      expect(await documents(workspace)).toEqual([policy]);
      const roots = [{ path: project, realPath: project }];
      const read = await workspace.files.read(path, { roots, followSymlinks: false, maxBytes: 1_000 });
      expect(read.ok && Buffer.from(read.bytes).equals(Buffer.from(text))).toBe(true);
    }
  });

  it('AP-04 refuses what could not be used, says where, and writes nothing', async () => {
    const workspace = await createWorkspace({});
    const cases: [string, RegExp][] = [
      ['ai_context_policy: allow\nexclude:\n  - ok\n  - "{{{{{a,b},c},d},e},f}"\n', /Line 4, column 5: The pattern/u],
      ['ai_context_policy: allow\nexclude: [\n', /Line \d, column \d/u],
      ['ai_context_policy: perhaps\n', /Line 1, column 20/u],
      [
        'unknown: 1\nai_context_policy: allow\nexlude: [a]\n',
        /Line 3, column 1: This key has no effect; write "exclude"/u,
      ],
      ['version: 2\n', /Line 1/u],
      ['- a\n', /Line 1, column 1/u],
      [`# ${'x'.repeat(256 * 1024)}\n`, /larger than 262144 bytes/u],
      ['# \0\nai_context_policy: allow\n', /NUL/u],
      ['# \uD800\nai_context_policy: allow\n', /half of a surrogate pair/u],
    ];
    for (const [text, message] of cases)
      for (const answer of [put(workspace, { text }), workspace.engine.policy.preview({ mountedDirectory, text })]) {
        const problem = await problemOf(answer);
        expect(problem, text.slice(0, 50)).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/text' }] });
        expect(problem.message).toMatch(message);
      }
    expect(await documents(workspace)).toEqual([]);
  });

  it('AP-09 overwrites only what the caller has seen, under the name it has', async () => {
    const workspace = await createWorkspace({ '.ai-context-policy.yml': '# one\n' });
    const [{ etag = '' } = {}] = await documents(workspace);
    expect((await problemOf(put(workspace, { text: '# two\n' }))).code).toBe('version_mismatch');
    const { policy } = await put(workspace, { text: '# two\n' }, atVersion(etag));
    expect(policy.path).toBe(`${project}/.ai-context-policy.yml`);
    expect((await problemOf(put(workspace, { text: '# three\n' }, atVersion(etag)))).code).toBe('version_mismatch');
  });

  it('AP-05 AP-09 tells two files of a directory apart by name', async () => {
    const workspace = await createWorkspace({ '.ai-context-policy.yaml': '# one\n' });
    const name = '.ai-context-policy.yml';
    expect((await put(workspace, { text: '# two\n', name })).policy.path).toBe(`${project}/${name}`);
    expect((await documents(workspace)).map(({ text }) => text)).toEqual(['# one\n', '# two\n']);
    expect((await problemOf(put(workspace, { text: '# x\n', name }))).code).toBe('version_mismatch');
  });
});

describe('previewing a text', () => {
  const tree = {
    'a.ts': '',
    'b.md': '',
    'src/c.ts': '',
    'src/.env': '',
    '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["*.md"]\n',
  };

  it('AP-07 AP-09 says what would be otherwise, with the line that would decide, and writes nothing', async () => {
    const workspace = await createWorkspace(tree);
    const text = '# mine\nai_context_policy: allow\nexclude:\n  - src/\n';
    const { changes, ...counts } = await workspace.engine.policy.preview({ mountedDirectory, text });
    expect(counts).toMatchObject({ allowed: 2, blocked: 2, truncated: false });
    expect({ ...changes, sample: changes.sample.map((each) => [each.path, each.allowed, each.decidedBy]) }).toEqual({
      allowed: 1,
      blocked: 1,
      sample: [
        [`${project}/b.md`, true, { path, line: 2 }],
        [`${project}/src/c.ts`, false, { path, pattern: 'src/', line: 4 }],
      ],
    });
    expect((await documents(workspace))[0]?.text).toContain('*.md');
    const limited = await workspace.engine.policy.preview({ mountedDirectory, text, limit: 1 });
    expect(limited.changes).toMatchObject({ allowed: 1, blocked: 1, sample: [{}] });
  });

  it('AP-09 nothing changes by what is saved, whichever name it has', async () => {
    const { engine } = await createWorkspace({ ...tree, 'src/.ai-context-policy.yml': 'ai_context_policy: block\n' });
    const none = { allowed: 0, blocked: 0, sample: [] };
    const preview = async (more: object) => (await engine.policy.preview({ mountedDirectory, ...more })).changes;
    expect(await preview({})).toEqual(none);
    expect(await preview({ text: 'ai_context_policy: allow\nexclude: ["*.md"]\n' })).toEqual(none);
    expect(await preview({ directory: 'src', text: 'ai_context_policy: block\n' })).toEqual(none);
    expect(await preview({ aiContextPolicy: 'allow', exclude: [] })).toMatchObject({ allowed: 1, blocked: 0 });
    expect(await preview({ directory: 'src', text: 'ai_context_policy: allow\n' })).toMatchObject({ allowed: 1 });
  });

  it('AP-05 a file must still pass the other policy of the directory', async () => {
    const { engine } = await createWorkspace({ ...tree, '.ai-context-policy.yml': 'ai_context_policy: block\n' });
    const preview = async (name: '.ai-context-policy.yaml' | '.ai-context-policy.yml') =>
      (await engine.policy.preview({ mountedDirectory, name, text: 'ai_context_policy: allow\n' })).allowed;
    expect(await preview('.ai-context-policy.yaml')).toBe(0);
    expect(await preview('.ai-context-policy.yml')).toBe(2);
    const settings = { mountedDirectory, aiContextPolicy: 'allow' as const, exclude: [] };
    expect((await engine.policy.preview(settings)).allowed).toBe(0);
  });

  it('AP-03 policies below still decide for themselves, and a new one sets aside those above', async () => {
    const { engine } = await createWorkspace({ ...tree, 'src/.ai-context-policy.yml': 'ai_context_policy: block\n' });
    const text = 'ai_context_policy: block\n';
    expect((await engine.policy.preview({ mountedDirectory, text })).changes).toMatchObject({ allowed: 0, blocked: 1 });
    const { changes } = await engine.policy.preview({ mountedDirectory, directory: 'src', text: '# unsaid\n' });
    expect(changes).toMatchObject({ allowed: 0, blocked: 0 });
  });
});

describe('removing', () => {
  const remove = ({ engine }: TestWorkspace, seen: ExpectedVersion, directory?: string) =>
    engine.policy.remove({ mountedDirectory, directory }, seen);

  it('AP-09 removes what the caller has seen, and tells listeners', async () => {
    const workspace = await createWorkspace({ '.ai-context-policy.yaml': 'ai_context_policy: block\n' });
    const [{ etag = '' } = {}] = await documents(workspace);
    const told: unknown[] = [];
    const { close } = workspace.engine.subscribe({
      deliver: (event) => void told.push([event.type, event.data]),
      end() {},
    } as Parameters<TestWorkspace['engine']['subscribe']>[0]);
    expect((await problemOf(remove(workspace, nothingYet))).code).toBe('version_mismatch');
    expect((await problemOf(remove(workspace, atVersion('x')))).code).toBe('version_mismatch');
    expect(await documents(workspace)).toHaveLength(1);
    await remove(workspace, atVersion(etag));
    expect(await documents(workspace)).toEqual([]);
    expect(told).toEqual([
      ['policy-changed', { mountedDirectories: [project], changes: [{ path, change: 'removed' }] }],
    ]);
    close();
    expect((await problemOf(remove(workspace, atVersion(etag)))).code).toBe('version_mismatch');
    const { decisions } = await workspace.engine.policy.check({ mountedDirectory, paths: ['a.ts'] });
    expect(decisions[0]?.reason.code).toBe('no_policy');
  });

  it('AP-05 of two removes the one whose version was seen', async () => {
    const workspace = await createWorkspace({ '.ai-context-policy.yaml': '# a\n', '.ai-context-policy.yml': '# b\n' });
    const [, second] = await documents(workspace);
    await remove(workspace, atVersion(second?.etag));
    expect((await documents(workspace)).map((each) => each.path)).toEqual([path]);
  });

  it('AP-05 of two that say the same removes the one that is named', async () => {
    const names = ['.ai-context-policy.yaml', '.ai-context-policy.yml'] as const;
    for (const [at, name] of names.entries()) {
      const workspace = await createWorkspace({
        '.ai-context-policy.yaml': '# a\n',
        '.ai-context-policy.yml': '# a\n',
      });
      const [{ etag } = {}] = await documents(workspace);
      await workspace.engine.policy.remove({ mountedDirectory, name }, atVersion(etag));
      expect((await documents(workspace)).map((each) => each.path)).toEqual([`${project}/${names[1 - at]}`]);
    }
  });

  it('S-39 S-34 never through a link, and nowhere outside', async () => {
    const workspace = await createWorkspace({ '/out/.ai-context-policy.yaml': '# a\n', 'real.yaml': '# a\n' });
    workspace.files.symlink(path, `${project}/real.yaml`);
    workspace.files.symlink(`${project}/link`, '/out');
    const problem = await problemOf(remove(workspace, atVersion('x')));
    expect([problem.code, problem.message]).toEqual([
      'conflict',
      'The policy cannot be changed: it is a symbolic link, which is not followed.',
    ]);
    for (const directory of ['link', '../out'])
      expect((await problemOf(remove(workspace, atVersion('x'), directory))).code).toBe('path_outside_roots');
  });
});
