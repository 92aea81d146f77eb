/** `GET /v1/status`: the daemon and its state (SY-05). */

import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { SearchStatus } from '../src/search/index-verbs.ts';
import { fixedLimits } from '../src/settings.ts';
import { Warning } from '../src/warnings.ts';
import type { Connections } from './http/connections.ts';
import type { EventLoopWatch } from './http/event-loop.ts';
import { answer, type ZodApp } from './http/operation.ts';
import { outcomesOf, quantile, type RequestMetrics } from './http/request-metrics.ts';
import { callerOfRequest } from './http/server.ts';
import { listeningUrl, StoreState } from './system.ts';
import { describeTokens, TokenFigures } from './tokens.ts';

const count = z.int().min(0);
const bytes = z.int().min(0);
const milliseconds = z.number().min(0);

const Memory = z
  .object({
    rssBytes: bytes.describe('Resident set size of the process.'),
    heapUsedBytes: bytes.describe('Heap that JavaScript uses.'),
    heapTotalBytes: bytes.describe('Heap that is reserved for JavaScript.'),
    externalBytes: bytes.describe('Memory of buffers and other objects outside the heap.'),
  })
  .describe('Memory of the process, in bytes. Other processes (parser, model, MCP servers) are not included.');

const EventLoop = z
  .object({
    meanMs: milliseconds.describe('Average delay.'),
    p99Ms: milliseconds.describe('99 of 100 delays are at most this long.'),
    maxMs: milliseconds.describe('The longest delay.'),
    longestMs: milliseconds.describe('The longest delay since the start.'),
    utilization: z.number().min(0).max(1).describe('Share of the time in which the event loop was busy.'),
  })
  .meta({
    id: 'EventLoop',
    description:
      'Delay of the event loop in the last half second, in milliseconds: how much later than planned a timer runs. After a minute without requests, all values except `longestMs` are 0.',
  });

const Requests = z
  .object({
    total: count.describe('Sum of `succeeded`, `refused`, `shed`, `failed` and `aborted`.'),
    succeeded: count.describe('Answered with a status below 400.'),
    refused: count.describe('Answered with a 4xx status, for example without a token, or not valid.'),
    shed: count.describe('Answered with 503 and `Retry-After`, because the daemon had too much to do.'),
    failed: count.describe('Answered with another 5xx status.'),
    aborted: count.describe('Not answered, because the client closed the connection.'),
    inFlight: count.describe('Requests that the daemon is answering now, including this one, without streams.'),
    p50Ms: milliseconds.describe('Half of the answers took at most about this long.'),
    p99Ms: milliseconds.describe('99 of 100 answers took at most about this long.'),
  })
  .meta({ id: 'RequestCounts', description: 'Results of requests since the start.' });

const Streams = z
  .object({
    open: count.describe('Open streams of `GET /v1/events`.'),
    most: count.describe('Max streams that can be open at the same time.'),
    published: count.describe('Events since the start.'),
    replayed: count.describe('Events that clients had missed and got later.'),
    dropped: count.describe('Events that were not sent, because a client read too slowly. The client got a `resync`.'),
  })
  .meta({ id: 'EventStreams', description: 'Server-sent events.' });

const Storage = z
  .object({
    databaseBytes: bytes.describe('Size of the database file.'),
    journalBytes: bytes.describe('Size of writes that are not yet in the database file.'),
    waitingWrites: count.describe('Writes of sessions that wait for the next transaction.'),
    rows: z
      .object({
        agents: count.describe('Stored agents.'),
        sessions: count.describe('Stored sessions.'),
        approvals: count.describe('Approved MCP servers.'),
      })
      .optional()
      .describe('Number of stored rows. Absent while the database cannot be read.'),
  })
  .meta({ id: 'StorageFigures', description: 'What is kept on disk.' });

const Servers = z
  .object({
    starting: count.describe('Starting.'),
    ready: count.describe('Ready.'),
    failed: count.describe('Failed; the list of servers says why.'),
    stopped: count.describe('Stopped.'),
  })
  .meta({ id: 'ServerCounts', description: 'MCP servers that were started in this run of the daemon, by state.' });

const cacheSize = z.object({
  entries: count.describe('Number of entries.'),
  weight: count.describe('Size: about how many bytes, or for listings, how many directory entries.'),
});

const Reads = z
  .object({
    filesRead: count.describe('Files read from disk.'),
    directoriesListed: count.describe('Directories listed on disk.'),
    filesParsed: count.describe('Context files parsed.'),
    blocked: count.describe('Reads refused by a policy or the list of sensitive files.'),
    parserStarts: count.describe('How often the process that parses source code was started.'),
    parserFailures: count.describe('How often that process crashed or took too long.'),
    caches: z
      .object({
        contents: cacheSize.describe('Cache of file contents.'),
        listings: cacheSize.describe('Cache of directory listings.'),
        results: cacheSize.describe('Cache of answers of `resolve`.'),
      })
      .describe('Caches in memory. Each one has a limit.'),
  })
  .meta({
    id: 'Reads',
    description: 'What was read from disk since the start. Unchanged files are not read again.',
  });

