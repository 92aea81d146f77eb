/** Where skills of which tool lie, and who reads them (FM-12). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ruleFormats } from '../../../src/context/formats/formats.ts';
import { tools } from '../../../src/context/formats/tools.ts';
import { createWorkspace } from '../../support/workspace.ts';

const skill = '---\nname: pdf\ndescription: Fill forms.\n---\nDo it so.';

const places: Record<string, string> = {
  '.agent/skills': 'antigravity-skills',
  '.agents/skills': 'agents-skills',
  '.augment/skills': 'augment-skills',
  '.claude/skills': 'claude-skills',
  '.codex/skills': 'codex-skills',
  '.crush/skills': 'crush-skills',
  '.devin/skills': 'windsurf-skills',
  '.github/skills': 'copilot-skills',
  '.grok/skills': 'grok-skills',
  '.junie/skills': 'junie-skills',
  '.kiro/skills': 'kiro-skills',
  '.trae/skills': 'trae-skills',
  '.warp/skills': 'warp-skills',
  '.windsurf/skills': 'windsurf-skills',
  '.cline/skills': 'cline-skills',
  '.clinerules/skills': 'cline-skills',
  '.continue/skills': 'continue-skills',
  '.cursor/skills': 'cursor-skills',
  '.gemini/skills': 'gemini-skills',
  '.goose/skills': 'goose-skills',
  '.kilo/skills': 'kilo-skills',
  '.kilocode/skills': 'kilo-skills',
  '.opencode/skill': 'opencode-skills',
  '.opencode/skills': 'opencode-skills',
  '.openhands/skills': 'openhands-skills',
  '.qwen/skills': 'qwen-skills',
  '.roo/skills': 'roo-skills',
};

const readers: Record<string, string[]> = {
  augment: ['agents-skills', 'augment-skills', 'claude-skills'],
  codex: ['agents-skills', 'codex-skills'],
  crush: ['agents-skills', 'claude-skills', 'crush-skills', 'cursor-skills'],
  grok: ['claude-skills', 'grok-skills'],
  warp: [
    ...['agents-skills', 'claude-skills', 'codex-skills', 'copilot-skills', 'cursor-skills', 'gemini-skills'],
    ...['opencode-skills', 'warp-skills'],
  ],
  windsurf: ['agents-skills', 'windsurf-skills'],
  cline: ['agents-skills', 'claude-skills', 'cline-skills'],
  continue: ['claude-skills', 'continue-skills'],
  cursor: ['agents-skills', 'claude-skills', 'cursor-skills'],
  'gemini-cli': ['agents-skills', 'gemini-skills'],
  goose: ['agents-skills', 'claude-skills', 'goose-skills'],
  kilo: ['agents-skills', 'claude-skills', 'kilo-skills'],
  opencode: ['agents-skills', 'claude-skills', 'opencode-skills'],
  qwen: ['agents-skills', 'qwen-skills'],
  roo: ['agents-skills', 'roo-skills'],
};

describe('places of skills', () => {
  it.each(Object.entries(places))('FM-12 skills in %s/ are %s', async (folder, format) => {
    const tree = { [`${folder}/pdf/SKILL.md`]: skill, [`${folder}/pdf/FORMS.md`]: 'Forms.' };
    const { resolve } = await createWorkspace(tree);
    const { files, warnings } = await resolve();
    expect(files.map(({ relativePath }) => relativePath)).toEqual([`${folder}/pdf/SKILL.md`]);
    expect(files[0]).toMatchObject({ format, type: 'reference', trigger: 'agent', name: 'pdf', state: 'available' });
    expect(files[0]).toMatchObject({ description: 'Fill forms.', supportingFiles: ['FORMS.md'] });
    expect(warnings).toEqual([]);
  });

  it.each(['.warp/skills', '.grok/skills'])('FM-12 skills in %s/ below the top are read on the way', async (folder) => {
    const { resolve } = await createWorkspace({ [`app/${folder}/pdf/SKILL.md`]: skill, 'app/a.ts': '' });
    const paths = async (request = {}) => (await resolve(request)).files.map(({ relativePath }) => relativePath);
    expect(await paths({ files: ['app/a.ts'] })).toEqual([`app/${folder}/pdf/SKILL.md`]);
    expect(await paths()).toEqual([]);
  });

  it.each(Object.entries(readers))('FM-03 FM-12 %s reads %j', (id, expected) => {
    const reads = tools.find((tool) => tool.id === id)?.reads ?? [];
    expect(reads.filter((name) => name.endsWith('-skills')).toSorted()).toEqual(expected);
  });

  it('FM-12 the documentation names each place, and no other', () => {
    const [, chapter = ''] = readFileSync('docs/formats.md', 'utf8').split('\n## Skills\n');
    const rows = chapter.split('\n## ', 1)[0]?.matchAll(/^\| `([a-z]+-skills)` \| (.*) \| (.*) \|$/gmu) ?? [];
    const namesIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = '']) => name);
    const documented = [...rows].map(([, name, project, home]) => [name, namesIn(project), namesIn(home)]);
    const read = ruleFormats
      .filter(({ name }) => name.endsWith('-skills'))
      .map(({ name, places: all }) => [
        name,
        all.filter((place) => place.in !== 'home').flatMap(({ firstOf }) => firstOf),
        all.filter((place) => place.in === 'home').flatMap(({ firstOf }) => firstOf),
      ]);
    expect(documented).toEqual(read);
  });
});
