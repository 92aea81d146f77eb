/** The open session. Events keep it up to date. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { listen } from '../../api/events.ts';
import { asProblem, type Problem, sessionToken } from '../../api/request.ts';
import { createSessionSource, type SessionLog } from './session-log.ts';

type FollowedSession = {
  log: SessionLog | undefined;
  problem: Problem | undefined;
  /** Requests what is new, or everything if nothing is known yet. */
  refresh: () => void;
  /** Requests entries that are visible but not loaded. */
  ensure: (first: number, last: number) => void;
};

/** During fast scrolling, only the place where the user stops is requested. */
const restMs = 60;

/** Use it in a component that is keyed by `sessionId`. */
export function useSession(sessionId: string): FollowedSession {
  const [log, setLog] = useState<SessionLog>();
  const [problem, setProblem] = useState<Problem>();
  const [source] = useState(() => createSessionSource(sessionId, setLog));
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const token = sessionToken.value;

  const attempt = useCallback((work: () => Promise<void>) => {
    work().then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(asProblem(error)),
    );
  }, []);
  const refresh = useCallback(() => {
    if (sessionToken.peek() !== undefined) attempt(source.refresh);
  }, [attempt, source]);
  useEffect(refresh, [refresh, token]);
  useEffect(
    () =>
      listen((event) => {
        if (event === 'reconnected' || event.type === 'resync') refresh();
        else if (event.type === 'session-changed' && event.data.sessionId === sessionId) refresh();
      }),
    [refresh, sessionId],
  );

  const ensure = useCallback(
    (first: number, last: number) => {
      clearTimeout(resting.current);
      resting.current = setTimeout(() => {
        // Without a request nothing is learned about the problem, so it stays shown.
        if (source.lacks(first, last)) attempt(() => source.ensure(first, last));
      }, restMs);
    },
    [attempt, source],
  );
  useEffect(() => () => clearTimeout(resting.current), []);
  return { log, problem, refresh, ensure };
}
