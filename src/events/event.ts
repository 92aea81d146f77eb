/** What listeners are told (`GET /v1/events`; SY-03). */
import { z } from 'zod';
import type { OwnerId } from '../ports/caller.ts';
import { Reason } from '../warnings.ts';

/** `Last-Event-ID`, `?since=`: what `createEventLog` gave an event. */
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
    .describe('The mounted directories whose context may be another now. Resolve them again.'),
  changes: z.array(ContextChange).describe('What happened, by path; a removed directory stands for its content.'),
  truncated: z.literal(true).optional().describe('Present when more happened than `changes` lists.'),
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
      '`unknown_id`: the daemon was restarted since the last event. `too_old`: more happened since than is kept. `slow_reader`: events were not read in time; the stream ends. `roots_changed`: roots were granted or revoked. `polling`: the system has no more watches; directories are looked at every few seconds from now on. `overflow`: more happened at once than the system tells. `too_many_directories`: not all can be watched. `store_cut_off`: what other daemons changed in the store that they share was not heard for a while.',
    ),
});
export type Resync = z.infer<typeof Resync>;
export type ResyncReason = Resync['reason'];

const change = z.enum(['created', 'updated', 'deleted']).describe('What happened to it.');

const SupplementaryChanged = z.object({
  mountedDirectory: z
    .string()
    .describe(
      'Whose list changed. Ask for it again. Told once for the real name, and once for each other by which the list, or what goes with a prompt, was asked for of late; those that lie in a granted root.',
    ),
});

const AgentChanged = z.object({ agentId: z.string().describe('Id of the agent.'), change });

const SessionChanged = z.object({
  sessionId: z.string().describe('Id of the session.'),
  change,
  lastSyncId: z.int().describe('Of the session after the change; ask for the changes since the last one you know.'),
});

export const EmbedderChanged = z.object({
  state: z
    .enum(['stopped', 'downloading', 'loading', 'ready', 'failed'])
    .describe('What the embedding model does. `stopped`: not needed now.'),
  detail: z.string().optional().describe('Why it failed.'),
});

export const IndexProgress = z.object({
  jobId: z.string().optional().describe('The job that was asked for; absent when a search needed it.'),
  phase: z.enum(['download', 'index']).describe('Fetching the model (bytes), or embedding texts (chunks).'),
  done: z.int().describe('How much of `total` is done.'),
  total: z.int().describe('0 while it is not known.'),
  state: z.enum(['running', 'finished', 'failed']).describe('Whether it goes on.'),
  detail: z.string().optional().describe('Why it failed.'),
});

export const McpServerState = z
  .enum(['needs_approval', 'starting', 'ready', 'failed', 'disabled', 'stopped'])
  .meta({ id: 'McpServerState', description: 'What a server does now.' });
export type McpServerState = z.infer<typeof McpServerState>;

const McpStateChanged = z.object({
  serverId: z.string().describe('Id of the server.'),
  name: z.string().describe('Name of the server.'),
  state: McpServerState,
  reason: Reason,
});

const dataOfEvents = {
  'context-changed': ContextChanged,
  'policy-changed': ContextChanged,
  'supplementary-changed': SupplementaryChanged,
  'agent-changed': AgentChanged,
  'session-changed': SessionChanged,
  'mcp-state-changed': McpStateChanged,
  'embedder-changed': EmbedderChanged,
  'index-progress': IndexProgress,
  resync: Resync,
};

/** What an event carries, by type. */
export type EventData = { [Type in keyof typeof dataOfEvents]: z.infer<(typeof dataOfEvents)[Type]> };
export type EventType = keyof EventData;

export const eventTypes = Object.keys(dataOfEvents) as EventType[];

/** What the data of an event says: its type, as the field `event` does, and what it carries. */
function told<Type extends EventType>(type: Type, id: string, description: string) {
  const { shape } = dataOfEvents[type];
  return z.object({ type: z.literal(type).describe('The type of the event.'), ...shape }).meta({ id, description });
}

export const Event = z
  .discriminatedUnion('type', [
    told('context-changed', 'ContextChanged', 'Context files, configurations or directories of context changed.'),
    told(
      'policy-changed',
      'PolicyChanged',
      'Policies or ignore files changed, and the mounted directories they are about may be decided otherwise.',
    ),
    told('supplementary-changed', 'SupplementaryChanged', 'A list of supplementary context changed.'),
    told('agent-changed', 'AgentChanged', 'An agent changed.'),
    told('session-changed', 'SessionChanged', 'A session changed.'),
    told(
      'mcp-state-changed',
      'McpStateChanged',
      'An MCP server is in another state. A reason `tools_changed` says that tools are withheld until it is approved again.',
    ),
    told('embedder-changed', 'EmbedderChanged', 'The embedding model is in another state.'),
    told('index-progress', 'IndexProgress', 'How far a download or an indexing job is.'),
    told('resync', 'Resync', 'Something may have been missed. Resolve again.'),
  ])
  .meta({
    id: 'Event',
    description:
      'The data of one event of `GET /v1/events`. Later versions may have more types: ignore what you do not know.',
  });

/**
 * One event. `text` is its form in a stream of server-sent events. With an `ownerId` it is told to those only for whom
 * what belongs to it is there.
 */
export type StreamedEvent = Readonly<{
  id: string;
  type: EventType;
  data: EventData[EventType];
  text: string;
  ownerId?: OwnerId | undefined;
}>;

/** JSON holds no line break, so that nothing in a name can begin another field (S-44). */
export function createEvent<Type extends EventType>(id: string, type: Type, data: EventData[Type]): StreamedEvent {
  return { id, type, data, text: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n` };
}
