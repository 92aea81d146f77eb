/** Hooks of the other tools: with the real daemon, by the real command too, and without one. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Run, runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { runHookHere } from '../support/hook-in-process.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let project: string;
let home: string;
beforeEach(() => {
  [project, home] = [temporaryDirectory(), temporaryDirectory()];
  mkdirSync(join(project, '.git'));
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: ["secrets/**"]\n');
  write('secrets/prices.md', 'Canary.\n');
  write('src/cart.ts', 'export {};\n');
  write('.context/style.md', '---\ntrigger: always\n---\nWrite short sentences.\n');
  write('.context/money.md', '---\ntrigger: auto\nglobs: src/**\n---\nRound half to even.\n');
  write('.cursor/rules/all.mdc', '---\nalwaysApply: true\n---\nRule of Cursor itself.\n');
  write('GEMINI.md', 'Rule of Gemini itself.\n');
});

const write = (path: string, text: string) => writeTree(project, { [path]: text });

type Answer = Record<string, unknown>;
type Ask = (event: object) => Promise<Answer>;

const asker =
  (run: (input: string) => Promise<Run>): Ask =>
  async (event) => {
    const { code, stdout, stderr } = await run(JSON.stringify(event));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout === '' ? {} : (JSON.parse(stdout) as Answer);
  };

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon.stop());

/** With the daemon, to which the first event comes by the command, then without. */
async function withAndWithout(tool: string, check: (ask: Ask) => Promise<void>): Promise<void> {
  await daemon.request('/v1/roots', { body: { path: project } });
  let byCommand = true;
  await check(
    asker((input) => {
      if (!byCommand) return runHookHere(tool, input, daemon);
      byCommand = false;
      return daemon.cli(['hook', tool], { input });
    }),
  );
  await check(asker((input) => runHookHere(tool, input, { home })));
}

const textOf = (answer: Answer): string => JSON.stringify(answer);

describe('hooks of Cursor', () => {
  const event = (hook_event_name: string, fields: object = {}) => ({
    conversation_id: basename(project),
    generation_id: 'g1',
    workspace_roots: [project],
    hook_event_name,
    ...fields,
  });
  const secret = () => join(project, 'secrets/prices.md');
  const cart = () => join(project, 'src/cart.ts');

  it('refuse what is blocked, and let the rest pass', () =>
    withAndWithout('cursor', async (ask) => {
      const read = (file_path: string, attachments: object[] = []) =>
        ask(event('beforeReadFile', { file_path, content: '', attachments }));
      expect(await read(secret())).toMatchObject({
        permission: 'deny',
        user_message: expect.stringMatching(/secrets/u),
      });
      expect(await read(cart())).toEqual({ permission: 'allow' });
      const tab = await ask(event('beforeTabFileRead', { file_path: secret(), content: '' }));
      expect(tab).toMatchObject({ permission: 'deny' });
      const tool = (tool_name: string, tool_input: object) =>
        ask(event('preToolUse', { tool_name, tool_input, cwd: project }));
      expect(await tool('Write', { file_path: secret() })).toMatchObject({ permission: 'deny' });
      expect(await tool('Grep', { pattern: 'x', path: 'secrets' })).toMatchObject({ permission: 'deny' });
      expect(await tool('Grep', { pattern: 'x', path: 'src' })).toEqual({ permission: 'allow' });
      expect(await tool('Grep', { pattern: 'x', glob: 'secrets/prices.md' })).toMatchObject({ permission: 'deny' });
      expect(await tool('Write', { file_path: '.cursor/hooks.json' })).toMatchObject({ permission: 'deny' });
      const prompt = (path: string) =>
        ask(event('beforeSubmitPrompt', { prompt: 'Hello.', attachments: [{ type: 'file', file_path: path }] }));
      expect(await prompt(secret())).toMatchObject({ continue: false });
      expect(await prompt(cart())).toEqual({ continue: true });
    }));

  it('give rules once, until they change or the conversation was compacted', () =>
    withAndWithout('cursor', async (ask) => {
      const start = textOf(await ask(event('sessionStart', { session_id: basename(project) })));
      expect(start).toContain('Write short sentences.');
      expect(start).not.toContain('Rule of Cursor itself.');
      const read = () => ask(event('postToolUse', { tool_name: 'Read', tool_input: { file_path: cart() } }));
      const first = textOf(await read());
      expect(first).toContain('Round half to even.');
      expect(first).not.toContain('Write short sentences.');
      expect(await read()).toEqual({});
      write('.context/money.md', '---\ntrigger: auto\nglobs: src/**\n---\nRound down.\n');
      expect(textOf(await read())).toContain('Round down.');
      expect(await ask(event('preCompact', { trigger: 'auto' }))).toEqual({});
      expect(textOf(await read())).toMatch(/short sentences.*Round down/su);
      write('.context/money.md', '---\ntrigger: auto\nglobs: src/**\n---\nRound half to even.\n');
    }));
});

