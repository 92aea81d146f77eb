/** A daemon that is asked for as long as a process lives, whichever daemon that is: it can end and be started again meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import type { EventType } from '../../events/event.ts';
import type { ChangeEvent } from '../../mcp-server/verbs.ts';
import { type DaemonClient, type DaemonRequest, RefusedAnswer } from './client.ts';
import { readServerSentEvents, retryMs, silenceMs } from './server-sent-events.ts';

export type SteadyDaemon = Readonly<{
  /** Asks once more where the daemon is gone, so nothing may be asked that must not be done twice. Throws its problem. */
  ask<Result>(request: DaemonRequest): Promise<Result>;
  /** Tells of events of these types until it is closed. Never throws. */
  follow(types: readonly EventType[], deliver: (event: ChangeEvent) => void): { close(): void };
}>;

/** Finds the daemon, or starts one where it may. Throws where there is none then. */
export type Connect = (options: { mayStart: boolean }) => Promise<DaemonClient>;

/** `connect` is called again when the daemon that it gave is gone. One that ended is started when something is asked, and not before. */
export function createSteadyDaemon(connect: Connect): SteadyDaemon {
  /** What only listens starts no daemon, so nobody who asks waits for what it finds. */
  const known: { asked?: Promise<DaemonClient> | undefined } = {};
  const forget = (client: Promise<DaemonClient>): void => {
    if (known.asked === client) known.asked = undefined;
  };
  const client = (): Promise<DaemonClient> => {
    const current = known.asked ?? connect({ mayStart: true });
    known.asked = current;
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

      /** Connects again for ever; what was missed meanwhile the daemon tells, or says that it does not know. */
      async function follow(): Promise<void> {
        let lastId: string | undefined;
        let waitMs = retryMs.first;
        let mayStart = true;
        while (!isClosed) {
          try {
            const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
            const opened = await (await (mayStart ? client() : connect({ mayStart }))).open(
              `/v1/events?types=${types.join()}`,
              { headers, silenceMs },
            );
            mayStart = false;
            stream = opened;
            if (isClosed) opened.destroy();
            waitMs = retryMs.first;
            for await (const { id, event, data } of readServerSentEvents(opened)) {
              lastId = id ?? lastId;
              if (data !== undefined) deliver({ type: event as EventType, data: JSON.parse(data) } as ChangeEvent);
            }
          } catch {
            // The daemon is gone, or ends the stream; `ask` starts another one when it is needed.
            mayStart = false;
          }
          if (!isClosed) await delay(waitMs, undefined, { ref: false });
          waitMs = Math.min(2 * waitMs, retryMs.max);
        }
      }
    },
  };
}

/** A daemon that has refused is there. */
function isGone(error: unknown): boolean {
  return error instanceof ContextdError && error.code === 'unavailable' && !(error instanceof RefusedAnswer);
}
