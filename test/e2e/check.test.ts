/** `contextd check` in its own process, without a daemon (AP-08, SY-04). */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { type RunOptions, runContextd, startDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const repository = join(import.meta.dirname, '../..');

describe('contextd check', () => {
  let home: string;
  const place = (name: string) => join(home, name);
  function write(name: string, files: Record<string, string | Uint8Array>): string {
    writeTree(place(name), files);
    return place(name);
  }
  beforeAll(() => {
    home = temporaryDirectory();
    write('good', { '.context/a.md': 'Text.\n', '.ai-context-policy.yaml': 'ai_context_policy: allow\n' });
    write('suspicious', { '.context/a.md': '' });
    write('bad', {
      '.context/context-config.json': '{\n  "clientContext": {\n    "includefiles": ["docs/**"]\n  }\n}\n',
      '.context/a.md': '--- \ntrigger: always\n---\nText.\n',
      'pol/.ai-context-policy.yml': 'ai_context_policy: deny\n',
      'sub/.context/ü b.md': '',
    });
    write('other', { '.ai/context-config.json': '[]', '.context/a.md': 'Text.\n' });
  });
  /** With a home and a state directory of its own, in which no daemon runs. */
  const check = (args: string[], options: RunOptions = {}) =>
    runContextd(['check', ...args], {
      cwd: home,
      ...options,
      env: { HOME: home, CONTEXTD_STATE_DIR: place('none'), ...options.env },
    });

  it.each([
    [['good'], 0],
    [['good', '--strict'], 0],
    [['suspicious'], 0],
    [['suspicious', '--strict'], 1],
    [['suspicious', '--strict', '--json'], 1],
    [['bad'], 1],
    [['bad', '--format', 'json'], 1],
    [['bad', '--format', 'sarif'], 1],
    [['other'], 0],
    [['other', '--client-context-path', '.ai'], 1],
    [['--help'], 0],
  ])('AP-08 check %j exits with %i', async (args, code) => {
    const run = await check(args);
    expect(run, run.stderr).toMatchObject({ code, stderr: '', stdout: expect.stringMatching(/\n$/u) });
  });

  it.each([
    [['missing'], 64],
    [['good/.context/a.md'], 64],
    [['good', 'bad'], 64],
    [['good', '--format', 'xml'], 64],
    [['good', '--format', 'text', '--json'], 64],
    [['good', '--client-context-path', '/abs'], 64],
    [['good', '--unknown'], 64],
  ])('SY-04 check %j is wrong usage', async (args, code) => {
    const run = await check(args);
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^contextd: .+\n/u) });
    expect(run.stderr).not.toMatch(/\n {4}at /u);
  });

  it('AP-08 the page names file, line, column and what to do, with an excerpt', async () => {
    const { stdout } = await check(['.'], { cwd: place('bad') });
    expect(stdout).toBe(`.context/a.md
  ✕ 1:1 This line must be exactly "---" to begin front matter; remove the space after it.  front_matter_fence
     1 │ ---·
       │ ^

.context/context-config.json
  ✕ 3:5 This key has no effect; write "includeFiles".  misspelled_config_key
     3 │     "includefiles": ["docs/**"]
       │     ^

pol/.ai-context-policy.yml
  ✕ 1:20 Invalid value: must be "allow" or "block". Everything below is blocked until this is fixed.  invalid_policy_value
     1 │ ai_context_policy: deny
       │                    ^

sub/.context/ü b.md
  ! 1:1 There is no text for a model. Write some, or remove the file.  empty_body

3 errors and 1 warning in 4 files.
`);
  });

  it('AP-08 JSON is the answer of the API, and so says a daemon', async () => {
    const { stdout } = await check(['bad', '--json']);
    const answer = ValidateResult.strict().parse(JSON.parse(stdout));
    expect(answer.diagnostics.map(({ path, line }) => `${path}:${line}`)).toEqual([
      `${place('bad')}/.context/a.md:1`,
      `${place('bad')}/.context/context-config.json:3`,
      `${place('bad')}/pol/.ai-context-policy.yml:1`,
      `${place('bad')}/sub/.context/ü b.md:1`,
    ]);
    await using daemon = await startDaemon({ grantRoots: [place('bad')] });
    const { status, body } = await daemon.request('/v1/config/validate', { body: { mountedDirectory: place('bad') } });
    expect({ status, body }).toEqual({ status: 200, body: answer });
    const schema = await daemon.request('/v1/schemas/context-config');
    expect(schema).toMatchObject({ status: 200, body: { $id: 'urn:contextd:schema:context-config' } });
  });

  it('AP-08 SARIF has relative addresses', async () => {
    const { stdout } = await check(['bad', '--format', 'sarif']);
    const { version, runs } = JSON.parse(stdout);
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver).toMatchObject({ name: 'contextd', semanticVersion: packageJson.version });
    const addresses = runs[0].results.map(
      (result: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }) =>
        result.locations[0]?.physicalLocation.artifactLocation.uri,
    );
    expect(addresses).toEqual([
      '.context/a.md',
      '.context/context-config.json',
      'pol/.ai-context-policy.yml',
      'sub/.context/%C3%BC%20b.md',
    ]);
    expect(stdout).not.toContain(home);
  });

  it('AP-08 CC-02 reads CLIENT_CONTEXT_PATH, and says when it cannot be used', async () => {
    expect((await check(['other'], { env: { CLIENT_CONTEXT_PATH: '.ai' } })).code).toBe(1);
    const unusable = await check(['other', '--json'], { env: { CLIENT_CONTEXT_PATH: '/abs' } });
    expect(JSON.parse(unusable.stdout)).toMatchObject({
      valid: true,
      diagnostics: [{ severity: 'warning', code: 'invalid_client_context_path' }],
    });
  });

  it('AP-08 CC-04 CC-05 S-40 links, FIFOs and what cannot be read end neither the check nor the process', async () => {
    const directory = write('odd', {
      '.context/a.md': 'Text.\n',
      '.context/locked.md': 'x',
      'x/.ai-context-policy.yml': '',
    });
    execFileSync('mkfifo', [join(directory, '.context/context-config.json'), join(directory, '.context/b.md')]);
    execFileSync('mkfifo', [join(directory, 'x/.ai-context-policy.yaml')]);
    symlinkSync('/etc/passwd', join(directory, '.context/c.md'));
    symlinkSync('.', join(directory, '.context/loop'));
    chmodSync(join(directory, '.context/locked.md'), 0);
    const { code, stdout, stderr } = await check(['odd', '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const codes = ValidateResult.parse(JSON.parse(stdout)).diagnostics.map((each) => each.code);
    expect(codes).toContain('config_not_read');
    expect(codes).toContain('policy_not_read');
    expect(codes).toContain('not_regular_file');
    expect(codes.filter((each) => each === 'symlink')).toHaveLength(1);
    expect(codes.includes('unreadable')).toBe(process.getuid?.() !== 0);
    expect(stdout).not.toContain('root:');
    expect((await check(['odd'])).code).toBe(1);
  });

  it('AP-08 CC-04 names the setting that follows a link to rules, and follows it where that is set', async () => {
    const directory = write('behind', {
      '.context/own.md': 'Text.\n',
      'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Forms.\n---\nFill.\n',
    });
    mkdirSync(join(directory, '.claude'));
    symlinkSync('../skills', join(directory, '.claude/skills'));
    const codesIn = async (env: Record<string, string>) => {
      const { stdout } = await check(['behind', '--json'], { env });
      return ValidateResult.parse(JSON.parse(stdout)).diagnostics.map(({ code }) => code);
    };
    expect((await check(['behind'])).stdout).toContain('CONTEXTD_FOLLOW_SYMLINKS=true');
    expect(await codesIn({})).toEqual(['symlink']);
    expect(await codesIn({ CONTEXTD_FOLLOW_SYMLINKS: 'true' })).toEqual([]);
    expect(await codesIn({ CONTEXTD_FOLLOW_SYMLINKS: 'sometimes' })).toEqual(['symlink', 'invalid_follow_symlinks']);
    const page = await runContextd(['resolve', 'behind'], {
      cwd: home,
      env: { HOME: home, CONTEXTD_STATE_DIR: place('none'), CONTEXTD_FOLLOW_SYMLINKS: 'true' },
    });
    expect(page.stdout).toContain('pdf');
  });

  it('AP-08 S-05 shows no secret of a configuration', async () => {
    const secret = 's3cret-horse';
    const server = { command: 'x', args: [1, secret], env: { TOKEN: secret }, cwd: secret };
    write('secrets', {
      '.context/context-config.json': `{"mcpServers": {"a": ${JSON.stringify(server)}},}`,
      '.context/config.json': JSON.stringify({ mcpServers: { a: server }, apiKey: secret }, undefined, 2),
      '.context/config.yaml': `mcpServers:\n  a:\n    command: x\n    env:\n      TOKEN: ${secret}\n      - ${secret}\n`,
      '.context/config.yml': `token: ${secret}\n`,
    });
    for (const format of ['text', 'json', 'sarif']) {
      const { code, stdout } = await check(['secrets', '--format', format]);
      expect(code).toBe(1);
      expect(stdout).not.toContain('s3cret');
    }
  });

  it('AP-08 FM-02 FM-08 files of other tools are checked as those tools read them, and so says a daemon', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `Rule ${index}.`);
    const directory = write('rules', {
      'AGENTS.md': lines.join('\n'),
      'GEMINI.md': lines.with(4, 'Another.').join('\n'),
      'CLAUDE.local.md': 'See @docs/a.md for more.\n',
      'docs/a.md': 'A.\n\n@../CLAUDE.local.md\n',
      '.cursor/rules/all.mdc': '---\nalwaysApply: true\n---\nUse tabs.\n',
      '.cursor/rules/style.mdc': '---\nalwaysApply: false\n---\nUse spaces.\n',
      '.cursor/rules/trigger.mdc': '---\ndescription: a\ntrigger: always_on\n---\nNo any.\n',
      '.windsurf/rules/style.md': '---\ntrigger: always_on\n---\nUse spaces.\n',
      '.devin/rules/x.md': 'Text.\n',
      '.windsurf/rules/x.md': 'Text.\n',
      '.github/instructions/list.instructions.md': '---\napplyTo:\n  - "**/*.md"\n---\nList.\n',
      '.claude/rules/none.md': '---\npaths: src/**/*.py\n---\nNone.\n',
    });
    symlinkSync('AGENTS.md', join(directory, 'CLAUDE.md'));
    symlinkSync('missing.md', join(directory, 'WARP.md'));
    const { code, stdout } = await check(['rules', '--json']);
    expect(code).toBe(0);
    const answer = ValidateResult.strict().parse(JSON.parse(stdout));
    const shown = ({ code, path = '', line }: (typeof answer.diagnostics)[number]) =>
      `${path.slice(directory.length + 1)}:${line} ${code}`;
    expect(answer.diagnostics.map(shown)).toEqual([
      '.claude/rules/none.md:2 rule_for_no_file',
      '.cursor/rules/trigger.mdc:3 key_of_another_tool',
      '.github/instructions/list.instructions.md:2 value_not_understood',
      '.windsurf/rules/style.md:1 contradicting_rules',
      '.windsurf/rules/x.md:1 duplicate_rule',
      'GEMINI.md:5 drifted_copy',
      'WARP.md:1 broken_link',
      'docs/a.md:3 import_cycle',
    ]);
    expect((await check(['rules', '--strict'])).code).toBe(1);
    const page = (await check(['rules'])).stdout;
    expect(page).toContain('Cursor does not support "trigger" and uses only the description');
    expect(page).not.toContain('no effect here');
    await using daemon = await startDaemon({ grantRoots: [directory] });
    const { body } = await daemon.request('/v1/config/validate', { body: { mountedDirectory: directory } });
    expect(body).toEqual(answer);
  });

  it('AP-08 this project is right, also when warnings count', async () => {
    const run = await check([repository, '--strict']);
    expect(run).toMatchObject({ code: 0, stdout: 'No problems found.\n', stderr: '' });
  });

  it('AP-08 a long answer arrives whole', async () => {
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`.context/f${index}.md`, '']));
    write('many', many);
    const { code, stdout } = await check(['many', '--json']);
    expect(code).toBe(0);
    expect(ValidateResult.parse(JSON.parse(stdout)).diagnostics).toHaveLength(900);
  });
});
