import { visibleText } from './visible-text.ts';

/**
 * A word for a POSIX shell, quoted when it must be. Control characters are shown, not sent, so such a word is no longer
 * the same.
 */
export function shellWord(word: string): string {
  const text = visibleText(word);
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
