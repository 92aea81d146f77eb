/**
 * Too much to do: what cannot be worked on soon is refused at once, with 503 and `Retry-After`, instead of waiting until
 * its client gives up. Own lines and not a plugin, because work goes on after its client went away, so that handlers are
 * counted and not answers; and because an idle daemon must not wake the machine to look at its event loop.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ContextdError } from '../src/errors.ts';
import type { EventLoopWatch } from './event-loop.ts';
import { isPublicRequest } from './guard.ts';
import type { ZodApp } from './operation.ts';
import type { RequestMetrics, ShedReason } from './request-metrics.ts';
import { operationIdOf } from './scopes.ts';

/** `underWay`: requests of one operation that are worked on at once. `lateMs`: delay of the event loop, on average. */
export type OverloadLimits = { underWay: number; lateMs: number };

export const defaultOverloadLimits: OverloadLimits = { underWay: 128, lateMs: 250 };

/** Never refused: what tells how the daemon is, what ends it, and streams, whose number is bounded. */
const exempt: ReadonlySet<string | undefined> = new Set(['getStatus', 'getMetrics', 'shutDown', 'streamEvents']);

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
    let underWay = 0;
    const end = (): void => {
      underWay -= 1;
    };
    route.handler = function (request, reply) {
      if (underWay >= limits.underWay)
        throw refuse(reply, 'busy', `${limits.underWay} requests like this one are worked on. Try again in a second.`);
      underWay += 1;
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
