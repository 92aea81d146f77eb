import type { ComponentChildren } from 'preact';

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad';

type BadgeProps = {
  tone?: Tone;
  title?: string;
  /** A name in code, shown unchanged. */
  isCode?: boolean;
  children: ComponentChildren;
};

/** One or two words about a state. `title` shows more on hover, so it must not contain anything essential. */
export function Badge({ tone = 'neutral', title, isCode = false, children }: BadgeProps) {
  return (
    <span class={`badge badge-${tone} ${isCode ? 'badge-code' : ''}`} title={title}>
      {children}
    </span>
  );
}
