/** `GET /v1/events` over HTTP (SY-03, S-77): heartbeat, refusals, the end. */
import { get, type IncomingMessage } from 'node:http';
import supertest from 'supertest';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Problem } from '../../routes/http/problem.ts';
import { NotYetError } from '../../src/errors.ts';
import { createEvent } from '../../src/events/event.ts';
import type { Subscriber } from '../../src/events/event-log.ts';
import { createListeningApp, type ListeningApp, token } from './support/listening-app.ts';

const id = '0123456789ab-7';

let test: ListeningApp;
let subscribers: Subscriber[];
let closed: Subscriber[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  test = await createListeningApp();
  subscribers = [];
  closed = [];
  const closedNow = closed;
  vi.spyOn(test.engine, 'subscribe').mockImplementation((subscriber) => {
    subscribers.push(subscriber);
    return {
      lastId: id,
      close: () => {
        closedNow.push(subscriber);
      },
    };
  });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await test.app.close();
});

function open(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ response: IncomingMessage; text(): string }> {
  return new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`;
    const request = get(`${test.url}${path}`, { agent: false, headers: { authorization, ...headers } }, (response) => {
      let text = '';
      response.on('error', () => {});
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      resolve({ response, text: () => text });
    });
    request.on('error', reject);
  });
}

it('SY-03 passes on what is asked for, and each event as it happens', async () => {
  const { response, text } = await open(`/v1/events?types=context-changed,resync`, { 'last-event-id': id });
  const [subscriber] = subscribers;
  expect(subscriber).toMatchObject({ since: id, types: new Set(['context-changed', 'resync']) });
  const event = createEvent(id, 'resync', { reason: 'overflow' });
  subscriber?.deliver(event);
  await expect.poll(text).toBe(`id: ${id}\nretry: 1000\n\n${event.text}`);
  response.destroy();
  await expect.poll(() => closed).toHaveLength(1);
});

it('SY-03 prefers the header, which browsers leave empty at first, to ?since=, which they send again as it was', async () => {
  const other = '0123456789ab-8';
  const first = await open(`/v1/events?since=${other}`, { 'last-event-id': id });
  const second = await open(`/v1/events?since=${other}`, { 'last-event-id': '' });
  const third = await open('/v1/events', { 'last-event-id': '' });
  expect(subscribers.map(({ since }) => since)).toEqual([id, other, undefined]);
  first.response.destroy();
  second.response.destroy();
  third.response.destroy();
});

it('SY-03 AN-04 says that the header is wrong, and describes it', async () => {
  const { body } = await supertest(test.url)
    .get('/v1/events')
    .set({ authorization: `Bearer ${token}`, 'last-event-id': 'x' })
    .expect(400);
  expect(body.errors).toEqual([{ pointer: '/last-event-id', message: 'must be the id of an event, or 0' }]);
  const document = await supertest(test.url).get('/openapi.json').expect(200);
  const { parameters } = document.body.paths['/v1/events'].get;
  expect(parameters).toContainEqual(expect.objectContaining({ in: 'header', name: 'last-event-id', required: false }));
});

it('SY-03 sends a comment every 15 seconds', async () => {
  // From the first request on, the event loop is looked at.
  await supertest(test.url).get('/health').expect(200);
  const timers = vi.getTimerCount();
  const { response, text } = await open('/v1/events');
  vi.advanceTimersByTime(14_999);
  vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(15_000);
  await expect.poll(() => text().match(/^:/gmu)).toHaveLength(2);
  response.destroy();
  await expect.poll(() => closed).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(timers);
});

it('S-77 refuses with 503 and says when to come again', async () => {
  vi.mocked(test.engine.subscribe).mockImplementation(() => {
    throw new NotYetError('There are too many.', 10);
  });
  const answer = await supertest(test.url).get('/v1/events').auth(token, { type: 'bearer' }).expect(503);
  expect(answer.headers['retry-after']).toBe('10');
  expect(Problem.parse(answer.body).code).toBe('unavailable');
});

it('S-80 ends the stream when there is nothing more to tell', async () => {
  const { response, text } = await open('/v1/events');
  subscribers[0]?.end();
  await new Promise((resolve) => response.once('end', resolve));
  expect(text()).toBe(`id: ${id}\nretry: 1000\n\n: bye\n\n`);
});
