/** Sends the messages of a session to a model again (RQ-03, RQ-05). */
import type { StoredChange } from '../ports/store/session.ts';
import { type HistoryForm, historyMessages, type ModelMessage } from './message.ts';
import { answersCalls, answersIn, asPlainMessages, callsIn } from './model-messages.ts';
import type { KeptMessage, Recent } from './session-messages.ts';

/** `isPlain`: sent as text, although it came in another form. */
type Part = { syncId: number; messages: ModelMessage[]; isPlain?: boolean };

/**
 * The messages to send, with their place in the session. Tool calls without a result, and results without a call, are
 * sent as text, unless `form` says that everything is.
 */
export function historyOf(changes: readonly StoredChange[], form: HistoryForm = {}): Part[] {
  const parts = changes.flatMap(({ syncId, data }): Part[] => {
    const messages = historyMessages((data as KeptMessage).message, form);
    return messages.length === 0 ? [] : [{ syncId, messages }];
  });
  if (form.asText) return parts;
  const torn = tornParts(parts);
  return parts.map((part) =>
    torn.has(part) ? { ...part, messages: asPlainMessages(part.messages), isPlain: true } : part,
  );
}

/**
 * The parts with a tool call that has no result before the user continues, or with a result without a call, and all
 * parts that belong to the same calls.
 */
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
      if (isAsked(message)) giveUp();
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
  // The loop also visits parts that it adds.
  for (const part of torn) for (const other of exchanges.get(part) ?? []) torn.add(other);
  return torn;
}

/** Without the answers at the beginning, if older messages were not read. `stored`: how many messages the session has. */
export function fromQuestion({ changes, damaged }: Recent, stored: number): Recent {
  const isWhole = changes.length + damaged >= stored;
  const first = changes.findIndex(({ data }) => historyMessages((data as KeptMessage).message).some(isAsked));
  return { changes: isWhole ? changes : changes.slice(Math.max(0, first)), damaged };
}

function isAsked(message: ModelMessage): boolean {
  return message.role === 'user' && !answersCalls(message);
}

export type CountedHistory = Part & { tokens: number };

/** Parts of the history that stay or go together. `messages`: the number of its messages. */
export type Turn = { parts: CountedHistory[]; messages: number; tokens: number };

/** Each message of the user with all that answers it. Many models refuse a history that begins with an answer. */
export function wholeTurns(history: readonly CountedHistory[]): Turn[] {
  return grouped(history, isAsked);
}

/**
 * Sent before the end of a turn whose question does not fit, because many models refuse a conversation that begins with
 * an answer.
 */
export const earlierLeftOut = 'Earlier messages were left out.';

/** Tool calls with everything up to their last result, because a model accepts neither alone. All else by itself. */
export function partsOfTurns(history: readonly CountedHistory[]): Turn[] {
  return grouped(history, (message) => !answersCalls(message));
}

function grouped(history: readonly CountedHistory[], mayBegin: (message: ModelMessage) => boolean): Turn[] {
  const turns: Turn[] = [];
  const open = new Set<string>();
  for (const part of history) {
    const turn = turns.at(-1);
    if (turn !== undefined && (open.size > 0 || !part.messages.slice(0, 1).some(mayBegin))) {
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
