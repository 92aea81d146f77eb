/**
 * Which formats each tool reads, so that the whole can be shown as one of them sees it (FM-01). Of `firstOf` a tool takes the
 * first format of which there is a file. Facts are those of the tools' own loaders or documents.
 */
export type Tool = Readonly<{
  /** As people type it. */
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
  { id: 'antigravity', name: 'Antigravity', reads: ['antigravity', 'agents-md', 'gemini', 'agents-skills'] },
  { id: 'augment', name: 'Augment', reads: ['augment', 'agents-md', 'claude-md'] },
  { id: 'claude-code', name: 'Claude Code', reads: ['claude-md', 'claude-rules', 'claude-skills'] },
  { id: 'cline', name: 'Cline', reads: ['cline', 'agents-md', ...sharedSkills, 'cline-skills'] },
  { id: 'codex', name: 'Codex', reads: ['agents-md', 'agents-skills'] },
  { id: 'continue', name: 'Continue', reads: ['continue', 'agents-md', 'claude-skills', 'continue-skills'] },
  {
    id: 'copilot',
    name: 'GitHub Copilot in VS Code',
    reads: ['copilot', 'copilot-instructions', 'agents-md', ...sharedSkills, 'copilot-skills'],
  },
  {
    id: 'crush',
    name: 'Crush',
    reads: ['crush', 'copilot', 'cursor', 'cursorrules', 'claude-md', 'gemini', 'agents-md'],
  },
  { id: 'cursor', name: 'Cursor', reads: ['cursor', 'cursorrules', 'agents-md', ...sharedSkills, 'cursor-skills'] },
  { id: 'firebase-studio', name: 'Firebase Studio', reads: ['firebase-studio'] },
  { id: 'gemini-cli', name: 'Gemini CLI', reads: ['gemini', 'agents-skills', 'gemini-skills'] },
  { id: 'gitlab-duo', name: 'GitLab Duo', reads: ['gitlab-duo'] },
  { id: 'goose', name: 'Goose', reads: ['goose', 'agents-md', ...sharedSkills, 'goose-skills'] },
  { id: 'grok', name: 'Grok', reads: ['grok', 'agents-md'] },
  { id: 'jetbrains', name: 'JetBrains AI Assistant', reads: ['jetbrains'] },
  { id: 'junie', name: 'Junie', reads: ['junie'] },
  {
    id: 'kilo',
    name: 'Kilo Code',
    reads: ['kilo', ...sharedSkills, 'kilo-skills'],
    firstOf: ['agents-md', 'claude-md'],
  },
  { id: 'kiro', name: 'Kiro', reads: ['kiro', 'agents-md'] },
  {
    id: 'opencode',
    name: 'opencode',
    reads: ['opencode', ...sharedSkills, 'opencode-skills'],
    firstOf: ['agents-md', 'claude-md'],
  },
  {
    id: 'openhands',
    name: 'OpenHands',
    reads: ['openhands', 'cursorrules', 'agents-md', 'claude-md', 'gemini', 'agents-skills'],
  },
  { id: 'qwen', name: 'Qwen Code', reads: ['qwen', 'agents-md', 'agents-skills', 'qwen-skills'] },
  { id: 'replit', name: 'Replit', reads: ['replit'] },
  { id: 'roo', name: 'Roo Code', reads: ['roo', 'agents-md', 'agents-skills', 'roo-skills'] },
  { id: 'trae', name: 'Trae', reads: ['trae'] },
  { id: 'warp', name: 'Warp', reads: [], firstOf: ['agents-md', 'warp'] },
  { id: 'windsurf', name: 'Windsurf', reads: ['windsurf', 'agents-md'] },
  { id: 'zed', name: 'Zed', reads: [], firstOf: zedNames },
];

/** The formats that a tool reads where there are files of `present`. */
export function formatsOf({ reads, firstOf = [] }: Tool, present: ReadonlySet<string>): string[] {
  const first = firstOf.find((name) => present.has(name));
  return first === undefined || reads.includes(first) ? [...reads] : [...reads, first];
}

/** The tool whose own format this is, by what both are called; undefined for a format of no one tool. */
export function toolOf({ tool }: { tool: string }): Tool | undefined {
  return tools.find(({ name }) => name === tool || name.startsWith(`${tool} `));
}
