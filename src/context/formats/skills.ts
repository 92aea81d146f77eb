/** Skills (https://agentskills.io): a folder with instructions, and other files that are read when they are needed. */
import { baseName } from '../../access/paths.ts';
import type { ReadFile } from '../front-matter.ts';
import { flag, name, patterns, text } from '../front-matter-key-forms.ts';
import { type Meaning, type RuleFormat, readWith } from './format.ts';

const longestDescription = 1_024;

const readKeys = readWith(
  {
    name,
    description: text,
    when_to_use: text,
    paths: patterns,
    'disable-model-invocation': flag,
    'user-invocable': flag,
  },
  ({ description = '', when_to_use, paths, ...keys }): Meaning => {
    const isManual = keys['disable-model-invocation'] === true;
    return {
      ...(keys.name !== undefined && { name: keys.name }),
      type: 'reference',
      description: [description, when_to_use].filter((part) => part).join(' '),
      trigger: isManual ? 'manual' : 'agent',
      ...(paths && !isManual && { globs: paths }),
      // Nobody is left who could ask for it.
      ...(isManual && keys['user-invocable'] === false && { disabledBy: '`user-invocable: false`' }),
    };
  },
);

/** A skill without a description is described by its first paragraph. */
const read: ReadFile = (content, options) => {
  const { value, warnings } = readKeys(content, options);
  if (value.trigger !== 'agent' || value.description !== '') return { value, warnings };
  const description = firstParagraph(value.body);
  return { value: { ...value, description, ...(description === '' && { trigger: 'manual' }) }, warnings };
};

function firstParagraph(body: string): string {
  const lines: string[] = [];
  for (const line of body.slice(0, 4 * longestDescription).split('\n')) {
    const words = line.trim();
    if (words === '' && lines.length > 0) break;
    if (words !== '' && !words.startsWith('#')) lines.push(words);
  }
  return lines.join(' ').slice(0, longestDescription).trim();
}

const holds = (path: string): boolean => {
  const [, file, ...more] = path.split('/');
  return file?.toLowerCase() === 'skill.md' && more.length === 0;
};
/** Files that programs leave behind do not belong to a skill. */
const enters = (path: string): boolean => {
  const folder = baseName(path);
  return !folder.startsWith('.') && folder !== 'node_modules' && folder !== '__pycache__';
};

type Folders = { in: 'root' | 'every'; folders: readonly string[]; home?: readonly string[] };

/** `in`: where the tool looks. In the home directory the folders are the same, unless `home` names others. */
function skillsIn(tool: string, format: string, { in: where, folders, home = folders }: Folders): RuleFormat {
  const place = { holds, enters, read, withFolder: true } as const;
  return {
    name: format,
    tool,
    places: [
      ...folders.map((folder) => ({ in: where, firstOf: [folder], ...place })),
      ...home.map((folder) => ({ in: 'home' as const, firstOf: [folder], ...place })),
    ],
  };
}

/** By the loaders or documents of the tools. */
export const skillFormats: readonly RuleFormat[] = [
  skillsIn('Agent Skills', 'agents-skills', { in: 'every', folders: ['.agents/skills/'] }),
  skillsIn('Antigravity', 'antigravity-skills', {
    in: 'root',
    folders: ['.agent/skills/'],
    home: ['.gemini/antigravity/skills/'],
  }),
  skillsIn('Augment', 'augment-skills', { in: 'root', folders: ['.augment/skills/'] }),
  skillsIn('Claude Code', 'claude-skills', { in: 'every', folders: ['.claude/skills/'] }),
  skillsIn('Codex', 'codex-skills', { in: 'every', folders: ['.codex/skills/'] }),
  skillsIn('GitHub Copilot', 'copilot-skills', {
    in: 'every',
    folders: ['.github/skills/'],
    home: ['.copilot/skills/'],
  }),
  skillsIn('Cline', 'cline-skills', {
    in: 'root',
    folders: ['.cline/skills/', '.clinerules/skills/'],
    home: ['.cline/skills/'],
  }),
  skillsIn('Continue', 'continue-skills', { in: 'root', folders: ['.continue/skills/'] }),
  skillsIn('Crush', 'crush-skills', { in: 'every', folders: ['.crush/skills/'], home: ['.config/crush/skills/'] }),
  skillsIn('Cursor', 'cursor-skills', { in: 'every', folders: ['.cursor/skills/'] }),
  skillsIn('Gemini CLI', 'gemini-skills', { in: 'root', folders: ['.gemini/skills/'] }),
  skillsIn('Goose', 'goose-skills', { in: 'root', folders: ['.goose/skills/'], home: ['.config/goose/skills/'] }),
  skillsIn('Grok', 'grok-skills', { in: 'every', folders: ['.grok/skills/'] }),
  skillsIn('Junie', 'junie-skills', { in: 'root', folders: ['.junie/skills/'] }),
  skillsIn('Kilo Code', 'kilo-skills', { in: 'every', folders: ['.kilo/skills/', '.kilocode/skills/'] }),
  skillsIn('Kiro', 'kiro-skills', { in: 'root', folders: ['.kiro/skills/'] }),
  skillsIn('opencode', 'opencode-skills', {
    in: 'every',
    folders: ['.opencode/skills/', '.opencode/skill/'],
    home: ['.config/opencode/skills/', '.config/opencode/skill/'],
  }),
  skillsIn('OpenHands', 'openhands-skills', { in: 'root', folders: ['.openhands/skills/'] }),
  skillsIn('Qwen Code', 'qwen-skills', { in: 'root', folders: ['.qwen/skills/'] }),
  skillsIn('Roo Code', 'roo-skills', { in: 'root', folders: ['.roo/skills/'] }),
  skillsIn('Trae', 'trae-skills', { in: 'root', folders: ['.trae/skills/'] }),
  skillsIn('Warp', 'warp-skills', { in: 'every', folders: ['.warp/skills/'] }),
  skillsIn('Windsurf', 'windsurf-skills', {
    in: 'root',
    folders: ['.devin/skills/', '.windsurf/skills/'],
    home: ['.config/devin/skills/', '.codeium/windsurf/skills/'],
  }),
];