describe('hooks of Gemini CLI', () => {
  const event = (hook_event_name: string, fields: object = {}) => ({
    session_id: basename(project),
    transcript_path: '',
    cwd: project,
    hook_event_name,
    timestamp: '',
    ...fields,
  });

  it('refuse what is blocked, and let the rest pass', () =>
    withAndWithout('gemini-cli', async (ask) => {
      const tool = (tool_name: string, tool_input: object) => ask(event('BeforeTool', { tool_name, tool_input }));
      const denied = { decision: 'deny', reason: expect.stringMatching(/secrets/u) };
      expect(await tool('read_file', { file_path: 'secrets/prices.md' })).toMatchObject(denied);
      expect(await tool('read_many_files', { include: ['src/*', 'secrets/prices.md'] })).toMatchObject(denied);
      expect(await tool('replace', { file_path: join(project, 'secrets/prices.md') })).toMatchObject(denied);
      expect(await tool('grep_search', { pattern: 'x', dir_path: 'secrets' })).toMatchObject(denied);
      expect(await tool('read_file', { file_path: 'src/cart.ts' })).toEqual({});
      expect(await tool('glob', { pattern: '**/*.ts' })).toEqual({});
      expect(await tool('read_many_files', { include: ['secrets/*.md'] })).toMatchObject(denied);
      expect(await tool('glob', { pattern: 'secrets/*' })).toMatchObject(denied);
      write('secrets/old prices.md', 'Canary.\n');
      for (const mention of [
        '@secrets/prices.md',
        '@secrets/prices.md,and',
        '@secrets/old\\ prices.md',
        'x@secrets/prices.md',
      ])
        expect(await ask(event('BeforeAgent', { prompt: `Sum up ${mention}` })), mention).toMatchObject(denied);
      const many = Array.from({ length: 300 }, (_, at) => `@n${at}`).join(' ');
      expect(await ask(event('BeforeAgent', { prompt: `${many} @secrets/prices.md` }))).toMatchObject(denied);
    }));

  it('give rules once, until they change or the conversation was compacted', () =>
    withAndWithout('gemini-cli', async (ask) => {
      const prompt = (text: string) => ask(event('BeforeAgent', { prompt: text }));
      const first = textOf(await prompt('About @src/cart.ts'));
      expect(first).toMatch(/short sentences.*Round half to even/su);
      expect(first).not.toContain('Rule of Gemini itself.');
      expect(await prompt('About @src/cart.ts')).toEqual({});
      write('.context/style.md', '---\ntrigger: always\n---\nWrite shorter sentences.\n');
      expect(textOf(await prompt('Go on.'))).toContain('shorter sentences');
      await ask(event('PreCompress', { trigger: 'auto' }));
      const read = await ask(event('AfterTool', { tool_name: 'read_file', tool_input: { file_path: 'src/cart.ts' } }));
      expect(textOf(read)).toMatch(/shorter sentences.*Round half to even/su);
      write('.context/style.md', '---\ntrigger: always\n---\nWrite short sentences.\n');
    }));
});

