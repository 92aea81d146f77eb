/** A client for long-lived processes: it connects again after the daemon ended and was started again. */
import { setTimeout as delay } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import type { EventType } from '../../events/event.ts';
import type { ChangeEvent } from '../../mcp-server/verbs.ts';
import { type DaemonClient, type DaemonRequest, RefusedAnswer } from './client.ts';
import { openEvents, readServerSentEvents, retryMs } from './server-sent-events.ts';

export type SteadyDaemon = Readonly<{
  /** If the daemon is gone, sends the request again, which must be safe to repeat. Throws the daemon's problem. */
  ask<Result>(request: DaemonRequest): Promise<Result>;
  /** Delivers events of these types until it is closed. Never throws. */
  follow(types: readonly EventType[], deliver: (event: ChangeEvent) => void): { close(): void };
}>;

/** Finds the daemon, or starts one if it may. Throws if there is none. */
export type Connect = (options: { mayStart: boolean }) => Promise<DaemonClient>;

/** Calls `connect` again when the daemon is gone. Only `ask` starts a daemon that ended; `follow` does not. */
export function createSteadyDaemon(connect: Connect): SteadyDaemon {
  /** The client of `ask`. `follow` has its own connections, so that `ask` never waits for these. */
  let asked: Promise<DaemonClient> | undefined;
  const forget = (client: Promise<DaemonClient>): void => {
    if (asked === client) asked = undefined;
  };
  const client = (): Promise<DaemonClient> => {
    const current = asked ?? connect({ mayStart: true });
    asked = current;
    current.catch(() => forget(current));
    return current;
  };

  return {
    async ask<Result>(request: DaemonRequest) {
      const current = client();
      try {
        return await (await current).request<Result>(request);
      } catch (error) {
        if (!isGone(error)) throw error;
        forget(current);
        return (await client()).request<Result>(request);
      }
    },
    follow(types, deliver) {
      let isClosed = false;
      let stream: { destroy(): unknown } | undefined;
      void follow();
      return {
        close() {
          isClosed = true;
          stream?.destroy();
        },
      };

      /** Reconnects until closed. The daemon then sends missed events, or says that it no longer has them. */
      async function follow(): Promise<void> {
        let lastId: string | undefined;
        let waitMs = retryMs.first;
        let mayStart = true;
        while (!isClosed) {
          try {
            const opened = await openEvents(await (mayStart ? client() : connect({ mayStart })), { types, lastId });
            mayStart = false;
            stream = opened;
            if (isClosed) opened.destroy();
            waitMs = retryMs.first;
            for await (const { id, event, data } of readServerSentEvents(opened)) {
              lastId = id ?? lastId;
              if (data !== undefined) deliver({ type: event as EventType, data: JSON.parse(data) } as ChangeEvent);
            }
          } catch {
            // The daemon is gone, or ended the stream.
            mayStart = false;
          }
          if (!isClosed) await delay(waitMs, undefined, { ref: false });
          waitMs = Math.min(2 * waitMs, retryMs.max);
        }
      }
    },
  };
}

/** A daemon that refused a request is not gone. */
function isGone(error: unknown): boolean {
  return error instanceof ContextdError && error.code === 'unavailable' && !(error instanceof RefusedAnswer);
}
