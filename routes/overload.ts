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
  /** Of all operations: how many are worked on or wait, and how long the last ones took, on average. */
  let inFlight = 0;
  let usualMs = 0;

  app.addHook('onRequest', (request, reply, done) => {
    // However late it is, who asks alone waits for nobody else.
    const isAnsweredSoon = inFlight === 0 || usualMs <= limits.waitMs;
    if (!eventLoop.isLate || isAnsweredSoon || isExempt(request)) return done();
    done(refuse(reply, 'late', 'The daemon has too much to do. Try again in a second.'));
  });

  app.addHook('onRoute', (route: RouteOptions) => {
    const { handler } = route;
    if (exempt.has(operationIdOf(route.schema))) return;
    const detail = `${limits.underWay} requests like this one are worked on. Try again in a second.`;
    const waiting: (() => void)[] = [];
    let underWay = 0;
    /** How long one takes when all places are taken, by how long those waited that were last in turn. */
    let paceMs = 0;

    const waitForTurn = async (reply: FastifyReply): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, limits.waitMs);
      // Then nobody waits for it any more.
      reply.raw.once('close', resolve);
      const [ahead, sinceMs] = [underWay + waiting.push(resolve), performance.now()];
      await promise;
      clearTimeout(timer);
      reply.raw.off('close', resolve);
      paceMs = (performance.now() - sinceMs) / ahead;
      const place = waiting.indexOf(resolve);
      if (place === -1) return;
      waiting.splice(place, 1);
      throw refuse(reply, 'busy', detail);
    };
    const work = async (run: () => unknown): Promise<unknown> => {
      underWay += 1;
      try {
        return await run();
      } finally {
        underWay -= 1;
        waiting.shift()?.();
      }
    };
    route.handler = async function (request, reply) {
      const isFull = underWay >= limits.underWay;
      const expectedMs = (underWay + waiting.length + 1) * paceMs;
      if (isFull && (waiting.length >= mostWaiting || expectedMs > limits.waitMs)) throw refuse(reply, 'busy', detail);
      const sinceMs = performance.now();
      inFlight += 1;
      try {
        if (isFull) await waitForTurn(reply);
        return await work(() => handler.call(this, request, reply));
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
