/** Reads `private_files` in the settings of Zed (FX-05). */
import { compileGlob } from '../globs/globs.ts';
import type { Steps } from '../pace/turns.ts';
import type { IgnorePlace, ReadIgnoreFile } from './ignore-kind.ts';
import type { IgnoreRule } from './ignore-rules.ts';
import { readList } from './settings-list.ts';

/** The globs start at the directory of the project. A match is private, and so is everything below it. */
export function* readPrivateFiles(text: string, _place: IgnorePlace): Steps<ReadIgnoreFile> {
  const list = readList(text, ['private_files']);
  if ('problem' in list) return list;
  const rules: IgnoreRule[] = [];
  for (const { value, line } of list.values) {
    yield;
    const pattern = toGlob(value);
    const compiled = pattern === undefined ? undefined : compileGlob(pattern, { maxLength: 16 * longestPattern });
    if (compiled === undefined || 'problem' in compiled)
      return { problem: `the pattern "${value}" cannot be used`, line };
    const { matches } = compiled.glob;
    rules.push({
      pattern: value,
      line,
      ignores: true,
      directoriesOnly: false,
      matches: ({ path }) => matches(path.exact),
    });
  }
  return { rules };
}

const longestPattern = 512;

/**
 * The pattern in the syntax of our globs. In Zed, `*` also matches `/`, and a backslash makes the next character text.
 * A negated class becomes any character, because ignoring letter case must not make the pattern match less.
 */
function toGlob(pattern: string): string | undefined {
  if (pattern === '' || pattern.length > longestPattern) return undefined;
  const characters = [...pattern];
  let glob = '';
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === '\\') {
      at += 1;
      const text = characters[at];
      if (text === undefined) return undefined;
      glob += '*?[{'.includes(text) ? `[${text}]` : text;
    } else if (character === '[') {
      const isNegated = '!^'.includes(characters[at + 1] ?? ' ');
      const end = characters.indexOf(']', at + (isNegated ? 3 : 2));
      if (end < 0) return undefined;
      glob += isNegated ? '?' : characters.slice(at, end + 1).join('');
      at = end;
    } else if (character === '*') {
      const before = characters[at - 1];
      while (characters[at + 1] === '*') at += 1;
      const isSegment = characters[at - 1] === '*' && endsSegment(before) && endsSegment(characters[at + 1]);
      glob += isSegment ? '**' : '{*,*/**/*}';
    } else glob += character;
  }
  return glob;
}

function endsSegment(character: string | undefined): boolean {
  return character === undefined || '/{},'.includes(character);
}
