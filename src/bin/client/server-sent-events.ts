/** An event of a stream. Without `data`, the block had only an id. */
type ReceivedEvent = { id?: string; event: string; data?: string };

/** A stream without any data for this time is gone. Longer than the heartbeat of the daemon. */
export const silenceMs = 40_000;
/** Time until a client connects again. */
export const retryMs = { first: 250, max: 5_000 };

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
