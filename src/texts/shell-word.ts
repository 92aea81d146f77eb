import { visibleText } from './visible-text.ts';

/**
 * A word for a POSIX shell, quoted if necessary. Control characters become visible, so a word with these is a different
 * word.
 */
export function shellWord(word: string): string {
  const text = visibleText(word);
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
