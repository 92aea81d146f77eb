/** What each tool asks by its documented inputs, and what it is told. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookTool } from '../../../src/bin/hooks/hook-tool.ts';
import { hookTools } from '../../../src/bin/hooks/tools.ts';
import { formatNames } from '../../../src/context/formats/format-names.ts';
import { tools } from '../../../src/context/formats/tools.ts';
import { hookToolIds } from '../../../src/settings.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures/hooks');
const toolOf = (id: string): HookTool => hookTools.find((each) => each.id === id) as HookTool;
const inputOf = (id: string, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(fixtures, id, `${name}.json`), 'utf8')) as Record<string, unknown>;
const asked = (id: string, name: string) => toolOf(id).questionOf(inputOf(id, name));
const told = (id: string, name: string, answer: { refusal?: string; context?: string }) => {
  const question = asked(id, name);
  return question && toolOf(id).outputOf(question, answer);
};

const cart = '/home/ada/shop/src/cart.ts';
const basket = '/home/ada/shop/src/basket.ts';
const inVsCode = { conversation: '7d2c9b10-4e5f-4a6b-8c7d-9e0f1a2b3c4d', cwd: '/home/ada/shop' };

/** What matters of each question; `undefined` for events that need no answer. */
const expected: Record<string, Record<string, object | undefined>> = {
  'claude-code': {
    'session-start-startup': { forgets: true, takesContext: true },
    'session-start-resume': { forgets: false, takesContext: true },
    'session-start-clear': { forgets: true },
    'session-start-compact': { forgets: true },
    'user-prompt-submit': { prompt: expect.stringContaining('@src/cart.ts'), takesContext: true },
    'pre-tool-use-read': { files: [cart], searched: [], cwd: '/home/ada/shop', takesContext: true },
    'pre-tool-use-edit': { files: [cart], changes: true },
    'pre-tool-use-multi-edit': { files: [cart] },
    'pre-tool-use-write': { files: [cart] },
    'pre-tool-use-notebook-edit': { files: ['/home/ada/shop/notes.ipynb'] },
    'pre-tool-use-grep': { files: [], searched: ['src'] },
    'pre-tool-use-glob': { files: [], searched: ['.'] },
    'pre-tool-use-bash': { files: [], searched: [], takesContext: false },
    'pre-tool-use-read-in-subagent': { conversation: expect.stringMatching(/^0b2f.*\/agent-abc123$/u) },
    'subagent-start': { conversation: expect.stringMatching(/^0b2f.*\/agent-abc123$/u), takesContext: true },
    'post-tool-use': undefined,
    'vscode-session-start': { ...inVsCode, event: 'SessionStart', forgets: true, takesContext: true },
    'vscode-session-start-documented': { ...inVsCode, event: 'SessionStart', forgets: true, takesContext: true },
    'vscode-user-prompt-submit': { ...inVsCode, prompt: expect.stringContaining('@src/cart.ts'), takesContext: true },
    'vscode-subagent-start': { conversation: expect.stringMatching(/\/subagent-456$/u), takesContext: true },
    'vscode-stop': undefined,
    'vscode-read-file': { ...inVsCode, files: [cart], searched: [], changes: false, takesContext: true },
    'vscode-read-file-documented': { ...inVsCode, files: [cart], changes: false, takesContext: true },
    'vscode-create-file': { files: [cart], changes: true, takesContext: true },
    'vscode-replace-string': { files: [cart], changes: true },
    'vscode-multi-replace-string': { files: [cart, basket], changes: true },
    'vscode-insert-edit': { files: [cart], changes: true },
    'vscode-edit-files-documented': { files: ['src/cart.ts'], changes: true },
    'vscode-apply-patch': { files: [cart, basket], changes: true },
    'vscode-edit-notebook': { files: ['/home/ada/shop/notes.ipynb'], changes: true },
    'vscode-create-directory': { files: ['/home/ada/shop/src/new'], changes: true },
    'vscode-get-errors': { files: [cart, basket], changes: false },
    'vscode-list-dir': { files: [], searched: ['/home/ada/shop/src'], takesContext: false },
    'vscode-file-search': { files: [], searched: ['./src/'], takesContext: false },
    'vscode-file-search-by-name': { files: [], searched: ['.', './cart.ts'] },
    'vscode-grep-search': { files: [], searched: ['./src/'] },
    'vscode-grep-search-everywhere': { files: [], searched: ['.'] },
    'vscode-semantic-search': { files: [], searched: ['.'] },
    'vscode-run-in-terminal': { files: [], searched: [], takesContext: false },
  },
  cursor: {
    'session-start': { takesContext: true, project: '/home/ada/shop' },
    'before-submit-prompt': { files: [cart], takesContext: false },
    'before-read-file': { files: [cart, '/home/ada/shop/.cursor/rules/ts.mdc'], takesContext: false },
    'before-tab-file-read': { files: [cart] },
    'pre-tool-use-write': { files: [cart], searched: [], changes: true },
    'pre-tool-use-grep': { files: [], searched: ['/home/ada/shop/src'] },
    'pre-tool-use-shell': { files: [], searched: [] },
    'post-tool-use': { files: [], inPlay: [cart], takesContext: true },
    'pre-compact': { forgets: true, takesContext: false },
    stop: undefined,
  },
  codex: {
    'session-start-startup': { forgets: true, takesContext: true },
    'session-start-resume': { forgets: false, takesContext: true },
    'session-start-clear': { forgets: true },
    'session-start-compact': { forgets: true },
    'user-prompt-submit': { prompt: expect.stringContaining('@src/cart.ts'), takesContext: true },
    'pre-tool-use-apply-patch': {
      files: ['src/cart.ts', 'src/basket.ts', 'src/new.ts', 'src/old.ts'],
      changes: true,
      takesContext: true,
    },
    'pre-tool-use-apply-patch-in-subagent': { conversation: expect.stringMatching(/^019a.*\/agent-abc123$/u) },
    'pre-tool-use-bash': { files: [], searched: [], takesContext: false },
    'pre-tool-use-mcp': { files: ['src/cart.ts'], changes: false },
    'subagent-start': { conversation: expect.stringMatching(/^019a.*\/agent-abc123$/u), takesContext: true },
    stop: undefined,
  },
  'copilot-cli': {
    'session-start-startup': { forgets: true, takesContext: true },
    'session-start-resume': { forgets: false },
    'session-start-new': { forgets: true },
    'pre-tool-use-view': { files: [cart], changes: false, takesContext: false },
    'pre-tool-use-create': { files: [cart], changes: true },
    'pre-tool-use-edit': { files: [cart], changes: true },
    'pre-tool-use-apply-patch': { files: ['src/cart.ts', 'src/basket.ts', 'src/new.ts', 'src/old.ts'], changes: true },
    'pre-tool-use-grep': { files: [], searched: ['src'] },
    'pre-tool-use-glob': { files: [], searched: ['.'] },
    'pre-tool-use-bash': { files: [], searched: [] },
    'post-tool-use': { files: [], inPlay: [cart], takesContext: true },
    'pre-compact': { forgets: true, takesContext: false },
    'user-prompt-submit': undefined,
    'vscode-session-start': { ...inVsCode, forgets: true, takesContext: true },
    'vscode-read-file': { ...inVsCode, files: [cart], searched: [], changes: false, takesContext: false },
    'vscode-create-file-documented': { ...inVsCode, files: [cart], changes: true },
    'vscode-multi-replace-string': { files: [cart, basket], changes: true },
    'vscode-grep-search': { files: [], searched: ['./src/'] },
    'vscode-post-tool-use': { files: [], inPlay: [cart], takesContext: true },
    'vscode-pre-compact': { ...inVsCode, forgets: true, takesContext: false },
  },
  'gemini-cli': {
    'session-start-startup': { forgets: true, takesContext: true },
    'session-start-resume': { forgets: false },
    'session-start-clear': { forgets: true },
    'before-agent': { prompt: expect.stringContaining('@src/cart.ts'), takesContext: true },
    'before-tool-read-file': { files: ['src/cart.ts'], takesContext: false },
    'before-tool-read-many-files': { files: ['./src/cart.ts'] },
    'before-tool-write-file': { files: ['src/cart.ts'] },
    'before-tool-replace': { files: ['src/cart.ts'], changes: true },
    'before-tool-grep': { files: [], searched: ['src'] },
    'before-tool-glob': { files: [], searched: ['.'] },
    'after-tool': { files: [], inPlay: ['src/cart.ts'], takesContext: true },
    'pre-compress': { forgets: true, takesContext: false },
    'after-agent': undefined,
  },
};

