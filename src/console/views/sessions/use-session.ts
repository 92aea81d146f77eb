/** The session that is looked at, followed through events. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { listen } from '../../api/events.ts';
import { asProblem, type Problem, sessionToken } from '../../api/request.ts';
import { createSessionSource, type SessionLog, type SessionSource } from './session-log.ts';

export type FollowedSession = {
  log: SessionLog | undefined;
  problem: Problem | undefined;
  /** Asks for what came since, or for everything where nothing is known. */
  refresh: () => void;
  ensure: (first: number, last: number) => void;
};

/** While somebody scrolls fast, only where they stop is asked for. */
const restMs = 60;

export function useSession(sessionId: string): FollowedSession {
  const [state, setState] = useState<{ sessionId?: string; log?: SessionLog; problem?: Problem }>({});
  const source = useRef<SessionSource>(undefined);
  const isOpen = useRef(false);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const token = sessionToken.value;

  const attempt = useCallback((work: () => Promise<void>) => {
    const asked = source.current;
    const settle = (problem?: Problem) => {
      if (source.current === asked)
        setState(({ problem: _before, ...last }) => (problem === undefined ? last : { ...last, problem }));
    };
    work().then(
      () => settle(),
      (error: unknown) => settle(asProblem(error)),
    );
  }, []);

  useEffect(() => {
    const made = createSessionSource(sessionId, (log) => {
      if (source.current === made) setState({ sessionId, log });
    });
    source.current = made;
    isOpen.current = false;
    setState({});
    return () => {
      source.current = undefined;
      clearTimeout(resting.current);
    };
  }, [sessionId]);

  const stop = useRef<AbortController>(undefined);
  const refresh = useCallback(() => {
    const { current } = source;
    if (current === undefined || sessionToken.peek() === undefined) return;
    if (isOpen.current) return attempt(() => current.catchUp());
    stop.current?.abort();
    const opening = new AbortController();
    stop.current = opening;
    attempt(async () => {
      try {
        await current.open(opening.signal);
        isOpen.current = true;
      } catch (error) {
        if (!opening.signal.aborted) throw error;
      }
    });
  }, [attempt]);
  useEffect(refresh, [refresh, sessionId, token]);
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
        const { current } = source;
        // What is there already says nothing about a problem.
        if (current?.lacks(first, last) === true) attempt(() => current.ensure(first, last));
      }, restMs);
    },
    [attempt],
  );
  const isOwn = state.sessionId === sessionId;
  return { log: isOwn ? state.log : undefined, problem: state.problem, refresh, ensure };
}
