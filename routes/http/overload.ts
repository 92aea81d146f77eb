/**
 * Overload: a request that can be answered soon waits for its turn. Others are refused at once, with 503 and
 * `Retry-After`, instead of waiting until the client gives up. This is our own code and not a plugin, for two reasons.
 * Work goes on after its client is gone, so handlers are counted and not answers. And an idle daemon must not wake the
 * machine to measure its event loop.
 */

import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { NotYetError } from '../../src/errors.ts';
import type { Caller } from '../../src/ports/caller.ts';
import type { OverloadLimits } from '../../src/settings.ts';
import { createShares } from '../../src/tokens/shares.ts';
import type { EventLoopWatch } from './event-loop.ts';
import { isPublicRequest } from './guard.ts';
import type { ZodApp } from './operation.ts';
import type { RequestMetrics, ShedReason } from './request-metrics.ts';
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

/** A waiting request. `begin` gets the function to call when the work is done. */
type Waiting = { caller: Caller; begin(end: () => void): void };

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
    const underWay = createShares(limits.underWay, 1 / 2);
    const places = createShares(limits.waiting, 1 / 2);
    const waiting: Waiting[] = [];
    /** Mean time between two ends while all places are taken. Zero while it is unknown. */
    let paceMs = 0;
    let lastEndMs: number | undefined;
    const busy = (): NotYetError =>
      refuse('busy', `${underWay.taken} requests like this one are running already. Try again in a second.`);

    const expectedMs = (caller: Caller): number => {
      // Agents cannot get the places that are kept for the user. So waiting agents are not ahead of the user.
      const ahead = waiting.filter((each) => caller.scope === 'agent' || each.caller.scope === 'user').length;
      return (underWay.taken + ahead + 1) * paceMs;
    };

    /** Returns the function to call when the work is done. */
    const waitForTurn = async (caller: Caller, reply: FastifyReply): Promise<() => void> => {
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const own: Waiting = { caller, begin: resolve };
      const giveUp = () => {
        const at = waiting.indexOf(own);
        if (at >= 0) waiting.splice(at, 1);
        resolve(undefined);
      };
      const timer = setTimeout(giveUp, limits.waitMs);
      // If the connection is closed, nobody waits for the answer.
      reply.raw.once('close', giveUp);
      const leave = places.take(caller);
      waiting.push(own);
      const end = await promise;
      clearTimeout(timer);
      reply.raw.off('close', giveUp);
      leave();
      if (end === undefined) throw busy();
      return end;
    };
    /** The first waiting request that may have the free place. */
    const passOn = (): void => {
      const at = waiting.findIndex(({ caller }) => underWay.isFree(caller));
      const [next] = at === -1 ? [] : waiting.splice(at, 1);
      next?.begin(takePlace(next.caller));
    };
    const takePlace = (caller: Caller): (() => void) => {
      const giveBack = underWay.take(caller);
      return () => {
        const [now, wasFull] = [performance.now(), waiting.length > 0 || underWay.taken >= limits.underWay];
        if (wasFull && lastEndMs !== undefined) paceMs += (now - lastEndMs - paceMs) / (paceMs === 0 ? 1 : 8);
        if (!wasFull) paceMs = 0;
        lastEndMs = wasFull ? now : undefined;
        giveBack();
        passOn();
      };
    };
    route.handler = async function (request, reply) {
      const caller = callerOfRequest(request);
      const isFull = !underWay.isFree(caller);
      if (isFull && (!places.isFree(caller) || expectedMs(caller) > limits.waitMs)) throw busy();
      const sinceMs = performance.now();
      inFlight += 1;
      try {
        const end = isFull ? await waitForTurn(caller, reply) : takePlace(caller);
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
