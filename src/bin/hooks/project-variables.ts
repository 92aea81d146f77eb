/** Where a tool names its project in the environment of what it calls. */
const variables: Readonly<Record<string, string>> = {
  'claude-code': 'CLAUDE_PROJECT_DIR',
  cursor: 'CURSOR_PROJECT_DIR',
  'gemini-cli': 'GEMINI_PROJECT_DIR',
};

/** The root of the project, as the tool names it; undefined where it does not. */
export function projectNamedIn(environment: Readonly<Record<string, string | undefined>>, tool: string) {
  return environment[variables[tool] ?? ''] || undefined;
}
