/** The verbs of the MCP server on standard input and output, asked of the running daemon, which is the one engine. */
import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { createWorkerTokenCounter } from '../../adapters/workers/worker-token-counter.ts';
import { countTokens } from '../../budget/token-counts.ts';
import { ContextdError } from '../../errors.ts';
import type { EventType } from '../../events/event.ts';
import { type ChangeEvent, type ContextVerbs, changeTypes } from '../../mcp-server/verbs.ts';
import type { DaemonClient } from './client.ts';
import { readServerSentEvents, retryMs, silenceMs } from './server-sent-events.ts';

/** Its tables take 80 MB, which a client that asks now and then need not keep. */
const counterIdleMs = 30_000;

/** `connect` finds the daemon, or starts it; it is asked again when the one it gave is gone. */
export function askContext(connect: () => Promise<DaemonClient>): ContextVerbs {
  const tokenCounter = createWorkerTokenCounter({ idleMs: counterIdleMs });
  let known: Promise<DaemonClient> | undefined;
  const client = (): Promise<DaemonClient> => {
    known ??= connect();
    const current = known;
    current.catch(() => {
      if (known === current) known = undefined;
    });
    return current;
  };

  /** Once more, where the daemon was started anew meanwhile. Nothing here writes, so that nothing is done twice. */
  const ask = async <Result>(path: string, body?: unknown): Promise<Result> => {
    const request = { method: body === undefined ? ('GET' as const) : ('POST' as const), path, body };
    const current = client();
    try {
      return await (await current).request<Result>(request);
    } catch (error) {
      if (!(error instanceof ContextdError) || error.code !== 'unavailable') throw error;
      if (known === current) known = undefined;
      return (await client()).request<Result>(request);
    }
  };

  return {
    resolve: (request) => ask('/v1/context/resolve', request),
    explain: (request) => ask('/v1/context/explain', request),
    retrieve: (request) => ask('/v1/retrieve', request),
    search: (request) => ask('/v1/search', request),
    checkPolicy: (request) => ask('/v1/policy/check', request),
    countTokens: (texts) => countTokens(texts, tokenCounter),
    realPath: (path) => realpath(path).catch(() => undefined),
    async grantedDirectories() {
      const { roots } = await ask<{ roots: { path: string; origin: string }[] }>('/v1/roots');
      return roots.filter(({ origin }) => origin !== 'global').map(({ path }) => path);
    },
    subscribe(deliver) {
      let isClosed = false;
      let stream: { destroy(): unknown } | undefined;
      void follow();
      return {
        close() {
          isClosed = true;
          stream?.destroy();
        },
      };

      /** Connects again for ever; what was missed meanwhile the daemon tells, or says that it does not know. */
      async function follow(): Promise<void> {
        let lastId: string | undefined;
        let waitMs = retryMs.first;
        while (!isClosed) {
          try {
            const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
            const opened = await (await client()).open(`/v1/events?types=${changeTypes.join()}`, {
              headers,
              silenceMs,
            });
            stream = opened;
            if (isClosed) opened.destroy();
            waitMs = retryMs.first;
            for await (const { id, event, data } of readServerSentEvents(opened)) {
              lastId = id ?? lastId;
              if (data !== undefined) deliver({ type: event as EventType, data: JSON.parse(data) } as ChangeEvent);
            }
          } catch {
            // The daemon is gone, or ends the stream; `ask` starts another one when it is needed.
            known = undefined;
          }
          if (!isClosed) await delay(waitMs, undefined, { ref: false });
          waitMs = Math.min(2 * waitMs, retryMs.most);
        }
      }
    },
  };
}
