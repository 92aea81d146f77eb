/** The ring of events and its listeners (SY-03, S-77). */

import { describe, expect, it } from 'vitest';
import { ContextChanged, EventId, type EventType, eventTypes, Resync } from '../../src/events/event.ts';
import { createEventLog, type EventLog } from '../../src/events/event-log.ts';
import { fixedLimits } from '../../src/settings.ts';

const instance = '0123456789ab';
const data = (path: string): ContextChanged => ({ mountedDirectories: ['/p'], changes: [{ path, change: 'changed' }] });

function newLog(name = instance) {
  const counts: number[] = [];
  const log = createEventLog({ instance: name, onListeners: (count) => counts.push(count) });
  const listen = (options: { since?: string; types?: EventType[] } = {}) => {
    const texts: string[] = [];
    const ids: string[] = [];
    let ended = 0;
    const subscription = log.subscribe({
      since: options.since,
      types: options.types && new Set(options.types),
      deliver({ id, type, data: delivered, text }) {
        ids.push(id);
        texts.push(type === 'resync' ? `resync ${(delivered as Resync).reason}` : type);
        expect(text).toBe(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...delivered })}\n\n`);
      },
      end: () => {
        ended += 1;
      },
    });
    return { texts, ids, close: subscription.close, ended: () => ended };
  };
  return { log, listen, counts };
}

const publish = (log: EventLog, count: number) => {
  for (let index = 1; index <= count; index += 1) log.publish('context-changed', data(`/p/.context/${index}.md`));
};

describe('event log', () => {
  it('SY-03 gives events rising ids that name the run', () => {
    const { log, listen } = newLog();
    const { ids, texts } = listen();
    publish(log, 3);
    expect(ids).toEqual([`${instance}-1`, `${instance}-2`, `${instance}-3`]);
    expect(texts).toEqual(['context-changed', 'context-changed', 'context-changed']);
    for (const id of ids) EventId.parse(id);
  });

  it('SY-03 tells a new listener nothing of the past, and one that comes back what it has missed', () => {
    const { log, listen } = newLog();
    publish(log, 5);
    expect(listen().ids).toEqual([]);
    expect(listen({ since: `${instance}-3` }).ids).toEqual([`${instance}-4`, `${instance}-5`]);
    expect(listen({ since: `${instance}-5` }).ids).toEqual([]);
  });

  it('SY-03 keeps the last 1,000 events, and says resync where that is not enough', () => {
    const { log, listen } = newLog();
    publish(log, 1_500);
    expect(listen({ since: `${instance}-500` }).ids).toHaveLength(1_000);
    const late = listen({ since: `${instance}-499` });
    expect(late.texts).toEqual(['resync too_old']);
    // From there the listener can go on.
    expect(listen({ since: late.ids[0] as string }).texts).toEqual([]);
  });

  it('S-77 tells again no more than a client may leave unread, in bytes', () => {
    const { log, listen } = newLog();
    // A letter of two bytes.
    const large = data(`/p/.context/${'é'.repeat(50_000)}.md`);
    for (let count = 0; count < 20; count += 1) log.publish('context-changed', large);
    expect(listen({ since: `${instance}-10` }).texts).toEqual(Array(10).fill('context-changed'));
    expect(listen({ since: `${instance}-9` }).texts).toEqual(['resync too_old']);
    log.publish('context-changed', data('x'.repeat(fixedLimits.events.queuedBytes)));
    expect(listen({ since: `${instance}-20` }).texts).toEqual(['resync too_old']);
    expect(listen({ since: `${instance}-21` }).texts).toEqual([]);
  });

  it('SY-03 says resync to an id of another run, or of the future', () => {
    const { log, listen } = newLog();
    publish(log, 5);
    for (const since of ['ba9876543210-3', `${instance}-6`, `${instance}-999999999999999`])
      expect(listen({ since }).texts).toEqual(['resync unknown_id']);
  });

  it('SY-03 sends the types that are wanted, and resync always', () => {
    const { log, listen } = newLog();
    const only = listen({ types: ['resync'] });
    const all = listen({ types: [...eventTypes] });
    publish(log, 1);
    log.publish('resync', { reason: 'overflow' });
    expect(only.texts).toEqual(['resync overflow']);
    expect(all.texts).toEqual(['context-changed', 'resync overflow']);
    expect(listen({ types: ['context-changed'], since: `${instance}-0` }).texts).toHaveLength(2);
  });

  it('SY-03 stops delivering to who has left, and counts who is there', () => {
    const { log, listen, counts } = newLog();
    const first = listen();
    const second = listen();
    first.close();
    first.close();
    publish(log, 1);
    expect(first.ids).toEqual([]);
    expect(second.ids).toHaveLength(1);
    second.close();
    expect(counts).toEqual([1, 2, 1, 0]);
    expect([first.ended(), second.ended()]).toEqual([0, 0]);
  });

  it('S-77 refuses the 1,001st listener, and takes one again when one has left', () => {
    const { listen, log } = newLog();
    const listeners = Array.from({ length: 1_000 }, () => listen());
    expect(() => listen()).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterS: 10 }));
    expect(log.listeners).toBe(1_000);
    listeners[0]?.close();
    listen();
  });

  it('S-80 ends all listeners once, and refuses new ones', () => {
    const { log, listen, counts } = newLog();
    const listener = listen();
    log.close();
    log.close();
    publish(log, 1);
    expect(listener.ended()).toBe(1);
    expect(listener.ids).toEqual([]);
    expect(counts.at(-1)).toBe(0);
    expect(() => listen()).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterS: 10 }));
  });

  it('S-44 keeps an event on its lines, whatever a file is called', () => {
    const { log } = newLog();
    const texts: string[] = [];
    log.subscribe({ deliver: ({ text }) => texts.push(text), end() {} });
    log.publish('context-changed', data('/p/.context/a\n\ndata: x\r\nevent: y\u2028.md'));
    expect(texts[0]?.split(/\r\n|\n|\r/u)).toHaveLength(5);
    const line = texts[0]?.split('\n')[2] ?? '';
    expect(ContextChanged.parse(JSON.parse(line.slice('data: '.length))).changes[0]?.path).toContain('\n\ndata: x\r\n');
    expect(Resync.strict().parse(log.resync('slow_reader').data)).toEqual({ reason: 'slow_reader' });
  });
});
