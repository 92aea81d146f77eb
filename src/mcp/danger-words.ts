/** The meaning of the marks of a server, in words (S-25). */

const dangers: Record<string, string> = {
  shell: 'starts a shell, which runs the commands in its arguments',
  downloads_code: 'downloads code when it starts, and runs it',
  runs_project: 'runs code of the project; only the first files that it reads are compared',
  script_in_workspace: 'runs a script of the workspace; files that the script loads are not compared',
  inline_code: 'runs code from its arguments',
  more_rights: 'asks for more rights than you have now',
  program_not_found: 'there is no such program',
  program_in_workspace: 'the program itself is a file of the workspace',
  variable_is_literal: 'has a variable in braces, which is not replaced',
  url_not_https: 'the address is not encrypted',
  url_not_valid: 'the address is not valid',
  type_contradicts: 'its type contradicts the rest of the definition',
  suspicious_unicode: 'has invisible or misleading characters',
};

/** `shell` → its meaning. An unknown mark stays unchanged. Does not make hidden characters visible. */
export function wordsOfDanger(mark: string): string {
  const [code = '', ...name] = mark.split(':');
  if (code === 'dangerous_env') return `${name.join(':')} changes what the program loads or finds`;
  if (code === 'reads_variable') return `is given ${name.join(':')} of your environment`;
  return dangers[code] ?? mark;
}
