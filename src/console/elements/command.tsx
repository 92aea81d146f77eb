import { visibleText } from '../../texts/visible-text.ts';
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
