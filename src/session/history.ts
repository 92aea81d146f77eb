/** The messages of a session as a model is sent them again (RQ-03, RQ-05). */
import type { StoredChange } from '../ports/store/session.ts';
import { historyMessages, type ModelMessage } from './message.ts';
import { answersCalls } from './model-messages.ts';
import type { KeptMessage } from './session-messages.ts';

/** What of the messages is sent, and where it stands in the session. `asText`: as versions did that knew text only. */
export function historyOf(
  changes: readonly StoredChange[],
  options: { asText?: boolean } = {},
): { syncId: number; messages: ModelMessage[] }[] {
  return changes.flatMap(({ syncId, data }) => {
    const messages = historyMessages((data as KeptMessage).message, options);
    return messages.length === 0 ? [] : [{ syncId, messages }];
  });
}

export type CountedHistory = ReturnType<typeof historyOf>[number] & { tokens: number };

/** Parts of the history that stay or go together. `messages` is their number. */
export type Turn = { parts: CountedHistory[]; messages: number; tokens: number };

/**
 * Calls of tools with the results that follow them: a model takes neither without the other. `isCut`: what came before is
 * not there, so that results at the beginning have lost their calls and are left out.
 */
export function wholeTurns(history: readonly CountedHistory[], isCut: boolean): Turn[] {
  const turns: Turn[] = [];
  for (const part of history) {
    const isAnswer = part.messages.slice(0, 1).some(answersCalls);
    const turn = turns.at(-1);
    if (isAnswer && turn !== undefined) {
      turn.parts.push(part);
      turn.messages += 1;
      turn.tokens += part.tokens;
    } else if (!isAnswer || !isCut) turns.push({ parts: [part], messages: 1, tokens: part.tokens });
  }
  return turns;
}
