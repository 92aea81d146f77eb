/** The stream of events of a daemon, as its text comes. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type TestDaemon, until } from './daemon.ts';

export type EventStream = Disposable & {
  response: IncomingMessage;
  /** All that has come so far. */
  text(): string;
  lastId(): string;
  ended: Promise<unknown>;
  close(): void;
  /**
   * Makes a change again and again, until the stream tells of it: what is watched begins a moment after the answer. Rounds
   * are counted for the stream; returns the last one.
   */
  tells(line: string | RegExp, change: (round: number) => void): Promise<number>;
};

/** It listens already. */
export async function openEventStream(
  { url, token }: Pick<TestDaemon, 'url' | 'token'>,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<EventStream> {
  const request = get(`${url}/v1/events${query}`, {
    agent: false,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  request.on('error', () => {});
  let text = '';
  let round = 0;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  response.on('error', () => {});
  const close = () => void request.destroy();
  return {
    response,
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gmu)].at(-1)?.[1] ?? '',
    ended: new Promise((end) => response.once('close', end)),
    close,
    async tells(line, change) {
      const from = text.length;
      const isTold = () => (typeof line === 'string' ? text.slice(from).includes(line) : line.test(text.slice(from)));
      await until(() => {
        round += 1;
        change(round);
        return until(isTold, 1_500).catch(() => undefined);
      });
      return round;
    },
    [Symbol.dispose]: close,
  };
}
