/** The messages of a session as a model is sent them again (RQ-03, RQ-05). */
import type { StoredChange } from '../ports/store/session.ts';
import { historyMessages, type ModelMessage } from './message.ts';
import { answersCalls, answersIn, asPlainMessages, callsIn } from './model-messages.ts';
import type { KeptMessage } from './session-messages.ts';

/** `isPlain`: sent as text, though it came as something else. */
type Part = { syncId: number; messages: ModelMessage[]; isPlain?: boolean };

/**
 * What of the messages is sent, and where it stands in the session. Calls of tools without an answer, and answers without
 * their call, are sent as text. `asText`: as versions did that knew text only.
 */
export function historyOf(changes: readonly StoredChange[], { asText = false } = {}): Part[] {
  const parts = changes.flatMap(({ syncId, data }): Part[] => {
    const messages = historyMessages((data as KeptMessage).message, { asText });
    return messages.length === 0 ? [] : [{ syncId, messages }];
  });
  if (asText) return parts;
  const torn = tornParts(parts);
  return parts.map((part) =>
    torn.has(part) ? { ...part, messages: asPlainMessages(part.messages), isPlain: true } : part,
  );
}

/** Those with a call that nothing answers before the user goes on, or with an answer to none, and what hangs on these. */
function tornParts(parts: readonly Part[]): Set<Part> {
  const torn = new Set<Part>();
  const exchanges = new Map<Part, Part[]>(parts.map((part) => [part, []]));
  const open = new Map<string, Part>();
  const giveUp = (): void => {
    for (const part of open.values()) torn.add(part);
    open.clear();
  };
  for (const part of parts) {
    for (const message of part.messages) {
      if (message.role === 'user' && !answersCalls(message)) giveUp();
      for (const id of answersIn(message)) {
        const call = open.get(id);
        open.delete(id);
        if (call === undefined) torn.add(part);
        else if (call !== part) {
          exchanges.get(call)?.push(part);
          exchanges.get(part)?.push(call);
        }
      }
      for (const id of callsIn(message)) {
        const repeated = open.get(id);
        if (repeated !== undefined) torn.add(repeated);
        open.set(id, part);
      }
    }
  }
  giveUp();
  // What is added while it is gone through is gone through, too.
  for (const part of torn) for (const other of exchanges.get(part) ?? []) torn.add(other);
  return torn;
}

export type CountedHistory = Part & { tokens: number };

/** Parts of the history that stay or go together. `messages` is their number. */
export type Turn = { parts: CountedHistory[]; messages: number; tokens: number };

/** Calls of tools with all up to their last result: a model takes neither without the other. */
export function wholeTurns(history: readonly CountedHistory[]): Turn[] {
  const turns: Turn[] = [];
  const open = new Set<string>();
  for (const part of history) {
    const isAnswer = part.messages.slice(0, 1).some(answersCalls);
    const turn = turns.at(-1);
    if (turn !== undefined && (isAnswer || open.size > 0)) {
      turn.parts.push(part);
      turn.messages += 1;
      turn.tokens += part.tokens;
    } else turns.push({ parts: [part], messages: 1, tokens: part.tokens });
    for (const message of part.messages) {
      for (const id of answersIn(message)) open.delete(id);
      for (const id of callsIn(message)) open.add(id);
    }
  }
  return turns;
}
