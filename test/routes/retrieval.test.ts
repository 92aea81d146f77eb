/** `/v1/retrieve` over HTTP: what the route does besides asking the engine. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sendRequest } from '../support/daemon.ts';
import { createFakeEngine } from './support/fake-engine.ts';
import { createListeningApp, type ListeningApp, token } from './support/listening-app.ts';

const asked = Promise.withResolvers<AbortSignal | undefined>();
const ended = Promise.withResolvers<void>();
let test: ListeningApp;

beforeEach(async () => {
  const engine = createFakeEngine();
  test = await createListeningApp({
    engine: {
      ...engine,
      async retrieve(request, signal) {
        if (request.query === 'slow') {
          asked.resolve(signal);
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
          ended.resolve();
        }
        // A turn later the body of the request is certainly read.
        await new Promise((resolve) => setImmediate(resolve));
        if (signal?.aborted) return { items: [], omitted: [], usage: { tokens: 0 }, warnings: [] };
        return engine.retrieve(request);
      },
    },
  });
});
afterEach(() => test.app.close());

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

it('RT-04 S-45 tells the engine when the client is gone, and not before', async () => {
  const url = `${test.url}/v1/retrieve`;
  const answer = await sendRequest(url, { method: 'POST', body: { mountedDirectory: '/home/ada/project' }, headers });
  expect(answer).toMatchObject({ status: 200, body: { items: [{ origin: 'import' }] } });
  const client = new AbortController();
  const body = JSON.stringify({ mountedDirectory: '/home/ada/project', query: 'slow' });
  const request = fetch(url, { method: 'POST', body, headers, signal: client.signal });
  expect((await asked.promise)?.aborted).toBe(false);
  client.abort();
  await expect(request).rejects.toThrow();
  await ended.promise;
});
