/** Builds what a model is sent for one message, fresh each time (RQ-01 … RQ-05). */
import { createHash } from 'node:crypto';
import type { Agent } from '../agent/agent.ts';
import type { Catalog } from '../agent/catalog.ts';
import type { CatalogItem } from '../agent/catalog-item.ts';
import type { RequestContextItem } from '../agent/item.ts';
import { mergeDomainOptions } from '../agent/item-search.ts';
import { overBudget } from '../budget/token-budget.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import { type StoredSession, textKey } from '../ports/store/session.ts';
import type { Search } from '../search/search.ts';
import type { Reason, Warning } from '../warnings.ts';
import { type CountedHistory, historyOf, type Turn, wholeTurns } from './history.ts';
import type { ModelMessage } from './message.ts';
import { modelText } from './model-messages.ts';
import type { AskedContext, NewRequest, OmittedPart, RequestReceipt, ToolDefinition } from './request.ts';
import { type ChosenItem, chooseItems } from './request-context.ts';
import { assembleMessages, chooseOmissions, itemMessage, type Omissions } from './request-messages.ts';
import { refOf, type SessionState } from './session.ts';
import { damageWarnings, type Recent } from './session-messages.ts';

/** What is stored of a request: enough to send it again exactly. Texts are kept by their `textKey`. */
export type KeptRequest = Pick<RequestReceipt, 'omitted' | 'usage' | 'semantic' | 'warnings'> & {
  message: string;
  /** Where and how it was asked. Absent in what older versions stored. */
  asked?: AskedContext;
  systemPrompt?: string;
  /** Numbers of the first and the last change that is a message of the history. */
  history?: { first: number; last: number };
  /** Replies were sent in their shapes; older versions sent all as text. */
  shaped?: true;
  items: RequestContextItem[];
  /** Of each item: its text, or the JSON of its definition. */
  texts: string[];
  /** Of each item: what a person is told of it, as it was. Absent in what older versions stored. */
  details?: ItemDetails[];
  /** Of messages and tools as they were sent. */
  sha256: string;
};

/** `description` is a `textKey`; that of a tool is in its definition. */
type ItemDetails = { priority?: number; description?: string };

type BuiltRequest = {
  kept: KeptRequest;
  texts: Map<string, string>;
  messages: ModelMessage[];
  tools: ToolDefinition[];
};

type RequestSource = {
  session: StoredSession;
  agent: Agent;
  catalog: Catalog;
  /** The messages of the session, as many as may be sent. */
  recent: Recent;
};

