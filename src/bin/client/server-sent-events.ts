/** The events of the daemon as a stream. */
import type { IncomingMessage } from 'node:http';
import type { EventType } from '../../events/event.ts';
import type { DaemonClient } from './client.ts';

/** An event of a stream. Without `data`, the block had only an id. */
type ReceivedEvent = { id?: string; event: string; data?: string };

/** A stream without any data for this time is gone. Longer than the heartbeat of the daemon. */
const silenceMs = 40_000;
/** Time until a client connects again. */
export const retryMs = { first: 250, max: 5_000 };

/** Opens the stream of events of these types (default: all), beginning after the event with the id `lastId`. */
export function openEvents(
  client: Pick<DaemonClient, 'open'>,
  { types, lastId }: { types?: readonly EventType[]; lastId?: string | undefined },
): Promise<IncomingMessage> {
  const path = types === undefined ? '/v1/events' : `/v1/events?types=${types.join()}`;
  return client.open(path, { headers: lastId === undefined ? {} : { 'last-event-id': lastId }, silenceMs });
}

/** Parses a `text/event-stream` (HTML standard, 9.2.6) with `\n` as line break. Skips comments. */
export async function* readServerSentEvents(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/su.exec(line) ?? [];
        fields.set(name, fields.has(name) && name === 'data' ? `${fields.get(name)}\n${value}` : value);
      }
      const data = fields.get('data');
      const id = fields.get('id');
      if (data === undefined && id === undefined) continue;
      yield { id, event: fields.get('event') ?? 'message', data };
    }
  }
}
