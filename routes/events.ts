/** `GET /v1/events`: server-sent events (SY-03, S-77). */
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { createBoundedStream } from '../src/events/bounded-stream.ts';
import { Event, EventId, type EventType, eventTypes } from '../src/events/event.ts';
import { fixedLimits } from '../src/settings.ts';
import type { ZodApp } from './http/operation.ts';
import type { RequestMetrics } from './http/request-metrics.ts';
import { callerOfRequest } from './http/server.ts';

/** How long a client that does not read can keep a stream that has ended. */
const lingerMs = 1_000;

const typeNames = eventTypes.join('|');

/** The schema describes the data of one event. The description says what is around it. */
const eventStream = {
  description:
    'Server-sent events, until the client or the daemon ends the stream. `id` is the id of the event, `event` its type. `data` is one line of JSON, an `Event`.',
  content: { 'text/event-stream': { schema: Event } },
};

export function eventRoutes(app: ZodApp, engine: Engine, metrics: RequestMetrics): void {
  app.route({
    method: 'GET',
    url: '/v1/events',
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamEvents',
      tags: ['events'],
      summary: 'Stream events',
      description:
        'A stream of server-sent events about agents, sessions, supplementary lists, MCP servers, the search index, and the context and policies of mounted directories that clients asked about in the last hour. Listen first, then resolve, and resolve again after each event. A client that reconnects sends the id of its last event as `Last-Event-ID`, or as `since`, and gets the events that it missed. If both are sent, the header counts, because a client that reconnects automatically keeps the old address. If the daemon does not know the id any more, the client gets a `resync` first. The stream begins with an id in a block without data. With this id, a client that has seen no event yet misses none either. A comment is sent every 15 seconds. At most 1,000 streams are open at once (`unavailable`), and 250 of one agent token (`limit_exceeded`). An agent token gets events about its own sessions only.',
      // Loose, because a request has other headers too.
      headers: z.looseObject({
        // A browser that has seen no event sends an empty header.
        'last-event-id': z
          .string()
          .refine((id) => id === '' || EventId.safeParse(id).success, 'must be the id of an event, or 0')
          .optional()
          .describe('Id of the last event that the client has seen.'),
      }),
      querystring: z.strictObject({
        since: EventId.optional(),
        types: z
          .string()
          .regex(
            new RegExp(`^(?:${typeNames})(?:,(?:${typeNames}))*$`, 'u'),
            `must list types: ${eventTypes.join(', ')}`,
          )
          .optional()
          .describe('Types of events to send, separated by commas. Default: all types. `resync` is always sent.'),
      }),
      response: { 200: eventStream },
    },
    handler(request, reply) {
      const { since, types } = request.query;
      const { raw } = reply;
      const stream = createBoundedStream(
        { write: (text) => raw.write(text), end: () => raw.end() },
        {
          farewell: () => engine.resync('slow_reader').text,
          onOverflow(dropped) {
            metrics.drop(dropped);
            destroyLater();
          },
        },
      );
      const destroyLater = (): void => void setTimeout(() => raw.destroy(), lingerMs).unref();
      const waiting: string[] = [];
      let isOpen = false;
      const send = (text: string): void => {
        if (isOpen) stream.send(text);
        else waiting.push(text);
      };
      const subscription = engine.subscribe({
        caller: callerOfRequest(request),
        since: request.headers['last-event-id'] || since,
        types: types === undefined ? undefined : new Set(types.split(',') as EventType[]),
        deliver: ({ text }) => send(text),
        end() {
          send(': bye\n\n');
          stream.end();
          destroyLater();
        },
      });
      reply.hijack();
      raw.statusCode = 200;
      raw.setHeader('content-type', 'text/event-stream');
      raw.on('drain', () => stream.drained());
      raw.on('error', () => {});
      raw.on('close', () => {
        clearInterval(heartbeat);
        subscription.close();
      });
      const heartbeat = setInterval(() => stream.send(': still here\n\n'), fixedLimits.events.heartbeatMs);
      isOpen = true;
      // Replayed events have their own ids. This id would come before them, but is newer.
      const id = waiting.length === 0 ? `id: ${subscription.lastId}\n` : '';
      stream.send(`${id}retry: 1000\n\n${waiting.join('')}`);
    },
  });

  app.addHook('preClose', (done) => {
    engine.endEvents();
    done();
  });
}
