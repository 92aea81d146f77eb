/** Where files of other tools lie in the home directory. */
import { expect, it } from 'vitest';
import { createWorkspace } from '../../support/workspace.ts';

const places: Record<string, string> = {
  '.agents/AGENTS.md': 'agents-md',
  '.agents/skills/a/SKILL.md': 'agents-skills',
  '.augment/rules/a.md': 'augment',
  '.augment/skills/a/SKILL.md': 'augment-skills',
  '.claude/CLAUDE.md': 'claude-md',
  '.claude/rules/a.md': 'claude-rules',
  '.claude/skills/a/SKILL.md': 'claude-skills',
  '.cline/rules/a.md': 'cline',
  '.cline/skills/a/SKILL.md': 'cline-skills',
  'Documents/Cline/Rules/a.md': 'cline',
  '.codeium/windsurf/memories/global_rules.md': 'windsurf',
  '.codeium/windsurf/skills/a/SKILL.md': 'windsurf-skills',
  '.codex/AGENTS.md': 'agents-md',
  '.codex/skills/a/SKILL.md': 'codex-skills',
  '.config/AGENTS.md': 'crush',
  '.config/crush/CRUSH.md': 'crush',
  '.config/crush/skills/a/SKILL.md': 'crush-skills',
  '.config/devin/AGENTS.md': 'windsurf',
  '.config/devin/skills/a/SKILL.md': 'windsurf-skills',
  '.config/goose/.goosehints': 'goose',
  '.config/goose/skills/a/SKILL.md': 'goose-skills',
  '.config/kilo/AGENTS.md': 'kilo',
  '.config/opencode/AGENTS.md': 'agents-md',
  '.config/opencode/skill/a/SKILL.md': 'opencode-skills',
  '.config/opencode/skills/b/SKILL.md': 'opencode-skills',
  '.config/zed/AGENTS.md': 'zed',
  '.continue/rules/a.md': 'continue',
  '.continue/skills/a/SKILL.md': 'continue-skills',
  '.copilot/copilot-instructions.md': 'copilot',
  '.copilot/instructions/a.instructions.md': 'copilot-instructions',
  '.copilot/skills/a/SKILL.md': 'copilot-skills',
  '.cursor/skills/a/SKILL.md': 'cursor-skills',
  '.devin/rules/a.md': 'windsurf',
  '.gemini/GEMINI.md': 'gemini',
  '.gemini/antigravity/skills/a/SKILL.md': 'antigravity-skills',
  '.gemini/skills/a/SKILL.md': 'gemini-skills',
  '.grok/AGENTS.md': 'grok',
  '.grok/rules/a.md': 'grok',
  '.grok/skills/a/SKILL.md': 'grok-skills',
  '.junie/AGENTS.md': 'junie',
  '.junie/skills/a/SKILL.md': 'junie-skills',
  '.kilo/rules/a.md': 'kilo',
  '.kilo/skills/a/SKILL.md': 'kilo-skills',
  '.kilocode/rules/a.md': 'kilo',
  '.kilocode/skills/a/SKILL.md': 'kilo-skills',
  '.kiro/steering/a.md': 'kiro',
  '.kiro/skills/a/SKILL.md': 'kiro-skills',
  '.openhands/microagents/a.md': 'openhands',
  '.openhands/skills/a.md': 'openhands',
  '.openhands/skills/a/SKILL.md': 'openhands-skills',
  '.qwen/QWEN.md': 'qwen',
  '.qwen/rules/a.md': 'qwen',
  '.qwen/skills/a/SKILL.md': 'qwen-skills',
  '.roo/rules/a.md': 'roo',
  '.roo/skills/a/SKILL.md': 'roo-skills',
  '.trae/skills/a/SKILL.md': 'trae-skills',
  '.warp/skills/a/SKILL.md': 'warp-skills',
};

it('FM-05 each place in the home directory is read, and nothing beside it', async () => {
  const beside = ['.config/other.md', '.kilo/other.md', '.claude/skills.md', '.agents/other/AGENTS.md'];
  const tree = Object.fromEntries([...Object.keys(places), ...beside].map((path) => [`~/${path}`, `Text of ${path}.`]));
  const { resolve } = await createWorkspace(tree);
  const { files, warnings } = await resolve();
  const found = Object.fromEntries(files.map(({ relativePath, format }) => [relativePath.slice(2), format]));
  expect(found).toEqual(places);
  expect(new Set(files.map(({ scope }) => scope))).toEqual(new Set(['global']));
  expect(warnings).toEqual([]);
});

it('FM-05 AGENTS.override.md replaces AGENTS.md of Codex', async () => {
  const { resolve } = await createWorkspace({ '~/.codex/AGENTS.md': 'One.', '~/.codex/AGENTS.override.md': 'Two.' });
  expect((await resolve()).files).toMatchObject([{ relativePath: '~/.codex/AGENTS.override.md', content: 'Two.' }]);
});

it('FM-04 rules of Augment in the home directory always apply', async () => {
  const { resolve } = await createWorkspace({ '~/.augment/rules/a.md': '---\ntype: manual\n---\nMine.' });
  expect((await resolve()).files).toMatchObject([{ trigger: 'always', state: 'active', content: 'Mine.' }]);
});
