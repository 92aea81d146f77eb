/** Sessions: what they hold, and what changes in them (SE-01 … SE-05). */
import { z } from 'zod';
import { AgentId, AgentSettings, chatSettingsFields, searchSettingsFields, ToolPermission } from '../agent/agent.ts';
import type { CatalogItem } from '../agent/catalog-item.ts';
import { type ContextItemRef, keyOfItem, SessionContextItem } from '../agent/item.ts';
import type { StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { Warning } from '../warnings.ts';
import { GivenMessage, type Message, SessionMessage } from './message.ts';
import { replyText } from './reply-text.ts';

const id = z.string().describe('Id of the session.');
const lastSyncId = z
  .int()
  .describe('Number of the last change; it rises by one with each. The version for preconditions, in quotes.');
const model = z.string().min(1).max(256);
const currentModelProvider = model.describe('Who serves the model.');
const currentModelId = model.describe('The model.');

export const NewSession = z
  .strictObject({
    agentId: AgentId,
    parentSessionId: z
      .string()
      .max(64)
      .optional()
      .describe('Session whose items the new one begins with, each in its mode; then come the `always` items.'),
    settings: AgentSettings.optional().describe('What differs from the settings of the agent.'),
  })
  .meta({ id: 'NewSession', description: 'Which agent a session is with.' });
export type NewSession = z.infer<typeof NewSession>;

const { maxChatTurns, maxOutputTokens, temperature, topP } = chatSettingsFields;
const known = <Schema extends z.ZodType>(field: z.ZodOptional<Schema>): Schema =>
  field.unwrap().describe(field.description ?? '');
const stateFields = {
  currentModelProvider: currentModelProvider.optional(),
  currentModelId: currentModelId.optional(),
  maxChatTurns: known(maxChatTurns),
  maxOutputTokens: known(maxOutputTokens),
  temperature: known(temperature),
  topP: known(topP),
  toolPermission: ToolPermission,
  ...searchSettingsFields,
};
const pendingServers = z
  .array(z.string())
  .describe(
    'MCP servers that had not told their tools when the session began. Their `always` tools join it with the first request after they have.',
  );
const summaryFields = {
  id,
  agentId: AgentId,
  parentSessionId: z.string().optional().describe('The session whose items it began with.'),
  createdAt: z.string().describe('ISO 8601 UTC.'),
  messageCount: z.int().describe('Number of its messages.'),
  firstMessage: z
    .string()
    .optional()
    .describe('How the first message of the user begins, on one line, by which people tell sessions apart.'),
  lastSyncId,
  pendingServers: pendingServers.optional(),
  ...stateFields,
};

export const SessionSummary = z
  .object(summaryFields)
  .meta({ id: 'SessionSummary', description: 'A session without its messages and items.' });
export type SessionSummary = z.infer<typeof SessionSummary>;

export const Session = z
  .object({
    ...summaryFields,
    contextItems: z.array(SessionContextItem).describe('Its items, in the order in which they came.'),
    messages: z
      .array(SessionMessage)
      .describe(`Its messages, oldest first: the last ${fixedLimits.sessions.answerMessages}, of at most 4 MiB.`),
    earlierMessages: z
      .int()
      .optional()
      .describe('Number of messages before these, when there are any: `changes?since=1` lists them all.'),
    warnings: z
      .array(Warning)
      .describe(
        'What is wrong with files of the agent, and stored messages that are damaged. `tools_pending`, `tools_unavailable`, `tools_need_approval`: why the tools of a server are not there.',
      ),
  })
  .meta({ id: 'Session', description: 'A session.' });
export type Session = z.infer<typeof Session>;

export const SessionPatch = z
  .strictObject({
    appendMessages: z
      .array(GivenMessage)
      .min(1)
      .max(100)
      .optional()
      .describe('Messages to add at the end. Those that are there never change.'),
    currentModelProvider: currentModelProvider.nullable().optional().describe('Who serves the model; `null`: unknown.'),
    currentModelId: currentModelId.nullable().optional().describe('The model; `null`: unknown.'),
    ...chatSettingsFields,
    ...searchSettingsFields,
  })
  .meta({ id: 'SessionPatch', description: 'What is to change; what is not named stays.' });
export type SessionPatch = z.infer<typeof SessionPatch>;

const changeFields = { syncId: z.int().describe('Its number.'), at: z.string().describe('When, ISO 8601 UTC.') };
export const SessionChange = z
  .discriminatedUnion('type', [
    z
      .object({
        ...changeFields,
        type: z.literal('created').describe('It began.'),
        contextItems: z.array(SessionContextItem).describe('With these items.'),
      })
      .meta({ id: 'CreatedChange', description: 'The session began.' }),
    z
      .object({ ...changeFields, type: z.literal('message').describe('A message came.'), message: SessionMessage })
      .meta({ id: 'MessageChange', description: 'A message came.' }),
    z
      .object({
        ...changeFields,
        type: z.literal('item_added').describe('An item was added.'),
        item: SessionContextItem,
      })
      .meta({ id: 'ItemAddedChange', description: 'An item was added.' }),
    z
      .object({
        ...changeFields,
        type: z.literal('item_removed').describe('An item was removed.'),
        item: SessionContextItem,
      })
      .meta({ id: 'ItemRemovedChange', description: 'An item was removed.' }),
    z
      .object({
        ...changeFields,
        type: z.literal('settings').describe('Settings changed.'),
        settings: SessionPatch.omit({ appendMessages: true })
          .extend({ pendingServers: pendingServers.optional() })
          .describe('What changed, and to what.'),
      })
      .meta({ id: 'SettingsChange', description: 'Settings changed.' }),
  ])
  .meta({ id: 'SessionChange', description: 'One change of a session.' });
export type SessionChange = z.infer<typeof SessionChange>;

export const SessionChanges = z
  .object({
    full: z.boolean().describe('True: `session` is all there is, begin anew. False: `changes` lists what came since.'),
    session: Session.optional(),
    changes: z.array(SessionChange).describe('Changes after `since`, in order.'),
    next: z.int().optional().describe('Present when there are more: ask again with this as `since`.'),
    lastSyncId,
    warnings: z.array(Warning).describe('Changes that are damaged and were left out.'),
  })
  .meta({ id: 'SessionChanges', description: 'What changed in a session.' });
export type SessionChanges = z.infer<typeof SessionChanges>;

export const SessionItems = z
  .object({
    items: z.array(SessionContextItem).describe('The items of the session, in the order in which they came.'),
    lastSyncId,
    warnings: z.array(Warning).describe('What is wrong with files of the agent.'),
  })
  .meta({ id: 'SessionItems', description: 'The items of a session.' });
export type SessionItems = z.infer<typeof SessionItems>;

/** An item as a session keeps it: by reference (SE-04). */
export type HeldItem = ContextItemRef & { includeMode: 'always' | 'manual' };

/** What is stored of a session besides its messages. */
export type SessionState = Omit<SessionPatch, 'appendMessages' | 'currentModelProvider' | 'currentModelId'> &
  Required<Pick<SessionPatch, 'maxChatTurns' | 'maxOutputTokens' | 'temperature' | 'topP' | 'toolPermission'>> & {
    currentModelProvider?: string;
    currentModelId?: string;
    firstMessage?: string;
    /** Never empty. */
    pendingServers?: string[];
    contextItems: HeldItem[];
  };

/** The state after a message: the first one that the user wrote something in is remembered for lists. */
export function noteMessage(state: SessionState, message: Message): SessionState {
  if (state.firstMessage !== undefined || message.role !== 'user') return state;
  const text = typeof message.content === 'string' ? message.content : (replyText(message) ?? '');
  const { firstMessageCharacters } = fixedLimits.sessions;
  // Long texts are cut before anything looks at all of their characters.
  const line = text
    .slice(0, 8 * firstMessageCharacters)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const firstMessage = [...line].slice(0, firstMessageCharacters).join('').toWellFormed();
  return firstMessage === '' ? state : { ...state, firstMessage };
}

/** The first list, then what only the second has. */
export function uniteItems(first: readonly HeldItem[], second: readonly HeldItem[]): HeldItem[] {
  const known = new Set(first.map(keyOfItem));
  return [...first, ...second.filter((item) => !known.has(keyOfItem(item)))];
}

/** Only what names the item. */
export function refOf(item: { type: ContextItemRef['type']; name: string; serverName?: string }): ContextItemRef {
  if (item.type !== 'tool') return { type: item.type, name: item.name };
  return { type: item.type, name: item.name, serverName: item.serverName ?? '' };
}

/** With these a session begins. */
export function alwaysItems(items: readonly CatalogItem[]): HeldItem[] {
  return items
    .filter(({ include }) => include === 'always')
    .map((item): HeldItem => ({ ...refOf(item), includeMode: 'always' }));
}

export function summaryOf(session: StoredSession): SessionSummary {
  const { contextItems: _items, ...settings } = session.state as SessionState;
  return {
    id: session.id,
    agentId: session.agentId,
    ...(session.parentSessionId === null ? {} : { parentSessionId: session.parentSessionId }),
    createdAt: session.createdAt,
    messageCount: session.messages,
    lastSyncId: session.lastSyncId,
    ...settings,
  };
}

/** The settings of `patch` that differ from those of `state`; undefined when none does. */
export function settingsChange(
  state: SessionState,
  { appendMessages: _messages, ...settings }: SessionPatch,
): Omit<SessionPatch, 'appendMessages'> | undefined {
  const before: Record<string, unknown> = state;
  const changed = Object.entries(settings).filter(
    ([key, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(before[key] ?? null),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** `null` takes a setting away. */
export function applySettings(state: SessionState, change: Omit<SessionPatch, 'appendMessages'>): SessionState {
  const entries = Object.entries({ ...state, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as SessionState;
}
