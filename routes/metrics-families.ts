/** The same numbers as the status, and requests by operation, as families of metrics (SY-05). */
import { embedderStates } from '../src/ports/ports.ts';
import { bucketSeconds, outcomes, type RequestMetrics } from './http/request-metrics.ts';
import { type Family, histogramSamples, type Sample } from './metrics-text.ts';
import type { Observed } from './status.ts';

type Numbers = Readonly<Record<string, number>>;

/** A metric without a value has no samples. */
type Value = number | undefined | Family['samples'];
const samplesOf = (value: Value): Family['samples'] =>
  typeof value === 'object' ? value : value === undefined ? [] : [{ value }];
const gauge = (name: string, help: string, value: Value): Family => ({
  name: `contextd_${name}`,
  help,
  type: 'gauge',
  samples: samplesOf(value),
});
const counter = (name: string, help: string, value: Value): Family => ({
  name: `contextd_${name}_total`,
  help,
  type: 'counter',
  samples: samplesOf(value),
});
const labelled = (label: string, values: Numbers | ReadonlyMap<string, number>): Sample[] =>
  (values instanceof Map ? [...values] : Object.entries(values)).map(([name, value]) => ({
    labels: { [label]: name },
    value,
  }));

/** Labels never contain anything from a client or a file. */
export function metricFamilies(observed: Observed, metrics: RequestMetrics): Family[] {
  const { memory, eventLoop, streams, storage, reads, search, servers, watching } = observed;
  const { caches } = reads;
  const weights = { contents: caches.contents.weight, results: caches.results.weight };
  const entries = Object.fromEntries(Object.entries(caches).map(([name, cache]) => [name, cache.entries]));
  return [
    gauge('build_info', 'Version of the daemon and of Node.js; the value is 1.', [
      { labels: { version: observed.version, node_version: observed.nodeVersion }, value: 1 },
    ]),
    gauge(
      'start_time_seconds',
      'When the daemon was started, in seconds since 1970.',
      Date.parse(observed.startedAt) / 1_000,
    ),
    gauge('uptime_seconds', 'Time since the daemon was started.', observed.uptimeSeconds),
    ...requestFamilies(metrics),
    gauge('event_loop_delay_mean_seconds', 'Mean delay of timers in the last half second.', eventLoop.meanMs / 1_000),
    gauge(
      'event_loop_delay_p99_seconds',
      '99th percentile of the delays in the last half second.',
      eventLoop.p99Ms / 1_000,
    ),
    gauge('event_loop_delay_max_seconds', 'Longest delay in the last half second.', eventLoop.maxMs / 1_000),
    gauge('event_loop_delay_longest_seconds', 'Longest delay since the start.', eventLoop.longestMs / 1_000),
    gauge('event_loop_utilization_ratio', 'Share of the time in which the event loop was busy.', eventLoop.utilization),
    gauge('resident_memory_bytes', 'Resident set size.', memory.rssBytes),
    gauge('heap_used_bytes', 'Heap in use by JavaScript.', memory.heapUsedBytes),
    gauge('heap_total_bytes', 'Heap kept for JavaScript.', memory.heapTotalBytes),
    gauge('external_memory_bytes', 'Memory of buffers and other objects outside the heap.', memory.externalBytes),
    gauge('open_descriptors', 'Open files and sockets.', observed.openDescriptors),
    gauge('event_streams_open', 'Open streams of server-sent events.', streams.open),
    gauge('event_streams_limit', 'Max open streams of server-sent events.', streams.most),
    counter('events_published', 'Published events.', streams.published),
    counter('events_replayed', 'Missed events that were sent to clients later.', streams.replayed),
    counter('events_dropped', 'Events not sent because a client reads too slowly.', streams.dropped),
    gauge('agents', 'Stored agents.', storage.rows?.agents),
    gauge('sessions', 'Stored sessions.', storage.rows?.sessions),
    gauge('mcp_approvals', 'Approved MCP servers.', storage.rows?.approvals),
    gauge(
      'mcp_servers',
      'MCP servers that were started in this run of the daemon, by state.',
      labelled('state', servers),
    ),
    gauge('granted_roots', 'Granted roots.', observed.grantedRoots),
    gauge('watched_directories', 'Watched directories.', watching.directories),
    gauge('warnings', 'Problems with settings or storage; contextd status names them.', observed.warnings.length),
    counter('files_read', 'Files read from disk.', reads.filesRead),
    counter('directories_listed', 'Directories listed on disk.', reads.directoriesListed),
    counter('files_parsed', 'Context files parsed.', reads.filesParsed),
    counter('reads_blocked', 'Reads refused by a policy or the list of sensitive files.', reads.blocked),
    counter('parser_starts', 'Starts of the process that parses source.', reads.parserStarts),
    counter('parser_failures', 'Crashes and timeouts of the process that parses source.', reads.parserFailures),
    gauge('cache_entries', 'Entries in caches in memory.', labelled('cache', entries)),
    gauge('cache_bytes', 'Approximate size of these entries.', labelled('cache', weights)),
    gauge(
      'embedder_state',
      '1 for the current state of the embedding model, else 0.',
      embedderStates.map((state) => ({ labels: { state }, value: Number(search.state === state) })),
    ),
    gauge('index_vectors', 'Vectors in memory.', search.vectors),
    gauge('index_vector_bytes', 'Memory of the vectors.', search.bytes),
    gauge('index_jobs', 'Indexing jobs under way.', search.jobs.length),
    // A PostgreSQL that cannot be asked has no size.
    gauge('database_bytes', 'Size of the database.', storage.rows && storage.databaseBytes),
    gauge('database_journal_bytes', 'Size of the journal of the database.', storage.journalBytes),
    gauge('store_available', 'Whether the store can be used: 1 or 0.', observed.store.available ? 1 : 0),
    gauge('database_waiting_writes', 'Writes that wait for the next transaction.', storage.waitingWrites),
  ];
}

function requestFamilies({ series, inFlight, shedRequests, problems }: RequestMetrics): Family[] {
  return [
    counter(
      'http_requests',
      'Requests by method, registered path (empty if none matched), and status class or `aborted` if the client closed the connection.',
      series.flatMap(({ method, route, outcomes: own }) =>
        outcomes
          // Prometheus sees an increase only from a value that was there before.
          .filter((status) => own[status] > 0 || status === '5xx')
          .map((status) => ({ labels: { method, route, status }, value: own[status] })),
      ),
    ),
    {
      name: 'contextd_http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the head of a request to the end of its answer, without streams.',
      samples: series.flatMap(({ method, route, buckets, sumSeconds: sum }) =>
        histogramSamples({ method, route }, { bounds: bucketSeconds, buckets, sum }),
      ),
    },
    gauge('http_requests_in_flight', 'Requests that are not answered yet.', inFlight),
    counter(
      'http_requests_shed',
      'Requests refused with 503: too many requests of the same kind are running (busy), or the event loop is late.',
      labelled('reason', shedRequests),
    ),
    counter('http_requests_refused', 'Requests answered with a problem, by its code.', labelled('code', problems)),
  ];
}