describe('hooks of tools', () => {
  it('are those of tools whose own formats are known, each with its fixtures', () => {
    expect(readdirSync(fixtures).toSorted()).toEqual(hookTools.map(({ id }) => id).toSorted());
    for (const { id, loads } of hookTools) {
      if (loads === undefined) expect(tools.map((each) => each.id)).toContain(id);
      else for (const format of loads) expect(formatNames).toContain(format);
    }
    for (const { id } of hookTools)
      expect(readdirSync(join(fixtures, id)).toSorted()).toEqual(
        Object.keys(expected[id] ?? {})
          .map((name) => `${name}.json`)
          .toSorted(),
      );
  });

  for (const [id, events] of Object.entries(expected))
    for (const [name, question] of Object.entries(events))
      it(`ask of ${id} what ${name} is about`, () => {
        if (question === undefined) expect(asked(id, name)).toBeUndefined();
        else expect(asked(id, name)).toMatchObject(question);
      });

  it('give Copilot CLI what only VS Code loads', () => {
    const loads = toolOf('copilot-cli').loads ?? [];
    expect(loads).toContain('copilot-instructions');
    expect(loads.filter((format) => ['claude-md', 'claude-rules'].includes(format))).toEqual([]);
  });

  it('are those that can be asked for by name', () => {
    expect(hookTools.map(({ id }) => id)).toEqual(hookToolIds);
  });

  it('ask nothing of an input that is none', () => {
    for (const tool of hookTools)
      for (const input of [{}, { hook_event_name: 1 }, { hook_event_name: 'Unheard' }])
        expect(tool.questionOf(input)).toBeUndefined();
    const odd = { hook_event_name: 'PreToolUse', tool_name: 7, tool_input: [null], cwd: {}, session_id: [] };
    expect(toolOf('claude-code').questionOf(odd)).toMatchObject({ files: [], searched: [] });
  });

  it.each(hookTools.map(({ id }) => [id]))(
    '%s looks from the project that is named beside an event that names none',
    (id) => {
      const [name = ''] = readdirSync(join(fixtures, id)).filter((file) => file.startsWith('session-start'));
      const { workspace_roots: _named, ...event } = inputOf(id, name.replace('.json', ''));
      expect(toolOf(id).questionOf(event, '/home/ada/other')).toMatchObject({ project: '/home/ada/other' });
    },
  );

  it('tell Claude Code in its words', () => {
    expect(told('claude-code', 'pre-tool-use-read', { refusal: 'no' })).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
      },
    });
    expect(told('claude-code', 'user-prompt-submit', { refusal: 'no' })).toEqual({ decision: 'block', reason: 'no' });
    expect(told('claude-code', 'subagent-start', { context: 'rules' })).toEqual({
      hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'rules' },
    });
    expect(told('claude-code', 'pre-tool-use-read', {})).toBeUndefined();
  });

  it('tell Cursor in its words', () => {
    expect(told('cursor', 'before-read-file', { refusal: 'no' })).toEqual({ permission: 'deny', user_message: 'no' });
    expect(told('cursor', 'before-read-file', {})).toEqual({ permission: 'allow' });
    expect(told('cursor', 'pre-tool-use-write', { refusal: 'no' })).toEqual({
      permission: 'deny',
      user_message: 'no',
      agent_message: 'no',
    });
    expect(told('cursor', 'before-submit-prompt', { refusal: 'no' })).toEqual({ continue: false, user_message: 'no' });
    expect(told('cursor', 'before-submit-prompt', {})).toEqual({ continue: true });
    expect(told('cursor', 'session-start', { context: 'rules' })).toEqual({ additional_context: 'rules' });
  });

  it('tell Codex and Copilot CLI in their words', () => {
    expect(told('codex', 'pre-tool-use-apply-patch', { refusal: 'no' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
    });
    expect(told('codex', 'user-prompt-submit', { refusal: 'no' })).toEqual({ decision: 'block', reason: 'no' });
    const denied = { permissionDecision: 'deny', permissionDecisionReason: 'no' };
    expect(told('copilot-cli', 'pre-tool-use-view', { refusal: 'no' })).toMatchObject(denied);
    expect(told('copilot-cli', 'post-tool-use', { context: 'rules' })).toMatchObject({ additionalContext: 'rules' });
    expect(told('copilot-cli', 'pre-tool-use-view', {})).toBeUndefined();
  });

  it('see what a patch of Copilot CLI was about after it was applied', () => {
    const { tool_input } = inputOf('copilot-cli', 'pre-tool-use-apply-patch');
    const event = { ...inputOf('copilot-cli', 'post-tool-use'), tool_name: 'apply_patch', tool_input };
    expect(toolOf('copilot-cli').questionOf(event)).toMatchObject({ inPlay: expect.arrayContaining(['src/cart.ts']) });
  });

  it('tell VS Code in its words, whichever hook it calls', () => {
    const denied = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' };
    for (const tool of ['claude-code', 'copilot-cli']) {
      expect(told(tool, 'vscode-read-file', { refusal: 'no' })).toMatchObject({ hookSpecificOutput: denied });
      expect(told(tool, 'vscode-session-start', { context: 'rules' })).toMatchObject({
        hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'rules' },
      });
      expect(told(tool, 'vscode-read-file', {})).toBeUndefined();
    }
    expect(told('claude-code', 'vscode-read-file', { context: 'rules' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'rules' },
    });
    expect(told('copilot-cli', 'vscode-post-tool-use', { context: 'rules' })).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'rules' },
    });
    expect(told('claude-code', 'vscode-user-prompt-submit', { refusal: 'no' })).toEqual({
      decision: 'block',
      reason: 'no',
    });
  });

  it('give VS Code nothing that it loads by itself', () => {
    expect(asked('claude-code', 'vscode-session-start')?.loads).toContain('copilot-instructions');
    expect(asked('claude-code', 'session-start-startup')?.loads).toBeUndefined();
  });

  it('tell Gemini CLI in its words', () => {
    expect(told('gemini-cli', 'before-tool-read-file', { refusal: 'no' })).toEqual({ decision: 'deny', reason: 'no' });
    expect(told('gemini-cli', 'after-tool', { context: 'rules' })).toEqual({
      hookSpecificOutput: { hookEventName: 'AfterTool', additionalContext: 'rules' },
    });
    expect(told('gemini-cli', 'before-tool-read-file', {})).toBeUndefined();
  });
});
