import { Agent, request as httpRequest } from 'node:http';

/** Sends requests over at most `connections` connections, which stay; `send` rejects for any answer that is not good. */
export function keepAliveClient({ url, authorization }: { url: string; authorization: string }, connections: number) {
  const headers = { authorization, 'content-type': 'application/json' };
  // By turns, so that none is idle until the daemon closes it, just when it is used again.
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  return {
    /** The body of the answer. */
    send: (method: string, path: string, body: object): Promise<string> =>
      new Promise((resolve, reject) => {
        const request = httpRequest(`${url}${path}`, { method, agent, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('error', reject);
          response.on('end', () => ((response.statusCode ?? 0) < 300 ? resolve(text) : reject(new Error(text))));
        });
        request.on('error', reject).end(JSON.stringify(body));
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
