/** A client of the stream of events that says when it is told of a file. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** `next` gives the time (`performance.now()`) at which the next event that names `path` has arrived. */
export type Listener = { next(path: string): Promise<number>; close(): void };

/** Listens to a daemon. `next` rejects when no event comes for `patienceMs`, and when the stream ends. */
export async function listenFor(daemon: { url: string; authorization: string }, patienceMs = 5_000): Promise<Listener> {
  const { url, authorization } = daemon;
  const request = get(`${url}/v1/events?types=context-changed`, { agent: false, headers: { authorization } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`events are answered with ${response.statusCode}`);
  let text = '';
  let hasEnded = false;
  let waiting: { path: string; settle(failure?: string): void } | undefined;
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const end = text.lastIndexOf('\n\n');
    if (end < 0) return;
    const complete = text.slice(0, end);
    text = text.slice(end + 2);
    if (waiting === undefined || !complete.includes('event: context-changed')) return;
    if (complete.includes(JSON.stringify(waiting.path))) waiting.settle();
  });
  response.on('error', () => {});
  response.on('close', () => {
    hasEnded = true;
    waiting?.settle('the stream has ended');
  });
  return {
    next: (path) =>
      new Promise((resolve, reject) => {
        const settle = (failure?: string): void => {
          clearTimeout(timer);
          waiting = undefined;
          if (failure === undefined) resolve(performance.now());
          else reject(new Error(failure));
        };
        const timer = setTimeout(() => settle(`no event for ${path}`), patienceMs);
        waiting = { path, settle };
        if (hasEnded) settle('the stream has ended');
      }),
    close: () => request.destroy(),
  };
}
