import type { IconNode } from 'lucide';
import { h } from 'preact';

/** An icon with the size of the text around it. It is only decoration: the text beside it says the same. */
export function Icon({ icon, size = 16 }: { icon: IconNode; size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {icon.map(([tag, attributes], index) => h(tag, { key: index, ...attributes } as never))}
    </svg>
  );
}
