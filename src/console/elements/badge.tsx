import type { ComponentChildren } from 'preact';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

/** One or two words on a state. `title` says more on hover; what matters must not be only there. */
export function Badge({
  tone = 'neutral',
  title,
  isCode = false,
  children,
}: {
  tone?: Tone;
  title?: string;
  /** A name that programs use, shown as it is written. */
  isCode?: boolean;
  children: ComponentChildren;
}) {
  return (
    <span class={`badge badge-${tone} ${isCode ? 'badge-code' : ''}`} title={title}>
      {children}
    </span>
  );
}
