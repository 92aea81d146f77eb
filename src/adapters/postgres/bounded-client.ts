/**
 * The library's client for a server that may be anything (S-89). By itself the library collects whatever it is sent, and what
 * its parser throws at is caught by nobody.
 */
import pg from 'pg';

const MiB = 1024 * 1024;
/** Larger than any row of ours, and than all that is asked for at once. */
export const bounds = { messageBytes: 64 * MiB, answerBytes: 256 * MiB };

/** What the library passes what it reads to. It has no types. */
type Listening = {
  attachListeners(stream: { on(event: string, listener: (data: Buffer) => void): unknown }): void;
};
const { attachListeners } = pg.Connection.prototype as unknown as Listening;

export class BoundedClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    const connection = new pg.Connection(config);
    Object.assign(connection, {
      attachListeners(this: Listening, stream: NodeJS.ReadWriteStream & { destroy(error: Error): unknown }) {
        const look = createFrames();
        let isOver = false;
        attachListeners.call(this, {
          on: (event, listener) =>
            stream.on(event, (data: Buffer) => {
              if (isOver) return;
              try {
                if (event === 'data') look(data);
                listener(data);
              } catch {
                isOver = true;
                stream.destroy(new Error('PostgreSQL sends data that contextd cannot read, or too much of it.'));
              }
            }),
        });
      },
    });
    // After an error of its own, as when there is no password, the library leaves the connection open.
    connection.on('error', () =>
      (connection as unknown as { stream: NodeJS.ReadWriteStream & { destroy(): void } }).stream.destroy(),
    );
    // Not a copy: the pool hides the password from those.
    super(Object.create(config, { connection: { value: connection } }));
  }
}

/** Follows the messages in what a server sends: a letter and a length before each. Throws for what is too long. */
export function createFrames(): (data: Uint8Array) => void {
  const head = Buffer.alloc(5);
  let headLength = 0;
  let bodyLeft = 0;
  let answerBytes = 0;
  return (data) => {
    for (let at = 0; at < data.length; ) {
      if (bodyLeft > 0) {
        const length = Math.min(bodyLeft, data.length - at);
        bodyLeft -= length;
        at += length;
        continue;
      }
      head[headLength] = data[at] as number;
      headLength += 1;
      at += 1;
      if (headLength < head.length) continue;
      headLength = 0;
      const length = head.readUInt32BE(1);
      // The server is ready for the next statement: an answer has ended.
      answerBytes = head[0] === readyForQuery ? 0 : answerBytes + length + objectBytes;
      if (length < 4 || length > bounds.messageBytes || answerBytes > bounds.answerBytes)
        throw new Error('A message of the server is too long.');
      bodyLeft = length - 4;
    }
  };
}

const readyForQuery = 'Z'.charCodeAt(0);
/** What the library makes of each message besides, however short it is. */
const objectBytes = 128;
