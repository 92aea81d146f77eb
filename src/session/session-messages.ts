/** Messages and changes, as stored and as in answers (SE-05). */

import type { SessionReader, StoredChange } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { Message, SessionMessage } from './message.ts';
import type { HeldItem, SessionChange, SessionPatch } from './session.ts';

/** A message as it is stored. */
export type KeptMessage = { message: Message; requestId?: string };

export function messageChange(kept: KeptMessage): { type: 'message'; data: KeptMessage } {
  return { type: 'message', data: kept };
}

export function showMessage({ syncId, at, data }: StoredChange): SessionMessage {
  const { message, requestId } = data as KeptMessage;
  return { ...message, syncId, at, requestId };
}

export function showChange(change: StoredChange): SessionChange {
  const { syncId, at, type, data } = change;
  if (type === 'message') return { syncId, at, type, message: showMessage(change) };
  if (type === 'settings') return { syncId, at, type, settings: data as Omit<SessionPatch, 'appendMessages'> };
  if (type === 'created') return { syncId, at, type, contextItems: data as HeldItem[] };
  return { syncId, at, type, item: data as HeldItem };
}

/** `damaged`: the number of damaged messages, which are left out. */
export type Recent = { changes: StoredChange[]; damaged: number };

/** The last messages up to `upTo`, oldest first, as many as an answer may have. */
export async function recentMessages(store: SessionReader, sessionId: string, upTo: number): Promise<Recent> {
  const page = await store.changes(sessionId, {
    after: 0,
    upTo,
    only: 'message',
    newestFirst: true,
    limit: fixedLimits.sessions.answerMessages,
    maxBytes: fixedLimits.sessions.answerBytes,
  });
  return { changes: page.entries.reverse(), damaged: page.damaged };
}

export function damageWarnings(damaged: number): Warning[] {
  if (damaged === 0) return [];
  const message = `${damaged} stored ${damaged === 1 ? 'entry is' : 'entries are'} damaged and left out. The disk may be failing.`;
  return [{ code: 'stored_entries_damaged', message }];
}
