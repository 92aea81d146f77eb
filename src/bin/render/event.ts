/** An event of any type in a line for people. */
import { wordsOfEvent } from '../../events/event-words.ts';
import { oneLine } from './terminal-text.ts';

/** Type and words of an event, safe for a terminal. */
export function renderEvent(event: string, data: unknown): string {
  const words = wordsOfEvent({ type: event, data } as Parameters<typeof wordsOfEvent>[0]);
  return `${oneLine(event).padEnd(21)}  ${oneLine(words)}`;
}