describe('hooks of Codex', () => {
  const event = (hook_event_name: string, fields: object = {}) => ({
    session_id: basename(project),
    transcript_path: null,
    cwd: project,
    hook_event_name,
    model: 'm',
    permission_mode: 'default',
    ...fields,
  });
  const patch = (...paths: string[]) => ({
    tool_name: 'apply_patch',
    tool_input: {
      command: `*** Begin Patch\n${paths.map((path) => `*** Update File: ${path}\n@@\n-a\n+b\n`).join('')}*** End Patch`,
    },
  });

  it('refuse what is blocked, and let the rest pass', () =>
    withAndWithout('codex', async (ask) => {
      const tool = (fields: object) => ask(event('PreToolUse', fields));
      const denied = { hookSpecificOutput: { permissionDecision: 'deny' } };
      expect(await tool(patch('src/cart.ts', 'secrets/prices.md'))).toMatchObject(denied);
      expect(await tool(patch(join(project, 'secrets/prices.md')))).toMatchObject(denied);
      expect(await tool(patch('.codex/hooks.json'))).toMatchObject(denied);
      expect(await tool({ tool_name: 'mcp__files__read', tool_input: { path: 'secrets/prices.md' } })).toMatchObject(
        denied,
      );
      expect(await tool({ tool_name: 'Bash', tool_input: { command: 'ls' } })).toEqual({});
      expect(await ask(event('UserPromptSubmit', { prompt: 'About @secrets/prices.md' }))).toMatchObject({
        decision: 'block',
      });
      expect(textOf(await tool(patch('src/cart.ts')))).toContain('Round half to even.');
    }));

  it('give rules once, until they change or the conversation was compacted, and to sub-agents theirs', () =>
    withAndWithout('codex', async (ask) => {
      const start = (source: string) => ask(event('SessionStart', { source }));
      expect(textOf(await start('startup'))).toContain('Write short sentences.');
      expect(await start('resume')).toEqual({});
      expect(textOf(await ask(event('SubagentStart', { agent_id: 'a1' })))).toContain('Write short sentences.');
      expect(textOf(await start('compact'))).toContain('Write short sentences.');
    }));
});

describe('hooks of Copilot CLI', () => {
  const event = (hook_event_name: string, fields: object = {}) => ({
    hook_event_name,
    session_id: basename(project),
    timestamp: '',
    cwd: project,
    ...fields,
  });

  it('refuse what is blocked, and let the rest pass', () =>
    withAndWithout('copilot-cli', async (ask) => {
      const tool = (tool_name: string, tool_input: unknown) => ask(event('PreToolUse', { tool_name, tool_input }));
      const denied = { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(/secrets|hooks/u) };
      expect(await tool('Read', { path: join(project, 'secrets/prices.md') })).toMatchObject(denied);
      expect(await tool('Edit', '*** Begin Patch\n*** Delete File: secrets/prices.md\n*** End Patch')).toMatchObject(
        denied,
      );
      expect(await tool('Grep', { pattern: 'x', path: 'secrets' })).toMatchObject(denied);
      expect(await tool('Glob', { pattern: 'secrets/*' })).toMatchObject(denied);
      expect(await tool('Write', { path: '.github/hooks/contextd.json', file_text: '{}' })).toMatchObject(denied);
      expect(await tool('Read', { path: 'src/cart.ts' })).toEqual({});
    }));

  it('give rules once, until they change or the conversation was compacted', () =>
    withAndWithout('copilot-cli', async (ask) => {
      expect(textOf(await ask(event('SessionStart', { source: 'new' })))).toContain('Write short sentences.');
      const read = () => ask(event('PostToolUse', { tool_name: 'view', tool_input: { path: 'src/cart.ts' } }));
      const first = textOf(await read());
      expect(first).toContain('Round half to even.');
      expect(first).not.toContain('short sentences');
      expect(await read()).toEqual({});
      expect(await ask(event('PreCompact', { trigger: 'auto' }))).toEqual({});
      expect(textOf(await read())).toMatch(/short sentences.*Round half to even/su);
    }));
});

