import { CircleAlert, type IconNode, RotateCw, TriangleAlert } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { visibleText } from '../../texts/visible-text.ts';
import type { Problem } from '../api/request.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

type PanelProps = {
  title: ComponentChildren;
  /** Beside the title, for example a number or a state. */
  note?: ComponentChildren;
  /** Buttons to the right of the title. */
  actions?: ComponentChildren;
  /** True while the content is not the newest. */
  isBusy?: boolean;
  class?: string;
  children: ComponentChildren;
};

/** A titled part of a view. */
export function Panel({ title, note, actions, isBusy = false, class: className, children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${className ?? ''}`} aria-labelledby={id} aria-busy={isBusy}>
      <header class="panel-header">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="panel-note">{note}</span>}
        {actions !== undefined && <div class="panel-actions">{actions}</div>}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}

type EmptyStateProps = {
  icon?: IconNode;
  title: string;
  /** What the user can do. */
  children?: ComponentChildren;
  action?: ComponentChildren;
};

/** Shown instead of missing content. Says why it is missing, and what to do. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div class="empty-state">
      {icon !== undefined && <Icon icon={icon} size={28} />}
      <p class="empty-state-title">{title}</p>
      {children !== undefined && <div class="empty-state-text">{children}</div>}
      {action}
    </div>
  );
}

/** Why something failed, with a button to try again. */
export function ProblemNotice({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  const errors = problem.errors.filter(({ message }) => message !== problem.message);
  return (
    <div class="notice notice-bad" role="alert">
      <Icon icon={CircleAlert} />
      <div class="notice-text">
        <p>
          {visibleText(problem.message)} <code class="faint">{problem.code}</code>
        </p>
        {errors.length > 0 && (
          <ul>
            {errors.map(({ pointer, message }) => (
              <li key={pointer + message}>
                {pointer !== '' && <code>{visibleText(pointer)}</code>} {visibleText(message)}
              </li>
            ))}
          </ul>
        )}
      </div>
      {onRetry !== undefined && (
        <Button kind="quiet" icon={RotateCw} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

type NoticeProps = {
  tone?: 'warn' | 'info';
  children: ComponentChildren;
  action?: ComponentChildren;
};

/** Something to know that is not a failure. */
export function Notice({ tone = 'warn', children, action }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role="status">
      <Icon icon={TriangleAlert} />
      <div class="notice-text">{children}</div>
      {action}
    </div>
  );
}

/** Grey bars in place of content that is loading, so that the page does not jump. `rows`: about the number of lines. */
export function Skeleton({ rows }: { rows: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} class="skeleton-row" />
      ))}
    </div>
  );
}
