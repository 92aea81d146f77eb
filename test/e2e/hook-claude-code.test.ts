/** Hooks of Claude Code: by the real command, and by what it runs in this process, with and without the real daemon. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entryPath, type Run, runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { runHookHere } from '../support/hook-in-process.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let project: string;
let home: string;
let daemon: TestDaemon;
/** What a hook says whose daemon does not answer, and after how long; begun first, for it takes as long as all the others. */
let held: Promise<{ reason: string | undefined; tookMs: number }>;
beforeAll(async () => {
  daemon = await startDaemon();
  createProject();
  const stopped = await startDaemon({ grantRoots: [project] });
  const { child } = stopped.process;
  child.kill('SIGSTOP');
  const begun = performance.now();
  held = denied(byCommand(stopped), read('secrets/prices.md'))
    .then((reason) => ({ reason, tookMs: performance.now() - begun }))
    .finally(async () => {
      child.kill('SIGCONT');
      await stopped.stop();
    });
  held.catch(() => {});
});
afterAll(async () => {
  await held.catch(() => {});
  await daemon.stop();
});
const grant = () => daemon.request('/v1/roots', { body: { path: project } });

beforeEach(createProject);
function createProject(): void {
  [project, home] = [temporaryDirectory(), temporaryDirectory()];
  mkdirSync(join(project, '.git'));
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: ["secrets/**"]\n');
  write('.cursorignore', 'drafts/\n');
  write('secrets/prices.md', 'Canary of prices.\n');
  write('drafts/idea.md', 'Canary of drafts.\n');
  write('.env', 'TOKEN=canary\n');
  write('src/cart.ts', 'export const cart = 1;\n');
  write('CLAUDE.md', 'Rule of Claude itself.\n');
  write('.context/style.md', '---\ntrigger: always\n---\nWrite short sentences.\n');
  write('.context/money.md', '---\ntrigger: auto\nglobs: src/**\n---\nRound half to even.\n');
}

const write = (path: string, text: string) => writeTree(project, { [path]: text });

type Ask = (event: object) => Promise<Run>;

function event(name: string, fields: object = {}): object {
  return { session_id: basename(project), transcript_path: '/t', cwd: project, hook_event_name: name, ...fields };
}
const tool = (tool_name: string, tool_input: object, fields: object = {}): object =>
  event('PreToolUse', { tool_name, tool_input, ...fields });
const read = (path: string, fields?: object): object => tool('Read', { file_path: resolve(project, path) }, fields);
const prompt = (text: string, fields: object = {}): object => event('UserPromptSubmit', { prompt: text, ...fields });

const alone: Ask = (asked) => runHookHere('claude-code', JSON.stringify(asked), { home });
const byCommandAlone: Ask = (asked) =>
  runContextd(['hook', 'claude-code'], { env: { HOME: home }, input: JSON.stringify(asked) });
const by =
  (asking: TestDaemon): Ask =>
  (asked) =>
    runHookHere('claude-code', JSON.stringify(asked), asking);
const byCommand =
  (asking: TestDaemon): Ask =>
  (asked) =>
    runContextd(['hook', 'claude-code', '--state-dir', asking.stateDirectory], {
      env: { HOME: asking.home },
      input: JSON.stringify(asked),
    });

/** As an HTTP hook of Claude Code asks. */
const overHttp =
  (asking: TestDaemon, token = asking.token): Ask =>
  async (asked) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, text } = await asking.request('/v1/hooks/claude-code', { body: asked, headers });
    expect({ status, text }).toMatchObject({ status: 200 });
    return { code: 0, stdout: text, stderr: '' };
  };

type Output = {
  decision?: string;
  reason?: string;
  hookSpecificOutput?: {
    hookEventName: string;
    permissionDecision?: string;
    permissionDecisionReason?: string;
    additionalContext?: string;
  };
};
function outputOf({ code, stdout, stderr }: Run): Output {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout === '' ? {} : (JSON.parse(stdout) as Output);
}
const denied = async (ask: Ask, asked: object): Promise<string | undefined> => {
  const { permissionDecision, permissionDecisionReason } = outputOf(await ask(asked)).hookSpecificOutput ?? {};
  return permissionDecision === 'deny' ? permissionDecisionReason : undefined;
};
const contextOf = async (ask: Ask, asked: object): Promise<string | undefined> =>
  outputOf(await ask(asked)).hookSpecificOutput?.additionalContext;

