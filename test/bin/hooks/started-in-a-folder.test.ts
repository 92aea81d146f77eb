/** What a tool is given that was started in a folder of a repository. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHookHere } from '../../support/hook-in-process.ts';
import { temporaryDirectory, writeTree } from '../../support/temporary-files.ts';

const home = temporaryDirectory();
const project = join(home, 'project');
const rule = (text: string): string => `---\ntrigger: always\n---\n${text}\n`;
writeTree(project, {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.context/style.md': rule('Write short sentences.'),
  'api/.context/answers.md': rule('Answer with problems.'),
  'api/src/cart.ts': 'export const cart = 1;\n',
  'web/.context/pages.md': rule('Use no frameworks.'),
});

async function given(session: string, event: object): Promise<string> {
  const asked = { session_id: session, transcript_path: '/t', cwd: join(project, 'api'), ...event };
  return (await runHookHere('claude-code', JSON.stringify(asked), { home })).stdout;
}

it.each([
  ['at the start', { hook_event_name: 'SessionStart', source: 'startup' }],
  ['with a prompt', { hook_event_name: 'UserPromptSubmit', prompt: 'How are mistakes answered?' }],
])('CC-22 %s it gets the rules of the repository and of the folder', async (when, event) => {
  const text = await given(when, event);
  expect(text).toContain('Write short sentences.');
  expect(text).toContain('Answer with problems.');
  expect(text).not.toContain('Use no frameworks.');
});

it.each(['a%2fb', 'a\\b'])('CC-22 it gets the rules of the repository in a folder named %j', async (name) => {
  const cwd = join(project, 'api', name);
  mkdirSync(cwd);
  const text = await given(name, { cwd, hook_event_name: 'SessionStart', source: 'startup' });
  expect(text).toContain('Write short sentences.');
});

it('CC-22 with a file it gets the rules for the file, wherever it was started', async () => {
  const at = (path: string) => ({ tool_name: 'Read', tool_input: { file_path: join(project, path) } });
  const text = await given('with a file', { hook_event_name: 'PreToolUse', ...at('web/index.ts') });
  expect(text).toContain('Write short sentences.');
  expect(text).toContain('Use no frameworks.');
  expect(text).not.toContain('Answer with problems.');
});
