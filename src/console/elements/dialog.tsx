import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { visibleText } from '../../texts/visible-text.ts';
import { Button, IconButton } from './button.tsx';

type DialogProps = {
  title: ComponentChildren;
  /** Escape, the cross, or a click beside it. */
  onClose: () => void;
  /** `drawer` lies at the right edge over the whole height. */
  shape?: 'dialog' | 'drawer';
  /** For several columns. */
  isWide?: boolean;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

/** What is over the page: keyboard and screen reader stay inside until it closes, and come back to where they were. */
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
  /** What the button says: the deed itself. */
  deed: string;
  onConfirm: () => void;
  onClose: () => void;
};

/** For what cannot be undone. What can be undone is done at once, with an undo. */
export function Confirm({ title, children, deed, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={visibleText(title)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
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