/** A project elsewhere, which no daemon may read. */
function neighbour(path: string, text: string): string {
  const directory = join(home, 'neighbour');
  mkdirSync(join(directory, '.git'), { recursive: true });
  writeFileSync(join(directory, '.ai-context-policy.yaml'), 'ai_context_policy: block\nexclude: [open.md]\n');
  writeFileSync(join(directory, path), text);
  return join(directory, path);
}

async function refusesWhatIsBlocked(ask: Ask): Promise<void> {
  expect(await denied(ask, read('secrets/prices.md'))).toMatch(/prices\.md is kept from models: .*"secrets\/\*\*"/u);
  expect(await denied(ask, read('drafts/idea.md'))).toMatch(/\.cursorignore/u);
  expect(await denied(ask, read('.env'))).toMatch(/sensitive/u);
  for (const name of ['Edit', 'MultiEdit', 'Write'])
    expect(await denied(ask, tool(name, { file_path: join(project, 'secrets/prices.md') })), name).toBeDefined();
  expect(await denied(ask, tool('NotebookEdit', { notebook_path: 'secrets/a.ipynb' }))).toBeDefined();
  expect(await denied(ask, tool('Grep', { pattern: 'x', path: 'secrets' }))).toBeDefined();
  expect(await denied(ask, tool('Grep', { pattern: 'x', path: 'secrets/prices.md' }))).toBeDefined();
  expect(await denied(ask, tool('Grep', { pattern: 'x', glob: 'secrets/prices.md' }))).toBeDefined();
  expect(await denied(ask, tool('Glob', { pattern: '*', path: 'secrets' }))).toBeDefined();
  for (const glob of ['/secrets/prices.md', 'secrets/*', 'secrets/prices.m[d]', 'secrets/**/*.md'])
    expect(await denied(ask, tool('Grep', { pattern: 'x', glob })), glob).toBeDefined();
  expect(await denied(ask, tool('Glob', { pattern: 'secrets/*' }))).toBeDefined();
  expect(await denied(ask, tool('mcp__files__read', { path: 'secrets/prices.md' }))).toBeDefined();
  for (const file_path of ['.cursorignore', '.ai-context-policy.yaml', '.claude/settings.json', '.cursor/hooks.json'])
    expect(await denied(ask, tool('Write', { file_path })), file_path).toBeDefined();
  expect(await denied(ask, tool('Read', { file_path: '.cursorignore' }))).toBeUndefined();
  // From a folder in it, and by a link.
  const below = { ...read('.'), cwd: join(project, 'src'), tool_input: { file_path: '../secrets/prices.md' } };
  expect(await denied(ask, below)).toBeDefined();
  symlinkSync(join(project, 'secrets/prices.md'), join(project, 'src/link.md'));
  expect(await denied(ask, read('src/link.md'))).toBeDefined();
  const outputs = outputOf(await ask(prompt('Sum up @secrets/prices.md, please.')));
  expect(outputs).toMatchObject({ decision: 'block', reason: expect.stringContaining('secrets/prices.md') });
}

async function letsTheRestPass(ask: Ask): Promise<void> {
  const passes = async (asked: object) => expect(await denied(ask, asked), JSON.stringify(asked)).toBeUndefined();
  await passes(read('src/cart.ts'));
  await passes(read('src/new/folder/file.ts'));
  await passes(tool('Grep', { pattern: 'x' }));
  await passes(tool('Grep', { pattern: 'x', path: 'src' }));
  await passes(tool('Glob', { pattern: '**/*.ts' }));
  for (const glob of ['!secrets/**', '{src,secrets}/**', 'src/**/*.ts', '*.md', 'nowhere/*'])
    await passes(tool('Grep', { pattern: 'x', glob }));
  await passes(tool('Bash', { command: 'cat secrets/prices.md' }));
  expect(outputOf(await ask(prompt('Ask ada@example.org and @nobody about @src/cart.ts.'))).decision).toBeUndefined();
}

