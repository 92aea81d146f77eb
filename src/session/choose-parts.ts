/** Chooses what of a session is sent with a message, and what is left out for the budget (RQ-01 … RQ-05). */
import type { Agent } from '../agent/agent.ts';
import type { Catalog } from '../agent/catalog.ts';
import { mergeDomainOptions } from '../agent/item-search.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import { type StoredSession, textKey } from '../ports/store/session.ts';
import { defaultEncoding, type TokenEncoding } from '../ports/token-encoding.ts';
import type { Search } from '../search/search.ts';
import { type ChosenItem, chooseItems } from './choose-items.ts';
import { type CountedHistory, earlierLeftOut, historyOf, partsOfTurns, type Turn, wholeTurns } from './history.ts';
import { modelText } from './model-messages.ts';
import type { NewRequest } from './request.ts';
import { chooseOmissions } from './request-messages.ts';
import { itemKey, type SentPart, sendParts, sentText } from './sent-parts.ts';
import { stateOf } from './session.ts';
import type { Recent } from './session-messages.ts';
import type { WorkspaceContext } from './workspace-context.ts';

export type RequestSource = {
  session: StoredSession;
  agent: Agent;
  catalog: Catalog;
  /** The last messages of the session, up to the limit. */
  recent: Recent;
  workspaceContext: WorkspaceContext;
};

export type BuildParts = { search: Search['search']; tokenCounts: TokenCounts };

/** Chooses the sent parts of the session, and those that are left out for the budget. */
export async function chooseParts(asked: NewRequest, source: RequestSource, { search, tokenCounts }: BuildParts) {
  const { session, agent, catalog } = source;
  const state = stateOf(session);
  const { message, mentions = [], expand, include } = asked;
  const options = mergeDomainOptions(agent.settings, state, { toolSearch: asked.search, ...asked });
  const choice =
    include?.rules === false
      ? noItems
      : await chooseItems({ message, mentions, expand, held: state.contextItems, options }, catalog, search);
  const { encoding = defaultEncoding } = asked.budget ?? {};
  const counting = { tokenCounts, encoding };
  const { chosen, ...sent } = await sendParts(choice.chosen, counting);
  const { items, history, fixed, ...counted } = await countParts(asked, { ...source, chosen }, counting);
  const estimated = sent.estimated || counted.estimated;
  return { options, choice, fixed, estimated, ...fitBudget({ items, history, fixed }, asked.budget?.maxTokens) };
}

const noItems: Awaited<ReturnType<typeof chooseItems>> = {
  chosen: [],
  missing: [],
  mentioned: new Set(),
  warnings: [],
  semantic: { status: 'ready', engine: 'none', detail: 'No items were asked for.' },
};

/** A text of the user before the history. */
type SentBefore = { text: string; tokens: number };

export type SendableItem = ChosenItem & { sent?: SentPart };
export type Counted<Part> = Part & { tokens: number };

/** All that could be sent. `before`: the tokens of a text before the history, if its beginning is left out. */
type CountedParts = {
  items: Counted<SendableItem>[];
  history: CountedHistory[];
  fixed: { systemPrompt: number; message: number; before: number };
};

/** The items and the history that fit, and what is left out. The history is left out in whole turns. */
function fitBudget({ items, history, fixed }: CountedParts, maxTokens: number | undefined) {
  const fixedTokens = fixed.systemPrompt + fixed.message;
  const omit = (turns: readonly Turn[], before?: SentBefore) => {
    // What is sent before the history goes with its newest part, so nothing else is left out for it alone.
    const inNewest = (at: number) => (at === turns.length - 1 ? (before?.tokens ?? 0) : 0);
    const costs = turns.map(({ tokens }, at) => ({ tokens: tokens + inNewest(at) }));
    const omissions = chooseOmissions({ items, history: costs, fixedTokens }, maxTokens);
    return { turns, omissions, before, isEmpty: omissions.history === turns.length };
  };
  const whole = omit(wholeTurns(history));
  // If not even the last turn fits, its end is better than nothing.
  const end = whole.isEmpty ? omit(partsOfTurns(history), { text: earlierLeftOut, tokens: fixed.before }) : whole;
  const { turns, omissions, before } = end.isEmpty ? whole : end;
  const letGo = new Set(omissions.items);
  return {
    omissions,
    turns,
    before,
    items: items.filter((item) => !letGo.has(item)),
    history: turns.slice(omissions.history).flatMap(({ parts }) => parts),
  };
}

/** Counts the tokens of every part in the form in which it is sent. */
async function countParts(
  asked: NewRequest,
  { session, agent, recent, chosen }: RequestSource & { chosen: readonly SendableItem[] },
  { tokenCounts, encoding }: { tokenCounts: TokenCounts; encoding: TokenEncoding },
): Promise<CountedParts & { estimated: boolean }> {
  const history = historyOf(recent.changes);
  const { systemPrompt = '' } = agent;
  const { counts, estimated } = await tokenCounts.count(
    [
      { key: textKey(asked.message), text: asked.message },
      { key: textKey(systemPrompt), text: systemPrompt },
      { key: textKey(earlierLeftOut), text: earlierLeftOut },
      ...chosen.map(({ item, sent }) => {
        if (sent === undefined) return { key: itemKey(item), text: sentText(item) };
        const text = sentText({ ...item, text: sent.text });
        return { key: textKey(text), text };
      }),
      // A message never changes, so its key can be its place in the session and its form.
      ...history.map(({ syncId, messages, isPlain = false }) => {
        return { key: `${session.id}:${syncId}${isPlain ? ':plain' : ''}`, text: messages.map(modelText).join('\n') };
      }),
    ],
    encoding,
  );
  const [message = 0, prompt = 0, before = 0, ...others] = counts;
  return {
    items: chosen.map((each, at) => ({ ...each, tokens: others[at] ?? 0 })),
    history: history.map((each, at) => ({ ...each, tokens: others[chosen.length + at] ?? 0 })),
    fixed: { systemPrompt: prompt, message, before },
    estimated,
  };
}
