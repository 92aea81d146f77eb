/** Reads `permissions.deny` in the settings of Claude Code, as far as it is about reading (FX-05). */
import { directoriesBetween } from '../access/paths.ts';
import { comparedPath, compileIgnorePattern } from '../globs/ignore-pattern.ts';
import type { Steps } from '../pace/turns.ts';
import type { IgnorePlace, ReadIgnoreFile } from './ignore-kind.ts';
import { type IgnoreRule, parseIgnoreLine } from './ignore-rules.ts';
import { readList } from './settings-list.ts';

/**
 * Patterns have the syntax of gitignore(5). `//…` starts at the root of the file system, `~/…` at the home directory,
 * and any other pattern at the directory of the project. `Read` alone means everything.
 */
export function* readDeniedReads(text: string, place: IgnorePlace): Steps<ReadIgnoreFile> {
  const list = readList(text, ['permissions', 'deny']);
  if ('problem' in list) return list;
  const rules: IgnoreRule[] = [];
  for (const [at, { value, line }] of list.values.entries()) {
    if (at % 16 === 15) yield;
    const written = value.trim();
    if (written === 'Read' || written === 'Read()') return { rules: [], excludesAll: `denies "${written}"` };
    if (!written.startsWith('Read(')) continue;
    if (!written.endsWith(')')) return { problem: `"${written}" has no ")" at its end`, line };
    const rule = ruleOf(written.slice('Read('.length, -1).trim(), { ...place, line, written });
    if (rule === undefined) return { problem: `the pattern of "${written}" cannot be used`, line };
    rules.push(rule);
  }
  return { rules };
}

/** There are no exceptions: `!` is an ordinary character. */
function ruleOf(pattern: string, about: IgnorePlace & { line: number; written: string }): IgnoreRule | undefined {
  const { homeDirectory, line, written } = about;
  if (pattern.startsWith('//')) return absoluteRule(pattern.slice(2), about);
  if (pattern.startsWith('~/')) return absoluteRule(`${asText(homeDirectory.slice(1))}/${pattern.slice(2)}`, about);
  const relative = pattern.startsWith('./') ? pattern.slice(2) : pattern;
  const rule = parseIgnoreLine(/^[!#]/u.test(relative) ? `\\${relative}` : relative, line);
  return rule === 'unusable' || rule === undefined ? undefined : { ...rule, pattern: written };
}

/** A rule that is compared with a path and all directories above it. */
function absoluteRule(written: string, about: { line: number; written: string }): IgnoreRule | undefined {
  const isDirectory = written.endsWith('/');
  const compiled = compileIgnorePattern(isDirectory ? written.slice(0, -1) : written);
  if (compiled === undefined) return undefined;
  return {
    pattern: about.written,
    line: about.line,
    ignores: true,
    directoriesOnly: false,
    matches: ({ names }) =>
      names.some((name) => {
        const above = directoriesBetween('/', name).slice(1, isDirectory ? -1 : undefined);
        return above.some((each) => compiled.matches(comparedPath(each.slice(1))));
      }),
  };
}

function asText(path: string): string {
  return path.replaceAll(/[\\*?[]/gu, (character) => `\\${character}`);
}