export const Status = z
  .object({
    version: z.string().describe('Version of the daemon.'),
    pid: z.int().min(1).describe('Process id.'),
    instanceId: z.string().describe('Random id of this run of the daemon.'),
    url: z.string().describe('Address that the daemon listens on.'),
    startedAt: z.string().describe('When this run began, ISO 8601 UTC.'),
    uptimeSeconds: z.number().min(0).describe('Seconds since this run began.'),
    nodeVersion: z.string().describe('Version of Node.js that runs the daemon.'),
    grantedRoots: count.describe('Number of granted roots.'),
    memory: Memory,
    openDescriptors: count.optional().describe('Open files and sockets, if the system tells the number.'),
    eventLoop: EventLoop,
    requests: Requests,
    streams: Streams,
    storage: Storage,
    store: StoreState,
    reads: Reads,
    watching: z
      .object({
        directories: count.describe('Number of watched directories. 0 while no client listens to events.'),
        degraded: z
          .enum(['polling', 'too_many_directories'])
          .optional()
          .describe(
            'Why changes are reported late or not at all. `polling`: the system has no more watches, so the daemon checks directories every few seconds. `too_many_directories`: there are more directories than the daemon may watch.',
          ),
      })
      .meta({ id: 'Watching', description: 'What the daemon watches for clients that listen to events.' }),
    search: SearchStatus,
    servers: Servers,
    tokens: TokenFigures,
    log: z.string().optional().describe('File that the log is written to. Absent if the log goes to standard error.'),
    warnings: z.array(Warning).describe('Settings and storage that the daemon could not use.'),
  })
  .meta({ id: 'Status', description: 'The running daemon.' });
export type Status = z.infer<typeof Status>;

/** Facts about the process. The caller finds them out. */
export type ProcessFacts = {
  version: string;
  startedAt: Date;
  instanceId: string;
  /** The file of the log, if the log goes to a file. */
  logFile?: string | undefined;
  /** Number of open files and sockets, if the system tells it. */
  countDescriptors?: (() => number | undefined) | undefined;
};

export type StatusSources = ProcessFacts & {
  engine: Engine;
  metrics: RequestMetrics;
  eventLoop: EventLoopWatch;
  connections: Connections;
};

export type Observed = Omit<Status, 'url' | 'tokens'>;

/** The present state. */
export async function observe(sources: StatusSources): Promise<Observed> {
  const { engine, metrics, eventLoop, version, startedAt, instanceId, logFile } = sources;
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const [roots, search, figures, warnings] = await Promise.all([
    engine.listRoots(),
    engine.index.status(),
    engine.figures(),
    engine.settingsWarnings(),
  ]);
  const { listeners, ...events } = figures.events;
  const { filesRead, directoriesListed, filesParsed, readsBlocked: blocked, caches } = figures;
  const { starts: parserStarts, failures: parserFailures } = figures.parser;
  const openDescriptors = sources.countDescriptors?.();
  return {
    version,
    pid: process.pid,
    instanceId,
    startedAt: startedAt.toISOString(),
    uptimeSeconds: process.uptime(),
    nodeVersion: process.version,
    grantedRoots: roots.length,
    memory: { rssBytes: rss, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal, externalBytes: external },
    openDescriptors,
    eventLoop: { ...eventLoop.figures },
    requests: countRequests(metrics),
    streams: { open: listeners, most: fixedLimits.events.listeners, ...events, dropped: metrics.droppedEvents },
    storage: figures.store,
    store: engine.storeState() ?? { kind: 'sqlite', available: true },
    reads: { filesRead, directoriesListed, filesParsed, blocked, parserStarts, parserFailures, caches },
    watching: engine.watching(),
    search,
    servers: figures.servers,
    log: logFile,
    warnings,
  };
}

function countRequests({ series, inFlight, shedRequests }: RequestMetrics): z.infer<typeof Requests> {
  const answered = outcomesOf(series);
  const shed = shedRequests.busy + shedRequests.late;
  const inMs = (share: number) => Math.round(quantile(share, series) * 1e6) / 1e3;
  return {
    total: Object.values(answered).reduce((sum, each) => sum + each, 0),
    succeeded: answered['2xx'] + answered['3xx'],
    refused: answered['4xx'],
    shed,
    failed: Math.max(0, answered['5xx'] - shed),
    aborted: answered.aborted,
    inFlight,
    p50Ms: inMs(0.5),
    p99Ms: inMs(0.99),
  };
}

export function statusRoutes(app: ZodApp, sources: StatusSources): void {
  app.route({
    method: 'GET',
    url: '/v1/status',
    schema: {
      operationId: 'getStatus',
      tags: ['system'],
      summary: 'Get the status of the daemon',
      description:
        'Returns version, process and address; memory, event loop, requests, streams and storage; search and MCP servers; the use of each agent token; and problems with settings and storage. Loads and starts nothing.',
      response: { 200: answer('The running daemon.', Status) },
    },
    handler: async (request) => ({
      ...(await observe(sources)),
      tokens: await describeTokens(sources, callerOfRequest(request)),
      url: listeningUrl(app),
    }),
  });
}
