/** `contextd policy` as people and hooks run it, without a daemon and with one (AP-07 … AP-09, SY-04). */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../src/bin/client/server-sent-events.ts';
import { entryPath, type RunOptions, runContextd, startDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let home: string;
let project: string;
beforeAll(() => {
  home = temporaryDirectory();
  project = join(home, 'project');
  for (const directory of ['src', 'secrets']) mkdirSync(join(project, directory), { recursive: true });
  for (const path of ['src/app.ts', 'secrets/prices.md']) writeFileSync(join(project, path), 'x');
  writeFileSync(join(project, '.ai-context-policy.yaml'), 'ai_context_policy: allow\nexclude: ["secrets/**"]\n');
});

const alone = (args: readonly string[], options: RunOptions = {}) =>
  runContextd(['policy', ...args, '--state-dir', join(home, 'none')], {
    cwd: project,
    ...options,
    env: { HOME: home, NO_COLOR: '1', ...options.env },
  });

describe('without a daemon', () => {
  it('AP-07 check says of each file what decided, and exits with 1 when one is blocked', async () => {
    const run = await alone(['check', 'src/app.ts', 'secrets/prices.md']);
    expect(run).toMatchObject({ code: 1, stderr: '' });
    expect(run.stdout).toBe(
      [
        '● src/app.ts',
        '    policy allow: ai_context_policy: allow in .ai-context-policy.yaml:1',
        '✕ secrets/prices.md',
        '    policy exception: exclude "secrets/**" in .ai-context-policy.yaml:2',
        '',
      ].join('\n'),
    );
    const fine = await alone(['check', 'src/app.ts', '-d', '..', '--json'], { cwd: join(project, 'src') });
    expect(fine.code).toBe(0);
    expect(JSON.parse(fine.stdout).decisions).toMatchObject([{ path: join(project, 'src/app.ts'), allowed: true }]);
  });

  it('AP-03 list says what decides where none of the listed policies does', async () => {
    const repository = join(home, 'listing');
    for (const directory of ['.git', 'src']) mkdirSync(join(repository, directory), { recursive: true });
    const above = join(repository, '.ai-context-policy.yaml');
    writeFileSync(above, 'ai_context_policy: block\n');
    const below = await alone(['list', 'src'], { cwd: repository });
    expect(below).toMatchObject({ code: 0, stderr: '' });
    expect(below.stdout).toBe(
      `There is no policy in this directory or below it.\n✕ .\n    policy block: ai_context_policy: block in ${above}:1\n`,
    );
    const warned = await alone(['list', 'src'], { cwd: repository, env: { CONTEXTD_FOLLOW_SYMLINKS: 'perhaps' } });
    expect(warned.stdout).toBe(
      `${below.stdout}\n! CONTEXTD_FOLLOW_SYMLINKS is neither "true" nor "false"; links are not followed.\n`,
    );
    expect((await alone(['list'], { cwd: repository })).stdout).toBe('.ai-context-policy.yaml  block\n');
    const asJson = await alone(['list', 'src', '--json'], { cwd: repository });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ policies: [], warnings: [] });
  });

  it('AP-07 check honours the ignore files of the repository, wherever in it somebody stands', async () => {
    const repository = join(home, 'ignoring');
    for (const directory of ['.git', 'src']) mkdirSync(join(repository, directory), { recursive: true });
    writeFileSync(join(repository, '.cursorignore'), 'drafts/\n');
    const run = await alone(['check', 'drafts/idea.md', 'app.ts'], { cwd: join(repository, 'src') });
    const why = `blocked by ignore file: "drafts/" in ${join(repository, '.cursorignore')}:1`;
    expect(run).toMatchObject({ code: 1, stderr: '' });
    expect(run.stdout).toBe(`✕ drafts/idea.md\n    ${why}\n● app.ts\n    no policy: no policy covers it\n`);
    const part = await alone(['check', 'drafts/idea.md', '-d', '.'], { cwd: join(repository, 'src') });
    expect(part.code).toBe(0);
  });

  it('AP-02 check takes what holds without a policy from the environment', async () => {
    const other = join(home, 'other');
    mkdirSync(other);
    expect((await alone(['check', 'a'], { cwd: other })).code).toBe(0);
    expect((await alone(['check', 'a'], { cwd: other, env: { CONTEXTD_DEFAULT_POLICY: 'block' } })).code).toBe(1);
  });

  it('AP-09 preview counts and writes nothing; list shows what there is', async () => {
    const preview = await alone(['preview', '--policy', 'block', '-x', 'src/**', '--json']);
    expect(preview.code, preview.stderr).toBe(0);
    expect(JSON.parse(preview.stdout)).toMatchObject({ allowed: 1, blocked: 1, truncated: false });
    const list = await alone(['list', project]);
    expect(list.stdout).toBe('.ai-context-policy.yaml  allow\n  except secrets/**\n');
    expect(readFileSync(join(project, '.ai-context-policy.yaml'), 'utf8')).toContain('allow');
    expect(existsSync(join(home, 'none'))).toBe(false);
  });

  it('AP-07 check judges what is staged by the recipe of its help, however the files are called', async () => {
    const repository = join(home, 'repository');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: repository });
    mkdirSync(join(repository, 'my secrets'), { recursive: true });
    git('init', '-q');
    writeFileSync(join(repository, '.ai-context-policy.yaml'), 'ai_context_policy: allow\nexclude: ["*/**"]\n');
    const recipe = (await alone(['check', '--help'])).stdout.match(/^ {2}(git .*)$/mu)?.[1] ?? '';
    const contextd = `contextd() { '${process.execPath}' '${entryPath}' "$@"; }; export -f contextd`;
    const env = { PATH: process.env.PATH, HOME: home, CONTEXTD_STATE_DIR: join(home, 'none') };
    const judge = () =>
      spawnSync('bash', ['-c', `${contextd}; ${recipe.replace(' contextd ', ` bash -c 'contextd "$@"' x `)}`], {
        cwd: repository,
        env,
        encoding: 'utf8',
      });
    expect(judge()).toMatchObject({ status: 0, stdout: '', stderr: '' });
    for (const path of ['-x.md', 'my secrets/prices.md', 'my secrets/né✓.md']) {
      writeFileSync(join(repository, path), 'x');
      git('add', '--', path);
      const { status, stdout } = judge();
      expect(stdout).toContain(`${path}\n`);
      expect(status === 0).toBe(path === '-x.md');
    }
  });

  it('SY-04 wrong use is 64', async () => {
    for (const args of [['check'], ['preview', '--policy', 'deny'], ['list', 'missing'], ['preview', '--limit', '-1']])
      expect((await alone(args)).code, args.join(' ')).toBe(64);
  });
});

