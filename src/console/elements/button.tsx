import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { visibleText } from '../../texts/visible-text.ts';
import { Icon } from './icon.tsx';

type ButtonProps = {
  onClick?: (event: MouseEvent) => void;
  /** `primary`: the most likely action, once per place. `danger`: removes something permanently. */
  kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: IconNode;
  type?: 'button' | 'submit';
  disabled?: boolean;
  /** A tooltip. */
  title?: string;
  pressed?: boolean;
  class?: string;
  children: ComponentChildren;
};

export function Button({
  kind = 'plain',
  icon,
  type = 'button',
  pressed,
  children,
  class: className,
  ...rest
}: ButtonProps) {
  return (
    <button type={type} class={`button button-${kind} ${className ?? ''}`} aria-pressed={pressed} {...rest}>
      {icon !== undefined && <Icon icon={icon} />}
      <span>{children}</span>
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'title' | 'kind'> & {
  icon: IconNode;
  /** Read by screen readers, and shown as the tooltip. */
  label: string;
};

/** A button of one icon, for rows and corners. */
export function IconButton({ icon, label, type = 'button', pressed, class: className, ...rest }: IconButtonProps) {
  const shown = visibleText(label);
  return (
    <button
      type={type}
      class={`icon-button ${className ?? ''}`}
      aria-label={shown}
      title={shown}
      aria-pressed={pressed}
      {...rest}
    >
      <Icon icon={icon} />
    </button>
  );
}
