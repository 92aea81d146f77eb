/** Events for listeners (`GET /v1/events`; SY-03). */
import { z } from 'zod';
import type { OwnerId } from '../ports/caller.ts';
import { embedderStates } from '../ports/ports.ts';
import { Reason } from '../warnings.ts';

/** The id that `createEventLog` gave an event; for `Last-Event-ID` and `?since=`. */
export const EventId = z
  .string()
  .regex(/^(?:0|[0-9a-f]{12}-\d{1,15})$/u, 'must be the id of an event, or 0')
  .describe(
    'Id of an event: the run of the daemon, and a number that only rises. `0` means that the client has seen no event; the answer is a `resync`.',
  );

export const ContextChange = z
  .object({
    path: z.string().describe('Absolute path of the context file, configuration, policy or directory.'),
    change: z.enum(['added', 'changed', 'removed']).describe('What happened to it.'),
  })
  .meta({ id: 'ContextChange', description: 'What happened to one file or directory.' });
export type ContextChange = z.infer<typeof ContextChange>;

export const ContextChanged = z.object({
  mountedDirectories: z
    .array(z.string())
    .describe('The mounted directories whose context may have changed. Resolve them again.'),
  changes: z
    .array(ContextChange)
    .describe('The changes, sorted by path. A removed directory stands for everything in it.'),
  truncated: z.literal(true).optional().describe('Present if there are more changes than `changes` lists.'),
});
export type ContextChanged = z.infer<typeof ContextChanged>;

const resyncReasons = [
  'unknown_id',
  'too_old',
  'slow_reader',
  'roots_changed',
  'polling',
  'overflow',
  'too_many_directories',
  'store_cut_off',
] as const;

export const Resync = z.object({
  reason: z
    .enum(resyncReasons)
    .describe(
      '`unknown_id`: the daemon was restarted since the last event. `too_old`: the daemon no longer has all events since then. `slow_reader`: the client read too slowly; the stream ends. `roots_changed`: roots were granted or revoked. `polling`: the system has no more watches, so the daemon checks directories every few seconds from now on. `overflow`: too much happened at once to report. `too_many_directories`: not all directories can be watched. `store_cut_off`: for a while, the daemon did not learn what other daemons changed in the shared store.',
    ),
});
export type Resync = z.infer<typeof Resync>;
export type ResyncReason = Resync['reason'];

const change = z.enum(['created', 'updated', 'deleted']).describe('What happened to it.');

const SupplementaryChanged = z.object({
  mountedDirectory: z
    .string()
    .describe(
      'The mounted directory whose list changed. Read the list again. There is one event for the real path, and one for each other path by which clients recently asked for the list or for context. There is no event for directories outside the granted roots.',
    ),
});

const AgentChanged = z.object({ agentId: z.string().describe('Id of the agent.'), change });

const SessionChanged = z.object({
  sessionId: z.string().describe('Id of the session.'),
  change,
  lastSyncId: z
    .int()
    .describe('`lastSyncId` of the session after the change. Ask for the changes since the last number that you know.'),
});

export const EmbedderChanged = z.object({
  state: z.enum(embedderStates).describe('State of the embedding model. `stopped`: it is not needed now.'),
  detail: z.string().optional().describe('Why it failed.'),
});

export const IndexProgress = z.object({
  jobId: z.string().optional().describe('Id of the requested job. Absent if a search started the work.'),
  phase: z
    .enum(['download', 'index'])
    .describe('`download`: downloads the model (counted in bytes). `index`: embeds texts (counted in chunks).'),
  done: z.int().describe('How much of `total` is done.'),
  total: z.int().describe('Total amount. 0 while it is not known.'),
  state: z.enum(['running', 'finished', 'failed']).describe('State of the job.'),
  detail: z.string().optional().describe('Why it failed.'),
});

export const McpServerState = z
  .enum(['needs_approval', 'starting', 'ready', 'failed', 'disabled', 'stopped'])
  .meta({ id: 'McpServerState', description: 'State of a server.' });
export type McpServerState = z.infer<typeof McpServerState>;

const McpStateChanged = z.object({
  serverId: z.string().describe('Id of the server.'),
  name: z.string().describe('Name of the server.'),
  state: McpServerState,
  reason: Reason,
});

/** Each type: its data, and its name and description in the API. */
const types = {
  'context-changed': [
    ContextChanged,
    'ContextChanged',
    'Context files, configurations or context directories changed.',
  ],
  'policy-changed': [
    ContextChanged,
    'PolicyChanged',
    'Policies or ignore files changed. Decisions about the mounted directories may be different now.',
  ],
  'supplementary-changed': [SupplementaryChanged, 'SupplementaryChanged', 'A supplementary list changed.'],
  'agent-changed': [AgentChanged, 'AgentChanged', 'An agent changed.'],
  'session-changed': [SessionChanged, 'SessionChanged', 'A session changed.'],
  'mcp-state-changed': [
    McpStateChanged,
    'McpStateChanged',
    'The state of an MCP server changed. The reason `tools_changed` means that tools are withheld until the server is approved again.',
  ],
  'embedder-changed': [EmbedderChanged, 'EmbedderChanged', 'The state of the embedding model changed.'],
  'index-progress': [IndexProgress, 'IndexProgress', 'Progress of a download or an indexing job.'],
  resync: [Resync, 'Resync', 'The client may have missed events. Resolve again.'],
} as const;

/** The data of an event, by type. */
export type EventData = { [Type in keyof typeof types]: z.infer<(typeof types)[Type][0]> };
export type EventType = keyof EventData;

export const eventTypes = Object.keys(types) as EventType[];

/** The schema of the data of an event: its type, like the field `event`, and its own fields. */
const dataSchemas = eventTypes.map((type) => {
  const [{ shape }, id, description] = types[type];
  return z.object({ type: z.literal(type).describe('The type of the event.'), ...shape }).meta({ id, description });
});

export const Event = z.discriminatedUnion('type', dataSchemas as [(typeof dataSchemas)[number]]).meta({
  id: 'Event',
  description:
    'The data of one event of `GET /v1/events`. Later versions may have more types. Ignore types that you do not know.',
});

/**
 * One event. `text` is its form in a stream of server-sent events. With an `ownerId`, only callers that may use things
 * of this owner get the event.
 */
export type StreamedEvent = Readonly<{
  id: string;
  type: EventType;
  data: EventData[EventType];
  text: string;
  ownerId?: OwnerId | undefined;
}>;

/** JSON contains no line break, so a name cannot begin another field (S-44). */
export function createEvent<Type extends EventType>(id: string, type: Type, data: EventData[Type]): StreamedEvent {
  return { id, type, data, text: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n` };
}
