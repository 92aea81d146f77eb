import { visibleText } from '../../visible-text.ts';
import { CopyButton } from './copy-button.tsx';

/** A command to run elsewhere, and a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <p class="command">
      <code>{visibleText(text)}</code>
      <CopyButton text={text} label="Copy the command" />
    </p>
  );
}

/** A word of a POSIX shell command. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