describe('hooks of Claude Code and Copilot CLI in VS Code', () => {
  const event = (hookEventName: string, fields: object = {}) => ({
    timestamp: '2026-02-09T10:30:00.000Z',
    cwd: project,
    sessionId: basename(project),
    hookEventName,
    ...fields,
  });
  const file = (path: string) => ({ filePath: join(project, path) });
  const denied = { hookSpecificOutput: { permissionDecision: 'deny' } };

  for (const hook of ['claude-code', 'copilot-cli'])
    it(`AN-09 refuse what is blocked, and let the rest pass: ${hook}`, () =>
      withAndWithout(hook, async (ask) => {
        const tool = (tool_name: string, tool_input: object) =>
          ask(event('PreToolUse', { tool_name, tool_input, tool_use_id: 't' }));
        expect(await tool('read_file', file('secrets/prices.md'))).toMatchObject(denied);
        const replacements = [file('src/cart.ts'), file('secrets/prices.md')];
        expect(await tool('multi_replace_string_in_file', { replacements })).toMatchObject(denied);
        expect(await tool('list_dir', { path: join(project, 'secrets') })).toMatchObject(denied);
        expect(await tool('create_file', file('.claude/settings.json'))).toMatchObject(denied);
        expect(textOf(await tool('read_file', file('src/cart.ts')))).not.toContain('deny');
        expect(await tool('grep_search', { query: 'x', includePattern: '**/src/**' })).toEqual({});
        expect(await tool('memory', { command: 'view', path: '/memories/plan.md' })).toEqual({});
        expect(await tool('run_in_terminal', { command: 'ls' })).toEqual({});
        expect(await tool('tool_of_tomorrow', { anything: [1] })).toEqual({});
        expect(await ask(event('EventOfTomorrow'))).toEqual({});
      }));

  it('AN-09 give rules at the start, with prompts and with files, each once', () =>
    withAndWithout('claude-code', async (ask) => {
      write('.github/copilot-instructions.md', 'Rule of VS Code itself.\n');
      const start = textOf(await ask(event('SessionStart', { source: 'new' })));
      expect(start).toContain('Write short sentences.');
      expect(start).not.toContain('Rule of VS Code itself.');
      const read = { tool_name: 'read_file', tool_input: file('src/cart.ts'), tool_use_id: 't' };
      expect(textOf(await ask(event('PreToolUse', read)))).toContain('Round half to even.');
      expect(await ask(event('PreToolUse', read))).toEqual({});
      write('.context/style.md', '---\ntrigger: always\n---\nWrite shorter sentences.\n');
      expect(textOf(await ask(event('UserPromptSubmit', { prompt: 'Go on.' })))).toContain('shorter sentences');
      write('.context/style.md', '---\ntrigger: always\n---\nWrite short sentences.\n');
      expect(await ask(event('UserPromptSubmit', { prompt: 'See @secrets/prices.md' }))).toMatchObject({
        decision: 'block',
      });
    }));

  it('AN-09 give rules at the start and after a file was opened: copilot-cli', () =>
    withAndWithout('copilot-cli', async (ask) => {
      const start = await ask(event('SessionStart', { source: 'new' }));
      expect(textOf(start.hookSpecificOutput as Answer)).toContain('Write short sentences.');
      const read = { tool_name: 'read_file', tool_input: file('src/cart.ts'), tool_response: 'x' };
      const after = await ask(event('PostToolUse', read));
      expect(textOf(after.hookSpecificOutput as Answer)).toContain('Round half to even.');
      expect(await ask(event('PostToolUse', read))).toEqual({});
    }));
});

describe('contextd hook install', () => {
  it('leaves alone what is no file of the project, and says so', async () => {
    const path = join(project, '.claude/settings.json');
    const outside = join(home, 'settings.json');
    writeFileSync(outside, '{}\n');
    mkdirSync(join(home, 'folder'));
    const twice = '{"hooks":{"PreToolUse":[]},"hooks":{"Stop":[]}}';
    const cases: Record<string, () => void> = {
      'leads out of the project': () => symlinkSync(outside, path),
      'leads nowhere': () => symlinkSync(join(home, 'nowhere'), path),
      'leads out': () => {
        rmSync(dirname(path), { recursive: true });
        symlinkSync(join(home, 'folder'), dirname(path));
      },
      'not a regular file': () => execFileSync('mkfifo', [path]),
      'is not a regular file': () => mkdirSync(path),
      'key there twice': () => writeFileSync(path, twice),
    };
    for (const [why, make] of Object.entries(cases)) {
      rmSync(dirname(path), { recursive: true, force: true });
      mkdirSync(dirname(path));
      make();
      const args = ['hook', 'install', 'claude-code', project, '--write'];
      const { code, stderr } = await runContextd(args, { env: { HOME: home } });
      expect({ why, code }).toEqual({ why, code: 78 });
      expect(stderr).toContain(why);
    }
    expect(readFileSync(path, 'utf8')).toBe(twice);
    expect(readFileSync(outside, 'utf8')).toBe('{}\n');
    expect(readdirSync(join(home, 'folder'))).toEqual([]);
    expect(existsSync(join(home, 'nowhere'))).toBe(false);
  });

  for (const [tool, path] of [
    ['cursor', '.cursor/hooks.json'],
    ['gemini-cli', '.gemini/settings.json'],
  ] as const)
    it(`merges the settings of ${tool} into what is there, once`, async () => {
      write(path, '{\n    // ours\n    "hooks": {},\n    "other": [1]\n}\n');
      const install = () => runContextd(['hook', 'install', tool, '-d', project, '--write'], { env: { HOME: home } });
      expect((await install()).stdout).toContain('Written to');
      const first = readFileSync(join(project, path), 'utf8');
      expect(first).toContain('    // ours\n');
      expect(first).toContain(`contextd hook ${tool}`);
      expect((await install()).stdout).toContain('has them already');
      expect(readFileSync(join(project, path), 'utf8')).toBe(first);
    });
});
