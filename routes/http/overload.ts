/**
 * Overload: a request that can be answered soon waits for its turn. Others are refused at once, with 503 and
 * `Retry-After`, instead of waiting until the client gives up. This is our own code and not a plugin, for two reasons.
 * Work goes on after its client is gone, so handlers are counted and not answers. And an idle daemon must not wake the
 * machine to measure its event loop.
 */

import type { FastifyRequest, RouteOptions } from 'fastify';
import { NotYetError } from '../../src/errors.ts';
import type { OverloadLimits } from '../../src/settings.ts';
import type { EventLoopWatch } from './event-loop.ts';
import { isPublicRequest } from './guard.ts';
import type { ZodApp } from './operation.ts';
import type { RequestMetrics, ShedReason } from './request-metrics.ts';
import { createRequestQueue } from './request-queue.ts';
import { operationIdOf } from './scopes.ts';
import { callerOfRequest } from './server.ts';

/**
 * Never refused: operations that show the state of the daemon, that end it or a token, and streams, whose number is
 * limited.
 */
const exempt: ReadonlySet<string | undefined> = new Set([
  ...['getStatus', 'getMetrics', 'shutDown', 'streamEvents'],
  ...['listTokens', 'revokeToken'],
]);

/** Call this before the routes are registered. */
export function shedLoad(
  app: ZodApp,
  options: { metrics: RequestMetrics; eventLoop: EventLoopWatch; limits: OverloadLimits },
): void {
  const { metrics, eventLoop, limits } = options;
  const refuse = (reason: ShedReason, detail: string): NotYetError => {
    metrics.shed(reason);
    return new NotYetError(detail, 1);
  };
  /** Of all operations together: how many requests run or wait, and how long the last ones took on average. */
  let inFlight = 0;
  let usualMs = 0;

  app.addHook('onRequest', (request, _reply, done) => {
    // A request that is alone is not refused, however late the event loop is.
    const isAnsweredSoon = inFlight === 0 || usualMs <= limits.waitMs;
    if (!eventLoop.isLate || isAnsweredSoon || isExempt(request)) return done();
    done(refuse('late', 'The daemon has too much to do. Try again in a second.'));
  });

  app.addHook('onRoute', (route: RouteOptions) => {
    const { handler } = route;
    if (exempt.has(operationIdOf(route.schema))) return;
    const queue = createRequestQueue(limits);
    const busy = (): NotYetError =>
      refuse('busy', `${queue.running} requests like this one are running already. Try again in a second.`);

    route.handler = async function (request, reply) {
      const turn = queue.turnOf(callerOfRequest(request), reply.raw);
      if (turn === undefined) throw busy();
      const sinceMs = performance.now();
      inFlight += 1;
      try {
        const end = turn instanceof Promise ? await turn : turn;
        if (end === undefined) throw busy();
        try {
          return await handler.call(this, request, reply);
        } finally {
          end();
        }
      } finally {
        inFlight -= 1;
        usualMs += (performance.now() - sinceMs - usualMs) / 8;
      }
    };
  });
}

function isExempt(request: FastifyRequest): boolean {
  const { method = '', url = '' } = request.raw;
  return isPublicRequest(method, url) || exempt.has(operationIdOf(request.routeOptions.schema));
}
