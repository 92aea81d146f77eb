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
 * What to let go until the rest has at most `maxTokens`: `agent` items, least relevant first; `auto` items, last first;
 * history, oldest first; `manual` items, then `always` items, last first. What costs nothing stays. `historyTokens`,
 * oldest first; `fixedTokens` is what cannot go. `historyBefore` says how many of `items` went before the history did.
 */
export function chooseOmissions<Item extends CountedItem>(
  parts: { items: readonly Item[]; historyTokens: readonly number[]; fixedTokens: number },
  maxTokens: number | undefined,
): { items: Item[]; historyBefore: number; history: number; fits: boolean } {
  const { items, historyTokens, fixedTokens } = parts;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  let tokens = fixedTokens + sum(historyTokens) + sum(items.map((item) => item.tokens));
  const omitted = { items: [] as Item[], historyBefore: 0, history: 0 };
  const isOver = (): boolean => maxTokens !== undefined && tokens > maxTokens;
  const letGo = (mode: ItemInclude): void => {
    const lastFirst = items.filter(({ includeMode, tokens: own }) => includeMode === mode && own > 0).reverse();
    for (const item of lastFirst.sort((a, b) => (a.similarityScore ?? 0) - (b.similarityScore ?? 0))) {
      if (!isOver()) return;
      tokens -= item.tokens;
      omitted.items.push(item);
    }
  };
  letGo('agent');
  letGo('auto');
  omitted.historyBefore = omitted.items.length;
  for (; isOver() && omitted.history < historyTokens.length; omitted.history += 1)
    tokens -= historyTokens[omitted.history] ?? 0;
  letGo('manual');
  letGo('always');
  return { ...omitted, fits: !isOver() };
}
