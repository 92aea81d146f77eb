/** Builds what a model gets for one message, new each time (RQ-01 … RQ-05). */
import { hash } from 'node:crypto';
import { toolDefinition } from '../agent/catalog-item.ts';
import type { RequestContextItem } from '../agent/item.ts';
import { type DomainOptions, weakestOf } from '../agent/item-search.ts';
import { overBudget } from '../budget/token-budget.ts';
import { type StoredRequest, textKey } from '../ports/store/session.ts';
import type { ContextItem } from '../prompt/context-result.ts';
import { missingReason } from '../prompt/gather-rules.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type BuildParts, type Counted, chooseParts, type RequestSource, type SendableItem } from './choose-parts.ts';
import type { Turn } from './history.ts';
import type { ModelMessage } from './message.ts';
import type { AskedContext, NewRequest, OmittedPart, RequestReceipt, SentContext, ToolDefinition } from './request.ts';
import { assembleMessages, type Omissions } from './request-messages.ts';
import type { Surroundings } from './request-surroundings.ts';
import { refOf } from './session.ts';
import { damageWarnings } from './session-messages.ts';

/** What is stored of a request: enough to rebuild exactly what was sent. Texts are stored by their `textKey`. */
export type KeptRequest = Pick<RequestReceipt, 'omitted' | 'usage' | 'semantic' | 'warnings'> & {
  message: string;
  /** The fields of the request. Older versions did not store them. */
  asked?: AskedContext;
  systemPrompt?: string;
  /** Sync ids of the first and last message of the history. */
  history?: { first: number; last: number };
  /** Replies were sent in their original form. Older versions sent all as text. */
  shaped?: true;
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

export function keptOf({ data }: Pick<StoredRequest, 'data'>): KeptRequest {
  return data as KeptRequest;
}

/** What a receipt says of a stored request. */
export function receiptOf({ items, context, omitted, usage, semantic, warnings }: KeptRequest) {
  const requestContext = { items, ...(context && { context: context.items }) };
  return { requestContext, omitted, usage, semantic, warnings };
}

/** `description` is a `textKey`. The description of a tool is in its definition. */
type ItemDetails = { priority?: number; description?: string };

type BuiltRequest = {
  kept: KeptRequest;
  texts: Map<string, string>;
  messages: ModelMessage[];
  tools: ToolDefinition[];
};

export async function buildRequest(asked: NewRequest, source: RequestSource, parts: BuildParts): Promise<BuiltRequest> {
  const { session, agent, catalog, recent, surroundings } = source;
  const sending = await chooseParts(asked, source, parts);
  const { choice, counted, omissions, items: sentItems, history: sentHistory } = sending;
  const { fixed } = counted;
  const maxTokens = asked.budget?.maxTokens;
  const unread = session.messages - recent.changes.length - recent.damaged;
  const paths = new Set(sentItems.flatMap(({ item: { path } }) => path ?? []));
  const left = maxTokens === undefined ? undefined : Math.max(0, maxTokens - omissions.tokens);
  const context = await surroundings.gather(left, paths);

  const { systemPrompt } = agent;
  const tools = sentItems.flatMap(({ item }) => (item.type === 'tool' ? [toolDefinition(item)] : []));
  const messages = assembleMessages({
    systemPrompt,
    history: sentHistory.flatMap((part) => part.messages),
    items: sentItems.map(({ item: { type, text }, sent }) => ({ type, text: sent?.text ?? text })),
    context: context?.text,
    message: asked.message,
  });
  const texts = new Map<string, string>();
  const keep = (text: string): string => {
    const key = textKey(text);
    texts.set(key, text);
    return key;
  };
  const [first, last] = [sentHistory[0]?.syncId, sentHistory.at(-1)?.syncId];
  const used = {
    systemPrompt: fixed.systemPrompt,
    history: sum(sentHistory, 'tokens'),
    items: sum(sentItems, 'tokens'),
    message: fixed.message,
    ...(context && { context: context.usage.tokens }),
  };
  const kept: KeptRequest = {
    message: asked.message,
    asked: askedOf(asked, { options: sending.options, workspace: surroundings.workspace }),
    ...(systemPrompt === undefined ? {} : { systemPrompt: keep(systemPrompt) }),
    ...(first === undefined || last === undefined ? {} : { history: { first, last } }),
    shaped: true,
    items: sentItems.map((each) => ({ ...shownItem(each), sha256: each.item.sha256 })),
    texts: sentItems.map(({ item, sent }) =>
      keep(item.type === 'tool' ? JSON.stringify(toolDefinition(item)) : (sent?.text ?? item.text)),
    ),
    details: sentItems.map(({ item: { type, priority, description } }) => ({
      priority,
      ...(type === 'tool' || description === '' ? {} : { description: keep(description) }),
    })),
    ...(context && { context: { items: context.items.map(withoutContent), text: keep(context.text ?? '') } }),
    omitted: [
      ...catalog.omitted.map((each): OmittedPart => ({ type: 'file', ...each, tokens: 0 })),
      ...choice.missing.map((held): OmittedPart => ({ ...held, tokens: 0, reason: missingReason })),
      ...historyPart({ messages: unread, tokens: 0 }, notRead),
      ...omittedParts(omissions, { history: sending.turns, reason: overBudget(maxTokens ?? 0, omissions.tokens) }),
      ...(context?.omitted ?? []).map((each): OmittedPart => ({ type: 'context', tokens: 0, ...each })),
    ],
    usage: {
      tokens: Object.values(used).reduce((total, tokens) => total + tokens, 0),
      ...used,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(counted.estimated ? { estimated: true } : {}),
    },
    semantic: context?.semantic ? weakestOf([choice.semantic, context.semantic]) : choice.semantic,
    warnings: [
      ...catalog.warnings,
      ...damageWarnings(recent.damaged),
      ...choice.warnings,
      ...surroundings.warnings,
      ...(context?.warnings ?? []),
      ...(omissions.fits ? [] : [doesNotFit]),
    ],
    sha256: sentHash(messages, tools),
  };
  return { kept, texts, messages, tools };
}

/**
 * The fields of the request, without the unsaved text of documents. If that text was used, it is part of what was sent.
 */
function askedOf(
  { files, mentions = [], expand, include, budget }: NewRequest,
  { options, workspace }: { options: DomainOptions; workspace: Surroundings['workspace'] },
): Partial<AskedContext> {
  const documents = workspace?.documents.map(({ content: _content, ...document }) => document);
  return { ...withoutEmpty({ files, documents, include, mentions, ...options, budget }), ...(expand && { expand }) };
}

function withoutContent({ content: _content, ...item }: ContextItem): SentContext {
  return item;
}

/** The omitted parts in the order of their removal. */
function omittedParts(
  omissions: Omissions<Counted<SendableItem>>,
  { history, reason }: { history: readonly Turn[]; reason: Reason },
): OmittedPart[] {
  const items = omissions.items.map((each): OmittedPart => ({ ...shownItem(each), reason }));
  const old = history.slice(0, omissions.history);
  return [
    ...items.slice(0, omissions.historyBefore),
    ...historyPart({ messages: sum(old, 'messages'), tokens: sum(old, 'tokens') }, reason),
    ...items.slice(omissions.historyBefore),
  ];
}

function historyPart(part: { messages: number; tokens: number }, reason: Reason): OmittedPart[] {
  return part.messages > 0 ? [{ type: 'history', ...part, reason }] : [];
}

function shownItem({ item, includeMode, similarityScore, reason, tokens, sent }: Counted<SendableItem>) {
  const score = similarityScore === undefined ? {} : { similarityScore };
  const partial = sent && { part: sent.part, wholeTokens: sent.wholeTokens };
  return { ...refOf(item), includeMode, ...score, reason, ...partial, tokens };
}

function withoutEmpty<Fields extends object>(fields: Fields): Partial<Fields> {
  const isFull = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isFull(value))) as Partial<Fields>;
}

function sum<Field extends string>(parts: readonly Record<Field, number>[], field: Field): number {
  return parts.reduce((total, part) => total + part[field], 0);
}

const notRead: Reason = { code: 'limit_reached', detail: 'older messages than one request can hold' };
const doesNotFit: Warning = {
  code: 'over_budget',
  message: 'System prompt and message alone are larger than the budget.',
};

/** The SHA-256 of what was sent. It proves that a rebuilt request is the same. */
export function sentHash(messages: readonly ModelMessage[], tools: readonly ToolDefinition[]): string {
  return hash('sha256', JSON.stringify([messages, tools]));
}
