/**
 * The library's client, with limits for a server that cannot be trusted (S-89). Without them, the library collects
 * everything that it receives, and nobody catches the errors of its parser.
 */
import pg from 'pg';

const MiB = 1024 * 1024;
/** Larger than any row of contextd, and than everything that one statement asks for. */
export const bounds = { messageBytes: 64 * MiB, answerBytes: 256 * MiB };

/** The untyped function of the library that reads the connection. */
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
    // After an error of its own, for example a missing password, the library does not close the connection.
    connection.on('error', () =>
      (connection as unknown as { stream: NodeJS.ReadWriteStream & { destroy(): void } }).stream.destroy(),
    );
    // Not a copy, because the pool hides the password from copies.
    super(Object.create(config, { connection: { value: connection } }));
  }
}

/** Follows the messages of a server, each with a letter and a length at the beginning. Throws if one is too long. */
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
      // The server is ready for the next statement, so an answer has ended.
      answerBytes = head[0] === readyForQuery ? 0 : answerBytes + length + objectBytes;
      if (length < 4 || length > bounds.messageBytes || answerBytes > bounds.answerBytes)
        throw new Error('A message of the server is too long.');
      bodyLeft = length - 4;
    }
  };
}

const readyForQuery = 'Z'.charCodeAt(0);
/** Memory that the library needs for each message, even a short one. */
const objectBytes = 128;
