import type { ComponentChildren } from 'preact';

type FactProps = { name: ComponentChildren; hint?: string; children: ComponentChildren };

/** One line of a list of facts (`dl`). */
export function Fact({ name, hint, children }: FactProps) {
  return (
    <div>
      <dt>
        {name}
        {hint !== undefined && <span class="fact-hint">{hint}</span>}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
