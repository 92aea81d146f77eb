import { Check, Copy } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './button.tsx';

/** Copies a text, and says so for a moment. */
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
      onClick={() => void navigator.clipboard.writeText(text).then(() => setIsDone(true))}
    />
  );
}
