/** Readers of the event stream, which come back when their stream ends. */
import { Agent, request } from 'node:http';

/** `fileEvents` are those of `events` that tell of changed context files. */
export type Readers = { counts: { events: number; fileEvents: number; ends: number }; close(): void };

export function openReaders(url: string, { token, count }: { token: string; count: number }): Readers {
  const counts = { events: 0, fileEvents: 0, ends: 0 };
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  let isClosed = false;
  const open = (lastEventId: string | undefined): void => {
    if (isClosed) return;
    let last = lastEventId;
    const again = (): void => {
      if (isClosed) return;
      counts.ends += 1;
      setTimeout(() => open(last), 500);
    };
    const headers = { authorization: `Bearer ${token}`, ...(last === undefined ? {} : { 'last-event-id': last }) };
    request(`${url}/v1/events`, { agent, headers })
      .on('error', again)
      .on('response', (response) => {
        let rest = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines)
            if (line.startsWith('id: ')) {
              last = line.slice(4);
              counts.events += 1;
            } else if (line === 'event: context-changed') counts.fileEvents += 1;
        });
        response.on('error', () => {}).on('close', again);
      })
      .end();
  };
  for (let reader = 0; reader < count; reader += 1) open(undefined);
  return {
    counts,
    close() {
      isClosed = true;
      agent.destroy();
    },
  };
}