describe('with a daemon', () => {
  it('AP-02 SY-03 it knows what holds without a policy, and tells of policies that change', async () => {
    const bare = join(project, '../bare');
    mkdirSync(bare);
    const args = ['--default-policy', 'block', '--offline'];
    await using daemon = await startDaemon({ grantRoots: [project, bare], args });
    const run = await daemon.cli(['policy', 'check', join(bare, 'a'), '-d', bare]);
    expect(run, run.stderr).toMatchObject({ code: 1, stdout: expect.stringContaining('no policy') });

    const headers = { authorization: `Bearer ${daemon.token}` };
    const stream = await fetch(`${daemon.url}/v1/events?types=policy-changed`, { headers });
    const events = readServerSentEvents(stream.body as ReadableStream<Uint8Array>)[Symbol.asyncIterator]();
    await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project } });
    writeFileSync(join(project, '.ai-context-policy.yml'), 'ai_context_policy: allow\n');
    // The first block has an id only.
    expect((await events.next()).value?.data).toBeUndefined();
    const { value } = await events.next();
    expect(value?.event).toBe('policy-changed');
    expect(JSON.parse(value?.data ?? '')).toMatchObject({
      mountedDirectories: [project],
      changes: [{ path: join(project, '.ai-context-policy.yml') }],
    });
    await events.return?.(undefined);
  });

  it('AP-07 check says what the daemon decides that may read only a part of the repository', async () => {
    const repository = join(home, 'partly');
    for (const directory of ['.git', 'src', 'web']) mkdirSync(join(repository, directory), { recursive: true });
    writeFileSync(join(repository, '.cursorignore'), 'drafts/\n');
    await using daemon = await startDaemon({ grantRoots: [join(repository, 'src')], args: ['--offline'] });
    const check = (place: string) =>
      daemon.cli(['policy', 'check', 'drafts/idea.md'], { cwd: join(repository, place) });
    expect((await check('src')).code).toBe(0);
    expect((await check('web')).code).toBe(1);
  });
});

