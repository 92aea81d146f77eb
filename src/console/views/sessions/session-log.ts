/**
 * The history of a session, as far as the user looks at it. Changes are numbered from 1 without gaps. So any part of a
 * long session is one page of the API, and new changes are requested by the last known number (SE-05).
 */

import type { SessionContextItem } from '../../../agent/item.ts';
import type { SessionMessage } from '../../../session/message.ts';
import { replyMessages } from '../../../session/model-messages.ts';
import { replyText, shownContent } from '../../../session/reply-text.ts';
import type { Session, SessionChange, SessionChanges, SessionSummary } from '../../../session/session.ts';
import { request } from '../../api/request.ts';
import { keyOf } from './item-key.ts';

export type MessageEntry = {
  type: 'message';
  syncId: number;
  at: string;
  role: SessionMessage['role'];
  /** The beginning of the text. `length` is the length of the whole text. */
  text: string;
  length: number;
  /** The reply contains no plain text. */
  isJson: boolean;
  requestId: string | undefined;
  /** How many items the answered request contained, if known. */
  contextItems: number | undefined;
};

type ItemChange = Extract<SessionChange, { type: 'item_added' | 'item_removed' | 'settings' }>;

export type LogEntry =
  | MessageEntry
  | ItemChange
  | { type: 'created'; syncId: number; at: string }
  /** A damaged entry, which no answer contains. */
  | { type: 'lost'; syncId: number };

/** A snapshot to render. All snapshots of a session share `entries` and `replied`, which change in place. */
export type SessionLog = {
  summary: SessionSummary;
  items: readonly SessionContextItem[];
  entries: ReadonlyMap<number, LogEntry>;
  /** Requests whose replies have been seen. */
  replied: ReadonlySet<string>;
  warnings: Session['warnings'];
};

/** Characters of a message that are kept and shown in the list. */
const shownCharacters = 2_000;
const pageLength = 100;
/** With more entries than this, those far from the visible ones are dropped. */
const keptEntries = 4_000;

/** The text of a message, and whether it is JSON. */
export function textOfMessage(message: SessionMessage): { text: string; isJson: boolean } {
  if (message.role === 'approval')
    return { text: JSON.stringify(message.toolCallApprovals, undefined, 2), isJson: true };
  if (message.role === 'tool') return shownContent(message.content ?? message.output);
  if (message.role !== 'assistant') return shownContent(message.content);
  const [sent, ...others] = replyMessages(message.modelReply);
  const isText = others.length === 0 && typeof sent?.content === 'string' && Object.keys(sent).length === 2;
  return shownContent(isText ? (replyText(message.modelReply) ?? message.modelReply) : message.modelReply);
}

function messageEntry(message: SessionMessage): MessageEntry {
  const { text, isJson } = textOfMessage(message);
  const { syncId, at, role, requestId } = message;
  return {
    type: 'message',
    syncId,
    at,
    role,
    isJson,
    requestId,
    text: text.slice(0, shownCharacters),
    length: text.length,
    contextItems: role === 'assistant' ? message.requestContext?.items.length : undefined,
  };
}

type SessionSource = {
  /** Requests the whole session at first, later only what is new. Throws `Problem`. */
  refresh(): Promise<void>;
  /** Whether some of these entries are neither loaded nor requested. */
  lacks(first: number, last: number): boolean;
  /** Requests those of these entries that are not loaded yet. Throws `Problem`. */
  ensure(first: number, last: number): Promise<void>;
};

/** The known part of a session, and the requests under way. */
function createSourceState(sessionId: string, tell: (log: SessionLog) => void) {
  return {
    id: encodeURIComponent(sessionId),
    tell,
    entries: new Map<number, LogEntry>(),
    replied: new Set<string>(),
    asked: new Set<number>(),
    state: undefined as Omit<SessionLog, 'entries' | 'replied'> | undefined,
    isBusy: false,
    isWanted: false,
  };
}
type SourceState = ReturnType<typeof createSourceState>;

/** `tell` is called with each new state. */
export function createSessionSource(sessionId: string, tell: (log: SessionLog) => void): SessionSource {
  const source = createSourceState(sessionId, tell);

  return {
    async refresh() {
      source.isWanted = true;
      // One request runs at a time, however often the session changes meanwhile.
      if (source.isBusy) return;
      source.isBusy = true;
      try {
        while (source.isWanted) {
          source.isWanted = false;
          try {
            if (source.state === undefined) {
              adopt(source, await request<Session>(`/v1/sessions/${source.id}`));
              draw(source);
            } else await askForNew(source);
          } catch (error) {
            // The token may have changed by now, so try again if a new refresh was requested.
            if (!source.isWanted) throw error;
          }
        }
      } finally {
        source.isBusy = false;
      }
    },
    lacks: (first, last) => pagesToAsk(source, first, last).length > 0,
    async ensure(first, last) {
      for (const page of pagesToAsk(source, first, last)) {
        source.asked.add(page);
        try {
          const to = Math.min((page + 1) * pageLength, source.state?.summary.lastSyncId ?? 0);
          // Nothing comes before the creation (number 1), and for `since=0` the API sends the whole session.
          for (let known = Math.max(1, page * pageLength); known < to; ) {
            const { changes, next, lastSyncId } = await since(source, known, to - known);
            for (const change of changes) putChange(source, change);
            fillGaps(source, known + 1, Math.min(to, next ?? lastSyncId));
            known = next ?? to;
          }
        } finally {
          source.asked.delete(page);
        }
        letGo(source.entries, (first + last) / 2);
        draw(source);
      }
    },
  };
}