async function judgesWhatLiesOutside(ask: Ask): Promise<void> {
  expect(await denied(ask, read(neighbour('plan.md', 'x')))).toMatch(/ai_context_policy: block/u);
  expect(await denied(ask, read(neighbour('open.md', 'x')))).toBeUndefined();
  symlinkSync(neighbour('plan.md', 'x'), join(project, 'src/plan.md'));
  expect(await denied(ask, read('src/plan.md'))).toMatch(/ai_context_policy: block/u);
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id_ed25519'), 'canary');
  expect(await denied(ask, read(join(home, '.ssh/id_ed25519')))).toMatch(/sensitive/u);
}

describe('hooks of Claude Code', () => {
  it('refuse what a policy, an ignore file or the list of sensitive files blocks, by the daemon', async () => {
    await grant();
    await refusesWhatIsBlocked(by(daemon));
    expect(await denied(byCommand(daemon), read('secrets/prices.md'))).toMatch(/"secrets\/\*\*"/u);
    const state = event('PreToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: join(daemon.stateDirectory, 'daemon.json') },
    });
    expect(await denied(by(daemon), state)).toBeDefined();
  });

  it('refuse the same where no daemon runs', async () => {
    await refusesWhatIsBlocked(alone);
    expect(await denied(byCommandAlone, read('secrets/prices.md'))).toMatch(/"secrets\/\*\*"/u);
  });

  it('refuse the same where the daemon may not read the project', async () => {
    expect(await denied(byCommand(daemon), read('secrets/prices.md'))).toMatch(/"secrets\/\*\*"/u);
    expect(await denied(by(daemon), read('drafts/idea.md'))).toMatch(/\.cursorignore/u);
    expect(outputOf(await by(daemon)(prompt('Sum up @secrets/prices.md, please.'))).decision).toBe('block');
    expect(await contextOf(by(daemon), prompt('Hello.'))).toContain('Write short sentences.');
  });

  it('refuse the same and let the rest pass over HTTP, with the token of an agent too (AN-09)', async () => {
    await grant();
    await refusesWhatIsBlocked(overHttp(daemon));
    rmSync(join(project, 'src/link.md'));
    const minted = await daemon.request('/v1/tokens', { body: { scope: 'agent', label: 'Claude Code' } });
    const { token } = minted.body as { token: string };
    await refusesWhatIsBlocked(overHttp(daemon, token));
    await letsTheRestPass(overHttp(daemon, token));
  });

  it('let the rest pass, by the daemon', async () => {
    await grant();
    await letsTheRestPass(by(daemon));
    // It can mean a place outside of what the daemon may read.
    const rooted = event('PreToolUse', { tool_name: 'Grep', tool_input: { pattern: 'x', glob: '/src/*' } });
    expect(await denied(by(daemon), rooted)).toBeUndefined();
  });

  it('let the rest pass where no daemon runs', () => letsTheRestPass(alone));

  it('judge files outside of the project by what blocks them there', async () => {
    await grant();
    await judgesWhatLiesOutside(by(daemon));
  });

  it('judge files outside of the project where no daemon runs', () => judgesWhatLiesOutside(alone));

  it('give the rules with a prompt that mentions a file which the daemon may not read (AN-09)', async () => {
    await grant();
    const asked = prompt(`Look at @${neighbour('open.md', 'Open.')}`);
    expect(await contextOf(by(daemon), asked)).toContain('Write short sentences.');
    expect(await contextOf(by(daemon), asked)).toBeUndefined();
  });

  it('give rules once, until they change or the conversation was compacted', async () => {
    await grant();
    const ask = by(daemon);
    const start = await contextOf(byCommand(daemon), event('SessionStart', { source: 'startup' }));
    expect(start).toContain('Write short sentences.');
    expect(start).not.toContain('Round half to even.');
    expect(start).not.toContain('Rule of Claude itself.');
    expect(await contextOf(ask, prompt('Hello.'))).toBeUndefined();
    const atFile = await contextOf(ask, read('src/cart.ts'));
    expect(atFile).toContain('Round half to even.');
    expect(atFile).not.toContain('Write short sentences.');
    expect(await contextOf(ask, read('src/cart.ts'))).toBeUndefined();
    write('.context/style.md', '---\ntrigger: always\n---\nWrite shorter sentences.\n');
    const changed = await contextOf(ask, prompt('Go on with @src/cart.ts.'));
    expect(changed).toContain('Write shorter sentences.');
    expect(changed).not.toContain('Round half to even.');
    expect(await contextOf(ask, event('SessionStart', { source: 'resume' }))).toBeUndefined();
    expect(await contextOf(ask, event('SessionStart', { source: 'compact' }))).toContain('Write shorter sentences.');
    expect(await contextOf(ask, prompt('And @src/cart.ts?'))).toContain('Round half to even.');
    // Another conversation, and a sub-agent of this one.
    expect(await contextOf(ask, prompt('Hello.', { session_id: 's2' }))).toContain('Write shorter sentences.');
    const agent = { agent_id: 'a1', agent_type: 'Explore' };
    expect(await contextOf(ask, event('SubagentStart', agent))).toContain('Write shorter sentences.');
    expect(await contextOf(ask, read('src/cart.ts', agent))).toContain('Round half to even.');
    expect(await contextOf(ask, read('src/cart.ts', agent))).toBeUndefined();
    const folder = join(daemon.stateDirectory, 'hooks');
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('sentences');
    }
  });

  it('are answered by the daemon, which remembers for both ways what it gave (AN-09)', async () => {
    await using daemon = await startDaemon({ grantRoots: [project] });
    expect(await contextOf(byCommand(daemon), prompt('Hello.'))).toContain('Write short sentences.');
    const { text } = await daemon.request('/metrics');
    expect(text).toContain('route="/v1/hooks/:tool",status="2xx"} 1\n');
    expect(await contextOf(overHttp(daemon), prompt('Hello.'))).toBeUndefined();
    expect(await contextOf(overHttp(daemon), read('src/cart.ts'))).toContain('Round half to even.');
    expect(await contextOf(byCommand(daemon), read('src/cart.ts'))).toBeUndefined();
    expect(outputOf(await overHttp(daemon)(event('SessionStart', { source: 'clear' })))).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('Write short sentences.') },
    });
    expect(outputOf(await overHttp(daemon)(event('Stop')))).toEqual({});
  });

  it('S-87 over HTTP say the same of all that lies outside of granted roots', async () => {
    await grant();
    const ask = overHttp(daemon);
    const there = neighbour('open.md', 'x');
    const words = async (path: string) => (await denied(ask, read(path)))?.replace(path, '…');
    expect(await words(there)).toMatch(/outside the directories that the daemon may read/u);
    expect(await words(`${there}.not`)).toBe(await words(there));
    expect(await words(join(home, 'nowhere/at/all'))).toBe(await words(there));
    symlinkSync(there, join(project, 'src/there'));
    symlinkSync(`${there}.not`, join(project, 'src/not'));
    expect(await denied(ask, read('src/there'))).toMatch(/outside the/u);
    expect(await denied(ask, read('src/not'))).toBeDefined();
    // A mention can be anything: those of secrets alone are refused.
    const decided = async (text: string) => outputOf(await ask(prompt(text))).decision;
    expect(await decided(`Read @${there}, please.`)).toBeUndefined();
    expect(await decided('Use @/components/button here.')).toBeUndefined();
    expect(await decided('Read @~/.ssh/id_ed25519 here.')).toBe('block');
    const elsewhere = await daemon.request('/v1/hooks/claude-code', { body: { ...prompt('Hello.'), cwd: home } });
    expect(elsewhere).toMatchObject({ status: 403, body: { code: 'path_outside_roots' } });
  });

  it('S-87 over HTTP what a token is told counts for nobody else', async () => {
    await grant();
    const minted = await daemon.request('/v1/tokens', { body: { scope: 'agent', label: 'Another' } });
    const other = overHttp(daemon, (minted.body as { token: string }).token);
    expect(await contextOf(other, prompt('Hello.'))).toContain('Write short sentences.');
    expect(await contextOf(overHttp(daemon), prompt('Hello.'))).toContain('Write short sentences.');
    await other(event('SessionStart', { source: 'compact' }));
    expect(await contextOf(overHttp(daemon), prompt('Hello.'))).toBeUndefined();
  });

  it('over HTTP say what is wrong with a request (AN-09)', async () => {
    await grant();
    const ask = async (tool: string, body: unknown) => {
      const answer = await daemon.request(`/v1/hooks/${tool}`, { body });
      return [answer.status, (answer.body as { code?: string }).code];
    };
    expect(await ask('nobody', prompt('Hello.'))).toEqual([404, 'not_found']);
    for (const body of [{}, [], 'x', { hook_event_name: 7 }, { hook_event_name: 'UserPromptSubmit', prompt: 'Hello.' }])
      expect(await ask('claude-code', body), JSON.stringify(body)).toEqual([400, 'invalid_request']);
    for (const file_path of ['a\0b', `${'x/'.repeat(3_000)}y`]) {
      const odd = event('PreToolUse', { tool_name: 'Grep', tool_input: { pattern: 'x', path: file_path } });
      expect(await ask('claude-code', odd)).toEqual([200, undefined]);
      expect(await denied(overHttp(daemon), odd)).toMatch(/cannot be decided/u);
    }
    const named = `claude-code?${new URLSearchParams({ cwd: project })}`;
    expect(await ask(named, { hook_event_name: 'UserPromptSubmit', prompt: 'Hello.' })).toEqual([200, undefined]);
    expect(await ask(named, { hook_event_name: 'UserPromptSubmit', prompt: '@a '.repeat(20_000) })).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('give rules where no daemon runs', async () => {
    expect(await contextOf(byCommandAlone, prompt('About @src/cart.ts'))).toMatch(/short sentences.*half to even/su);
    expect(await contextOf(byCommandAlone, prompt('About @src/cart.ts'))).toBeUndefined();
  });

  it('leave out what Claude Code loads by itself, also where another file says the same', async () => {
    write('AGENTS.md', 'Use tabs.\n');
    expect(await contextOf(alone, prompt('Hello.'))).toContain('Use tabs.');
    write('CLAUDE.md', 'See @AGENTS.md\n');
    expect(await contextOf(alone, prompt('Hello.', { session_id: 's2' }))).not.toContain('Use tabs.');
    write('CLAUDE.md', 'Use tabs.\n');
    expect(await contextOf(alone, prompt('Hello.', { session_id: 's3' }))).not.toContain('Use tabs.');
  });

  it('leave out the skills that Claude Code loads by itself through a link', async () => {
    write(
      '.agents/skills/pdf/SKILL.md',
      '---\nname: pdf\ndescription: How to fill forms in PDF files\n---\nUse qpdf.\n',
    );
    let sessions = 0;
    const ask = (cwd = project) => {
      sessions += 1;
      return contextOf(alone, prompt('How do I fill the forms in PDF files?', { session_id: `s${sessions}`, cwd }));
    };
    expect(await ask()).toContain('Use qpdf.');
    mkdirSync(join(project, '.claude/skills'), { recursive: true });
    symlinkSync('../../.agents/skills/pdf', join(project, '.claude/skills/pdf'));
    expect(await ask()).not.toContain('Use qpdf.');
    symlinkSync(project, `${project}-link`);
    expect(await ask(`${project}-link`)).not.toContain('Use qpdf.');
    rmSync(`${project}-link`);
    rmSync(join(project, '.claude/skills'), { recursive: true });
    symlinkSync('../.agents/skills', join(project, '.claude/skills'));
    expect(await ask()).not.toContain('Use qpdf.');
    rmSync(join(project, '.claude/skills'));
    // A link around a skill is none to a skill.
    symlinkSync('..', join(project, '.claude/skills'));
    expect(await ask()).toContain('Use qpdf.');
  });

  it('give no more at once than Claude Code takes, and the rest with the next event', async () => {
    write('.context/long.md', `---\ntrigger: always\npriority: 1\n---\n${'A line of a long rule.\n'.repeat(900)}`);
    write('.context/other.md', `---\ntrigger: always\npriority: 2\n---\n${'Of another rule.\n'.repeat(300)}`);
    const first = await contextOf(alone, prompt('Hello.'));
    expect(first?.length).toBeLessThanOrEqual(10_000);
    expect(first).toMatch(/A line of a long rule\.\n.*left out here/su);
    expect(first).not.toContain('Of another rule.');
    expect(await contextOf(alone, prompt('Hello.'))).toContain('Of another rule.');
    expect(await contextOf(alone, prompt('Hello.'))).toBeUndefined();
  });

  it('give each rule once to hooks that run at once', async () => {
    await grant();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => contextOf(byCommand(daemon), read('src/cart.ts'))),
    );
    expect(answers.filter((answer) => answer?.includes('Round half to even.'))).toHaveLength(1);
  });

  it('refuse what cannot be read, in one line', async () => {
    for (const input of ['', '{', '[]', '"x"']) {
      const { code, stdout, stderr } = await runContextd(['hook', 'claude-code'], { env: { HOME: home }, input });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^contextd: the input of the tool cannot be read, so the event is refused .*\n$/u);
    }
    const path = `${'x/'.repeat(3_000)}y`;
    expect(await denied(alone, read(path))).toMatch(/cannot be decided/u);
    expect(await denied(alone, read('a\0b'))).toMatch(/cannot be decided/u);
  });

  it('refuse where the working directory is gone', async () => {
    const gone = join(home, 'gone');
    mkdirSync(gone);
    const script = `rmdir '${gone}'; exec '${process.execPath}' '${entryPath}' hook claude-code`;
    const input = JSON.stringify(read('src/cart.ts'));
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], { cwd: gone, env: { HOME: home }, input });
    expect({ status, stdout: `${stdout}` }).toEqual({ status: 2, stdout: '' });
    expect(`${stderr}`).toMatch(/^contextd: it is refused \(.*\)\n$/u);
  });

  it('refuse a file, and go on with a prompt, when a named daemon is not there', async () => {
    const env = { HOME: home, CONTEXTD_URL: 'http://127.0.0.1:9', CONTEXTD_TOKEN: 'x' };
    const ask = (asked: object) => runContextd(['hook', 'claude-code'], { env, input: JSON.stringify(asked) });
    expect(await denied(ask, read('src/cart.ts'))).toMatch(/cannot be decided/u);
    const { code, stdout, stderr } = await ask(prompt('Hello.'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^contextd: no context is given \(.*\n$/u);
  });

  it('do not hold the tool when the daemon does not answer', async () => {
    const { reason, tookMs } = await held;
    expect(reason).toBeDefined();
    expect(tookMs).toBeLessThan(25_000);
  });

  it('know only the tools that there are', async () => {
    const { code, stderr } = await runContextd(['hook', 'nobody'], { env: { HOME: home }, input: '{}' });
    expect(code).toBe(64);
    expect(stderr).toContain('claude-code');
  });
});

