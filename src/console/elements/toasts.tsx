/** Short messages at the edge of the page: what was done, with an undo, and what failed. */
import { signal } from '@preact/signals';
import { Undo2, X } from 'lucide';
import { useEffect } from 'preact/hooks';
import { visibleText } from '../../texts/visible-text.ts';
import { messageOf } from '../api/request.ts';
import { Button, IconButton } from './button.tsx';

type Toast = { id: number; text: string; tone: 'plain' | 'bad'; undo?: () => Promise<unknown> };

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;
const shownMs = 8_000;

/** Says what was done. With `undo`, it can be undone, also with Ctrl+Z outside text fields. */
export function notify(text: string, undo?: () => Promise<unknown>): void {
  add({ text, tone: 'plain', undo });
}

/** Runs an action of the user, and says why if it fails. Returns whether it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    add({ text: messageOf(error), tone: 'bad' });
    return false;
  }
}

function add(toast: Omit<Toast, 'id'>): void {
  lastId += 1;
  toasts.value = [...toasts.peek().slice(-3), { ...toast, id: lastId }];
}

function dismiss(id: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.id !== id);
}

/** Undoes the last action that can be undone. */
export function undoLast(): void {
  const toast = toasts.peek().findLast(({ undo }) => undo !== undefined);
  if (toast !== undefined) void undo(toast);
}

async function undo(toast: Toast): Promise<void> {
  dismiss(toast.id);
  await attempt(async () => toast.undo?.());
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastLine({ toast }: { toast: Toast }) {
  const { id } = toast;
  useEffect(() => {
    const isHeld = () => document.querySelector('.toasts:hover, .toasts:focus-within') !== null;
    const timer = setInterval(() => {
      if (!isHeld()) dismiss(id);
    }, shownMs);
    return () => clearInterval(timer);
  }, [id]);
  return (
    <div class={`toast toast-${toast.tone}`}>
      <p>{visibleText(toast.text)}</p>
      {toast.undo !== undefined && (
        <Button kind="quiet" icon={Undo2} onClick={() => void undo(toast)}>
          Undo
        </Button>
      )}
      <IconButton icon={X} label="Dismiss" onClick={() => dismiss(id)} />
    </div>
  );
}
