/**
 * Which formats each tool reads, to show what one tool sees (FM-01). Of `firstOf`, a tool reads the first format that
 * has a file. The facts come from the loaders or documents of the tools.
 */
export type Tool = Readonly<{
  /** The id that people type. */
  id: string;
  name: string;
  reads: readonly string[];
  firstOf?: readonly string[];
}>;

const sharedSkills = ['agents-skills', 'claude-skills'];
const zedNames = ['zed', 'cursorrules', 'copilot', 'agents-md', 'claude-md', 'gemini'];

export const tools: readonly Tool[] = [
  { id: 'aider', name: 'aider', reads: ['aider'] },
  { id: 'amazon-q', name: 'Amazon Q', reads: ['amazon-q', 'agents-md'] },
  {
    id: 'antigravity',
    name: 'Antigravity',
    reads: ['antigravity', 'agents-md', 'gemini', 'agents-skills', 'antigravity-skills'],
  },
  { id: 'augment', name: 'Augment', reads: ['augment', 'agents-md', 'claude-md', ...sharedSkills, 'augment-skills'] },
  {
    id: 'claude-code',
    name: 'Claude Code',
    reads: ['claude-md', 'claude-rules', 'claude-skills'],
    // Since 2.1.277, unless its setting "Project instructions" says otherwise.
    firstOf: ['claude-md', 'agents-md'],
  },
  { id: 'cline', name: 'Cline', reads: ['cline', 'agents-md', ...sharedSkills, 'cline-skills'] },
  { id: 'codex', name: 'Codex', reads: ['agents-md', 'agents-skills', 'codex-skills'] },
  { id: 'continue', name: 'Continue', reads: ['continue', 'agents-md', 'claude-skills', 'continue-skills'] },
  {
    id: 'copilot',
    name: 'GitHub Copilot in VS Code',
    reads: [
      ...['copilot', 'copilot-instructions', 'agents-md', 'claude-md', 'claude-rules'],
      ...[...sharedSkills, 'copilot-skills'],
    ],
  },
  {
    id: 'crush',
    name: 'Crush',
    reads: [
      ...['crush', 'copilot', 'cursor', 'cursorrules', 'claude-md', 'gemini', 'agents-md'],
      ...[...sharedSkills, 'crush-skills', 'cursor-skills'],
    ],
  },
  { id: 'cursor', name: 'Cursor', reads: ['cursor', 'cursorrules', 'agents-md', ...sharedSkills, 'cursor-skills'] },
  { id: 'firebase-studio', name: 'Firebase Studio', reads: ['firebase-studio'] },
  { id: 'gemini-cli', name: 'Gemini CLI', reads: ['gemini', 'agents-skills', 'gemini-skills'] },
  { id: 'gitlab-duo', name: 'GitLab Duo', reads: ['gitlab-duo'] },
  { id: 'goose', name: 'Goose', reads: ['goose', 'agents-md', ...sharedSkills, 'goose-skills'] },
  { id: 'grok', name: 'Grok', reads: ['grok', 'agents-md', 'claude-md', 'claude-skills', 'grok-skills'] },
  { id: 'jetbrains', name: 'JetBrains AI Assistant', reads: ['jetbrains'] },
  { id: 'junie', name: 'Junie', reads: ['junie', 'junie-skills'], firstOf: ['junie', 'agents-md'] },
  {
    id: 'kilo',
    name: 'Kilo Code',
    reads: ['kilo', ...sharedSkills, 'kilo-skills'],
    firstOf: ['agents-md', 'claude-md'],
  },
  { id: 'kiro', name: 'Kiro', reads: ['kiro', 'agents-md', 'kiro-skills'] },
  {
    id: 'opencode',
    name: 'opencode',
    reads: ['opencode', ...sharedSkills, 'opencode-skills'],
    firstOf: ['agents-md', 'claude-md'],
  },
  {
    id: 'openhands',
    name: 'OpenHands',
    reads: ['openhands', 'cursorrules', 'agents-md', 'claude-md', 'gemini', 'agents-skills', 'openhands-skills'],
  },
  { id: 'qwen', name: 'Qwen Code', reads: ['qwen', 'agents-md', 'agents-skills', 'qwen-skills'] },
  { id: 'replit', name: 'Replit', reads: ['replit', 'agents-skills'] },
  { id: 'roo', name: 'Roo Code', reads: ['roo', 'agents-md', 'agents-skills', 'roo-skills'] },
  { id: 'trae', name: 'Trae', reads: ['trae', 'agents-md', 'trae-skills'] },
  {
    id: 'warp',
    name: 'Warp',
    reads: [
      ...[...sharedSkills, 'codex-skills', 'copilot-skills', 'cursor-skills', 'gemini-skills'],
      ...['opencode-skills', 'warp-skills'],
    ],
    firstOf: ['warp', 'agents-md'],
  },
  { id: 'windsurf', name: 'Windsurf', reads: ['windsurf', 'agents-md', 'agents-skills', 'windsurf-skills'] },
  { id: 'zed', name: 'Zed', reads: ['zed', 'agents-skills'], firstOf: zedNames },
];

/**
 * The formats that a tool reads if the formats in `present` have files. Files of the user do not replace files of the
 * project.
 */
export function formatsOf(
  { reads, firstOf = [] }: Tool,
  present: ReadonlySet<string>,
  ofProject: ReadonlySet<string> = present,
): string[] {
  const first = firstOf.find((name) => ofProject.has(name)) ?? firstOf.find((name) => present.has(name));
  return first === undefined || reads.includes(first) ? [...reads] : [...reads, first];
}

/** The tool that this format belongs to, by the name of the tool. Undefined for a format of several tools. */
export function toolOf({ tool }: { tool: string }): Tool | undefined {
  return tools.find(({ name }) => name === tool || name.startsWith(`${tool} `));
}