function draw(source: SourceState) {
  if (source.state !== undefined) source.tell({ ...source.state, entries: source.entries, replied: source.replied });
}

function put(source: SourceState, message: SessionMessage) {
  source.entries.set(message.syncId, messageEntry(message));
  if (message.role === 'assistant' && message.requestId !== undefined) source.replied.add(message.requestId);
}

function putChange(source: SourceState, change: SessionChange) {
  if (change.type === 'message') put(source, change.message);
  else if (change.type === 'created') source.entries.set(change.syncId, { type: 'created', syncId: 1, at: change.at });
  else source.entries.set(change.syncId, change);
}

function adopt(
  source: SourceState,
  { messages, contextItems, warnings, earlierMessages: _earlier, ...summary }: Session,
) {
  source.entries.clear();
  source.asked.clear();
  for (const message of messages) put(source, message);
  source.entries.set(1, { type: 'created', syncId: 1, at: summary.createdAt });
  source.state = { summary, items: contextItems, warnings };
}

function apply(source: SourceState, change: SessionChange) {
  putChange(source, change);
  if (source.state === undefined) return;
  let { summary, items } = source.state;
  if (change.type === 'message') summary = { ...summary, messageCount: summary.messageCount + 1 };
  if (change.type === 'item_added') items = [...items, change.item];
  if (change.type === 'item_removed') items = items.filter((item) => keyOf(item) !== keyOf(change.item));
  if (change.type === 'settings') summary = withSettings(summary, change.settings);
  source.state = { ...source.state, summary, items };
}

function since(source: SourceState, known: number, limit: number) {
  return request<SessionChanges>(`/v1/sessions/${source.id}/changes`, { query: { since: known, limit } });
}

/** Entries that are missing in an answer that covers them are damaged. */
function fillGaps(source: SourceState, from: number, to: number) {
  for (let syncId = from; syncId <= to; syncId += 1)
    if (!source.entries.has(syncId)) source.entries.set(syncId, { type: 'lost', syncId });
}

function pagesToAsk(source: SourceState, first: number, last: number): number[] {
  const pages = new Set<number>();
  for (let syncId = first; syncId <= last && source.state !== undefined; syncId += 1)
    if (!source.entries.has(syncId)) pages.add(Math.floor((syncId - 1) / pageLength));
  return [...pages].filter((page) => !source.asked.has(page));
}

async function askForNew(source: SourceState) {
  for (let known = source.state?.summary.lastSyncId; known !== undefined; ) {
    const { full, session, changes, next, lastSyncId } = await since(source, known, 500);
    if (full && session !== undefined) adopt(source, session);
    else {
      for (const change of changes) apply(source, change);
      fillGaps(source, known + 1, next ?? lastSyncId);
      if (source.state !== undefined)
        source.state = { ...source.state, summary: { ...source.state.summary, lastSyncId: next ?? lastSyncId } };
    }
    known = full ? undefined : next;
    draw(source);
  }
}

function letGo(entries: Map<number, LogEntry>, middle: number): void {
  if (entries.size <= keptEntries) return;
  for (const syncId of entries.keys()) if (Math.abs(syncId - middle) > keptEntries / 4) entries.delete(syncId);
}

/** The value `null` removes a setting. */
function withSettings(summary: SessionSummary, settings: Record<string, unknown>): SessionSummary {
  const changed = Object.entries({ ...summary, ...settings }).filter(([, value]) => value !== null);
  return Object.fromEntries(changed) as SessionSummary;
}

/** Loads one whole message; the list only has its beginning. */
export async function loadMessage(sessionId: string, syncId: number, signal: AbortSignal): Promise<SessionMessage> {
  const { changes } = await request<SessionChanges>(`/v1/sessions/${encodeURIComponent(sessionId)}/changes`, {
    query: { since: syncId - 1, limit: 1 },
    signal,
  });
  const [change] = changes;
  if (change?.type !== 'message' || change.syncId !== syncId) throw new Error('There is no such message.');
  return change.message;
}
