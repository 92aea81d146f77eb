/** The data of a view: an answer of the daemon that is requested again whenever it may have changed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { EventType } from '../../events/event.ts';
import { listen, type ReceivedEvent } from './events.ts';
import { asProblem, type Problem, sessionToken } from './request.ts';

export type Resource<Value> = {
  /**
   * The newest answer. While another key is loading, this is the answer for the last key, so that the page does not
   * jump.
   */
  value: Value | undefined;
  /** Why there is no newer answer. */
  problem: Problem | undefined;
  isLoading: boolean;
  /** True while `value` belongs to another key. */
  isStale: boolean;
  /** How many requests were made so far, for all keys. It is current, not the state of the last rendering. */
  asked: { readonly current: number };
  /** The number of the request that `value` answers. */
  answered: number;
  /** Requests at once, and cancels a running request. */
  reload(): void;
  /** Requests again after a running request. */
  refresh(): void;
};

export type ResourceOptions = {
  /** Events after which to request again. `resync` and a restored connection always count. */
  events?: readonly EventType[];
  /** Which of these events count. Absent: all. */
  concerns?: (event: ReceivedEvent) => boolean;
};

/**
 * Even without events, request again after this time: the daemon watches directories for only an hour after a request.
 */
const refreshMs = 30 * 60_000;
/** Events come in bursts, for example when many files are written. */
const gatherMs = 60;

type State<Value> = { key?: string; value?: Value; answered: number; problem?: Problem; isLoading: boolean };

/**
 * `key` identifies the request: another key requests again, `undefined` requests nothing. Only the newest request
 * counts.
 */
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
  // If events come faster than answers, cancelling each request for the next one would never show an answer.
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
        // The last answer for this key stays on the page, with the reason why there is no newer one.
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

/** Requests again after events that concern the data, and from time to time without an event. */
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
