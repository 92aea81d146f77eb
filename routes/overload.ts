/**
 * Too much to do: what cannot be worked on soon is refused at once, with 503 and `Retry-After`, instead of waiting until
 * its client gives up. Own lines and not a plugin, because work goes on after its client went away, so that handlers are
 * counted and not answers; and because an idle daemon must not wake the machine to look at its event loop.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ContextdError } from '../src/errors.ts';
import { createShares } from '../src/shares.ts';
import type { EventLoopWatch } from './event-loop.ts';
import { isPublicRequest } from './guard.ts';
import type { ZodApp } from './operation.ts';
import type { RequestMetrics, ShedReason } from './request-metrics.ts';
import { operationIdOf } from './scopes.ts';
import { callerOfRequest } from './server.ts';

/** `underWay`: requests of one operation that are worked on at once, half of them at most of one token for agents. `lateMs`: delay of the event loop, on average. */
export type OverloadLimits = { underWay: number; lateMs: number };

export const defaultOverloadLimits: OverloadLimits = { underWay: 128, lateMs: 250 };

/** Never refused: what tells how the daemon is, what ends it or a token, and streams, whose number is bounded. */
const exempt: ReadonlySet<string | undefined> = new Set([
  ...['getStatus', 'getMetrics', 'shutDown', 'streamEvents'],
  ...['listTokens', 'revokeToken'],
]);

/** To be called before the routes are registered. */
export function shedLoad(
  app: ZodApp,
  options: { metrics: RequestMetrics; eventLoop: EventLoopWatch; limits: OverloadLimits },
): void {
  const { metrics, eventLoop, limits } = options;
  const refuse = (reply: FastifyReply, reason: ShedReason, detail: string): ContextdError => {
    metrics.shed(reason);
    reply.header('retry-after', '1');
    return new ContextdError('unavailable', detail);
  };

  app.addHook('onRequest', (request, reply, done) => {
    if (!eventLoop.isLate || isExempt(request)) return done();
    done(refuse(reply, 'late', 'The daemon has too much to do. Try again in a second.'));
  });

  app.addHook('onRoute', (route: RouteOptions) => {
    const { handler } = route;
    if (exempt.has(operationIdOf(route.schema))) return;
    const underWay = createShares(limits.underWay, 1 / 2);
    route.handler = function (request, reply) {
      const caller = callerOfRequest(request);
      if (!underWay.isFree(caller))
        throw refuse(reply, 'busy', `${underWay.taken} requests like this one are worked on. Try again in a second.`);
      const end = underWay.take(caller);
      try {
        const result = handler.call(this, request, reply);
        if (result instanceof Promise) result.then(end, end);
        else end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    };
  });
}

function isExempt(request: FastifyRequest): boolean {
  const { method = '', url = '' } = request.raw;
  return isPublicRequest(method, url) || exempt.has(operationIdOf(request.routeOptions.schema));
}
