/** What hooks refuse, whatever a path is written like: in this process, on real files, without a daemon. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { claudeCode } from '../../../src/bin/hooks/claude-code.ts';
import { copilotCli } from '../../../src/bin/hooks/copilot-cli.ts';
import { cursor } from '../../../src/bin/hooks/cursor.ts';
import { createDeadline } from '../../../src/bin/hooks/deadline.ts';
import { geminiCli } from '../../../src/bin/hooks/gemini-cli.ts';
import type { HookOutput, HookTool } from '../../../src/bin/hooks/hook-tool.ts';
import { runHook } from '../../../src/bin/hooks/run-hook.ts';
import { temporaryDirectory, writeTree } from '../../support/temporary-files.ts';

const home = temporaryDirectory();
const project = join(home, 'project');
const state = join(home, 'state');
beforeAll(() => {
  const write = (path: string, text = 'x\n') => writeTree(project, { [path]: text });
  write('.git/HEAD', 'ref: refs/heads/main\n');
  write('.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: ["blocked/**"]\n');
  write('.cursorignore', 'deny/\n');
  for (const path of ['blocked/b.md', 'blocked/with space/x.md', 'deny/d.md', 'src/a.ts', 'with space.md', '.env'])
    write(path);
  symlinkSync(join(project, 'blocked'), join(project, 'alias'));
  symlinkSync(join(project, 'blocked/b.md'), join(project, 'GEMINI.md'));
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, 'daemon.json'), '{}', { mode: 0o600 });
});

const ask = (tool: HookTool, input: object): Promise<HookOutput> =>
  runHook(tool, async () => JSON.stringify(input), {
    stateDir: state,
    surroundings: { environment: {}, cwd: home, home },
    deadline: createDeadline(20_000),
  });
const isRefused = ({ json, exitCode }: HookOutput): boolean =>
  exitCode === 2 || /"(?:deny|block)"|"continue":false/u.test(JSON.stringify(json) ?? '');

const claudeTool = (tool_name: string, tool_input: object) =>
  ask(claudeCode, { hook_event_name: 'PreToolUse', cwd: project, tool_name, tool_input });
const claudePrompt = (prompt: string) => ask(claudeCode, { hook_event_name: 'UserPromptSubmit', cwd: project, prompt });
const geminiPrompt = (prompt: string) => ask(geminiCli, { hook_event_name: 'BeforeAgent', cwd: project, prompt });
const cursorTool = (tool_name: string, tool_input: object) =>
  ask(cursor, { hook_event_name: 'preToolUse', workspace_roots: [project], tool_name, tool_input });

describe('a file that is kept from models', () => {
  it.each([
    ['as it is', 'blocked/b.md'],
    ['absolute', join(project, 'blocked/b.md')],
    ['around', 'src/../blocked/b.md'],
    ['with more slashes', `${project}//blocked//b.md`],
    ['with a slash at the end', 'blocked/b.md/'],
    ['with a blank before it', ' blocked/b.md'],
    ['with a line break behind it', 'blocked/b.md\n'],
    ['with a blank in it', 'blocked/with space/x.md'],
    ['from home', '~/project/.env'],
    ['through a linked folder', 'alias/b.md'],
    ['through a link', 'GEMINI.md'],
    ['through the root of a process', `/proc/self/root${project}/blocked/b.md`],
    ['through the working directory of the tool', '/proc/self/cwd/blocked/b.md'],
    ['through a descriptor', '/dev/fd/3'],
    ['as an address', `file://${project}/blocked/b.md`],
    ['of an ignore file', 'deny/d.md'],
    ['by its name', '.env'],
    ['of the daemon', join(state, 'daemon.json')],
    ['of the system', '/etc/shadow'],
  ])('is not read: %s', async (_, file_path) => {
    expect(isRefused(await claudeTool('Read', { file_path }))).toBe(true);
    expect(isRefused(await claudeTool('Edit', { file_path }))).toBe(true);
  });

  it.each([
    ['Grep', { pattern: 'x', path: 'blocked' }],
    ['Grep', { pattern: 'x', path: 'blocked/b.md' }],
    ['Grep', { pattern: 'x', glob: 'blocked/b.md' }],
    ['Glob', { pattern: '.env' }],
    ['LS', { path: 'deny' }],
    ['NotebookEdit', { notebook_path: 'blocked/n.ipynb' }],
    ['mcp__files__read', { path: 'blocked/b.md' }],
  ])('is not found: %s %j', async (tool, input) => {
    expect(isRefused(await claudeTool(tool, input))).toBe(true);
  });

  it.each([
    ['read_file', { filePath: 'blocked/b.md' }],
    ['readFile', { filePath: 'alias/b.md' }],
    ['multi_replace_string_in_file', { replacements: [{ filePath: 'src/a.ts' }, { filePath: '.env' }] }],
    ['editFiles', { files: ['src/a.ts', 'deny/d.md'] }],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: blocked/b.md\n*** End Patch' }],
    ['list_dir', { path: 'blocked' }],
    ['file_search', { query: '**/blocked/**' }],
    ['file_search', { query: '**/.env' }],
    ['grep_search', { query: 'x', includePattern: '**/blocked' }],
    ['grep_search', { query: 'x', includePattern: 'blocked/b.md' }],
    ['vscode_listCodeUsages', { filePath: 'blocked/b.md' }],
    ['read_file', { filePath: `file:/${project}/blocked/b.md` }],
    ['read_file', { filePath: `vscode-userdata:${project}/%62locked/b.md?x` }],
    ['list_dir', { path: `vscode-remote://%${project}/blocked#x` }],
  ])('is neither read nor found by VS Code: %s %j', async (tool_name, tool_input) => {
    const event = { cwd: project, tool_name, tool_input };
    for (const tool of [claudeCode, copilotCli]) {
      expect(isRefused(await ask(tool, { ...event, hookEventName: 'PreToolUse', sessionId: 's' }))).toBe(true);
      expect(isRefused(await ask(tool, { ...event, hook_event_name: 'PreToolUse', session_id: 's' }))).toBe(true);
    }
  });

  it('is not found by Cursor', async () => {
    expect(isRefused(await cursorTool('Grep', { pattern: 'x', path: 'blocked' }))).toBe(true);
    expect(isRefused(await cursorTool('Grep', { pattern: 'x', glob: 'blocked/b.md' }))).toBe(true);
  });

  it.each([
    'see @blocked/b.md',
    '(@.env)',
    '@blocked/b.md, and more',
    '@blocked/b.md#L1-2',
    '@"blocked/with space/x.md" x',
    '@blocked/with\\ space/x.md',
    '@blocked/b.md,src/a.ts',
    '@alias/b.md',
    '@blocked',
    '@blocked/',
    'one\n@blocked/b.md\ntwo',
  ])('is not mentioned: %j', async (prompt) => {
    expect(isRefused(await claudePrompt(prompt))).toBe(true);
    expect(isRefused(await geminiPrompt(prompt))).toBe(true);
  });
});

