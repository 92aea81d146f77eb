import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { visibleText } from '../../texts/visible-text.ts';
import { Button, IconButton } from './button.tsx';

type DialogProps = {
  title: ComponentChildren;
  /** Called for Escape, the cross, or a click outside. */
  onClose: () => void;
  /** `drawer`: at the right edge, over the whole height. */
  shape?: 'dialog' | 'drawer';
  /** For several columns. */
  isWide?: boolean;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/**
 * A dialog over the page. Keyboard and screen reader stay inside until it closes, and then return to where they were.
 */
export function Dialog({ title, onClose, shape = 'dialog', isWide = false, actions, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does it for the keyboard
    <dialog
      ref={element}
      class={`dialog dialog-${shape} ${isWide ? 'dialog-wide' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-inside">
        <header class="dialog-header">
          <h2 id={id}>{title}</h2>
          <IconButton icon={X} label="Close" onClick={onClose} />
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
        <div class="dialog-body" tabIndex={0}>
          {children}
        </div>
        {actions !== undefined && <footer class="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  children: ComponentChildren;
  /** The label of the button, which names the action. */
  deed: string;
  kind?: 'danger' | 'primary';
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before an action that cannot be undone or has a wide effect. Other actions happen at once, with an undo. */
export function Confirm({ title, children, deed, kind = 'danger', onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={visibleText(title)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={kind}
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {deed}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
