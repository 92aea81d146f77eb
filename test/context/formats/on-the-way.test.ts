/** Which files of other tools are read in each directory on the way, and which in the mounted directory only (FM-05). */
import { expect, it } from 'vitest';
import { createWorkspace } from '../../support/workspace.ts';

const skill = '---\nname: pdf\ndescription: Fill forms.\n---\nDo it so.';
const rule = 'Do it so.';

const everywhere = [
  ...['AGENTS.md', 'AGENTS.override.md', 'AGENTS.local.md', 'AGENT.md'],
  ...['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', '.claude/rules/a.md'],
  ...['.cursor/rules/a.mdc', '.devin/rules/a.md', '.windsurf/rules/a.md', '.trae/rules/a.md'],
  ...['.kilo/rules/a.md', '.kilo/rules-code/a.md', '.kilocode/rules/a.md', '.kilocode/rules-code/a.md'],
  ...['.roo/rules/a.md', '.roo/rules-code/a.md', 'rules.md', 'GEMINI.md'],
  ...[
    '.agents',
    '.claude',
    '.codex',
    '.crush',
    '.cursor',
    '.github',
    '.grok',
    '.kilo',
    '.kilocode',
    '.opencode',
    '.warp',
  ].map((folder) => `${folder}/skills/pdf/SKILL.md`),
];

const inTheRoot = [
  ...[
    '.agents/rules/a.md',
    '.agent/rules/a.md',
    '.augment/rules/a.md',
    '.augment-guidelines',
    '.aiassistant/rules/a.md',
  ],
  ...['.clinerules', '.clinerules/a.md', '.cline/rules/a.md', '.continue/rules/a.md', '.continuerules', '.cursorrules'],
  ...[
    '.github/copilot-instructions.md',
    '.github/instructions/a.instructions.md',
    '.kilocoderules',
    '.kilocoderules-code',
  ],
  ...['.junie/guidelines.md', '.kiro/steering/a.md', '.roorules', '.roorules-code', '.windsurfrules'],
  ...['.amazonq/rules/a.md', 'AmazonQ.md', 'QWEN.md', '.qwen/rules/a.md', '.grok/rules/a.md', '.rules', '.goosehints'],
  ...['.gitlab/duo/chat-rules.md', 'WARP.md', 'CRUSH.md', 'replit.md', '.idx/airules.md'],
  ...['.openhands/microagents/repo.md', '.openhands/skills/a.md'],
  ...['.agent', '.augment', '.cline', '.clinerules', '.continue', '.devin', '.gemini', '.goose', '.junie', '.kiro'].map(
    (folder) => `${folder}/skills/pdf/SKILL.md`,
  ),
  ...['.openhands', '.qwen', '.roo', '.trae', '.windsurf'].map((folder) => `${folder}/skills/pdf/SKILL.md`),
];

async function found(path: string, file: string): Promise<string[]> {
  const { resolve } = await createWorkspace({ [path]: path.endsWith('SKILL.md') ? skill : rule });
  return (await resolve({ files: [file] })).files.map(({ relativePath }) => relativePath);
}

it.each(everywhere)('FM-05 %s is read on the way to a file in play', async (path) => {
  expect(await found(`app/${path}`, 'app/src/x.ts')).toEqual([`app/${path}`]);
});

it.each(inTheRoot)('FM-05 %s is read in the mounted directory only', async (path) => {
  expect(await found(path, 'app/src/x.ts')).toEqual([path]);
  expect(await found(`app/${path}`, 'app/src/x.ts')).toEqual([]);
});

it.each([
  ['.aider.conf.yml', 'read: NAMED.md', ['app/NAMED.md']],
  ['opencode.json', '{"instructions": ["NAMED.md"]}', ['app/NAMED.md']],
  ['kilo.json', '{"instructions": ["NAMED.md"]}', ['app/NAMED.md']],
  ['.gemini/settings.json', '{"contextFileName": "NAMED.md"}', []],
])('FM-05 FM-13 what %s names below the mounted directory', async (settings, text, expected) => {
  const { resolve } = await createWorkspace({ [`app/${settings}`]: text, 'app/NAMED.md': rule });
  const { files } = await resolve({ files: ['app/src/x.ts'] });
  expect(files.map(({ relativePath }) => relativePath)).toEqual(expected);
});
