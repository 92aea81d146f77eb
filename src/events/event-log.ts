/** The last events, and their listeners (S-77). */

import { NotYetError } from '../errors.ts';
import { type Caller, mayUse, type OwnerId, theUser } from '../ports/caller.ts';
import { fixedLimits } from '../settings.ts';
import { createShares } from '../tokens/shares.ts';
import { createEvent, type EventData, type EventType, type ResyncReason, type StreamedEvent } from './event.ts';

export type Subscriber = {
  /** The listener. Default: the user. */
  caller?: Caller | undefined;
  /** Id of the last event that the listener has seen. */
  since?: string | undefined;
  /** The wanted types, besides `resync`. Default: all. */
  types?: ReadonlySet<EventType> | undefined;
  /** Must not throw. */
  deliver(event: StreamedEvent): void;
  /** There are no more events. Not called after `close`. */
  end(): void;
};

/**
 * `lastId`: the id of the latest event when the subscription began. A listener that gets no event can later ask with it
 * for what it missed.
 */
export type Subscription = { lastId: string; close(): void };

export type EventLog = Readonly<{
  publish<Type extends EventType>(type: Type, data: EventData[Type], ownerId?: OwnerId): void;
  /**
   * Delivers the events after `since`, then new ones. Throws `unavailable`, and `limit_exceeded` if there are too many
   * listeners.
   */
  subscribe(subscriber: Subscriber): Subscription;
  /** An event for one listener only, with the id of the latest one. */
  resync(reason: ResyncReason): StreamedEvent;
  readonly listeners: number;
  /** The number of listeners of a token. */
  listenersOf(tokenId: string): number;
  /** `published`: the number of all events. `replayed`: how often a missed event was delivered later. */
  figures(): { published: number; replayed: number };
  /** Ends all listeners, and refuses new ones. */
  close(): void;
}>;

/**
 * `instance` is part of each id, so that an id of an earlier run is recognized. `onListeners` is called with the number
 * of listeners after each change.
 */
export function createEventLog(options: { instance: string; onListeners(count: number): void }): EventLog {
  const { instance, onListeners } = options;
  const recent: StreamedEvent[] = [];
  let recentBytes = 0;
  const subscribers = new Set<Subscriber>();
  const shares = createShares(fixedLimits.events.listeners);
  let last = 0;
  let replayed = 0;
  let isClosed = false;

  const lastId = (): string => `${instance}-${last}`;
  const resync = (reason: ResyncReason): StreamedEvent => createEvent(lastId(), 'resync', { reason });
  const wants = ({ caller = theUser, types }: Subscriber, { type, ownerId }: StreamedEvent): boolean =>
    (ownerId === undefined || mayUse(caller, ownerId)) && (types === undefined || type === 'resync' || types.has(type));

  const missed = (since: string): StreamedEvent[] => {
    const [run, number] = since.split('-');
    const seen = Number(number);
    if (run !== instance || !(seen <= last)) return [resync('unknown_id')];
    if (last - seen > recent.length) return [resync('too_old')];
    return recent.slice(recent.length - (last - seen));
  };

  return Object.freeze({
    publish(type, data, ownerId) {
      if (isClosed) return;
      last += 1;
      const event: StreamedEvent = { ...createEvent(`${instance}-${last}`, type, data), ownerId };
      recent.push(event);
      recentBytes += Buffer.byteLength(event.text);
      while (recent.length > fixedLimits.events.kept || recentBytes > fixedLimits.events.queuedBytes)
        recentBytes -= Buffer.byteLength(recent.shift()?.text ?? '');
      for (const subscriber of [...subscribers]) if (wants(subscriber, event)) subscriber.deliver(event);
    },
    subscribe(subscriber) {
      if (isClosed) throw new NotYetError('The daemon is stopping.', 10);
      const { caller = theUser } = subscriber;
      const refusal = shares.refusal(caller, 'listeners');
      if (refusal !== undefined) throw refusal;
      const events = subscriber.since === undefined ? [] : missed(subscriber.since);
      subscribers.add(subscriber);
      const giveBack = shares.take(caller);
      for (const event of events) {
        if (!wants(subscriber, event)) continue;
        replayed += 1;
        subscriber.deliver(event);
      }
      onListeners(subscribers.size);
      return {
        lastId: lastId(),
        close() {
          giveBack();
          if (subscribers.delete(subscriber)) onListeners(subscribers.size);
        },
      };
    },
    resync,
    get listeners() {
      return subscribers.size;
    },
    listenersOf: shares.of,
    figures: () => ({ published: last, replayed }),
    close() {
      isClosed = true;
      const ended = [...subscribers];
      subscribers.clear();
      for (const subscriber of ended) subscriber.end();
      if (ended.length > 0) onListeners(0);
    },
  } satisfies EventLog);
}
