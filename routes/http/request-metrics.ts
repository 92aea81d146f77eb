/**
 * Outcomes of requests, counted in fixed buckets: by method and registered path, never by what a client sent, so the
 * number of series is limited by the number of operations (SY-05). Pure; counting one request costs a few additions.
 */
import type { RequestLine } from './request-log.ts';

/** Upper bounds of the buckets of durations, in seconds; the last bucket has none. */
export const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** `aborted`: the client closed the connection before it had the whole answer. */
export const outcomes = ['2xx', '3xx', '4xx', '5xx', 'aborted'] as const;
type Outcome = (typeof outcomes)[number];

/** Why a request was shed: too many of the same kind are running, or the event loop is late. */
export type ShedReason = 'busy' | 'late';

/** `route`: empty if none matched. `buckets` have each duration once; streams have none. */
type RequestSeries = {
  readonly method: string;
  readonly route: string;
  readonly outcomes: Record<Outcome, number>;
  readonly buckets: number[];
  sumSeconds: number;
};

export type RequestMetrics = {
  /** Requests that are not answered yet, without streams. */
  inFlight: number;
  count(line: RequestLine): void;
  shed(reason: ShedReason): void;
  /** A stream was ended because its client reads too slowly; this many events were not sent. */
  drop(events: number): void;
  readonly series: readonly RequestSeries[];
  /** Problems that were answered, by their code. */
  readonly problems: ReadonlyMap<string, number>;
  readonly shedRequests: Readonly<Record<ShedReason, number>>;
  readonly droppedEvents: number;
};

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createRequestMetrics(): RequestMetrics {
  const byRoute = new Map<string, Map<string, RequestSeries>>();
  const problems = new Map<string, number>();
  const shedRequests: Record<ShedReason, number> = { busy: 0, late: 0 };
  let droppedEvents = 0;

  const seriesOf = (route: string, sent: string): RequestSeries => {
    const method = methods.has(sent) ? sent : 'other';
    const ofRoute = byRoute.get(route) ?? new Map<string, RequestSeries>();
    let found = ofRoute.get(method);
    if (found === undefined) {
      byRoute.set(route, ofRoute);
      const none: Record<Outcome, number> = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, aborted: 0 };
      const buckets = new Array<number>(bucketSeconds.length + 1).fill(0);
      found = { method, route, outcomes: none, buckets, sumSeconds: 0 };
      ofRoute.set(method, found);
    }
    return found;
  };

  return {
    inFlight: 0,
    get series() {
      return [...byRoute.values()].flatMap((ofRoute) => [...ofRoute.values()]);
    },
    problems,
    shedRequests,
    get droppedEvents() {
      return droppedEvents;
    },
    count({ method, route, status, durationMs, code, aborted, stream }) {
      const own = seriesOf(route ?? '', method);
      own.outcomes[aborted === true && stream !== true ? 'aborted' : outcomeOf(status)] += 1;
      if (code !== undefined) problems.set(code, (problems.get(code) ?? 0) + 1);
      if (stream === true) return;
      const seconds = durationMs / 1_000;
      let bucket = 0;
      while (bucket < bucketSeconds.length && seconds > (bucketSeconds[bucket] as number)) bucket += 1;
      own.buckets[bucket] = (own.buckets[bucket] as number) + 1;
      own.sumSeconds += seconds;
    },
    shed(reason) {
      shedRequests[reason] += 1;
    },
    drop(events) {
      droppedEvents += events;
    },
  };
}

function outcomeOf(status: number): Outcome {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

/**
 * The duration in seconds that this share of the requests does not exceed, as exactly as the buckets allow. Beyond the
 * last bucket its bound is returned; without requests, 0.
 */
export function quantile(share: number, all: readonly RequestSeries[]): number {
  const sums = [...bucketSeconds, 0].map((_, bucket) =>
    all.reduce((sum, { buckets }) => sum + (buckets[bucket] ?? 0), 0),
  );
  let rank = share * sums.reduce((sum, count) => sum + count, 0);
  for (const [bucket, count] of sums.entries()) {
    if (rank > count || count === 0) {
      rank -= count;
      continue;
    }
    const lower = bucket === 0 ? 0 : (bucketSeconds[bucket - 1] as number);
    const upper = bucketSeconds[bucket] ?? lower;
    return lower + ((upper - lower) * rank) / count;
  }
  return 0;
}

/** Requests of all series together, by outcome. */
export function outcomesOf(all: readonly RequestSeries[]): Record<Outcome, number> {
  const sum = (outcome: Outcome) => all.reduce((total, each) => total + each.outcomes[outcome], 0);
  return Object.fromEntries(outcomes.map((outcome) => [outcome, sum(outcome)])) as Record<Outcome, number>;
}
