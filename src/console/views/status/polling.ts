/** Repeats a request while the page is visible. */
import { useEffect } from 'preact/hooks';
import { connection } from '../../api/events.ts';

/**
 * Calls `reload` every `everyMs` while the page is visible and the daemon answers, and at once when it becomes visible
 * again.
 */
export function usePolling(reload: () => void, everyMs: number): void {
  useEffect(() => {
    const isSeen = () => document.visibilityState === 'visible';
    const timer = setInterval(() => {
      if (isSeen() && connection.peek() === 'connected') reload();
    }, everyMs);
    const onChange = () => {
      if (isSeen()) reload();
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, [reload, everyMs]);
}
