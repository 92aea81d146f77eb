import type { EmbedderStatus } from '../../ports/ports.ts';

/** The status of an embedder, and who is told of its changes. */
export function createStatus() {
  const listeners: ((status: EmbedderStatus) => void)[] = [];
  let status: EmbedderStatus = { state: 'stopped' };
  return {
    now: () => status,
    enter(next: EmbedderStatus): void {
      if (status.state === next.state && status.detail === next.detail) return;
      status = next;
      for (const listener of listeners) listener(status);
    },
    onChange(listener: (status: EmbedderStatus) => void): void {
      listeners.push(listener);
    },
  };
}
