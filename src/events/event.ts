/** What listeners are told (api.md, `GET /v1/events`; SY-03). */
import { z } from 'zod';

/** `Last-Event-ID`, `?since=`: what `createEventLog` gave an event. */
export const EventId = z
  .string()
  .regex(/^[0-9a-f]{12}-\d{1,15}$/u, 'must be the id of an event')
  .describe('Id of an event: the run of the daemon it belongs to, and its number, which only rises.');

export const ContextChange = z
  .object({
    path: z.string().describe('Absolute path of the context file, configuration, policy or directory.'),
    change: z.enum(['added', 'changed', 'removed']).describe('What happened to it.'),
  })
  .meta({ id: 'ContextChange', description: 'What happened to one file or directory.' });
export type ContextChange = z.infer<typeof ContextChange>;

export const ContextChanged = z
  .object({
    mountedDirectories: z
      .array(z.string())
      .describe('The mounted directories whose context may be another now. Resolve them again.'),
    changes: z.array(ContextChange).describe('What happened, by path; a removed directory stands for its content.'),
    truncated: z.literal(true).optional().describe('Present when more happened than `changes` lists.'),
  })
  .meta({ id: 'ContextChanged', description: 'Data of a `context-changed` event.' });
export type ContextChanged = z.infer<typeof ContextChanged>;

export const resyncReasons = [
  'unknown_id',
  'too_old',
  'slow_reader',
  'roots_changed',
  'polling',
  'overflow',
  'too_many_directories',
] as const;

export const Resync = z
  .object({
    reason: z
      .enum(resyncReasons)
      .describe(
        '`unknown_id`: the daemon was restarted since the last event. `too_old`: more happened since than is kept. `slow_reader`: events were not read in time; the stream ends. `roots_changed`: roots were granted or revoked. `polling`: the system has no more watches; directories are looked at every few seconds from now on. `overflow`: more happened at once than the system tells. `too_many_directories`: not all can be watched.',
      ),
  })
  .meta({ id: 'Resync', description: 'Data of a `resync` event: something may have been missed. Resolve again.' });
export type Resync = z.infer<typeof Resync>;
export type ResyncReason = Resync['reason'];

/** What an event carries, by type. */
export type EventData = { 'context-changed': ContextChanged; resync: Resync };
export type EventType = keyof EventData;

export const eventTypes: readonly EventType[] = ['context-changed', 'resync'];

/** One event. `text` is its form in a stream of server-sent events. */
export type StreamedEvent = Readonly<{ id: string; type: EventType; data: EventData[EventType]; text: string }>;

/** JSON holds no line break, so that nothing in a name can begin another field (S-44). */
export function createEvent<Type extends EventType>(id: string, type: Type, data: EventData[Type]): StreamedEvent {
  return { id, type, data, text: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n` };
}
