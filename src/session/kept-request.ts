/** What is stored of a request (RQ-05). */
import { hash } from 'node:crypto';
import type { RequestContextItem } from '../agent/item.ts';
import type { StoredRequest } from '../ports/store/session.ts';
import type { ModelMessage } from './message.ts';
import type { AskedContext, RequestReceipt, SentContext, ToolDefinition } from './request.ts';

/** Enough to rebuild exactly what was sent. Texts are stored by their `textKey`. */
export type KeptRequest = Pick<RequestReceipt, 'omitted' | 'usage' | 'semantic' | 'warnings'> & {
  message: string;
  /** The fields of the request. Older versions did not store them. */
  asked?: AskedContext;
  systemPrompt?: string;
  /** Sync ids of the first and last message of the history, and a text of the user that was sent before them. */
  history?: { first: number; last: number; before?: string };
  /** Replies were sent in their original form. Older versions sent all as text. */
  shaped?: true;
  /** What says nothing was not sent. Older versions sent it. */
  withoutEmpty?: true;
  items: RequestContextItem[];
  /** The sent context of the workspace, and the `textKey` of its whole text. */
  context?: { items: SentContext[]; text: string };
  /** For each item: the key of its text, or of the JSON of its definition. */
  texts: string[];
  /** For each item: details for people, as they were. Older versions did not store them. */
  details?: ItemDetails[];
  /** The hash of the sent messages and tools. */
  sha256: string;
  /** The hash of the request's fields, if the client can repeat it. */
  keySha256?: string;
};

/** `description` is a `textKey`. The description of a tool is in its definition. */
type ItemDetails = { priority?: number; description?: string };

export function keptOf({ data }: Pick<StoredRequest, 'data'>): KeptRequest {
  return data as KeptRequest;
}

/** What a receipt says of a stored request. */
export function receiptOf({ items, context, omitted, usage, semantic, warnings }: KeptRequest) {
  const requestContext = { items, ...(context && { context: context.items }) };
  return { requestContext, omitted, usage, semantic, warnings };
}

/** The SHA-256 of what was sent. It proves that a rebuilt request is the same. */
export function sentHash(messages: readonly ModelMessage[], tools: readonly ToolDefinition[]): string {
  return hash('sha256', JSON.stringify([messages, tools]));
}
