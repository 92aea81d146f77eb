/**
 * Observes each request from its beginning to its end, however it ends, for the log, the metrics and the event loop.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventLoopWatch } from './event-loop.ts';
import { isPublicRequest } from './guard.ts';
import type { ZodApp } from './operation.ts';
import { problemCodeOf } from './problem.ts';
import type { RequestLine, RequestLog } from './request-log.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { operationIdOf } from './scopes.ts';

/** Operations whose answers last as long as both sides want. */
const streams: ReadonlySet<string | undefined> = new Set(['streamEvents', 'streamMcp']);
/** Status of a client that closed the connection before any answer. No client sees it. */
const goneStatus = 499;

/**
 * Observes all routed requests, including those that no route matches. Call it before other hooks are added. The
 * returned function does the same for a request that the framework refuses before any hook.
 */
export function observeRequests(
  app: ZodApp,
  parts: { metrics: RequestMetrics; eventLoop: EventLoopWatch; requestLog: RequestLog },
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { metrics, eventLoop, requestLog } = parts;

  const observe = (request: FastifyRequest, reply: FastifyReply): void => {
    const { raw } = reply;
    const { url: route = null, schema } = request.routeOptions;
    const isStream = streams.has(operationIdOf(schema));
    const peer = request.socket.remoteAddress;
    const sinceMs = performance.now();
    eventLoop.wake();
    if (!isStream) metrics.inFlight += 1;
    // The framework reports only the end of complete answers, and of none that it does not handle itself.
    raw.on('close', () => {
      if (!isStream) metrics.inFlight -= 1;
      const code = problemCodeOf(raw);
      const isPublic = isPublicRequest(request.raw.method ?? '', request.raw.url ?? '');
      const write = isPublic || code === 'unavailable' ? requestLog.unvouched : requestLog.answered;
      const line: RequestLine = {
        requestId: request.id,
        method: request.method,
        route,
        status: raw.headersSent ? raw.statusCode : goneStatus,
        durationMs: Math.round((performance.now() - sinceMs) * 1000) / 1000,
        peer,
      };
      if (code !== undefined) line.code = code;
      if (!raw.writableFinished) line.aborted = true;
      if (isStream || isEventStream(raw, line)) line.stream = true;
      write(line);
    });
  };

  app.addHook('onRequest', (request, reply, done) => {
    observe(request, reply);
    done();
  });
  return observe;
}

/** Only used for slow answers: a quick one is counted like any other. */
function isEventStream(raw: ServerResponse, { durationMs }: RequestLine): boolean {
  return durationMs > 1_000 && String(raw.getHeader('content-type')).startsWith('text/event-stream');
}
