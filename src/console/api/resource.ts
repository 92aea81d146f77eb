/** What a view shows: an answer of the daemon that is asked for again whenever it may have changed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { EventType } from '../../events/event.ts';
import { listen, type ReceivedEvent } from './events.ts';
import { asProblem, type Problem, sessionToken } from './request.ts';

export type Resource<Value> = {
  /** The newest answer. While another key is loading it is still that of the last one, so that nothing jumps. */
  value: Value | undefined;
  /** Why there is no newer one. */
  problem: Problem | undefined;
  isLoading: boolean;
  /** True while `value` belongs to another key. */
  isStale: boolean;
  /** How often it was asked so far, over all keys; read at once, not when the view is drawn. */
  asked: { readonly current: number };
  /** Which of these times `value` answers. */
  answered: number;
  /** Asks at once; what was asked before is given up. */
  reload(): void;
  /** Asks again, when what was asked before is answered. */
  refresh(): void;
};

export type ResourceOptions = {
  /** Events after which it is asked for again; `resync` and a lost connection always count. */
  events?: readonly EventType[];
  /** Which of them; all when absent. */
  concerns?: (event: ReceivedEvent) => boolean;
};

/** Without events nobody may have been told: directories are watched for an hour after they were asked about. */
const refreshMs = 30 * 60_000;
/** Events come in bursts, when many files are written. */
const gatherMs = 60;

type State<Value> = { key?: string; value?: Value; answered: number; problem?: Problem; isLoading: boolean };

/** `key` says what is asked for: another key asks again, `undefined` asks for nothing. Only the newest question counts. */
export function useResource<Value>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<Value>,
  { events = [], concerns }: ResourceOptions = {},
): Resource<Value> {
  const [state, setState] = useState<State<Value>>({ answered: 0, isLoading: key !== undefined });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  const latest = useRef({ load, events, concerns });
  latest.current = { load, events, concerns };
  const token = sessionToken.value;
  const asked = useRef(0);
  const underWay = useRef({ isAsked: false, isDue: false });
  // Where events come faster than answers, an answer that was given up for the next would never be seen.
  const refresh = useCallback(() => {
    if (underWay.current.isAsked) underWay.current.isDue = true;
    else reload();
  }, [reload]);

  useEffect(() => {
    if (key === undefined) return setState({ answered: 0, isLoading: false });
    if (token === undefined) return;
    const stop = new AbortController();
    setState((last) => ({ ...last, isLoading: true }));
    underWay.current = { isAsked: true, isDue: false };
    asked.current += 1;
    const question = asked.current;
    const end = () => {
      if (underWay.current.isDue) reload();
      underWay.current = { isAsked: false, isDue: false };
    };
    latest.current.load(stop.signal).then(
      (value) => {
        if (stop.signal.aborted) return;
        setState({ key, value, answered: question, isLoading: false });
        end();
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        // What was shown for this key stays on the page beside the reason why it is not newer.
        setState((last) => ({
          ...(last.key === key ? last : { answered: question }),
          problem: asProblem(error),
          isLoading: false,
        }));
        end();
      },
    );
    return () => {
      underWay.current = { isAsked: false, isDue: false };
      stop.abort();
    };
  }, [key, turn, token]);

  useRefreshOnEvents(latest, refresh);

  return {
    value: state.value,
    problem: state.problem,
    isLoading: state.isLoading,
    isStale: state.value !== undefined && state.key !== key,
    asked,
    answered: state.answered,
    reload,
    refresh,
  };
}

/** Asks again after events that concern what is shown, and now and then without one. */
function useRefreshOnEvents(latest: { readonly current: ResourceOptions }, refresh: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        refresh();
      }, gatherMs);
    };
    const end = listen((event) => {
      const { events = [], concerns } = latest.current;
      if (event === 'reconnected' || event.type === 'resync') later();
      else if (events.includes(event.type) && (concerns === undefined || concerns(event))) later();
    });
    const regularly = setInterval(later, refreshMs);
    return () => {
      end();
      clearTimeout(timer);
      clearInterval(regularly);
    };
  }, [refresh]);
}