export async function buildRequest(
  asked: NewRequest,
  source: RequestSource,
  parts: { search: Search['search']; tokenCounts: TokenCounts },
): Promise<BuiltRequest> {
  const { session, agent, catalog, recent } = source;
  const state = session.state as SessionState;
  const { message, mentions = [], files, budget } = asked;
  const options = mergeDomainOptions(agent.settings, state, { toolSearch: asked.search, ...asked });
  const choice = await chooseItems({ message, mentions, held: state.contextItems, options }, catalog, parts.search);
  const counted = await countParts(asked, { ...source, chosen: choice.chosen }, parts.tokenCounts);
  const { items, history, fixed } = counted;
  const maxTokens = asked.budget?.maxTokens;
  const fixedTokens = fixed.systemPrompt + fixed.message;
  const turns = wholeTurns(history);
  const omissions = chooseOmissions({ items, history: turns, fixedTokens }, maxTokens);
  const letGo = new Set(omissions.items);
  const sentItems = items.filter((item) => !letGo.has(item));
  const sentHistory = turns.slice(omissions.history).flatMap(({ parts }) => parts);
  const unread = session.messages - recent.changes.length - recent.damaged;

  const { systemPrompt } = agent;
  const tools = sentItems.flatMap(({ item }) => (item.type === 'tool' ? [toolDefinition(item)] : []));
  const messages = assembleMessages({
    systemPrompt,
    history: sentHistory.flatMap((part) => part.messages),
    items: sentItems.map(({ item }) => item),
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
  };
  const kept: KeptRequest = {
    message: asked.message,
    asked: withoutEmpty({ files, mentions, ...options, budget }),
    ...(systemPrompt === undefined ? {} : { systemPrompt: keep(systemPrompt) }),
    ...(first === undefined || last === undefined ? {} : { history: { first, last } }),
    shaped: true,
    items: sentItems.map((each) => ({ ...shownItem(each), sha256: each.item.sha256 })),
    texts: sentItems.map(({ item }) => keep(item.type === 'tool' ? JSON.stringify(toolDefinition(item)) : item.text)),
    details: sentItems.map(({ item: { type, priority, description } }) => ({
      priority,
      ...(type === 'tool' || description === '' ? {} : { description: keep(description) }),
    })),
    omitted: [
      ...catalog.omitted.map((each): OmittedPart => ({ type: 'file', ...each, tokens: 0 })),
      ...choice.missing.map((held): OmittedPart => ({ ...held, tokens: 0, reason: missing })),
      ...historyPart({ messages: unread, tokens: 0 }, notRead),
      ...omittedParts(omissions, { history: turns, reason: overBudget(maxTokens ?? 0, omissions.tokens) }),
    ],
    usage: {
      tokens: used.systemPrompt + used.history + used.items + fixed.message,
      ...{ ...used, message: fixed.message },
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(counted.estimated ? { estimated: true } : {}),
    },
    semantic: choice.semantic,
    warnings: [
      ...catalog.warnings,
      ...damageWarnings(recent.damaged),
      ...choice.warnings,
      ...(omissions.fits ? [] : [doesNotFit]),
    ],
    sha256: sentHash(messages, tools),
  };
  return { kept, texts, messages, tools };
}

type Counted<Part> = Part & { tokens: number };

/** Every part with the tokens it has as it is sent. */
async function countParts(
  asked: NewRequest,
  { session, agent, recent, chosen }: RequestSource & { chosen: readonly ChosenItem[] },
  tokenCounts: TokenCounts,
): Promise<{
  items: Counted<ChosenItem>[];
  history: CountedHistory[];
  fixed: { systemPrompt: number; message: number };
  estimated: boolean;
}> {
  const history = historyOf(recent.changes);
  const { systemPrompt = '' } = agent;
  const { counts, estimated } = await tokenCounts.count(
    [
      { key: textKey(asked.message), text: asked.message },
      { key: textKey(systemPrompt), text: systemPrompt },
      ...chosen.map(({ item }) => ({ key: `${item.type}:${item.sha256}`, text: sentText(item) })),
      // A message never changes, so that its place stands for it, and for what it is sent as.
      ...history.map(({ syncId, messages, isPlain = false }) => {
        return { key: `${session.id}:${syncId}${isPlain ? ':plain' : ''}`, text: messages.map(modelText).join('\n') };
      }),
    ],
    asked.budget?.encoding ?? 'o200k_base',
  );
  const [message = 0, prompt = 0, ...others] = counts;
  return {
    items: chosen.map((each, at) => ({ ...each, tokens: others[at] ?? 0 })),
    history: history.map((each, at) => ({ ...each, tokens: others[chosen.length + at] ?? 0 })),
    fixed: { systemPrompt: prompt, message },
    estimated,
  };
}

/** In the order in which they were let go. */
function omittedParts(
  omissions: Omissions<Counted<ChosenItem>>,
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

function shownItem({ item, includeMode, similarityScore, reason, tokens }: Counted<ChosenItem>) {
  const score = similarityScore === undefined ? {} : { similarityScore };
  return { ...refOf(item), includeMode, ...score, reason, tokens };
}

function withoutEmpty<Fields extends object>(fields: Fields): Partial<Fields> {
  const isFull = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isFull(value))) as Partial<Fields>;
}

function sum<Field extends string>(parts: readonly Record<Field, number>[], field: Field): number {
  return parts.reduce((total, part) => total + part[field], 0);
}

const missing = {
  code: 'missing',
  detail: 'the agent does not have it now: it is gone, excluded, or blocked by a policy',
};
const notRead = { code: 'limit_reached', detail: 'older messages than one request can hold' };
const doesNotFit: Warning = {
  code: 'over_budget',
  message: 'System prompt and message alone are larger than the budget.',
};

/** SHA-256 of what was sent, by which a rebuilt request proves that it is the same. */
export function sentHash(messages: readonly ModelMessage[], tools: readonly ToolDefinition[]): string {
  return createHash('sha256')
    .update(JSON.stringify([messages, tools]))
    .digest('hex');
}

/** What of an item a model reads, as far as tokens are concerned. */
function sentText({ type, text, name, description, inputSchema }: CatalogItem): string {
  return type === 'tool' ? JSON.stringify({ name, description, inputSchema }) : modelText(itemMessage({ type, text }));
}

/** A tool as a model is told of it. */
export function toolDefinition({ serverName = '', name, description, inputSchema }: CatalogItem): ToolDefinition {
  return { serverName, name, description, inputSchema: inputSchema ?? {} };
}
