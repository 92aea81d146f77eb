/** Builds what a model is sent for one message, fresh each time (management document, "Request Level"; RQ-01 … RQ-05). */
import { createHash } from 'node:crypto';
import type { Search } from '../search/search.ts';
import { type StoredChange, type StoredSession, textKey } from '../session-store.ts';
import type { TokenCounts } from '../token-counts.ts';
import type { Warning } from '../warnings.ts';
import type { Agent } from './agent.ts';
import type { Catalog } from './catalog.ts';
import { type CatalogItem, countedText } from './catalog-item.ts';
import type { RequestContextItem } from './item.ts';
import { mergeDomainOptions } from './item-search.ts';
import { historyMessage, type ModelMessage } from './message.ts';
import type { NewRequest, OmittedPart, RequestReceipt, ToolDefinition } from './request.ts';
import { chooseItems } from './request-context.ts';
import { assembleMessages, chooseOmissions, itemMessage } from './request-messages.ts';
import { refOf, type SessionState } from './session.ts';
import type { KeptMessage, Recent } from './session-messages.ts';

/** What is stored of a request: enough to send it again exactly. Texts are kept by their `textKey`. */
export type KeptRequest = Pick<RequestReceipt, 'omitted' | 'usage' | 'semantic' | 'warnings'> & {
  message: string;
  systemPrompt?: string;
  /** Numbers of the first and the last change that is a message of the history. */
  history?: { first: number; last: number };
  items: RequestContextItem[];
  /** Of each item: its text, or the JSON of its definition. */
  texts: string[];
  /** Of messages and tools as they were sent. */
  sha256: string;
};

export type BuiltRequest = {
  kept: KeptRequest;
  texts: Map<string, string>;
  messages: ModelMessage[];
  tools: ToolDefinition[];
};

export type RequestSource = {
  session: StoredSession;
  agent: Agent;
  catalog: Catalog;
  /** The messages of the session, as many as may be sent. */
  recent: Recent;
};

export async function buildRequest(
  asked: NewRequest,
  { session, agent, catalog, recent }: RequestSource,
  parts: { search: Search['search']; tokenCounts: TokenCounts },
): Promise<BuiltRequest> {
  const state = session.state as SessionState;
  const { chosen, missing, semantic, warnings } = await chooseItems(
    {
      message: asked.message,
      mentions: asked.mentions ?? [],
      held: state.contextItems,
      options: mergeDomainOptions(agent.settings, state, { toolSearch: asked.search, ...asked }),
    },
    catalog,
    parts.search,
  );
  const history = historyOf(recent.changes);
  const { systemPrompt, id } = { ...agent, id: session.id };
  const prompt = systemPrompt === undefined ? [] : [{ key: textKey(systemPrompt), text: systemPrompt }];
  const { counts, estimated } = await parts.tokenCounts.count(
    [
      ...chosen.map(({ item }) => ({ key: `${item.type}:${item.sha256}`, text: sentText(item) })),
      ...history.map(({ syncId, message }) => ({ key: `${id}:${syncId}`, text: message.content })),
      { key: textKey(asked.message), text: asked.message },
      ...prompt,
    ],
    asked.budget?.encoding ?? 'o200k_base',
  );
  const items = chosen.map((each, at) => ({ ...each, tokens: counts[at] ?? 0 }));
  const historyTokens = counts.slice(items.length, items.length + history.length);
  const [messageTokens = 0, systemTokens = 0] = counts.slice(items.length + history.length);
  const maxTokens = asked.budget?.maxTokens;
  const omissions = chooseOmissions({ items, historyTokens, fixedTokens: messageTokens + systemTokens }, maxTokens);

  const letGo = new Set(omissions.items);
  const sent = items.filter((item) => !letGo.has(item));
  const sentHistory = history.slice(omissions.history);
  const tools = sent.flatMap(({ item }) => (item.type === 'tool' ? [toolDefinition(item)] : []));
  const messages = assembleMessages({
    systemPrompt,
    history: sentHistory.map(({ message }) => message),
    items: sent.map(({ item }) => item),
    message: asked.message,
  });
  const texts = new Map(prompt.map(({ key, text }) => [key, text]));
  const keys = sent.map(({ item }) => {
    const text = item.type === 'tool' ? JSON.stringify(toolDefinition(item)) : item.text;
    const key = textKey(text);
    texts.set(key, text);
    return key;
  });
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  const used = {
    systemPrompt: systemTokens,
    history: sum(historyTokens.slice(omissions.history)),
    items: sum(sent.map(({ tokens }) => tokens)),
    message: messageTokens,
  };
  const overBudget = { code: 'over_budget', detail: `the budget is ${maxTokens} tokens` };
  const omittedItems = omissions.items.map(
    ({ item, includeMode, similarityScore, tokens }): OmittedPart => ({
      ...refOf(item),
      ...{ includeMode, ...scored(similarityScore), tokens, reason: overBudget },
    }),
  );
  const dropped = { messages: omissions.history, tokens: sum(historyTokens.slice(0, omissions.history)) };
  const unread = session.messages - recent.changes.length;
  const omitted: OmittedPart[] = [
    ...missing.map(
      (held): OmittedPart => ({
        ...held,
        tokens: 0,
        reason: { code: 'missing', detail: 'the agent no longer has it' },
      }),
    ),
    ...(unread > 0 ? [{ type: 'history' as const, messages: unread, tokens: 0, reason: notRead }] : []),
    ...omittedItems.slice(0, omissions.historyBefore),
    ...(dropped.messages > 0 ? [{ type: 'history' as const, ...dropped, reason: overBudget }] : []),
    ...omittedItems.slice(omissions.historyBefore),
  ];
  const [first, last] = [sentHistory[0]?.syncId, sentHistory.at(-1)?.syncId];
  const kept: KeptRequest = {
    message: asked.message,
    ...(prompt[0] === undefined ? {} : { systemPrompt: prompt[0].key }),
    ...(first === undefined || last === undefined ? {} : { history: { first, last } }),
    items: sent.map(({ item, includeMode, similarityScore, tokens }) => ({
      ...refOf(item),
      ...{ includeMode, ...scored(similarityScore), sha256: item.sha256, tokens },
    })),
    texts: keys,
    omitted,
    usage: {
      tokens: used.systemPrompt + used.history + used.items + used.message,
      ...used,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(estimated ? { estimated: true } : {}),
    },
    semantic,
    warnings: [...catalog.warnings, ...recent.warnings, ...warnings, ...(omissions.fits ? [] : [doesNotFit])],
    sha256: sentHash(messages, tools),
  };
  return { kept, texts, messages, tools };
}

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

/** What of the messages is sent, and where it stands in the session. */
export function historyOf(changes: readonly StoredChange[]): { syncId: number; message: ModelMessage }[] {
  return changes.flatMap(({ syncId, data }) => {
    const message = historyMessage((data as KeptMessage).message);
    return message === undefined ? [] : [{ syncId, message }];
  });
}

function sentText(item: CatalogItem): string {
  const { type, text } = item;
  return type === 'tool' ? countedText(item) : itemMessage({ type, text }).content;
}

function toolDefinition({ serverName = '', name, description, inputSchema }: CatalogItem): ToolDefinition {
  return { serverName, name, description, inputSchema: inputSchema ?? {} };
}

function scored(similarityScore: number | undefined): { similarityScore?: number } {
  return similarityScore === undefined ? {} : { similarityScore };
}