describe('contextd hook install claude-code', () => {
  const install = (...args: string[]) =>
    runContextd(['hook', 'install', 'claude-code', project, ...args], { env: { HOME: home } });
  const settings = () => readFileSync(join(project, '.claude/settings.json'), 'utf8');

  it('shows the settings and what a hook does not see, and writes nothing', async () => {
    const { code, stdout } = await install();
    expect(code).toBe(0);
    expect(stdout).toContain('"contextd hook claude-code"');
    expect(stdout).toContain('shell commands');
    expect(existsSync(join(project, '.claude'))).toBe(false);
  });

  it('merges them into what is there, once', async () => {
    write(
      '.claude/settings.json',
      '{\n  // ours\n  "model": "opus",\n  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [] }] }\n}\n',
    );
    expect((await install('--write')).stdout).toContain('Written to');
    const first = settings();
    expect(first).toContain('// ours');
    expect(first).toContain('"matcher": "Bash"');
    expect(first).toContain('"UserPromptSubmit"');
    expect((await install('--write')).stdout).toContain('has them already');
    expect(settings()).toBe(first);
  });

  it('makes a file that is not there, and leaves one alone that it cannot read', async () => {
    await install('--write');
    expect(Object.keys((JSON.parse(settings()) as { hooks: object }).hooks)).toContain('PreToolUse');
    for (const text of ['{ broken', '[]', '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}']) {
      write('.claude/settings.json', text);
      const { code, stderr } = await install('--write');
      expect({ text, code, kept: settings() }).toEqual({ text, code: 78, kept: text });
      expect(stderr).toMatch(/Nothing was written/u);
    }
  });
});
