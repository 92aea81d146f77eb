/** What a model is sent, and what goes when it does not fit (management document, "Using Request Context"; RQ-03, RQ-05). */
import type { ItemInclude } from './item.ts';
import type { ModelMessage } from './message.ts';

/** A rule or reference as a message of its own. */
export function itemMessage(item: { type: 'rule' | 'reference'; text: string }): ModelMessage {
  return { role: 'user', content: `${item.type === 'rule' ? 'Rule' : 'Reference'}: ${item.text}` };
}

/**
 * System prompt, history, references, rules, the user's message; references and rules in the order of the request
 * context. Tools are sent beside the messages.
 */
export function assembleMessages(parts: {
  systemPrompt?: string | undefined;
  history: readonly ModelMessage[];
  items: readonly { type: 'rule' | 'reference' | 'tool'; text: string }[];
  message: string;
}): ModelMessage[] {
  const { systemPrompt, history, items, message } = parts;
  const ofType = (wanted: 'rule' | 'reference') =>
    items.flatMap(({ type, text }) => (type === wanted ? [itemMessage({ type, text })] : []));
  return [
    ...(systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt }]),
    ...history,
    ...ofType('reference'),
    ...ofType('rule'),
    { role: 'user', content: message },
  ];
}

type CountedItem = { includeMode: ItemInclude; similarityScore?: number; tokens: number };

/**
 * `items` in the order in which they are let go; `historyBefore` of them went before the history did, of which the oldest
 * `history` messages go. `fits`: the rest is within the budget.
 */
export type Omissions<Item> = { items: Item[]; historyBefore: number; history: number; fits: boolean };

/**
 * What to let go until the rest has at most `maxTokens`: `agent` items, least relevant first; `auto` items, last first;
 * history, oldest first; `manual` items, then `always` items, last first. What costs nothing stays. `history` is oldest
 * first; `fixedTokens` is what cannot go.
 */
export function chooseOmissions<Item extends CountedItem>(
  parts: { items: readonly Item[]; history: readonly { tokens: number }[]; fixedTokens: number },
  maxTokens = Number.POSITIVE_INFINITY,
): Omissions<Item> {
  const { items, history, fixedTokens } = parts;
  let total = [...items, ...history].reduce((sum, { tokens }) => sum + tokens, fixedTokens);
  const omitted: Item[] = [];
  const letGo = (mode: ItemInclude): void => {
    const lastFirst = items.filter(({ includeMode, tokens }) => includeMode === mode && tokens > 0).reverse();
    for (const item of lastFirst.sort((a, b) => (a.similarityScore ?? 0) - (b.similarityScore ?? 0))) {
      if (total <= maxTokens) return;
      total -= item.tokens;
      omitted.push(item);
    }
  };
  letGo('agent');
  letGo('auto');
  const historyBefore = omitted.length;
  let oldest = 0;
  for (; total > maxTokens && oldest < history.length; oldest += 1) total -= history[oldest]?.tokens ?? 0;
  letGo('manual');
  letGo('always');
  return { items: omitted, historyBefore, history: oldest, fits: total <= maxTokens };
}