describe('what says what is kept from models', () => {
  it.each([
    '.ai-context-policy.yaml',
    'src/.ai-context-policy.yml',
    '.cursorignore',
    'src/.aiignore',
    '.noai',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.cursor/hooks.json',
    '.gemini/settings.json',
    '.zed/settings.json',
    '.context/context-config.json',
    '~/.claude/settings.json',
    '.git',
    'src/.git',
    'src/.git/HEAD',
  ])('is not changed: %s', async (file_path) => {
    expect(isRefused(await claudeTool('Write', { file_path, content: '' }))).toBe(true);
    expect(isRefused(await cursorTool('Write', { file_path }))).toBe(true);
    expect(isRefused(await claudeTool('create_file', { filePath: file_path, content: '' }))).toBe(true);
  });
});

describe('anything else', () => {
  it('passes', async () => {
    for (const file_path of ['src/a.ts', 'with space.md', 'src/new.ts', `file://${project}/src/a.ts`])
      expect(isRefused(await claudeTool('Write', { file_path })), file_path).toBe(false);
    expect(isRefused(await claudePrompt('mail a@blocked/b.md'))).toBe(false);
    for (const prompt of ['@src/a.ts', '@src', '@ blocked/b.md', '@nobody'])
      expect(isRefused(await geminiPrompt(prompt)), prompt).toBe(false);
    expect(isRefused(await claudeTool('Grep', { pattern: 'x' }))).toBe(false);
    for (const [tool, input] of [
      ['read_file', { filePath: join(project, 'src/a.ts') }],
      ['grep_search', { query: 'x', includePattern: '**/src/**' }],
      ['semantic_search', { query: 'x' }],
      ['memory', { command: 'view', path: '/memories/plan.md' }],
      ['run_in_terminal', { command: 'cat blocked/b.md' }],
    ] as const)
      expect(isRefused(await claudeTool(tool, input)), tool).toBe(false);
  });

  it('is refused where it names no event', async () => {
    for (const tool of [claudeCode, cursor, geminiCli])
      expect(await ask(tool, { hook_event_name: 1 })).toMatchObject({ exitCode: 2, line: expect.any(String) });
  });
});

describe('an event about very many files', () => {
  const patch = (count: number, name: (index: number) => string) =>
    claudeTool('apply_patch', {
      input: Array.from({ length: count }, (_, index) => `*** Update File: ${name(index)}`).join('\n'),
    });

  it('S-45 is decided once for each file', async () => {
    expect(isRefused(await patch(20_000, () => 'src/a.ts'))).toBe(false);
    expect(isRefused(await patch(20_000, (index) => (index === 19_999 ? '.env' : 'src/a.ts')))).toBe(true);
  });

  it('S-45 is refused as a whole if nobody could look at all of them in time', async () => {
    await expect(patch(5_000, (index) => `src/${index}.ts`)).rejects.toThrow('more than 4096 files');
  });
});
