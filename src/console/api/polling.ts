/** Repeats a request while the page is visible. */
import { useEffect } from 'preact/hooks';
import { connection } from './events.ts';

/** Calls `refresh` every `everyMs`, and when the page becomes visible; only while it is and the daemon answers. */
export function usePolling(refresh: () => void, everyMs: number): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible' && connection.peek() === 'connected') refresh();
    };
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [refresh, everyMs]);
}
