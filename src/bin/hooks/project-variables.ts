/** The environment variables in which tools name the project. */
const variables: Readonly<Record<string, string>> = {
  'claude-code': 'CLAUDE_PROJECT_DIR',
  cursor: 'CURSOR_PROJECT_DIR',
  'gemini-cli': 'GEMINI_PROJECT_DIR',
};

/** The root of the project, or `undefined` if the tool does not name it. */
export function projectNamedIn(environment: Readonly<Record<string, string | undefined>>, tool: string) {
  return environment[variables[tool] ?? ''] || undefined;
}
