import { Check, Copy } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { attempt } from './toasts.tsx';

/** Copies a text, and shows briefly that it was copied. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setIsDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setIsDone(false), 1_500);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <IconButton
      icon={isDone ? Check : Copy}
      label={isDone ? 'Copied' : label}
      onClick={() =>
        void attempt(async () => {
          // Browsers let only pages from this machine copy.
          if (!isSecureContext)
            throw new Error('This browser does not let a page of another machine copy text. Select the text instead.');
          await navigator.clipboard.writeText(text);
          setIsDone(true);
        })
      }
    />
  );
}
