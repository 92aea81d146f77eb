/**
 * Handles requests that a client sends again because it received no answer. Each request is made only once, even if
 * several daemons receive it.
 */
import { hash } from 'node:crypto';
import { ContextdError } from '../errors.ts';
import type { SessionReader, StoredRequest } from '../ports/store/session.ts';
import { keptOf, receiptOf } from './kept-request.ts';
import { rebuildRequest } from './rebuild-request.ts';
import type { NewRequest, RequestReceipt } from './request.ts';

/** `id`: the id of the stored request. `sha256`: of the request's fields. */
export type RequestKey = { id: string; sha256: string };

/** The id of the request is as hard to guess as the id of the session (S-16). */
export function requestKeyOf(sessionId: string, key: string, asked: NewRequest): RequestKey {
  return { id: hashOf([sessionId, key]).slice(0, 32), sha256: hashOf(asked) };
}

function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value));
}

/** Returns the receipt of the first request. Throws `conflict` if that was a different request. */
export async function receiptAgain(
  made: StoredRequest,
  { sha256 }: RequestKey,
  store: SessionReader,
): Promise<RequestReceipt> {
  const kept = keptOf(made);
  if (kept.keySha256 !== sha256)
    throw new ContextdError('conflict', 'This Idempotency-Key was sent before with another request.');
  const { messages, tools } = await rebuildRequest(made, store);
  return { requestId: made.id, ...receiptOf(kept), messages, tools, lastSyncId: made.syncId };
}
