/**
 * Too much to do: what can be answered soon waits for its turn; the rest is refused at once, with 503 and `Retry-After`,
 * instead of waiting until its client gives up. Own lines and not a plugin, because work goes on after its client went away, so that handlers are
 * counted and not answers; and because an idle daemon must not wake the machine to look at its event loop.
 */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ContextdError } from '../src/errors.ts';
import type { EventLoopWatch } from './event-loop.ts';
import { isPublicRequest } from './guard.ts';
import type { ZodApp } from './operation.ts';
import type { RequestMetrics, ShedReason } from './request-metrics.ts';
import { operationIdOf } from './scopes.ts';

/**
 * `underWay`: requests of one operation that are worked on at once. `lateMs`: delay of the event loop, on average.
 * `waitMs`: the answer of what is not refused is expected within this time.
 */
export type OverloadLimits = { underWay: number; lateMs: number; waitMs: number };

export const defaultOverloadLimits: OverloadLimits = { underWay: 128, lateMs: 250, waitMs: 2_000 };

/** Of one operation: more would only be kept in memory. */
const mostWaiting = 1_024;

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
  const all = createPace();
  let allWaiting = 0;

  app.addHook('onRequest', (request, reply, done) => {
    // However late it is: who asks alone waits for nobody else.
    if (!eventLoop.isLate || all.expectedMs(allWaiting) <= limits.waitMs || isExempt(request)) return done();
    done(refuse(reply, 'late', 'The daemon has too much to do. Try again in a second.'));
  });

  app.addHook('onRoute', (route: RouteOptions) => {
    const { handler } = route;
    if (exempt.has(operationIdOf(route.schema))) return;
    const own = createPace();
    const waiting: (() => void)[] = [];
    const end = (): void => {
      all.end();
      own.end();
      waiting.shift()?.();
    };
    const work = (...[self, request, reply]: [ThisParameterType<typeof handler>, FastifyRequest, FastifyReply]) => {
      all.begin();
      own.begin();
      try {
        const result = handler.call(self, request, reply);
        if (result instanceof Promise) result.then(end, end);
        else end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    };
    const detail = `${limits.underWay} requests like this one are worked on. Try again in a second.`;
    const turn = async (reply: FastifyReply): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, limits.waitMs);
      // Then nobody waits for it any more.
      reply.raw.once('close', resolve);
      waiting.push(resolve);
      allWaiting += 1;
      await promise;
      allWaiting -= 1;
      clearTimeout(timer);
      reply.raw.off('close', resolve);
      const place = waiting.indexOf(resolve);
      if (place === -1) return;
      waiting.splice(place, 1);
      throw refuse(reply, 'busy', detail);
    };
    route.handler = function (request, reply) {
      if (own.underWay < limits.underWay) return work(this, request, reply);
      if (waiting.length >= mostWaiting || own.expectedMs(waiting.length) > limits.waitMs)
        throw refuse(reply, 'busy', detail);
      return turn(reply).then(() => work(this, request, reply));
    };
  });
}

/** What share of the past counts after each end: about the last fifty do. */
const remembered = 0.98;

/** How fast requests are done, by the time between their ends while there are any. */
function createPace() {
  let underWay = 0;
  let ended = 0;
  let busyMs = 0;
  let sinceMs = 0;
  return {
    get underWay() {
      return underWay;
    },
    begin(): void {
      if (underWay === 0) sinceMs = performance.now();
      underWay += 1;
    },
    end(): void {
      const nowMs = performance.now();
      underWay -= 1;
      ended = ended * remembered + 1;
      busyMs = busyMs * remembered + nowMs - sinceMs;
      sinceMs = nowMs;
    },
    /** Until all that are under way, and so many that wait, are done; 0 while nothing is known. */
    expectedMs: (waiting: number): number => (ended === 0 ? 0 : ((underWay + waiting) * busyMs) / ended),
  };
}

function isExempt(request: FastifyRequest): boolean {
  const { method = '', url = '' } = request.raw;
  return isPublicRequest(method, url) || exempt.has(operationIdOf(request.routeOptions.schema));
}
