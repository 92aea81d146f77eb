/** A daemon that is asked for as long as a process lives, whichever daemon that is: it can end and be started again meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import type { EventType } from '../../events/event.ts';
import type { ChangeEvent } from '../../mcp-server/verbs.ts';
import type { DaemonClient, DaemonRequest } from './client.ts';
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
  let known: Promise<DaemonClient> | undefined;
  const client = ({ mayStart } = { mayStart: true }): Promise<DaemonClient> => {
    known ??= connect({ mayStart });
    const current = known;
    current.catch(() => {
      if (known === current) known = undefined;
    });
    return current;
  };

  return {
    async ask<Result>(request: DaemonRequest) {
      const current = client();
      try {
        return await (await current).request<Result>(request);
      } catch (error) {
        if (!(error instanceof ContextdError) || error.code !== 'unavailable') throw error;
        if (known === current) known = undefined;
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
            const current = client({ mayStart });
            const opened = await (await current).open(`/v1/events?types=${types.join()}`, { headers, silenceMs });
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
            known = undefined;
            mayStart = false;
          }
          if (!isClosed) await delay(waitMs, undefined, { ref: false });
          waitMs = Math.min(2 * waitMs, retryMs.most);
        }
      }
    },
  };
}
