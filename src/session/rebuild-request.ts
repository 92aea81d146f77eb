/** Rebuilds a past request as it was sent (RQ-05, RQ-06). */
import type { Catalog } from '../agent/catalog.ts';
import type { SentItem } from '../agent/item.ts';
import { ContextdError } from '../errors.ts';
import type { SessionReader, StoredRequest } from '../ports/store/session.ts';
import { historyOf } from './history.ts';
import { keptOf, sentHash } from './kept-request.ts';
import type { ChangedItem, RebuiltRequest, ToolDefinition } from './request.ts';
import { assembleMessages } from './request-messages.ts';
import { refOf } from './session.ts';

/** Throws `unavailable` if stored parts of it are damaged. */
export async function rebuildRequest(
  request: StoredRequest,
  store: SessionReader,
): Promise<Pick<RebuiltRequest, 'messages' | 'tools' | 'requestContext'>> {
  const kept = keptOf(request);
  const { systemPrompt, history, items, context, details = [] } = kept;
  const descriptions = details.map(({ description }) => description);
  const keys = [...kept.texts, ...descriptions, systemPrompt, context?.text];
  const texts = await store.texts(keys.filter((key) => key !== undefined));
  const range = history && { after: history.first - 1, upTo: history.last, only: 'message' as const };
  const bounds = { limit: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };
  const changes = range === undefined ? [] : (await store.changes(request.sessionId, { ...range, ...bounds })).entries;
  const form = { asText: kept.shaped !== true, withEmpty: kept.withoutEmpty !== true };
  const sent = items.map(({ type }, at) => ({ type, text: texts.get(kept.texts[at] ?? '') ?? '' }));
  const messages = assembleMessages({
    systemPrompt: systemPrompt === undefined ? undefined : texts.get(systemPrompt),
    history: historyOf(changes, form).flatMap((part) => part.messages),
    before: history?.before,
    items: sent,
    context: context && texts.get(context.text),
    message: kept.message,
  });
  const tools = sent.flatMap(({ type, text }) => (type === 'tool' ? [JSON.parse(text) as ToolDefinition] : []));
  const described = items.map((item, at): SentItem => {
    const { priority, description: key } = details[at] ?? {};
    if (item.type !== 'tool') return { ...item, priority, description: texts.get(key ?? '') || undefined };
    const { description } = JSON.parse(sent[at]?.text ?? '') as ToolDefinition;
    return { ...item, description: description || undefined };
  });
  const requestContext = { items: described, context: context?.items };
  if (sentHash(messages, tools) === kept.sha256) return { messages, tools, requestContext };
  throw new ContextdError('unavailable', 'Messages of this request are damaged; it cannot be rebuilt as it was.');
}

/** Items of a request that have another text now, or no longer exist. */
export function changedItems(request: StoredRequest, catalog: Catalog | undefined): ChangedItem[] {
  return keptOf(request).items.flatMap((item): ChangedItem[] => {
    const now = catalog?.find(item);
    if (now?.sha256 === item.sha256) return [];
    return [
      { ...refOf(item), ...(now === undefined ? { change: 'missing' } : { change: 'changed', sha256: now.sha256 }) },
    ];
  });
}