describe('writing with a daemon', () => {
  it('AP-09 write creates, replaces only what it is told to, and preview of a file says what would change', async () => {
    const project = join(home, 'written');
    mkdirSync(join(project, 'docs'), { recursive: true });
    for (const path of ['docs/a.md', 'app.ts']) writeFileSync(join(project, path), 'x');
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--offline'] });
    const run = (args: string[], options: RunOptions = {}) =>
      daemon.cli(['policy', ...args], { cwd: project, ...options, env: { NO_COLOR: '1' } });
    const file = join(project, '.ai-context-policy.yaml');
    expect(await run(['write', '--policy', 'allow', '-x', 'docs/**'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'Written: .ai-context-policy.yaml\n',
    });
    expect(readFileSync(file, 'utf8')).toBe('ai_context_policy: allow\nexclude:\n  - "docs/**"\n');

    const text = '\uFEFF# mine\r\nai_context_policy: block\r\n';
    const preview = await run(['preview', '--file', '-', '--limit', '1'], { input: text });
    expect(preview.stdout).toContain('0 of 2 files may be seen');
    expect(preview.stdout).toContain('Compared with now: 0 newly allowed, 1 newly blocked:\n  − app.ts\n');
    writeFileSync(join(home, 'new.yaml'), text);
    const write = (...more: string[]) => run(['write', '--file', join(home, 'new.yaml'), ...more]);
    expect(await write()).toMatchObject({
      code: 64,
      stderr: 'contextd: there is a policy already; --replace replaces it\n',
    });
    expect((await write('--etag', 'other')).code).toBe(64);
    const written = await write('--replace', '--json');
    expect(written.code, written.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const { etag } = JSON.parse(written.stdout);

    writeFileSync(join(home, 'bad.yaml'), 'ai_context_policy: block\nexclude: [\n');
    const bad = await run(['write', '--file', join(home, 'bad.yaml'), '--replace']);
    expect(bad).toMatchObject({ code: 64, stderr: expect.stringMatching(/Line \d, column \d/u) });
    expect(readFileSync(file, 'utf8')).toBe(text);
    for (const wrong of [['--file', 'none'], [], ['--file', 'x', '--policy', 'allow'], ['--policy', 'deny']])
      expect((await run(['write', ...wrong])).code, wrong.join(' ')).toBe(64);

    expect((await run(['write', '--policy', 'block', '--in', 'docs'])).code).toBe(0);
    expect(existsSync(join(project, 'docs/.ai-context-policy.yaml'))).toBe(true);
    expect((await run(['remove', '--in', 'docs'])).stdout).toBe('The policy is removed.\n');
    expect(existsSync(join(project, 'docs/.ai-context-policy.yaml'))).toBe(false);
    expect((await run(['remove', '--etag', 'other'])).code).toBe(64);
    expect((await run(['remove', '--etag', etag])).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(await run(['remove'])).toMatchObject({ code: 64, stderr: expect.stringContaining('no policy') });
  });

  it('AP-09 write drops exceptions only when it is told to', async () => {
    const project = join(home, 'kept');
    mkdirSync(project);
    const file = join(project, '.ai-context-policy.yaml');
    const text = 'ai_context_policy: allow\nexclude: ["a/**", "b/**"]\n';
    writeFileSync(file, text);
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--offline'] });
    const run = (...args: string[]) => daemon.cli(['policy', ...args], { cwd: project });
    const [policy] = JSON.parse((await run('list', '--json')).stdout).policies;
    for (const how of [['--replace'], ['--etag', policy.etag]]) {
      const refused = await run('write', '--policy', 'block', ...how);
      expect(refused).toMatchObject({
        code: 64,
        stdout: '',
        stderr: expect.stringMatching(/2 exceptions.*--exclude.*--drop-exceptions/u),
      });
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    expect((await run('write', '--policy', 'allow', '--replace', '-x', 'c/**')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('c/**');
    expect((await run('write', '--policy', 'block', '--replace', '--drop-exceptions')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('c/**');
    // Nothing is lost where there is nothing.
    expect((await run('write', '--policy', 'allow', '--replace')).code).toBe(0);
    expect(JSON.parse((await run('remove', '--json')).stdout)).toEqual({ removed: file });
  });

  it('AP-09 of two files that hold the same, --name says which is meant', async () => {
    const project = join(home, 'twice');
    mkdirSync(project);
    const [yaml, yml] = ['yaml', 'yml'].map((end) => join(project, `.ai-context-policy.${end}`)) as [string, string];
    for (const file of [yaml, yml]) writeFileSync(file, 'ai_context_policy: block\n');
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--offline'] });
    const run = (...args: string[]) => daemon.cli(['policy', ...args], { cwd: project });
    for (const args of [['remove'], ['write', '--policy', 'allow', '--replace']])
      expect(await run(...args)).toMatchObject({ code: 64, stderr: expect.stringContaining('--name') });
    writeFileSync(join(project, 'a.ts'), '');
    // Both must allow it, and only the other one does.
    writeFileSync(yml, 'ai_context_policy: allow\n');
    for (const [name, allowed] of [
      ['.ai-context-policy.yaml', 1],
      ['.ai-context-policy.yml', 0],
    ] as const) {
      const preview = await run('preview', '--policy', 'allow', '--name', name, '--json');
      expect(JSON.parse(preview.stdout), name).toMatchObject({ allowed });
    }
    writeFileSync(yml, 'ai_context_policy: block\n');
    const write = ['write', '--policy', 'allow', '--replace', '--name', '.ai-context-policy.yml'];
    const written = await run(...write);
    expect(written).toMatchObject({ code: 0, stderr: '', stdout: 'Written: .ai-context-policy.yml\n' });
    expect([yaml, yml].map((file) => readFileSync(file, 'utf8'))).toEqual([
      'ai_context_policy: block\n',
      'ai_context_policy: allow\n',
    ]);
    writeFileSync(yml, 'ai_context_policy: block\n');
    expect((await run('remove', '--name', '.ai-context-policy.yml')).code).toBe(0);
    expect([yaml, yml].map((file) => existsSync(file))).toEqual([true, false]);
    // There is none of that name any more.
    expect((await run('remove', '--name', '.ai-context-policy.yml')).code).toBe(64);
    expect((await run('remove', '--name', '../x')).code).toBe(64);
    expect(existsSync(yaml)).toBe(true);
  });

  it('SY-04 a version that no header could hold is wrong usage', async () => {
    for (const etag of ['é✓', 'a\nb', 'a"b', ''])
      for (const args of [['write', '--policy', 'allow'], ['remove']]) {
        const { code, stderr } = await alone([...args, '--etag', etag]);
        expect([code, stderr]).toEqual([64, expect.stringContaining('--etag')]);
        expect(stderr).not.toMatch(/\n {4}at /u);
      }
  });

  it('SY-04 without a daemon writing is 69', async () => {
    expect((await alone(['write', '--policy', 'allow', '--replace'])).code).toBe(69);
    expect((await alone(['remove'])).code).toBe(69);
    expect(readFileSync(join(project, '.ai-context-policy.yaml'), 'utf8')).toContain('secrets');
  });
});
