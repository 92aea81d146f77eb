/** What a model is sent, and what goes when it does not fit (RQ-03, RQ-05). */

import type { ItemInclude } from '../agent/item.ts';
import { chooseGone } from '../budget/token-budget.ts';
import type { ModelMessage } from './message.ts';

/** A rule or reference as a message of its own. */
export function itemMessage(item: { type: 'rule' | 'reference'; text: string }): ModelMessage {
  return { role: 'user', content: `${item.type === 'rule' ? 'Rule' : 'Reference'}: ${item.text}` };
}

/**
 * System prompt, history, references, rules, what goes along of the workspace, the user's message; references and rules in
 * the order of the request context. Tools are sent beside the messages.
 */
export function assembleMessages(parts: {
  systemPrompt?: string | undefined;
  history: readonly ModelMessage[];
  items: readonly { type: 'rule' | 'reference' | 'tool'; text: string }[];
  context?: string | undefined;
  message: string;
}): ModelMessage[] {
  const { systemPrompt, history, items, context = '', message } = parts;
  const ofType = (wanted: 'rule' | 'reference') =>
    items.flatMap(({ type, text }) => (type === wanted ? [itemMessage({ type, text })] : []));
  return [
    ...(systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt }]),
    ...history,
    ...ofType('reference'),
    ...ofType('rule'),
    ...(context === '' ? [] : [{ role: 'user' as const, content: context }]),
    { role: 'user', content: message },
  ];
}

type CountedItem = { includeMode: ItemInclude; similarityScore?: number; tokens: number };

/**
 * `items` in the order in which they are let go; `historyBefore` of them went before the history did, of which the oldest
 * `history` messages go. `tokens`: what the rest has. `fits`: it is within the budget.
 */
export type Omissions<Item> = { items: Item[]; historyBefore: number; history: number; tokens: number; fits: boolean };

/**
 * What to let go until the rest has at most `maxTokens`: `agent` items, least relevant first; `auto` items, last first;
 * history, oldest first; `manual` items, then `always` items, last first. What still fits then comes back, the last gone
 * first, and of the history only what has no gap to the rest. What costs nothing stays. `history` is oldest first;
 * `fixedTokens` is what cannot go.
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
      .sort((a, b) => (a.similarityScore ?? 0) - (b.similarityScore ?? 0))
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
