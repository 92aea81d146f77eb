/** What the user should check before approving a server (S-25). Marks only explain; they decide nothing. */

import { baseName } from '../access/paths.ts';
import { isInRoots } from '../access/reach.ts';
import { isLoopback } from '../ports/loopback.ts';
import type { Root } from '../ports/ports.ts';
import { findSuspiciousUnicode } from '../texts/suspicious-unicode.ts';
import { isDangerousVariable } from './code-variables.ts';
import type { FilledIn } from './fill-in.ts';
import { interpreters, isProjectRunner, kindOfFile, shells } from './programs.ts';

const downloaders = /^(?:npx|bunx|pnpx|uvx|pipx|dlx)$/u;
const downloading = /^(?:npm exec|npm x|pnpm dlx|yarn dlx|bun x|uv tool|uv run|deno run|docker run|podman run)(?: |$)/u;
const inlineCode = /^(?:-[a-zA-Z]{0,16}[ce]|--(?:eval|print)(?:=.*)?|eval|-p)$/su;

/**
 * Marks such as `shell`, or `dangerous_env:LD_PRELOAD`. `executable`: the program that was found. `files`: the files
 * that are compared.
 */
export function dangersOf(
  { definition, reads }: Pick<FilledIn, 'definition' | 'reads'>,
  { executable, roots, files }: { executable: string | undefined; roots: readonly Root[]; files: readonly string[] },
): string[] {
  const { server, name } = definition;
  const marks = [...reads.keys()].map((variable) => `reads_variable:${variable}`);
  const texts = [name];
  if ('command' in server) {
    const { command, args = [], env = {} } = server;
    texts.push(command, ...args, ...Object.keys(env));
    const program = baseName(command);
    if (shells.test(program)) marks.push('shell');
    if (downloaders.test(program) || downloading.test([program, ...args].slice(0, 3).join(' ')))
      marks.push('downloads_code');
    else if (isProjectRunner(program)) marks.push('runs_project');
    if (interpreters.test(program) && args.some((arg) => inlineCode.test(arg))) marks.push('inline_code');
    if (interpreters.test(program) && files.some((path) => kindOfFile(path) === 'code'))
      marks.push('script_in_workspace');
    if (/^(?:sudo|doas|su|pkexec)$/u.test(program)) marks.push('more_rights');
    if (executable === undefined) marks.push('program_not_found');
    else if (isInRoots(executable, roots)) marks.push('program_in_workspace');
    marks.push(...Object.keys(env).flatMap((key) => (isDangerousVariable(key) ? [`dangerous_env:${key}`] : [])));
    if ([command, ...args, ...Object.values(env)].some(hasVariable)) marks.push('variable_is_literal');
  } else {
    const { url, headers = {} } = server;
    texts.push(url, ...Object.keys(headers));
    const address = URL.parse(url);
    if (address === null) marks.push('url_not_valid');
    else if (address.protocol !== 'https:' && !isLoopback(address)) marks.push('url_not_https');
    if ([url, ...Object.values(headers)].some(hasVariable)) marks.push('variable_is_literal');
  }
  if (server.type !== undefined && (server.type === 'stdio') !== 'command' in server) marks.push('type_contradicts');
  if (texts.some((text) => findSuspiciousUnicode(text).total > 0)) marks.push('suspicious_unicode');
  return marks;
}

function hasVariable(text: string): boolean {
  return /\$\{[^{}]{1,256}\}/u.test(text);
}
