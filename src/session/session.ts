/** Sessions: their items, state and changes (SE-01 … SE-05). */
import { z } from 'zod';
import { AgentId, AgentSettings, chatSettingsFields, searchSettingsFields, ToolPermission } from '../agent/agent.ts';
import type { CatalogItem } from '../agent/catalog-item.ts';
import { type ContextItemRef, keyOfItem, SessionContextItem } from '../agent/item.ts';
import type { StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { Warning } from '../warnings.ts';
import { GivenMessage, SessionMessage } from './message.ts';

const id = z.string().describe('Id of the session.');
const lastSyncId = z
  .int()
  .describe('Number of the last change. Each change raises it by one. In quotes, it is the version for preconditions.');
const model = z.string().min(1).max(256);
const currentModelProvider = model.describe('Provider of the model.');
const currentModelId = model.describe('The model.');

export const NewSession = z
  .strictObject({
    agentId: AgentId,
    parentSessionId: z
      .string()
      .max(64)
      .optional()
      .describe('The new session gets the items of this session, with their modes, before the `always` items.'),
    settings: AgentSettings.optional().describe('Settings that differ from those of the agent.'),
  })
  .meta({ id: 'NewSession', description: 'The agent and the settings of a new session.' });
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
    'MCP servers whose tools were not available when the session began. Their `always` tools join the session with the first request after they are available.',
  );
const summaryFields = {
  id,
  agentId: AgentId,
  parentSessionId: z.string().optional().describe('The session whose items this session took over.'),
  createdAt: z.string().describe('When the session was created, ISO 8601 UTC.'),
  messageCount: z.int().describe('Number of its messages.'),
  firstMessage: z
    .string()
    .optional()
    .describe('Beginning of the first message of the user, on one line. It helps people to tell sessions apart.'),
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
    contextItems: z.array(SessionContextItem).describe('Items of the session, in the order in which they were added.'),
    messages: z
      .array(SessionMessage)
      .describe(`The last ${fixedLimits.sessions.answerMessages} messages, of at most 4 MiB, oldest first.`),
    earlierMessages: z
      .int()
      .optional()
      .describe('Number of earlier messages, if there are any. `changes?since=1` lists them all.'),
    warnings: z
      .array(Warning)
      .describe(
        'Problems with files of the agent, and damaged stored messages. `tools_pending`, `tools_unavailable`, `tools_need_approval`: why the tools of a server are missing.',
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
      .describe('Messages to add at the end. Existing messages never change.'),
    currentModelProvider: currentModelProvider.nullable().optional().describe('Provider, or `null` if unknown.'),
    currentModelId: currentModelId.nullable().optional().describe('The model, or `null` if unknown.'),
    ...chatSettingsFields,
    ...searchSettingsFields,
  })
  .meta({ id: 'SessionPatch', description: 'What to change. Absent fields stay as they are.' });
export type SessionPatch = z.infer<typeof SessionPatch>;

const changeFields = {
  syncId: z.int().describe('Number of the change.'),
  at: z.string().describe('Time of the change, ISO 8601 UTC.'),
};
export const SessionChange = z
  .discriminatedUnion('type', [
    z
      .object({
        ...changeFields,
        type: z.literal('created').describe('The session was created.'),
        contextItems: z.array(SessionContextItem).describe('The items that the session began with.'),
      })
      .meta({ id: 'CreatedChange', description: 'The session was created.' }),
    z
      .object({ ...changeFields, type: z.literal('message').describe('A message was added.'), message: SessionMessage })
      .meta({ id: 'MessageChange', description: 'A message was added.' }),
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
          .describe('New values of the changed settings.'),
      })
      .meta({ id: 'SettingsChange', description: 'Settings changed.' }),
  ])
  .meta({ id: 'SessionChange', description: 'One change of a session.' });
export type SessionChange = z.infer<typeof SessionChange>;

export const SessionChanges = z
  .object({
    full: z.boolean().describe('True: start again with `session`. False: `changes` lists what changed.'),
    session: Session.optional(),
    changes: z.array(SessionChange).describe('Changes after `since`, in order.'),
    next: z.int().optional().describe('Present if there are more. Send it as `since` to get the next page.'),
    lastSyncId,
    warnings: z.array(Warning).describe('Changes that are damaged and were left out.'),
  })
  .meta({ id: 'SessionChanges', description: 'What changed in a session.' });
export type SessionChanges = z.infer<typeof SessionChanges>;

export const SessionItems = z
  .object({
    items: z.array(SessionContextItem).describe('The items of the session, in the order in which they were added.'),
    lastSyncId,
    warnings: z.array(Warning).describe('Problems with files of the agent.'),
  })
  .meta({ id: 'SessionItems', description: 'The items of a session.' });
export type SessionItems = z.infer<typeof SessionItems>;

/** An item as a session keeps it: by reference (SE-04). */
export type HeldItem = ContextItemRef & { includeMode: 'always' | 'manual' };

/** The stored state of a session, without its messages. */
export type SessionState = Omit<SessionPatch, 'appendMessages' | 'currentModelProvider' | 'currentModelId'> &
  Required<Pick<SessionPatch, 'maxChatTurns' | 'maxOutputTokens' | 'temperature' | 'topP' | 'toolPermission'>> & {
    currentModelProvider?: string;
    currentModelId?: string;
    firstMessage?: string;
    /** Never empty. */
    pendingServers?: string[];
    contextItems: HeldItem[];
  };

export function stateOf({ state }: Pick<StoredSession, 'state'>): SessionState {
  return state as SessionState;
}

/** The first list, then the items that only the second list has. */
export function uniteItems(first: readonly HeldItem[], second: readonly HeldItem[]): HeldItem[] {
  const known = new Set(first.map(keyOfItem));
  return [...first, ...second.filter((item) => !known.has(keyOfItem(item)))];
}

/** Only the fields that name the item. */
export function refOf(item: { type: ContextItemRef['type']; name: string; serverName?: string }): ContextItemRef {
  if (item.type !== 'tool') return { type: item.type, name: item.name };
  return { type: item.type, name: item.name, serverName: item.serverName ?? '' };
}

/** The items that a session of the agent begins with. */
export function alwaysItems(items: readonly CatalogItem[]): HeldItem[] {
  return items
    .filter(({ include }) => include === 'always')
    .map((item): HeldItem => ({ ...refOf(item), includeMode: 'always' }));
}

export function summaryOf(session: StoredSession): SessionSummary {
  const { contextItems: _items, ...settings } = stateOf(session);
  return {
    id: session.id,
    agentId: session.agentId,
    parentSessionId: session.parentSessionId ?? undefined,
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

/** `null` removes a setting. */
export function applySettings(state: SessionState, change: Omit<SessionPatch, 'appendMessages'>): SessionState {
  const entries = Object.entries({ ...state, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as SessionState;
}
