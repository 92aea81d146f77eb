import { visibleText } from '../../texts/visible-text.ts';
import { CopyButton } from './copy-button.tsx';

/** A command to run elsewhere, or a text to keep, and a button that copies it. */
export function Command({ text, label = 'Copy the command' }: { text: string; label?: string }) {
  return (
    <p class="command">
      <code>{visibleText(text)}</code>
      <CopyButton text={text} label={label} />
    </p>
  );
}
