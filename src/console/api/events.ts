/**
 * One stream of events for all tabs of the console, and whether the daemon can be reached. Both recover without a
 * reload of the page (SY-03).
 */
import { effect, signal } from '@preact/signals';
import { createParser } from 'eventsource-parser';
import type { EventData, EventType } from '../../events/event.ts';
import { addressGone, sessionToken } from './request.ts';

export type ReceivedEvent = {
  [Type in EventType]: { id: string; type: Type; data: EventData[Type]; receivedAt: Date };
}[EventType];

/**
 * `lost`: within two seconds after the daemon stops answering. `moved`: the daemon was started again, at another
 * address. `connecting`: only before the first answer.
 */
export const connection = signal<'connecting' | 'connected' | 'lost' | 'moved'>('connecting');

/** The last events, newest first, for the log. */
export const recentEvents = signal<readonly ReceivedEvent[]>([]);

const keptEvents = 500;
const shortestWaitMs = 500;
const longestWaitMs = 10_000;
const pingEveryMs = 600;
const pingTimeoutMs = 1_200;

const listeners = new Set<(event: ReceivedEvent | 'reconnected') => void>();

/**
 * Calls `listener` with every event, and with `reconnected` if events may have been missed. Returns a function that
 * ends this.
 */
export function listen(listener: (event: ReceivedEvent | 'reconnected') => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(event: ReceivedEvent | 'reconnected'): void {
  for (const listener of [...listeners]) listener(event);
}

/** Passes events from the tab that reads the stream to the others. */
const channel = new BroadcastChannel('contextd-events');

let lastEventId: string | undefined;

function adopt(event: ReceivedEvent | 'reconnected'): void {
  if (event !== 'reconnected') {
    lastEventId = event.id;
    // After another tab takes over the stream, it may receive events that this tab has received already.
    const isKnown = recentEvents.peek().some(({ id, type }) => id === event.id && type !== 'resync');
    if (event.type !== 'resync' && isKnown) return;
    recentEvents.value = [event, ...recentEvents.peek().slice(0, keptEvents - 1)];
  }
  tell(event);
}

function spread(event: ReceivedEvent | 'reconnected'): void {
  channel.postMessage(event);
  adopt(event);
}

/** Reads events until the stream ends or `stop` aborts it. False if the daemon refused the stream. */
async function readStream(token: string, stop: AbortSignal, hasMissed: boolean): Promise<boolean> {
  const response = await fetch('/v1/events', {
    signal: stop,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  if (response.status === 401 && sessionToken.peek() === token) sessionToken.value = undefined;
  if (!response.ok || response.body === null) return false;
  if (hasMissed || lastEventId === undefined) spread('reconnected');
  const parser = createParser({
    onEvent: ({ event, id, data }) =>
      spread({
        id: id ?? '',
        type: event ?? 'resync',
        data: JSON.parse(data),
        receivedAt: new Date(),
      } as ReceivedEvent),
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
    parser.feed(decoder.decode(bytes, { stream: true }));
  return true;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function readAgainAndAgain(token: string, stop: AbortSignal): Promise<void> {
  let waitMs = shortestWaitMs;
  for (let isFirst = true; !stop.aborted; isFirst = false) {
    const isTaken = await readStream(token, stop, !isFirst).catch(() => true);
    if (stop.aborted) return;
    // A daemon with too many listeners is asked less often.
    waitMs = isTaken ? shortestWaitMs : Math.min(2 * waitMs, longestWaitMs);
    void ping();
    do await pause(waitMs);
    while (connection.peek() !== 'connected' && !stop.aborted);
  }
}

/**
 * Keeps a stream open while the page is signed in and visible. Only one of all tabs reads it, and the next one takes
 * over if that tab is closed or hidden. A browser opens six connections to a host, so a stream in each of six tabs
 * would leave none for anything else.
 */
export function followEvents(): void {
  channel.onmessage = ({ data }: MessageEvent<ReceivedEvent | 'reconnected'>) => {
    if (sessionToken.peek() !== undefined) adopt(data);
  };
  const isSeen = signal(document.visibilityState === 'visible');
  document.addEventListener('visibilitychange', () => {
    isSeen.value = document.visibilityState === 'visible';
  });
  effect(() => {
    const token = sessionToken.value;
    if (token === undefined || !isSeen.value) return;
    const stop = new AbortController();
    const read = () => readAgainAndAgain(token, stop.signal);
    // Only a page from this machine has locks. Another page reads its own stream.
    const locks = navigator.locks as LockManager | undefined;
    if (locks === undefined) void read();
    else void locks.request('contextd-events', { signal: stop.signal }, read).catch(() => {});
    return () => stop.abort();
  });
}

async function ping(): Promise<void> {
  try {
    const answer = await fetch('/health', { signal: AbortSignal.timeout(pingTimeoutMs) });
    if (answer.ok) {
      connection.value = 'connected';
      return;
    }
    const { code } = (await answer.json()) as { code?: string };
    connection.value = code === addressGone ? 'moved' : 'lost';
  } catch {
    connection.value = 'lost';
  }
}

/** Checks again and again whether the daemon can be reached, while the page is visible. */
export function watchConnection(): void {
  void (async () => {
    for (;;) {
      if (document.visibilityState === 'visible') await ping();
      await pause(pingEveryMs);
    }
  })();
}
