/**
 * One stream of events for the whole page, and whether the daemon is there: both come back by themselves, without a reload of
 * the page (SY-03).
 */
import { effect, signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import type { EventData, EventType } from '../../events/event.ts';
import { sessionToken } from './request.ts';

export type ReceivedEvent = {
  [Type in EventType]: { id: string; type: Type; data: EventData[Type]; receivedAt: Date };
}[EventType];

/** `lost` within two seconds of the daemon not answering; `connecting` only before the first answer. */
export const connection = signal<'connecting' | 'connected' | 'lost'>('connecting');

/** The last events, newest first, for the log. */
export const recentEvents = signal<readonly ReceivedEvent[]>([]);

const keptEvents = 500;
const pingEveryMs = 600;
const pingTimeoutMs = 1_200;

const listeners = new Set<(event: ReceivedEvent | 'reconnected') => void>();

/** Called with every event, and with `reconnected` when something may have been missed. Returns what ends it. */
export function listen(listener: (event: ReceivedEvent | 'reconnected') => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(event: ReceivedEvent | 'reconnected'): void {
  for (const listener of [...listeners]) listener(event);
}

let lastEventId: string | undefined;

function receive(type: EventType, id: string, data: string): void {
  lastEventId = id;
  const event = { id, type, data: JSON.parse(data), receivedAt: new Date() } as ReceivedEvent;
  recentEvents.value = [event, ...recentEvents.peek().slice(0, keptEvents - 1)];
  tell(event);
}

/** Reads events until the stream ends or `stop` aborts it. */
async function readStream(token: string, stop: AbortSignal): Promise<void> {
  const response = await fetch('/v1/events', {
    signal: stop,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  if (response.status === 401 && sessionToken.peek() === token) sessionToken.value = undefined;
  if (!response.ok || response.body === null) return;
  const parser = createParser({
    onEvent: ({ event, id, data }) => receive((event ?? 'resync') as EventType, id ?? '', data),
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
    parser.feed(decoder.decode(bytes, { stream: true }));
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Holds the stream open while the page is signed in. */
export function followEvents(): void {
  effect(() => {
    const token = sessionToken.value;
    if (token === undefined) return;
    const stop = new AbortController();
    void (async () => {
      for (let isFirst = true; !stop.signal.aborted; isFirst = false) {
        if (!isFirst) tell('reconnected');
        await readStream(token, stop.signal).catch(() => {});
        if (stop.signal.aborted) return;
        void ping();
        do await pause(500);
        while (connection.peek() === 'lost' && !stop.signal.aborted);
      }
    })();
    return () => stop.abort();
  });
}

async function ping(): Promise<void> {
  let isThere = false;
  try {
    isThere = (await fetch('/health', { signal: AbortSignal.timeout(pingTimeoutMs) })).ok;
  } catch {}
  connection.value = isThere ? 'connected' : 'lost';
}

/** Asks again and again whether the daemon is there, as long as somebody looks at the page. */
export function watchConnection(): void {
  void (async () => {
    for (;;) {
      if (document.visibilityState === 'visible') await ping();
      await pause(pingEveryMs);
    }
  })();
}
