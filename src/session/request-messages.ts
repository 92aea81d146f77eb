/** Assembles the messages for a model, and chooses what to leave out (RQ-03, RQ-05). */

import type { ItemInclude } from '../agent/item.ts';
import { chooseGone } from '../budget/token-budget.ts';
import type { ModelMessage } from './message.ts';

/** A rule or reference as a separate message. */
export function itemMessage(item: { type: 'rule' | 'reference'; text: string }): ModelMessage {
  return { role: 'user', content: `${item.type === 'rule' ? 'Rule' : 'Reference'}: ${item.text}` };
}

/**
 * The messages in order: system prompt, history, references, rules, context of the workspace, message of the user.
 * References and rules have the order of the request context. Tools are sent separately.
 */
export function assembleMessages(parts: {
  systemPrompt?: string | undefined;
  history: readonly ModelMessage[];
  /** A text of the user before the history. */
  before?: string | undefined;
  items: readonly { type: 'rule' | 'reference' | 'tool'; text: string }[];
  context?: string | undefined;
  message: string;
}): ModelMessage[] {
  const { systemPrompt, history, before, items, context = '', message } = parts;
  const ofType = (wanted: 'rule' | 'reference') =>
    items.flatMap(({ type, text }) => (type === wanted ? [itemMessage({ type, text })] : []));
  return [
    ...(systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt }]),
    ...(before === undefined ? [] : [{ role: 'user' as const, content: before }]),
    ...history,
    ...ofType('reference'),
    ...ofType('rule'),
    ...(context === '' ? [] : [{ role: 'user' as const, content: context }]),
    { role: 'user', content: message },
  ];
}

type CountedItem = { includeMode: ItemInclude; tokens: number };

/**
 * `items`: the omitted items in the order of their removal; the first `historyBefore` of them were removed before the
 * history. `history`: how many parts of the history are omitted, the oldest. `tokens`: of the rest. `fits`: whether the
 * rest is within the budget.
 */
export type Omissions<Item> = { items: Item[]; historyBefore: number; history: number; tokens: number; fits: boolean };

/**
 * Leaves out parts until the rest has at most `maxTokens`: `agent` items, least relevant first; `auto` items, last
 * first; history, oldest first; `manual` items, then `always` items, last first. Then parts that still fit come back,
 * the last removed first. History comes back only without a gap. Parts without tokens stay. `history` is oldest first,
 * `agent` items are most relevant first. `fixedTokens`: tokens that cannot be left out.
 */
export function chooseOmissions<Item extends CountedItem>(
  parts: { items: readonly Item[]; history: readonly { tokens: number }[]; fixedTokens: number },
  maxTokens = Number.POSITIVE_INFINITY,
): Omissions<Item> {
  const { items, history, fixedTokens } = parts;
  const ofMode = (mode: ItemInclude) =>
    items
      .filter(({ includeMode }) => includeMode === mode)
      .reverse()
      .map((item) => ({ item, tokens: item.tokens }));
  const before = [...ofMode('agent'), ...ofMode('auto')];
  const messages = history.map(({ tokens }) => ({ tokens, chained: true }));
  const order = [...before, ...messages, ...ofMode('manual'), ...ofMode('always')];
  const { gone, tokens } = chooseGone<{ item?: Item; tokens: number; chained?: boolean }>(order, {
    maxTokens,
    fixedTokens,
  });
  const wentBefore = new Set<object>(before);
  const newestGone = messages.findLastIndex((message) => gone.includes(message));
  return {
    items: gone.flatMap(({ item }) => item ?? []),
    historyBefore: gone.filter((part) => wentBefore.has(part)).length,
    history: newestGone + 1,
    tokens,
    fits: tokens <= maxTokens,
  };
}
