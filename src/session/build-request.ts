/** Builds what a model gets for one message, new each time (RQ-01 … RQ-05). */
import { contentOf, toolDefinition } from '../agent/catalog-item.ts';
import { type DomainOptions, weakestOf } from '../agent/item-search.ts';
import { overBudget } from '../budget/token-budget.ts';
import { textKey } from '../ports/store/session.ts';
import type { ContextItem, ContextResult } from '../prompt/context-result.ts';
import { missingReason } from '../prompt/gather-rules.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type BuildParts, type Counted, chooseParts, type RequestSource, type SendableItem } from './choose-parts.ts';
import type { Turn } from './history.ts';
import { type KeptRequest, sentHash } from './kept-request.ts';
import type { ModelMessage } from './message.ts';
import type { AskedContext, NewRequest, OmittedPart, SentContext, ToolDefinition } from './request.ts';
import { assembleMessages, type Omissions } from './request-messages.ts';
import { refOf } from './session.ts';
import { damageWarnings } from './session-messages.ts';
import type { WorkspaceContext } from './workspace-context.ts';

type BuiltRequest = {
  kept: KeptRequest;
  texts: Map<string, string>;
  messages: ModelMessage[];
  tools: ToolDefinition[];
};

/** Chooses the parts of the session and of the workspace, and puts them together. */
export async function buildRequest(asked: NewRequest, source: RequestSource, parts: BuildParts): Promise<BuiltRequest> {
  const sending = await chooseParts(asked, source, parts);
  const { items, history, omissions } = sending;
  const maxTokens = asked.budget?.maxTokens;
  const left = maxTokens === undefined ? undefined : Math.max(0, maxTokens - omissions.tokens);
  const paths = new Set(items.flatMap(({ item: { path } }) => path ?? []));
  const context = await source.workspaceContext.gather(left, paths);
  const tools = items.flatMap(({ item }) => (item.type === 'tool' ? [toolDefinition(item)] : []));
  const messages = assembleMessages({
    systemPrompt: source.agent.systemPrompt,
    history: history.flatMap((part) => part.messages),
    before: sending.before?.text,
    items: items.map(({ item: { type, text }, sent }) => ({ type, text: sent?.text ?? text })),
    context: context?.text,
    message: asked.message,
  });
  const { kept, texts } = keep(asked, { source, sending, context });
  return { kept: { ...kept, sha256: sentHash(messages, tools) }, texts, messages, tools };
}

/** What a request was built from. */
type Used = {
  source: RequestSource;
  sending: Awaited<ReturnType<typeof chooseParts>>;
  context: ContextResult | undefined;
};

/** What is stored of the request, and the texts by their keys. */
function keep(asked: NewRequest, used: Used): { kept: Omit<KeptRequest, 'sha256'>; texts: Map<string, string> } {
  const { source, sending, context } = used;
  const { items, history, options, choice } = sending;
  const { systemPrompt } = source.agent;
  const texts = new Map<string, string>();
  const keyOf = (text: string): string => {
    const key = textKey(text);
    texts.set(key, text);
    return key;
  };
  const [first, last] = [history[0]?.syncId, history.at(-1)?.syncId];
  const kept: Omit<KeptRequest, 'sha256'> = {
    message: asked.message,
    asked: askedOf(asked, { options, workspace: source.workspaceContext.workspace }),
    systemPrompt: systemPrompt === undefined ? undefined : keyOf(systemPrompt),
    history: first === undefined || last === undefined ? undefined : { first, last, before: sending.before?.text },
    shaped: true,
    withoutEmpty: true,
    items: items.map((each) => ({ ...shownItem(each), sha256: each.item.sha256 })),
    texts: items.map(({ item, sent }) => keyOf(sent?.text ?? contentOf(item))),
    details: items.map(({ item: { type, priority, description } }) => ({
      priority,
      description: type === 'tool' || description === '' ? undefined : keyOf(description),
    })),
    context: context && { items: context.items.map(withoutContent), text: keyOf(context.text ?? '') },
    omitted: allOmitted(used, asked.budget?.maxTokens),
    usage: usageOf(used, asked.budget?.maxTokens),
    semantic: context?.semantic ? weakestOf([choice.semantic, context.semantic]) : choice.semantic,
    warnings: warningsOf(used),
  };
  return { kept, texts };
}

/**
 * The fields of the request, without the unsaved text of documents. If that text was used, it is part of what was sent.
 */
function askedOf(
  { files, mentions = [], expand, include, budget }: NewRequest,
  { options, workspace }: { options: DomainOptions; workspace: WorkspaceContext['workspace'] },
): Partial<AskedContext> {
  const documents = workspace?.documents.map(({ content: _content, ...document }) => document);
  return { ...withoutEmpty({ files, documents, include, mentions, ...options, budget }), expand };
}

function withoutContent({ content: _content, ...item }: ContextItem): SentContext {
  return item;
}

function usageOf({ sending, context }: Used, maxTokens: number | undefined): KeptRequest['usage'] {
  const { fixed, estimated, history, before, items } = sending;
  const used = {
    systemPrompt: fixed.systemPrompt,
    history: sum(history, 'tokens') + (before?.tokens ?? 0),
    items: sum(items, 'tokens'),
    message: fixed.message,
    ...(context && { context: context.usage.tokens }),
  };
  const tokens = Object.values(used).reduce((total, each) => total + each, 0);
  const limited = maxTokens === undefined ? {} : { maxTokens };
  return { tokens, ...used, ...limited, ...(estimated ? { estimated } : {}) };
}

function warningsOf({ source, sending, context }: Used): Warning[] {
  return [
    ...source.catalog.warnings,
    ...damageWarnings(source.recent.damaged),
    ...sending.choice.warnings,
    ...source.workspaceContext.warnings,
    ...(context?.warnings ?? []),
    ...(sending.omissions.fits ? [] : [doesNotFit]),
  ];
}

/** Everything that was left out: what could not be sent, then what the budget removed, in the order of its removal. */
function allOmitted({ source, sending, context }: Used, maxTokens = 0): OmittedPart[] {
  const { session, catalog, recent } = source;
  const { omissions, turns, choice } = sending;
  const { omitted: beside = [] } = context ?? {};
  const told = new Set(beside.map(({ path }) => path));
  const unread = session.messages - recent.changes.length - recent.damaged;
  return [
    ...catalog.omitted
      .filter(({ path }) => !told.has(path))
      .map((each): OmittedPart => ({ type: 'file', ...each, tokens: 0 })),
    ...choice.missing.map((held): OmittedPart => ({ ...held, tokens: 0, reason: missingReason })),
    ...historyPart({ messages: unread, tokens: 0 }, notRead),
    ...omittedParts(omissions, { history: turns, reason: overBudget(maxTokens, omissions.tokens) }),
    ...beside.map((each): OmittedPart => ({ type: 'context', tokens: 0, ...each })),
  ];
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
  const partial = sent && { part: sent.part, wholeTokens: sent.wholeTokens };
  const score = similarityScore === undefined ? {} : { similarityScore };
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
